"""The command line for taggers: what goes to stdout and what to stderr, exit codes, and one line for every error."""

from __future__ import annotations

import bz2
import gzip
import json
import os
import shutil
import threading
from pathlib import Path

import pytest

import nntag
from nntag.config.registry import MODELS
from tests.command_line import fails, run_nntag
from tests.tagging.tagging_files import learnable, write_corpus
from tests.tagging.tiny_run import make_tiny_run

TINY = (
    "--layers",
    1,
    "--hidden",
    6,
    "--epochs",
    1,
    "--set",
    "word_size=5",
    "--set",
    "filters=4",
    "--set",
    "affix_size=4",
)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with corpus files, a data folder and a trained run."""
    folder = tmp_path_factory.mktemp("home")
    make_tiny_run(folder)
    return folder


@pytest.fixture
def work(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder with copies of the corpus files."""
    for name in ("train", "dev", "test"):
        shutil.copy(home / f"{name}.conllu", tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


FILES = ("--train", "train.conllu", "--dev", "dev.conllu", "--test", "test.conllu")


def test_the_whole_way_with_no_more_flags(work: Path) -> None:
    """preprocess, train, eval and tag, each taking what the one before left, and saying so on stderr."""
    done = run_nntag("preprocess", "conllu", *FILES)
    *warned, last = done.err.splitlines()  # a small generator says the same sentences in each split
    assert done.code == 0 and all("are in train too" in line for line in warned)
    assert last == "nntag: wrote data/processed/conllu; next: nntag train --data data/processed/conllu"
    rows = [line.split() for line in done.out.splitlines()]
    assert rows[0][:3] == ["split", "sentences", "tokens"] and rows[1][:3] == ["train", "40", "120"]
    done = run_nntag("train", *TINY)
    assert done.code == 0 and "data/processed/conllu" in done.err and "runs/skip-gated-conllu" in done.err
    assert [line.split()[0] for line in done.out.splitlines()] == ["epochs", "best"]
    done = run_nntag("eval")
    assert done.code == 0 and "runs/skip-gated-conllu/best/model.safetensors on data/processed/conllu test" in done.err
    assert done.out.splitlines()[-1].split() == ["accuracy", done.out.split()[-4], "%", "36", "tokens"]
    done = run_nntag("tag", stdin=b"the dog ends\n\nBob\n")
    assert done.err == "nntag: tagging with runs/skip-gated-conllu, the newest run of taggers\n"
    assert [[pair.split("|")[0] for pair in line.split(" ")] for line in done.out.splitlines()] == [
        ["the", "dog", "ends"],
        [""],
        ["Bob"],
    ]


def test_json_is_one_object_with_stable_keys(work: Path) -> None:
    made = json.loads(run_nntag("preprocess", "conllu", *FILES, "--out", "d", "--json").out)
    assert made["data"] == "d" and made["splits"]["train"]["tokens"] == 120
    trained = json.loads(run_nntag("train", *TINY, "--data", "d", "--out", "r", "--json").out)
    assert (trained["run"], trained["data"], trained["score_name"], trained["epochs"]) == ("r", "d", "accuracy", 1)
    assert trained["settings"]["model"]["hidden"] == 6 and trained["log"][0]["epoch"] == 1
    scored = json.loads(run_nntag("eval", "--model", "r", "--beta", "0.1,0.01", "--json").out)
    expected = {"run", "data", "accuracy", "tokens", "known_words", "unseen_words", "sentence_accuracy", "sentences"}
    expected |= {
        "tokens_without_gold_tag",
        "by_training_frequency",
        "per_tag",
        "confusions",
        "confusion_matrix",
        "multitagging",
    }
    assert scored.keys() == expected | {"words_per_second"}
    assert [row["beta"] for row in scored["multitagging"]] == [0.1, 0.01]


def test_notes_and_warnings_stay_off_stdout(work: Path) -> None:
    Path("bad.pipe").write_text("a|X|N b|Y|V\nc|Z\nd|X|N\n")
    Path("dev.pipe").write_text("a|X|Q\n")
    done = run_nntag("preprocess", "piped", "--train", "bad.pipe", "--dev", "dev.pipe", "--skip-bad", "--json")
    assert done.code == 0 and json.loads(done.out)["left_out"] == 1
    assert done.err.splitlines() == [
        "nntag: warning: bad.pipe:2:1: expected word|POS|supertag, found 'c|Z' with a field missing or empty"
        " (left out)",
        "nntag: warning: dev has tags that training never sees, their words count as errors: Q (1)",
        "nntag: 1 bad items were left out (listed above)",
    ]


def test_supertags_are_printed_as_they_are(work: Path) -> None:
    """Markup-like brackets such as [dcl] must survive every table."""
    Path("x.pipe").write_text("saw|V|(S[dcl]\\NP)/NP it|P|NP[nb]\n" * 2)
    run_nntag("preprocess", "piped", "--train", "x.pipe", "--dev", "x.pipe", "--out", "d")
    run_nntag("train", *TINY, "--data", "d", "--out", "r")
    done = run_nntag("eval", "--model", "r")
    assert "(S[dcl]\\NP)/NP" in done.out and "NP[nb]" in done.out


def test_config_file_assignments_and_flags(work: Path) -> None:
    run_nntag("preprocess", "conllu", *FILES, "--out", "d")
    Path("my.toml").write_text("[model]\nhidden = 9\nlayers = 2\n[input]\nwindow = 3\n[train]\nepochs = 1\nlr = 0.1\n")
    flags = ("--config", "my.toml", "--set", "hidden=8", "--set", "train.lr=0.2", "--hidden", 7, "--seed", 5)
    settings = json.loads(run_nntag("train", "--data", "d", "--out", "r", *flags, "--json").out)["settings"]
    assert (settings["model"]["hidden"], settings["model"]["layers"], settings["input"]["window"]) == (7, 2, 3)
    assert (settings["train"]["lr"], settings["train"]["seed"]) == (0.2, 5)


def test_resuming_needs_only_the_run(work: Path) -> None:
    run_nntag("preprocess", "conllu", *FILES, "--out", "data/processed/a")
    run_nntag("train", *TINY, "--model", "skip-output", "--out", "r")
    run_nntag("preprocess", "conllu", "--train", "dev.conllu", "--out", "data/processed/b")
    done = run_nntag("train", "--resume", "--out", "r", "--epochs", 3)
    assert done.code == 0 and "trained skip-output" in done.err and "data/processed/a" in done.err
    assert len(Path("r/log.jsonl").read_text().splitlines()) == 3


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("preprocess", "conlu"), "unknown corpus 'conlu'; did you mean 'conllu'? (choices: "),
        (
            ("preprocess", "conllu"),
            "data/raw/conllu: no such folder; data/README.md says which files the corpus 'conllu' needs there; "
            "single files are named with --train",
        ),
        (("preprocess", "conllu", "train.conllu"), "train.conllu: a file, not a folder"),
        (("preprocess", "conllu", "--train", "gone"), "gone: cannot be read: No such file or directory"),
        (("preprocess", "conllu", "--train", "."), ".: cannot be read: Is a directory"),
        (("preprocess", "conllu", "--dev", "dev.conllu"), "--dev and --test need --train"),
        (
            ("preprocess", "columns", "--train", "dev.conllu"),
            "dev.conllu:1: expected a file in the format columns, found what looks like CoNLL-U; read it as conllu",
        ),
        (("preprocess", "conllu", *FILES, "--column", "tag"), "no CoNLL-U column 'tag': choose one of ID, FORM"),
        (
            ("preprocess", "conllu", *FILES, "--out", "dev.conllu"),
            "dev.conllu exists and is not a data folder of nntag",
        ),
        (("preprocess", "conllu", *FILES, "--out", "dev.conllu/x"), "dev.conllu: cannot write the data folder"),
        (("preprocess", "conllu", *FILES, "--out", "n" * 300), "n" * 300),
        (("train",), "data/processed: no data folder for tagging; make one with `nntag preprocess`"),
        (("train", "--model", "skip-gatd"), "unknown model 'skip-gatd'; did you mean 'skip-gated'? (choices: "),
        (("train", "--recipe", "wu"), "unknown recipe for tagging 'wu' (choices: default, wu2016, wu2017)"),
        (("train", "--set", "hiden=3"), "unknown setting 'hiden'; did you mean 'hidden'? (choices: "),
        (("train", "--set", "hidden"), "--set must be NAME=VALUE, found 'hidden'"),
        (("train", "--set", "window=2"), "window must be an odd number of tokens, found 2"),
        (("train", "--config", "gone.toml"), "gone.toml: No such file or directory"),
        (("train", "--epochs", 0), "--epochs 0: nothing would be trained"),
        (("train", "--layers", 0), "layers must be at least 1, found 0"),
        (("train", "--seed", 10**30), "seed must be at most 4294967295, found 1"),
        (("train", "--lr", "nan"), "lr must be a number, found nan"),
        (("train", "--epochs", "many"), "Invalid value for '--epochs': "),
        (("train", "--device", "gpu"), "--device must be cpu, cuda, cuda:N or auto, found 'gpu'"),
        (("train", "--threads", 0), "--threads must be at least 1, found 0"),
        (("train", "--processes", 100_000), "--processes must be at most "),
        (("experiment", "wu2016-table2", "--jobs", 100_000), "--jobs must be at most "),
        (("train", "--resume"), "--resume needs the run that it should continue: name it with --out"),
        (("train", "--resume", "--out", "gone"), "gone: nothing to resume (no last/model.safetensors in it)"),
        (("train", "--colour"), "No such option: --colour"),
        (("eval",), "runs: no run"),
        (("eval", "--model", "gone"), "gone: no such run folder or weights file"),
        (("tag",), "runs: no run for tagging; train one with `nntag train` or name one with --model"),
        (("tag", "--model", "."), ".: not a run folder (no best/model.safetensors in it)"),
        (("tag", "--model", "dev.conllu"), "dev.conllu: neither a run folder nor a weights file"),
        (("read", "conlu", "x"), "unknown format 'conlu'; did you mean 'conllu'? (choices: "),
        (("read", "conllu", "gone"), "gone: cannot be read: No such file or directory"),
        (("models", "skip"), "unknown model 'skip'"),
        (("models", "--topology", "3"), "--recipe, --layers, --topology and --links describe a single model"),
        (("models", "--recipe", "wu2016"), "--recipe, --layers, --topology and --links describe a single model"),
        (
            ("experiment", "--list", "--recipe", "wu2016"),
            "--list alone shows the tables; with other flags, name the one",
        ),
        (("fly",), "No such command 'fly'"),
        (("preprocess",), "Missing argument 'corpus'"),
    ],
    ids=lambda value: " ".join(map(str, value))[:60] if isinstance(value, tuple) else "",
)
def test_whatever_the_user_can_fix_is_one_line_and_exit_2(work: Path, arguments: tuple, reason: str) -> None:
    before = sorted(work.rglob("*"))
    assert fails(*arguments).startswith(reason)
    assert sorted(work.rglob("*")) == before  # and leaves nothing behind


@pytest.mark.parametrize(
    ("arguments", "stdin", "reason"),
    [
        (("tag", "--beta", "0"), b"a\n", "--beta must be above 0 and at most 1, found 0"),
        (
            ("tag", "--format", "xml"),
            b"a\n",
            "unknown --format 'xml' (choices: piped, columns, conllu, json, easyccg, easysrl, candc, depccg)",
        ),
        (("tag", "--batch-size", 0), b"a\n", "--batch-size must be at least 1, found 0"),
        (("tag", "--output-dir", "tagged"), b"a\n", "--output-dir takes files and folders, not standard input"),
        (("tag", "--jobs", 100_000), b"a\n", "--jobs must be at most "),
        (("tag", "--format", "conllu", "--probabilities"), b"a\n", "CoNLL-U has no column for probabilities"),
        (("tag", "--format", "conllu", "--column", "FORM"), b"a\n", "--column FORM would replace the words"),
        (("tag", "gone.txt"), b"", "gone.txt: cannot be read: No such file or directory"),
        (("tag", "--device", "cuda:7"), b"", "--device cuda:7: "),
        (("eval", "--beta", "1,2"), b"", "every --beta must be above 0 and at most 1, found 2.0"),
        (("eval", "--split", "tests"), b"", ""),
        (("eval", "--data", "dev.conllu", "--format", "text"), b"", "unknown tagging format 'text'"),
        (("eval", "--data", "gone.conllu"), b"", "gone.conllu: not a data folder"),
        (("eval", "--output", "."), b"", ".: cannot write --output: Is a directory"),
        (("eval", "--output", "/dev/full"), b"", "/dev/full: cannot write --output: No space left on device"),
    ],
    ids=lambda value: " ".join(map(str, value))[:60] if isinstance(value, tuple) else "",
)
def test_the_same_of_commands_on_a_run(work: Path, home: Path, arguments: tuple, stdin: bytes, reason: str) -> None:
    assert reason in fails(arguments[0], "--model", home / "run", *arguments[1:], stdin=stdin)


def test_a_fault_in_the_input_names_the_line_after_what_came_before(home: Path) -> None:
    done = run_nntag("tag", "--model", home / "run", stdin=b"the\n\n\xff\nBob\n")
    assert done.code == 2 and done.out == "the|DT\n\n"
    assert done.errors == ["nntag: error: <stdin>:3:1: expected UTF-8, found the byte 0xff (invalid start byte)"]


def test_eval_takes_a_run_and_reads_standard_input(home: Path, work: Path) -> None:
    text = Path("dev.conllu").read_bytes()
    file = run_nntag("eval", "--model", home / "run", "--data", "dev.conllu", "--json")
    piped = run_nntag("eval", home / "run", "--data", "-", "--format", "conllu", "--json", stdin=text)
    assert file.code == piped.code == 0, piped.err
    same = {"run", "accuracy", "tokens", "per_tag"}
    reports = [{key: value for key, value in json.loads(done.out).items() if key in same} for done in (file, piped)]
    assert reports[0] == reports[1] and "run" in reports[0] and "accuracy" in reports[0]
    assert "on standard input" in run_nntag("eval", home / "run", "--data", "-", "--format", "conllu", stdin=text).err
    assert "does not show its format" in fails("eval", home / "run", "--data", "-", stdin=text)
    assert "is a run folder: name it with --model" in fails("tag", home / "run")
    assert "named twice" in fails("eval", home / "run", "--model", home / "run")
    assert "--interpolate" in fails("eval", home / "run", home / "run")


def test_tag_reads_files_fifos_and_compressed_files(home: Path, work: Path) -> None:
    Path("plain.txt").write_bytes(b"the dog ends\n")
    Path("packed.txt.gz").write_bytes(gzip.compress(b"the dog ends\n"))
    Path("packed.txt.bz2").write_bytes(bz2.compress(b"the dog ends\n"))
    os.mkfifo("fifo")
    writer = threading.Thread(target=lambda: Path("fifo").write_bytes(b"the dog ends\n"))
    writer.start()
    for name in ("plain.txt", "packed.txt.gz", "packed.txt.bz2", "fifo"):
        assert run_nntag("tag", "--model", home / "run", name).out == "the|DT dog|NN ends|VB\n"
    writer.join()


def test_preprocess_reads_stdin_and_fifos(home: Path, work: Path) -> None:
    os.mkfifo("fifo")
    writer = threading.Thread(target=lambda: Path("fifo").write_bytes(Path("dev.conllu").read_bytes()))
    writer.start()
    train = Path("train.conllu").read_bytes()
    done = run_nntag("preprocess", "conllu", "--train", "-", "--dev", "fifo", "--out", "d", stdin=train)
    writer.join()
    assert done.code == 0, done.err
    for split in ("train", "dev"):
        assert Path(f"d/{split}.tsv").read_bytes() == (home / "data" / f"{split}.tsv").read_bytes()


@pytest.mark.parametrize(
    "name", ["ü ñ", "日本 [x]*?", "-dash", "a\u2028b", "[bold]x", "new\nline", "x" * 200], ids=ascii
)
def test_strange_file_names(work: Path, name: str) -> None:
    folder = f"./{name}"
    shutil.copy("train.conllu", f"{folder}.conllu")
    made = run_nntag(
        "preprocess", "conllu", "--train", f"{folder}.conllu", "--dev", "dev.conllu", "--out", f"{folder}/d"
    )
    assert made.code == 0, made.err
    assert run_nntag("train", *TINY, "--data", f"{folder}/d", "--out", f"{folder}/r").code == 0
    done = run_nntag("eval", "--model", f"{folder}/r", "--json")
    assert done.code == 0 and f"{name}/r/best" in json.loads(done.out)["run"]
    again = run_nntag(
        "preprocess", "conllu", "--train", f"{folder}.conllu", "--dev", "dev.conllu", "--out", f"{folder}/d"
    )
    assert again.code == 0 and sorted(entry.name for entry in Path(folder).iterdir()) == ["d", "r"]


def test_a_file_name_that_is_no_utf_8(work: Path) -> None:
    name = os.fsdecode(b"caf\xe9")
    shutil.copy("train.conllu", name)
    done = run_nntag("preprocess", "conllu", "--train", name, "--out", f"{name}-data")
    assert done.code == 0, done.err
    assert json.loads(Path(f"{name}-data/meta.json").read_text())["sources"]["train"][0]["file"] == name
    Path(name).write_bytes(b"x\n")
    assert fails("preprocess", "conllu", "--train", name).startswith("caf\\udce9:1: 1 columns found")


def test_too_little_memory_is_an_error_of_one_line(work: Path) -> None:
    run_nntag("preprocess", "conllu", *FILES, "--out", "d")
    for values in (("--hidden", 10**9), ("--set", "word_size=100000000000")):
        reason = fails("train", "--data", "d", "--out", "r", "--layers", 1, "--epochs", 1, *values)
        assert reason.startswith("not enough memory; try a smaller model")
    assert not Path("r").exists()


def test_models_are_listed_and_explained() -> None:
    listed = run_nntag("models").out
    assert all(row.name in listed and row.summary in listed for row in MODELS)
    objects = json.loads(run_nntag("models", "--json").out)
    assert [entry["name"] for entry in objects] == [row.name for row in MODELS]
    shown = run_nntag("models", "skip-gates", "--recipe", "wu2016").out
    assert "[model]" in shown and "skip" in shown and "gates" in shown and "512" in shown
    settings = json.loads(run_nntag("models", "skip-gates", "--recipe", "wu2016", "--json").out)
    assert settings["model"]["skip"] == "gates" and settings["train"]["lr"] == 0.02


def test_read_shows_what_a_reader_makes_of_a_file(work: Path) -> None:
    done = run_nntag("read", "conllu", "dev.conllu", "--json")
    records = [json.loads(line) for line in done.out.splitlines()]
    assert [(tuple(record["tokens"]), tuple(record["tags"])) for record in records] == learnable(12, 101)
    assert done.err == "nntag: dev.conllu: 12 records read as conllu\n"
    found = run_nntag("read", "columns", "-", "--json", stdin="a\u2028b\tX\n".encode())
    assert json.loads(found.out)["tokens"] == ["a\u2028b"]


def test_version_help_and_nothing() -> None:
    assert run_nntag("--version").out == f"nntag {nntag.__version__}\n"
    for command in ((), ("preprocess",), ("train",), ("eval",), ("tag",), ("read",), ("models",)):
        for flag in ("--help", "-h"):
            done = run_nntag(*command, flag)
            assert done.code == 0 and done.out.startswith("Usage: ") and done.err == ""
    nothing = run_nntag()
    assert nothing.code == 2 and "Commands:" in nothing.out + nothing.err


def test_write_corpus_is_what_the_readers_read(tmp_path: Path) -> None:
    """The files of these tests are right in every format."""
    for format in ("ccgbank", "ptb", "conllu", "columns", "piped"):
        sentences = [(("It", "ran"), ("PRP", "VBD"))]
        done = run_nntag("read", format, write_corpus(tmp_path / format, sentences, format), "--json")
        assert json.loads(done.out)["tokens"] == ["It", "ran"]
