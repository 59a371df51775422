"""`nntag parse` from a trained tagger to derivations and their scores; skipped where depccg is not installed."""

from __future__ import annotations

import json
import logging
import math
import subprocess
import sys
from pathlib import Path

import pytest

from nntag.commands.evaluate import evaluate
from nntag.commands.preprocess import preprocess
from nntag.commands.train import train
from nntag.config.options.parse import ParseOptions
from nntag.config.options.preprocess import PreprocessOptions
from nntag.config.options.train import TrainOptions
from nntag.config.options.use import EvaluateOptions, TagOptions
from nntag.corpora.ccgbank import read_derivations
from nntag.corpora.lines import lines_from_bytes, open_lines
from nntag.errors import DataError, RunError, UsageError
from nntag.sample import write_sample
from nntag.tagging.parsing.evaluate import format_parse_report
from nntag.tagging.parsing.grammar import read_grammar
from nntag.tagging.parsing.hand_over import HAND_OVER_FORMATS
from nntag.tagging.parsing.tagged import read_tagged
from nntag.tagging.tag import Tagger, load_tagger, tag_lines
from tests.tagging.parsing.derivations import DOGS_BARK, MEN, SHE_SAW_IT, derivations
from tests.tagging.tiny_run import make_tiny_run

TRAINED = {"layers": 1, "hidden": 24, "word_size": 24, "filters": 8, "epochs": 12, "lr": 0.02, "batch_size": 8}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return write_sample("ccgbank", tmp_path_factory.mktemp("sample"), 150)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, files: dict[str, Path]) -> Path:
    folder = tmp_path_factory.mktemp("run")
    options = {split: (path,) for split, path in files.items()}
    data = preprocess(PreprocessOptions("ccgbank", out=folder / "data", **options)).data  # type: ignore[arg-type]
    return train(TrainOptions("skip-none", data.path, folder / "run", settings=TRAINED)).run


def test_a_run_keeps_its_treebanks_grammar(run: Path, files: dict[str, Path]) -> None:
    own = read_grammar(run.parent / "data" / "grammar.json")
    assert own.roots.total() == 150
    assert read_grammar(run / "best" / "grammar.json") == read_grammar(run / "last" / "grammar.json") == own


@pytest.fixture(scope="module")
def parse_text() -> object:
    pytest.importorskip("depccg.parsing", reason="depccg is not installed")
    from nntag.tagging.parsing.command import parse_text

    return parse_text


def parsed(parse_text, path: Path | str, **options) -> tuple[str, object]:
    written: list[bytes] = []
    counts = parse_text(ParseOptions(str(path), **options), written.append)
    return b"".join(written).decode(), counts


def test_from_text_to_scored_derivations(parse_text, run: Path, files: dict[str, Path], tmp_path: Path) -> None:
    text, counts = parsed(parse_text, files["test"], model=run, betas=(0.01,), seen_rules=True, max_steps=5000)
    assert counts.sentences == 50 and counts.parsed > 25
    assert f"parsed {counts.parsed} of 50 sentences" in counts.describe()
    assert counts.grammar == str(run / "best" / "grammar.json")
    (tmp_path / "parsed.auto").write_text(text)
    options = EvaluateOptions(data=files["test"], parses=tmp_path / "parsed.auto")
    alone = evaluate(options)
    assert alone.run is None and alone.report["coverage"] == counts.parsed / 50
    assert alone.report["supertags_before"] is None
    with_run = evaluate(EvaluateOptions(run, files["test"], parses=tmp_path / "parsed.auto")).report
    assert with_run["supertags_before"] == evaluate(EvaluateOptions(run, files["test"])).report["accuracy"]
    assert with_run["brackets"]["labelled"]["f1"] > 0.5
    table = format_parse_report(with_run)
    assert "supertags before parsing" in table and "unlabelled" in table


def test_a_tagger_of_supertags_and_pos_gives_both(parse_text, files: dict[str, Path], tmp_path: Path) -> None:
    options = PreprocessOptions("ccgbank", train=(files["train"],), out=tmp_path / "data", column=("supertag", "pos"))
    data = preprocess(options).data
    joint = train(TrainOptions("skip-none", data.path, tmp_path / "run", settings=TRAINED | {"epochs": 3})).run
    tokens = next(tree.tokens for tree in read_derivations(open_lines(files["dev"])))
    (tmp_path / "x.txt").write_text(" ".join(tokens) + "\n")
    text, _ = parsed(parse_text, tmp_path / "x.txt", model=joint, format="conll")
    rows = [line.split("\t") for line in text.splitlines() if line and not line.startswith("#")]
    assert [row[3] for row in rows] == load_tagger(joint).tag_columns(tokens)["pos"]


def test_every_input_gives_the_same(parse_text, run: Path, files: dict[str, Path], tmp_path: Path) -> None:
    """Text, and text that was tagged before, in each format; with several processes; each line with its number."""
    sentences = [tree.tokens for tree in read_derivations(open_lines(files["dev"]))][:12]
    (tmp_path / "x.txt").write_text("\n".join([" ".join(tokens) for tokens in sentences[:6]] + [""]) + "\n")
    whole, counts = parsed(parse_text, tmp_path / "x.txt", model=run, betas=(0.01,), format="json")
    assert [json.loads(line)["id"] for line in whole.splitlines()] == [1, 2, 3, 4, 5, 6, 7]
    assert json.loads(whole.splitlines()[6]) == {"id": 7, "tokens": [], "parses": []} and counts.sentences == 6
    assert parsed(parse_text, tmp_path / "x.txt", model=run, betas=(0.01,), format="json", jobs=2)[0] == whole
    for format in ("json", "easyccg", "easysrl", "candc", "depccg"):
        tagged: list[bytes] = []
        tag_options = TagOptions(format=format, beta=0.01)
        tag_lines(load_tagger(run), open_lines(tmp_path / "x.txt"), tagged.append, tag_options)
        (tmp_path / f"x.{format}").write_bytes(b"".join(tagged))
        text, counts = parsed(
            parse_text, tmp_path / f"x.{format}", grammar=run.parent / "data", betas=(0.01,), format="json"
        )
        assert counts.run is None
        for line, expected in zip(text.splitlines(), whole.splitlines(), strict=True):
            found, right = json.loads(line), json.loads(expected)
            for parse, best in zip(found["parses"], right["parses"], strict=True):
                assert parse["log_probability"] == pytest.approx(best["log_probability"], abs=1e-3)
                assert parse["derivation"] == best["derivation"]


def test_json_and_the_formats_for_parsers_agree(run: Path, files: dict[str, Path], tmp_path: Path) -> None:
    """Every category and every probability: to six significant digits of it, or of its logarithm."""
    sentences = [list(tokens) for tokens in tokens_of(files["dev"])[:30]]
    (tmp_path / "x.txt").write_text("".join(" ".join(tokens) + "\n" for tokens in sentences))
    tagger = load_tagger(run)
    rows = tag_as("json", tagger, tmp_path / "x.txt").decode().splitlines()
    expected = [[dict(map(tuple, tags)) for tags in json.loads(line)["likely_tags"]] for line in rows]
    assert sum(len(tags) for words in expected for tags in words) > 1.5 * sum(len(words) for words in expected)
    for format in HAND_OVER_FORMATS:
        found = list(read_tagged(lines_from_bytes(tag_as(format, tagger, tmp_path / "x.txt")), format))
        assert [list(sentence.tokens) for sentence in found] == sentences
        exact = format in ("easyccg", "candc")
        for sentence, words in zip(found, expected, strict=True):
            likely = [dict(tags) for tags in sentence.likely]
            assert likely == words if exact else likely == [pytest.approx(tags, rel=1e-4, abs=0) for tags in words]


def test_parsing_scores_what_tag_writes(parse_text, run: Path, files: dict[str, Path], tmp_path: Path) -> None:
    """A derivation's score is the sum over what `tag --format json` says of its categories, less 0.1 a unary rule."""
    (tmp_path / "x.txt").write_text("".join(" ".join(tokens) + "\n" for tokens in tokens_of(files["dev"])[:15]))
    text, counts = parsed(parse_text, tmp_path / "x.txt", model=run, betas=(0.001,), format="json", max_steps=5000)
    assert counts.parsed > 8
    tagged = tag_as("json", load_tagger(run), tmp_path / "x.txt").decode().splitlines()
    for line, row in zip(text.splitlines(), tagged, strict=True):
        likely = json.loads(row)["likely_tags"]
        for parse in json.loads(line)["parses"]:
            pairs = zip(parse["supertags"], likely, strict=True)
            tags = sum(math.log(dict(map(tuple, tags))[category]) for category, tags in pairs)
            unary = json.dumps(parse["derivation"]).count('"rule": "un"')
            assert parse["log_probability"] == pytest.approx(tags - 0.1 * unary, abs=1e-4)


def tokens_of(path: Path) -> list[tuple[str, ...]]:
    return [tree.tokens for tree in read_derivations(open_lines(path))]


def tag_as(format: str, tagger: Tagger, path: Path) -> bytes:
    written: list[bytes] = []
    tag_lines(tagger, open_lines(path), written.append, TagOptions(format=format, beta=0.001))
    return b"".join(written)


def test_a_sentence_without_a_parse_is_marked_and_counted(parse_text, tmp_path: Path) -> None:
    from nntag.tagging.parsing.grammar import count_grammar, write_grammar

    write_grammar(tmp_path / "grammar.json", count_grammar(derivations(SHE_SAW_IT, DOGS_BARK)))
    rows = [("She", "NP"), ("saw", r"(S\NP)/NP"), ("it", "NP")]
    lines = [
        {"tokens": [word for word, _ in row], "tags": [tag for _, tag in row]}
        for row in (rows, rows[:2], rows, rows * 90)
    ]
    (tmp_path / "x.json").write_text("".join(json.dumps(line) + "\n" for line in lines))
    text, counts = parsed(parse_text, tmp_path / "x.json", grammar=tmp_path)
    assert text.splitlines()[2:4] == ["ID=2 PARSER=nntag NUMPARSE=0", ""]
    assert counts.describe().endswith("; without a parse: 2, of them too long (--max-words): 1")
    assert [tree.tokens for tree in read_derivations(lines_from_bytes(text.encode()))] == [("She", "saw", "it")] * 2
    with pytest.raises(RunError, match="no grammar.json in this folder"):
        parsed(parse_text, tmp_path / "x.json", grammar=tmp_path.parent)
    assert parsed(parse_text, tmp_path / "x.json", grammar="ccgbank")[1].grammar == "ccgbank"


def test_faults_come_after_what_stands_before_them(parse_text, run: Path, tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_bytes(b"the old dog ran .\n\xff\n")
    written: list[bytes] = []
    with pytest.raises(DataError, match="x.txt:2:1: expected UTF-8"):
        parse_text(ParseOptions(str(tmp_path / "x.txt"), model=run, max_words=2), written.append)
    assert b"".join(written).startswith(b"ID=1 ")


def test_running_text_is_split_first(parse_text, run: Path, tmp_path: Path) -> None:
    (tmp_path / "raw.txt").write_text("She slept. He ran.\n\nThey left.\n")
    (tmp_path / "tokens.txt").write_text("She slept .\nHe ran .\n\nThey left .\n")
    options = {"model": run, "betas": (0.1,), "seen_rules": True, "max_steps": 500}
    text, counts = parsed(parse_text, tmp_path / "raw.txt", tokenize=True, **options)
    assert text == parsed(parse_text, tmp_path / "tokens.txt", **options)[0] and counts.sentences == 3
    (tmp_path / "x.json").write_text('{"tokens": ["She"], "tags": ["NP"], "likely_tags": [[["NP", 1.0]]]}\n')
    with pytest.raises(UsageError, match="--tokenize is for plain text"):
        parsed(parse_text, tmp_path / "x.json", tokenize=True, grammar=run)


def test_options_that_make_no_sense(parse_text, run: Path, tmp_path: Path) -> None:
    for betas in ((), (0.0,), (2.0,), (0.1, 0.1), (0.001, 0.01)):
        with pytest.raises(UsageError, match="--beta"):
            ParseOptions(betas=betas)
    with pytest.raises(UsageError, match="unknown --format 'xml'"):
        parsed(parse_text, "-", format="xml")
    other = make_tiny_run(tmp_path)
    with pytest.raises(UsageError, match="parsing needs a model whose tags are CCG categories"):
        parsed(parse_text, "-", model=other)


def test_without_depccg_one_line_says_what_to_install(run: Path, tmp_path: Path) -> None:
    (tmp_path / "depccg.py").write_text("raise ImportError")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); sys.argv = ['nntag', 'parse', '--model', {str(run)!r}]\n"
    )
    code += "from nntag.cli import main\nmain()\n"
    result = subprocess.run([sys.executable, "-c", code], input="a\n", capture_output=True, text=True, timeout=120)
    assert (result.returncode, result.stdout) == (2, "")
    assert "nntag: error: parsing needs the package depccg" in result.stderr
    assert "pip install 'nntag[parse]'" in result.stderr and "Traceback" not in result.stderr


def test_evaluation_of_parses_needs_gold_derivations(run: Path, files: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / "p.auto").write_text(MEN)
    for model in (None, run):
        with pytest.raises(UsageError, match="give an AUTO file with --data"):
            evaluate(EvaluateOptions(model, parses=tmp_path / "p.auto"))
        with pytest.raises(UsageError, match="--beta has no meaning with --parses"):
            evaluate(EvaluateOptions(model, files["test"], parses=tmp_path / "p.auto", betas=(0.1,)))


def test_nodes_with_three_children_are_spoken_of(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "x.auto").write_text("(<T S 0 3> (<L A x x a A>) (<L B x x b B>) (<L C x x c C>) )\n" * 2)
    with caplog.at_level(logging.WARNING):
        result = preprocess(PreprocessOptions("ccgbank", train=(tmp_path / "x.auto",), out=tmp_path / "data"))
    assert "1 nodes have more than two children" in result.notes[1]
