"""The files of the bundled sample: read back by the package's readers, nltk and conllu; splits; determinism; size."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections import Counter, defaultdict
from itertools import islice
from pathlib import Path

import conllu
import nltk
import pytest

from nntag.corpora.ccgbank import read_ccgbank, read_derivations
from nntag.corpora.columns import read_columns
from nntag.corpora.conllu import read_conllu
from nntag.corpora.lines import open_lines
from nntag.corpora.piped import read_piped
from nntag.corpora.pmb import read_pmb
from nntag.corpora.ptb import read_ptb
from nntag.corpora.text import read_text
from nntag.errors import UsageError
from nntag.sample import SAMPLE_FORMATS, generate_sentences, make_sentence, write_sample
from nntag.sample.derivations import iterate_leaves

SIZE, SEED = 1500, 3
SENTENCE_FORMATS = ("ccgbank", "ptb", "conllu", "columns", "piped", "pmb", "text")


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Format -> split -> path."""
    folder = tmp_path_factory.mktemp("sample")
    return {format: write_sample(format, folder / format, SIZE, SEED) for format in SENTENCE_FORMATS}


def read(reader, path: Path) -> list:
    return list(reader(open_lines(str(path))))


@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_every_format_holds_the_same_sentences(written, split):
    paths = {format: splits[split] for format, splits in written.items()}
    ccgbank, piped = read(read_ccgbank, paths["ccgbank"]), read(read_piped, paths["piped"])
    assert len(ccgbank) == (SIZE if split == "train" else SIZE // 10)
    assert [(one.tokens, one.tags, one.supertags) for one in ccgbank] == [
        (one.tokens, one.tags, one.supertags) for one in piped
    ]
    for format, reader in (("ptb", read_ptb), ("columns", read_columns)):
        assert [(one.tokens, one.tags) for one in read(reader, paths[format])] == [
            (one.tokens, one.tags) for one in ccgbank
        ]
    for format, reader in (("conllu", read_conllu), ("pmb", read_pmb), ("text", read_text)):
        assert [one.tokens for one in read(reader, paths[format])] == [one.tokens for one in ccgbank]


def test_records_are_what_the_readers_give(written):
    wanted = [make_sentence(one.derivation) for one in generate_sentences(20, f"{SEED}-dev")]
    assert [(one.tokens, one.supertags) for one in wanted] == [
        (one.tokens, one.supertags) for one in islice(read_ccgbank(open_lines(str(written["ccgbank"]["dev"]))), 20)
    ]
    found = conllu.parse(written["conllu"]["dev"].read_text())[:20]
    for sentence, tokens in zip(wanted, found, strict=True):
        assert sentence.tags == tuple(token["xpos"] for token in tokens)
        assert sentence.heads == tuple(token["head"] for token in tokens)
        assert sentence.relations == tuple(token["deprel"] for token in tokens)


def test_derivations_are_read_back_whole(written):
    trees = read(read_derivations, written["ccgbank"]["dev"])
    for tree, generated in zip(trees, generate_sentences(20, f"{SEED}-dev"), strict=False):
        assert tree.labels[-1] == generated.derivation.category
        assert tree.tokens == tuple(leaf.word for leaf in iterate_leaves(generated.derivation))
    assert {len(children) for tree in trees for children in tree.children} == {0, 1, 2}


def test_auto_headers(written):
    lines = written["ccgbank"]["dev"].read_text().splitlines()
    assert lines[0] == "ID=sample_dev.1 PARSER=GOLD NUMPARSE=1"
    assert all(line.startswith("ID=sample_dev.") for line in lines[::2])
    assert all(line.startswith("(<T S") and line.endswith(" )") for line in lines[1::2])


def test_conllu_is_valid_for_the_conllu_package(written):
    text = written["conllu"]["train"].read_text()
    assert all(line.count("\t") == 9 for line in text.splitlines() if line and line[0] != "#")
    for sentence in conllu.parse(text):
        assert [token["id"] for token in sentence] == list(range(1, len(sentence) + 1))
        joined = "".join(
            token["form"] + ("" if token["misc"] == {"SpaceAfter": "No"} else " ") for token in sentence
        ).strip()
        assert joined == sentence.metadata["text"]
        assert [token["head"] for token in sentence].count(0) == 1
        assert all(token["lemma"] and token["upos"] and token["deprel"] for token in sentence)


def test_trees_are_valid_for_nltk(written):
    labels = Counter()
    lines = written["ptb"]["train"].read_text().splitlines()
    tagged = read(read_ptb, written["ptb"]["train"])
    for line, sentence in zip(lines, tagged, strict=True):
        tree = nltk.Tree.fromstring(line)
        assert tuple(tag for _, tag in tree.pos()) == sentence.tags
        assert len(tree) == 1 and tree[0].label() in ("S", "SQ", "SBARQ")
        labels.update(node.label() for node in tree.subtrees(lambda node: node.height() > 2))
    assert set(labels) - {""} >= {"S", "NP", "VP", "PP", "SBAR", "ADJP", "ADVP", "SQ", "SBARQ", "WHNP", "WHADVP", "PRT"}
    assert all(label.isupper() for label in labels if label)


def test_held_out_sentences_are_not_in_train(written):
    sentences = {split: written["text"][split].read_text().splitlines() for split in ("train", "dev", "test")}
    assert not set(sentences["train"]) & set(sentences["dev"] + sentences["test"])
    assert not set(sentences["dev"]) & set(sentences["test"])


@pytest.mark.parametrize("format", SAMPLE_FORMATS)
def test_dev_and_test_have_at_least_fifty(tmp_path, format):
    paths = write_sample(format, tmp_path / "new" / "folder", 10, 1)
    if format == "sherlock":
        assert len(paths["csv_answers"].read_text().splitlines()) == 1 + 50
        return
    counts = {"conllu": "sent_id", "ccgbank": "ID="}
    texts = {split: path.read_text() for split, path in paths.items()}
    marks = {split: text.count(counts[format]) for split, text in texts.items()} if format in counts else None
    separator = "\n\n" if format in ("columns", "pmb") else "\n"
    found = marks or {split: text.count(separator) for split, text in texts.items()}
    assert found == {"train": 10, "dev": 50, "test": 50}


def test_another_seed_gives_other_text_and_the_same_seed_the_same(tmp_path):
    one, again, other = (
        write_sample("text", tmp_path / name, 60, seed)["train"].read_bytes()
        for name, seed in (("a", 1), ("b", 1), ("c", 2))
    )
    assert one == again != other


def test_bytes_do_not_depend_on_the_hash_seed(tmp_path):
    script = (
        "import sys; from nntag.sample import SAMPLE_FORMATS, write_sample\n"
        "for format in SAMPLE_FORMATS: write_sample(format, sys.argv[1] + '/' + format, 80, 1)\n"
        "assert 'torch' not in sys.modules"
    )
    sums = []
    for hash_seed in ("1", "77"):
        folder = tmp_path / hash_seed
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "LC_ALL": "C", "PYTHONUTF8": "0"}
        environment["PYTHONPATH"] = str(Path(__file__).parents[2])
        subprocess.run([sys.executable, "-c", script, str(folder)], env=environment, check=True)
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        sums.append([(path.relative_to(folder), hashlib.sha256(path.read_bytes()).hexdigest()) for path in files])
    assert sums[0] == sums[1] and len(sums[0]) > 20


def test_unknown_format_and_size():
    with pytest.raises(UsageError, match="ccgbank, ptb, conllu"):
        write_sample("penn", "unused", 10)
    with pytest.raises(UsageError, match="at least one"):
        write_sample("text", "unused", 0)


def test_generation_is_lazy():
    assert next(generate_sentences(10**12, 1)).topic


def test_sentences_have_three_to_forty_tokens(written):
    lengths = Counter(len(line.split()) for line in written["text"]["train"].read_text().splitlines())
    assert min(lengths) >= 3 and 30 < max(lengths) <= 40
    assert max(lengths.values()) < SIZE / 5


def test_articles_fit_the_next_word(written):
    for line in written["text"]["train"].read_text().lower().splitlines():
        words = line.split()
        for article, word in zip(words, words[1:], strict=False):
            assert article != "a" or word[0] not in "aeo", line
            assert article != "an" or word[0] not in "bcdfgjklmnpqrstvwxyz", line


def test_the_sample_is_as_hard_as_it_says():
    """Many categories with a tail, words unseen in training, and words whose category the context decides."""
    train, test = (
        [list(iterate_leaves(one.derivation)) for one in generate_sentences(size, seed)]
        for size, seed in ((2000, "train"), (1000, "test"))
    )
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for leaves in train:
        for leaf in leaves:
            counts[leaf.word][leaf.category] += 1
    categories = sum(counts.values(), Counter())
    assert len(categories) >= 150
    assert sum(count <= 5 for count in categories.values()) >= 30
    tokens = [leaf for leaves in test for leaf in leaves]
    unseen = sum(leaf.word not in counts for leaf in tokens) / len(tokens)
    assert 0.02 < unseen < 0.07
    most_frequent = {word: found.most_common(1)[0][0] for word, found in counts.items()}
    right = sum(most_frequent.get(leaf.word, "N") == leaf.category for leaf in tokens) / len(tokens)
    assert 0.75 < right < 0.88
