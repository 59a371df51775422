"""What `tag` reads and writes beside text: every format of nntag, bars and blanks, parts of speech, other parsers."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import numpy as np
import pytest

from nntag.commands.read import read_records
from nntag.commands.tag import load_to_tag, tag_files
from nntag.commands.train import train
from nntag.config.options.preprocess import ReadOptions
from nntag.config.options.train import TrainOptions
from nntag.config.options.use import TagOptions
from nntag.corpora.lines import Lines, lines_from_bytes, open_lines
from nntag.errors import DataError, UsageError
from nntag.tagging.preprocess import preprocess_tagging
from nntag.tagging.stream.input import choose_input_format
from nntag.tagging.tag import Tagger, load_tagger, tag_lines
from tests.opening import open_corpus
from tests.tagging.tiny_run import QUICK, SMALL, make_tiny_run

CATEGORY = {"the": "NP/N", "a": "NP/N", "dog": "N", "cat": "N", "old": "N/N", "sees": r"(S\NP)/NP", "runs": r"S\NP"}
TEXT = b"the dog runs\n\nthe cat sees a dog\n"


def write_columns(path: Path, count: int, tag_of: dict[str, str]) -> Path:
    sentences = [["the", "dog", "runs"], ["a", "old", "cat", "sees", "the", "dog"], ["the", "cat", "runs"]]
    rows = ("".join(f"{word}\t{tag_of[word]}\n" for word in sentences[n % 3]) for n in range(count))
    path.write_text("\n".join(rows))
    return path


def make_run(folder: Path, tag_of: dict[str, str], **options: object) -> Path:
    folder.mkdir(exist_ok=True)
    sources = {split: [write_columns(folder / f"{split}.tsv", 30, tag_of)] for split in ("train", "dev")}
    data = preprocess_tagging(open_corpus("columns", sources, **options), folder / "data").data
    return train(TrainOptions("skip-none", data.path, folder / "run", settings={**SMALL, **QUICK})).run


@pytest.fixture(scope="module")
def supertagger(tmp_path_factory: pytest.TempPathFactory) -> Tagger:
    return load_tagger(make_run(tmp_path_factory.mktemp("supertags"), CATEGORY))


@pytest.fixture(scope="module")
def tagger(tmp_path_factory: pytest.TempPathFactory) -> Tagger:
    return load_tagger(make_tiny_run(tmp_path_factory.mktemp("tag")))


def tagged(tagger: Tagger, data: bytes | Lines, pos: Tagger | None = None, **options: object) -> str:
    written: list[bytes] = []
    lines = lines_from_bytes(data) if isinstance(data, bytes) else data
    tag_lines(tagger, lines, written.append, TagOptions(**options), pos)  # type: ignore[arg-type]
    return b"".join(written).decode()


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("x.conllu", "conllu"),
        ("x.CONLLU.gz", "conllu"),
        ("x.auto.xz", "ccgbank"),
        ("x.stagged", "piped"),
        ("x.tsv", "columns"),
        ("x.mrg", "ptb"),
        ("x.json", "json"),
        ("x.jsonl.gz", "json"),
        ("x.easyccg", "easyccg"),
        ("x.txt", "text"),
        ("x.vec", "text"),
        ("x", "text"),
        ("<stdin>", "text"),
    ],
)
def test_the_input_is_known_by_its_suffix(name: str, format: str) -> None:
    assert choose_input_format(None, name) == format
    assert choose_input_format("text", name) == "text"


@pytest.mark.parametrize("format", ["columns", "piped", "conllu", "json", "easyccg", "easysrl", "candc", "depccg"])
def test_what_tag_writes_it_reads(supertagger: Tagger, tmp_path: Path, format: str) -> None:
    first = tagged(supertagger, TEXT, format=format)
    suffix = {"columns": "tsv"}.get(format, format)
    (tmp_path / f"x.{suffix}").write_text(first)
    again = tagged(supertagger, open_lines(tmp_path / f"x.{suffix}"), format="json")
    expected = [json.loads(line) for line in tagged(supertagger, TEXT, format="json").splitlines()]
    found = [json.loads(line) for line in again.splitlines()]
    if format in ("columns", "conllu"):  # in these a blank line only ends a sentence
        expected = [record for record in expected if record["tokens"]]
    assert [(r["tokens"], r["tags"]) for r in found] == [(r["tokens"], r["tags"]) for r in expected]


@pytest.mark.parametrize(
    ("format", "text"),
    [
        ("ccgbank", "(<T S 0 2> (<L NP DT DT the NP>) (<L S\\NP x x runs S\\NP>) )\n"),
        ("ptb", "( (S (DT the) (VB runs)) )\n"),
        ("pmb", "the\tthe\tX\tDEF\tNP/N\tO\t[]\nruns\truns\tX\tENS\tS\\NP\tO\t[]\n\n"),
    ],
)
def test_corpora_are_tagged_too(supertagger: Tagger, format: str, text: str) -> None:
    record = json.loads(tagged(supertagger, text.encode(), input_format=format, format="json"))
    assert record["tokens"] == ["the", "runs"]


def test_a_pipe_of_two_taggers(tagger: Tagger, supertagger: Tagger, caplog: pytest.LogCaptureFixture) -> None:
    piped = tagged(tagger, TEXT)
    words = [line.split() for line in TEXT.decode().splitlines()]
    with caplog.at_level(logging.WARNING):
        tagged(supertagger, piped.encode())
    assert "every token of the first sentence holds a bar, as in the|" in caplog.text
    caplog.clear()
    tagged(supertagger, b"a|b c d|e\n|\n")
    assert not caplog.records
    out = tagged(supertagger, piped.encode(), input_format="piped")
    tags, categories = tagger.tag_all(words), supertagger.tag_all(words)
    assert out == "".join(
        " ".join("|".join(row) for row in zip(*rows, strict=True)) + "\n"
        for rows in zip(words, tags, categories, strict=True)
    )
    columns = tagged(supertagger, piped.encode(), input_format="piped", format="columns").split("\n")
    assert columns[0] == f"the\t{tags[0][0]}\t{categories[0][0]}"
    assert json.loads(tagged(supertagger, b"the|DT\n", input_format="piped", format="json"))["pos"] == ["DT"]
    conllu = tagged(supertagger, b"the|DT\n", input_format="piped", format="conllu", column="xpos")
    assert conllu.split("\t")[3:5] == ["DT", "NP/N"]
    staggedgold = tagged(supertagger, b"the|DT|X/Y dog|NN|Y\n", input_format="piped")
    assert staggedgold == f"the|DT|{supertagger.tag(['the', 'dog'])[0]} dog|NN|{supertagger.tag(['the', 'dog'])[1]}\n"
    with pytest.raises(DataError, match=r"<bytes>:2:7: expected word\|tag"):
        tagged(supertagger, b"a|b\na|b c\n".replace(b"a|b c", b"the|x c"), input_format="piped")


def test_parts_of_speech_of_a_second_run_stand_beside_the_tags(tagger: Tagger, supertagger: Tagger) -> None:
    words = ["the", "dog", "runs"]
    pos, categories = tagger.tag(words), supertagger.tag(words)
    line = " ".join("|".join(row) for row in zip(words, pos, categories, strict=True)) + "\n"
    assert tagged(supertagger, b"the dog runs\n", tagger) == line
    easyccg = tagged(supertagger, b"the dog runs\n", tagger, format="easyccg", beta=1.0)
    assert [word.split("\t")[1] for word in easyccg.split("|")] == pos


def test_other_parsers_get_what_json_has(supertagger: Tagger) -> None:
    record = json.loads(tagged(supertagger, TEXT, format="json", beta=0.001).splitlines()[2])
    fields = [word.split("\t")[3:] for word in tagged(supertagger, TEXT, format="easyccg").splitlines()[2].split("|")]
    found = [[[c, float(p)] for c, p in zip(row[::2], row[1::2], strict=True)] for row in fields]
    assert found == record["likely_tags"]
    weights = json.loads(tagged(supertagger, TEXT, format="depccg").splitlines()[2])
    assert weights["categories"] == list(supertagger.tags) and weights["head_tags_shape"] == [5, len(supertagger.tags)]
    scores = np.array(weights["head_tags"]).reshape(5, -1)
    likely = [dict(row) for row in record["likely_tags"]]
    for place, column in np.argwhere(scores > -1000):
        assert np.exp(scores[place, column]) == pytest.approx(likely[place][weights["categories"][column]], rel=1e-4)


def test_formats_for_parsers_need_categories(tagger: Tagger) -> None:
    with pytest.raises(UsageError, match="--format easyccg needs a model whose tags are CCG categories"):
        tagged(tagger, b"the\n", format="easyccg")


def test_piped_gives_back_what_was_tagged_or_refuses(tmp_path: Path, supertagger: Tagger) -> None:
    (tmp_path / "x.piped").write_text(tagged(supertagger, b"a|b || dog\n"))
    (record,) = read_records(ReadOptions("piped", tmp_path / "x.piped", column="tag"))
    assert record["tokens"] == ["a|b", "||", "dog"] and record["tags"] == supertagger.tag(["a|b", "||", "dog"])
    with pytest.raises(UsageError, match="no escape for the word 'New York'; use columns"):
        tagged(supertagger, b"New York\tX\n", input_format="columns")
    tags = {word: f"Case={word}|Number=Sing" for word in CATEGORY}
    features = load_tagger(make_run(tmp_path / "features", tags))
    with pytest.raises(UsageError, match=r"this run has tags that hold one \(Case=.*; use columns or json"):
        tagged(features, b"the\n")
    with pytest.raises(UsageError, match="MISC separates .* choose another --column"):
        tagged(features, b"the\n", format="conllu", column="MISC")
    out = tagged(features, b"the dog\n", format="columns")
    assert (
        out == "".join(f"{word}\t{features.tag(['the', 'dog'])[n]}\n" for n, word in enumerate(("the", "dog"))) + "\n"
    )
    assert tagged(features, b"the dog\n", format="conllu", column="FEATS").split("\t")[5].startswith("Case=")


def test_rare_is_never_an_answer(tmp_path: Path) -> None:
    tags = {**CATEGORY, "a": "N1", "old": "N2", "sees": "N3"}  # each 10 times in training; the others 20 times or more
    tagger = load_tagger(make_run(tmp_path / "cut", tags, tag_cutoff=15))
    vocabularies = tagger.run.task.vocabularies
    assert "RARE" in vocabularies.tags and "RARE" not in tagger.tags and len(tagger.tags) == len(vocabularies.tags) - 1
    words = ["a", "old", "sees"]  # all of them RARE in training
    free = tagger.run.task.predictor.log_probabilities(tagger.run.model, [words])[0]
    rare = vocabularies.tags.index("RARE")
    assert (
        np.isneginf(free[:, rare]).all() and np.exp(free).sum(1).max() < 0.9
    )  # the class has its share of the probability
    assert "RARE" not in tagger.tag(words)
    for word, row in zip(tagger.likely_tags(words, 1e-30), free, strict=True):
        assert {tag for tag, _ in word} == set(tagger.tags)
        assert word[0][0] == tagger.tags[np.argsort(-np.delete(row, rare))[0]]
    kept = load_tagger(make_run(tmp_path / "own", {**CATEGORY, "dog": "RARE"}))
    assert "RARE" in kept.tags and kept.tag(["the", "dog", "runs"])[1] == "RARE"
    both = load_tagger(make_run(tmp_path / "both", {**tags, "dog": "RARE"}, tag_cutoff=15))
    assert "RARE" in both.tags and "RARE-2" not in both.tags and "RARE-2" in both.run.task.vocabularies.tags
    assert both.tag(["the", "dog", "runs"])[1] == "RARE"


def test_files_and_folders_are_tagged_into_a_folder(tmp_path: Path, tagger: Tagger) -> None:
    source, out = tmp_path / "in", tmp_path / "out"
    (source / "below").mkdir(parents=True)
    (source / "a.txt").write_text("the dog\n")
    (source / "below" / "b.conllu").write_text("1\tBob" + "\t_" * 8 + "\n\n")
    (source / ".hidden").write_text("x")
    options = TagOptions((str(source),), model=tagger.run.path, output_dir=out)
    run, heard = load_to_tag(options), []
    written = tag_files(run, options, lambda path, count: heard.append((path.name, count)))
    assert written == [out / "a.piped", out / "below" / "b.piped"] and heard == [("a.piped", 1), ("b.piped", 1)]
    assert (out / "a.piped").read_text() == tagged(tagger, b"the dog\n")
    assert (out / "below" / "b.piped").read_text() == tagged(tagger, b"Bob\n")
    assert sorted(path.name for path in out.rglob("*")) == ["a.piped", "b.piped", "below"]
    columns = TagOptions((str(source / "a.txt"),), model=tagger.run.path, output_dir=out, format="columns")
    assert tag_files(run, columns) == [out / "a.tsv"]


def test_files_that_cannot_be_written_are_refused_beforehand(tmp_path: Path, tagger: Tagger) -> None:
    (tmp_path / "a.txt").write_text("the\n")
    (tmp_path / "a.tokens").write_text("the\n")
    (tmp_path / "b.txt").write_bytes(b"the dog\n\xff\n")
    (tmp_path / "empty").mkdir()

    def files(*names: str, **options: object) -> list[Path]:
        given = tuple(name if name == "-" else str(tmp_path / name) for name in names)
        return tag_files(tagger.run, TagOptions(given, **{"output_dir": tmp_path / "out", **options}))  # type: ignore

    with pytest.raises(UsageError, match="would both become"):
        files("a.txt", "a.tokens")
    with pytest.raises(UsageError, match="would replace the file that is tagged"):
        files("a.txt", format="table", output_dir=tmp_path)
    with pytest.raises(UsageError, match="no files in this folder"):
        files("empty")
    with pytest.raises(UsageError, match="not standard input"):
        files("-")
    assert not (tmp_path / "out").exists()
    with pytest.raises(DataError, match="b.txt:2:1: expected UTF-8"):
        files("a.txt", "b.txt")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["a.piped"]  # the other is not half written
