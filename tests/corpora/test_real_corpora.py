"""The counts of real corpora, as they were counted by others; and that reading them does not take long."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from nntag.corpora.ccgbank import read_ccgbank, read_derivations
from nntag.corpora.columns import read_columns
from nntag.corpora.conllu import read_conllu
from nntag.corpora.lines import open_lines
from nntag.corpora.piped import read_piped
from nntag.corpora.pmb import read_pmb
from nntag.corpora.ptb import read_ptb
from nntag.corpora.sherlock import read_sherlock
from nntag.corpora.splits import find_splits
from nntag.corpora.sst import read_sst
from nntag.corpora.text import read_text
from nntag.corpora.vectors import load_vectors

pytestmark = pytest.mark.corpus

XPOS = partial(read_conllu, column="XPOS", need_heads=True)


def counts(reader: Callable[..., Any], *paths: Path, layer: str = "tags") -> tuple[int, int, int]:
    """Sentences, tokens, types of one layer."""
    sentences = tokens = 0
    types: set[str] = set()
    for path in paths:
        for record in reader(open_lines(path)):
            sentences += 1
            tokens += len(record.tokens)
            types.update(getattr(record, layer) or ())
    return sentences, tokens, len(types)


@pytest.mark.parametrize(
    ("treebank", "train", "dev", "test", "upos", "xpos"),
    [
        ("UD_English-EWT", (12_544, 204_577), (2_001, 25_147), (2_077, 25_094), 17, 49),
        ("UD_English-ParTUT", (1_781, 43_504), (156, 2_722), (153, 3_408), 17, 39),
        ("UD_German-GSD", None, (799, 12_480), (977, 16_499), 17, 49),
        ("UD_German-LIT", None, None, (1_920, 40_450), 15, 67),
        ("UD_Italian-ParTUT", (1_781, 48_934), (156, 2_984), (153, 3_640), 15, 34),
        ("UD_Italian-ISDT", None, (564, 11_907), (482, 10_417), 17, 37),
    ],
)
def test_universal_dependencies(
    shared_data: Path, treebank: str, train: Any, dev: Any, test: Any, upos: int, xpos: int
) -> None:
    expected = {split: count for split, count in (("train", train), ("dev", dev), ("test", test)) if count}
    paths = {split: next((shared_data / "ud" / treebank).glob(f"*-ud-{split}.conllu")) for split in expected}
    if train:
        assert find_splits("conllu", shared_data / "ud" / treebank) == {split: [path] for split, path in paths.items()}
    most_upos = most_xpos = 0  # of one file
    for split, path in paths.items():
        records = list(XPOS(open_lines(path)))
        assert (len(records), sum(map(len, records))) == expected[split]
        most_xpos = max(most_xpos, len({tag for record in records for tag in record.tags}))
        most_upos = max(most_upos, counts(read_conllu, path)[2])
    assert (most_upos, most_xpos) == (upos, xpos)


@pytest.mark.parametrize(
    ("split", "trees", "tokens", "nodes", "roots"),
    [
        ("train", 8_544, 163_563, 318_582, (1092, 2218, 1624, 2322, 1288)),
        ("dev", 1_101, 21_274, 41_447, (139, 289, 229, 279, 165)),
        ("test", 2_210, 42_405, 82_600, (279, 633, 389, 510, 399)),
    ],
)
def test_sentiment_trees(shared_data: Path, split: str, trees: int, tokens: int, nodes: int, roots: tuple[int]) -> None:
    records = list(read_sst(open_lines(shared_data / f"sst/{split}.txt")))
    assert (len(records), sum(len(r.tokens) for r in records), sum(map(len, records))) == (trees, tokens, nodes)
    found = Counter(record.labels[-1] for record in records)
    assert tuple(found[label] for label in "01234") == roots
    spaced = sum("\u00a0" in token for record in records for token in record.tokens)
    assert spaced == (3 if split == "train" else 0)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("ud2ccg/geo-train.auto", (63, 948, 43)),
        ("ud2ccg/geo-dev.auto", (62, 892, 36)),
        ("ud2ccg/switchboard-test100.auto", (100, 1_270, 125)),
        ("fracas_derived/fracas.candc.auto", (585, 4_982, 104)),
    ],
)
def test_ccg_derivations(shared_data: Path, path: str, expected: tuple[int, int, int]) -> None:
    path_ = shared_data / "ccg" / path
    assert counts(read_ccgbank, path_, layer="supertags") == expected
    assert sum(len(tree.tokens) for tree in read_derivations(open_lines(path_))) == expected[1]
    if "fracas" in path:
        assert counts(read_ccgbank, path_)[2] == 34


@pytest.mark.parametrize(
    ("path", "expected", "tags"),
    [
        ("GENIA1000.staggedgold", (1_000, 26_805, 181), 41),
        ("qus_train.staggedGold", (1_328, 11_161, 144), 41),
        ("qus_test.staggedGold", (500, 4_078, 113), 36),
    ],
)
def test_piped_supertags(shared_data: Path, path: str, expected: tuple[int, int, int], tags: int) -> None:
    path_ = shared_data / "ccg/ud2ccg" / path
    assert counts(read_piped, path_, layer="supertags") == expected
    assert counts(read_piped, path_)[2] == tags


@pytest.mark.parametrize(
    ("treebank", "train", "dev", "test"),
    [
        ("UD_English-EWT", (12_243, 193_821, 553), (1_970, 24_060, 245), (2_050, 24_211, 235)),
        ("UD_Italian-ParTUT", (1_731, 46_147, 269), (153, 2_855, 102), (152, 3_598, 106)),
    ],
)
def test_derivations_made_from_dependencies(shared_data: Path, treebank: str, train: Any, dev: Any, test: Any) -> None:
    splits = find_splits("ccgbank", shared_data / "ccg/udccg" / treebank)
    assert {split: counts(read_ccgbank, *files, layer="supertags") for split, files in splits.items()} == {
        "train": train,
        "dev": dev,
        "test": test,
    }


@pytest.mark.parametrize(
    ("language", "sentences", "words", "categories"),
    [
        ("en", (7_745, 1_174, 1_053), (50_408, 7_368, 6_821), 294),
        ("de", (1_741, 559, 547), (10_126, 3_211, 3_234), 160),
        ("it", (685, 540, 461), (3_810, 2_864, 2_531), 112),
        ("nl", (539, 438, 491), (3_301, 2_659, 3_065), 109),
    ],
)
def test_parallel_meaning_bank(shared_data: Path, language: str, sentences: Any, words: Any, categories: int) -> None:
    splits = find_splits("pmb", shared_data / "ccg/pmb", language=language)
    found = {split: counts(read_pmb, *splits[split]) for split in ("train", "dev", "test")}
    assert tuple(count[0] for count in found.values()) == sentences
    assert tuple(count[1] for count in found.values()) == words
    assert found["train"][2] == categories


def test_treebank_sample(shared_data: Path) -> None:
    splits = find_splits("ptb", shared_data / "nltk/treebank")
    assert counts(read_ptb, *sorted(path for paths in splits.values() for path in paths)) == (3_914, 94_084, 45)


@pytest.mark.parametrize(("split", "expected"), [("train", (8_936, 211_727, 44)), ("test", (2_012, 47_377, 43))])
def test_chunking_columns(shared_data: Path, split: str, expected: tuple[int, int, int]) -> None:
    assert counts(partial(read_columns, column=2), shared_data / f"nltk/conll2000/{split}.txt") == expected


@pytest.mark.parametrize(
    ("split", "lines", "tokens"), [("train", 42_068, 887_521), ("valid", 3_370, 70_390), ("test", 3_761, 78_669)]
)
def test_language_model_text(shared_data: Path, split: str, lines: int, tokens: int) -> None:
    records = list(read_text(open_lines(shared_data / f"ptb_lm/ptb.{split}.txt")))
    assert (len(records), sum(map(len, records))) == (lines, tokens)
    if split == "train":
        assert len({token for record in records for token in record.tokens}) == 9_999


def test_questions_in_both_forms(shared_data: Path) -> None:
    folder = shared_data / "msr"
    from_csv = list(read_sherlock(open_lines(folder / "testing_data.csv"), open_lines(folder / "test_answer.csv")))
    stem = folder / "derived/Holmes.machine_format"
    from_lines = list(read_sherlock(open_lines(f"{stem}.questions.txt"), open_lines(f"{stem}.answers.txt")))
    assert [(q.number, q.left, q.options, q.right, q.answer) for q in from_csv] == [
        (q.number, q.left, q.options, q.right, q.answer) for q in from_lines
    ]
    assert [q.number for q in from_csv] == list(range(1, 1_041))
    answers = Counter(q.answer for q in from_csv)
    assert [answers[option] for option in range(5)] == [207, 203, 201, 225, 204]
    assert all(len(set(q.options)) == 5 for q in from_csv)


def test_compressed_vectors(shared_data: Path) -> None:
    wanted = {"the", "movie", "no-such-word"}
    found = load_vectors(shared_data / "glove/en_md.300d.sst-vocab.txt.gz", wanted)
    assert set(found.words) == {"the", "movie"} and found.matrix.shape == (2, 300)


def test_reading_is_fast(shared_data: Path) -> None:
    """CPU time, with room for a slow machine: about 1.5 and 0.5 seconds on the machine this was written on."""
    for reader, path, seconds in (
        (read_conllu, "ud/UD_English-EWT/en_ewt-ud-train.conllu", 6.0),
        (read_text, "ptb_lm/ptb.train.txt", 2.0),
    ):
        start = time.process_time()
        assert sum(1 for _ in reader(open_lines(shared_data / path))) > 10_000
        assert time.process_time() - start < seconds
