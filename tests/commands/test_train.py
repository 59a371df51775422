"""Training workflows on tiny corpora: defaults, resuming, refusals, and that something is learned."""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import torch

from nntag.commands.train import TrainResult, train
from nntag.config.options.train import TrainOptions
from nntag.encoding.data_folder import DataFolder
from nntag.errors import DataError, RunError, UsageError
from nntag.tagging.preprocess import preprocess_tagging
from nntag.tagging.tag import load_tagger
from nntag.training import precision
from nntag.training.checkpoint import read_checkpoint
from nntag.training.runs import load_run, lock_run
from nntag.training.trainer import Trainer
from tests.opening import open_corpus
from tests.tagging.tagging_files import learnable, write_corpus
from tests.training.test_trainer import contents

TINY = {"layers": 1, "hidden": 6, "word_size": 5, "filters": 4, "affix_size": 4, "batch_size": 8, "epochs": 2}


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DataFolder:
    """A data folder at its default place; the working folder is the one that it is in."""
    monkeypatch.chdir(tmp_path)
    return make_data("own")


def make_data(name: str, seed: int = 1) -> DataFolder:
    train_file = write_corpus(Path(f"{name}-train.tsv"), learnable(40, seed), "columns")
    dev_file = write_corpus(Path(f"{name}-dev.tsv"), learnable(12, seed + 100), "columns")
    sources = {"train": [train_file], "dev": [dev_file]}
    return preprocess_tagging(open_corpus("columns", sources), Path("data/processed") / name).data


def run(out: str | None = "run", model: str | None = None, resume: bool = False, **values: Any) -> TrainResult:
    options = {key: values.pop(key) for key in ("data", "recipe", "device") if key in values}
    tiny = {} if resume else TINY
    return train(TrainOptions(model, out=out, resume=resume, settings={**tiny, **values}, **options))


def test_the_precision_that_auto_stands_for_is_written_down(data: DataFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(precision, "has_bf16", lambda device: True)
    assert run("run", precision="auto").settings.train.precision == "bf16"
    config = json.loads(Path("run/best/config.json").read_text())
    assert config["settings"]["train"]["precision"] == "bf16"
    assert "--set train.precision=bf16" in config["command"]
    monkeypatch.setattr(precision, "has_bf16", lambda device: False)
    assert run("run", resume=True, epochs=3).settings.train.precision == "bf16"


def test_defaults_take_the_newest_data_and_name_the_run(data: DataFolder) -> None:
    newer = make_data("newer")
    os.utime(data.path / "meta.json", ns=(0, 0))
    first, second = run(None), run(None)
    assert first.data == newer.path and first.settings.name == "skip-gated"
    assert (first.run, second.run) == (Path("runs/skip-gated-newer"), Path("runs/skip-gated-newer-2"))
    assert run(None, "skip-none", data=data.path).run == Path("runs/skip-none-own")
    assert first.parameters == sum(value.numel() for value in load_run(first.run).model.parameters())


def test_a_run_folder_holds_all_that_is_needed(data: DataFolder, tmp_path: Path) -> None:
    result = run()
    names = sorted(str(file.relative_to("run")) for file in Path("run").rglob("*") if file.is_file())
    parts = ("config.json", "model.safetensors", "vocab.json")
    own = ["README.md", "log.jsonl"]
    assert names == sorted([f"{kind}/{part}" for kind in ("best", "last") for part in parts] + own)
    log = [json.loads(line) for line in Path("run/log.jsonl").read_text().splitlines()]
    assert log == result.log and [entry["epoch"] for entry in log] == [1, 2]
    expected = load_tagger("run").tag_all([["the", "dog", "ends"], ["Bob", "runs"]])
    alone = tmp_path / "elsewhere" / "a copy of best"
    shutil.copytree("run/best", alone)
    shutil.rmtree("run")
    shutil.rmtree("data")
    for path in (alone, alone / "model.safetensors"):
        assert load_tagger(path).tag_all([["the", "dog", "ends"], ["Bob", "runs"]]) == expected
    assert load_run(alone).state["epoch"] == result.best_epoch


@pytest.mark.parametrize(
    "values",
    [
        {"average": 0.9},
        {"average": 0, "precision": "bf16"},
        {"recipe": "wu2016", "layers": 3, "hidden": 4, "batch_size": 3},
    ],
    ids=["average", "no average, bf16", "wu2016"],
)
def test_a_resumed_tagger_equals_a_straight_one_bit_for_bit(data: DataFolder, values: dict[str, Any]) -> None:
    run("straight", epochs=4, patience=0, **values)
    run("resumed", epochs=1, patience=0, **values)
    torch.manual_seed(999)
    torch.rand(7)
    run("resumed", resume=True, epochs=2)
    result = run("resumed", resume=True, epochs=4)
    assert contents(Path("resumed")) == contents(Path("straight"))
    assert result.epochs == 4 and len(result.log) == 4
    for kind in ("best", "last"):
        assert (Path("straight") / kind / "config.json").read_text() == (
            Path("resumed") / kind / "config.json"
        ).read_text()


def test_a_run_is_repeated_byte_for_byte(data: DataFolder) -> None:
    for name in ("x", "y"):
        run(name)
    assert Path("x/best/model.safetensors").read_bytes() == Path("y/best/model.safetensors").read_bytes()
    run("z", seed=2)
    assert Path("x/best/model.safetensors").read_bytes() != Path("z/best/model.safetensors").read_bytes()


def test_resuming_takes_the_runs_own_model_data_and_settings(data: DataFolder) -> None:
    run("run", "skip-output", hidden=7, epochs=1)
    make_data("newer", seed=5)
    result = run("run", resume=True, epochs=2)
    assert (result.settings.name, result.settings.model.hidden, result.data) == ("skip-output", 7, data.path)
    assert result.epochs == 2
    assert run("run", resume=True).epochs == 2  # nothing left to do


def test_a_run_is_resumed_and_evaluated_from_any_folder(
    data: DataFolder, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = run(epochs=1).run.resolve()
    assert load_run(folder).open_data().path == data.path  # shown as seen from here
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    assert run(str(folder), resume=True, epochs=2).epochs == 2
    assert load_run(folder).open_data().path.is_absolute()


@pytest.mark.parametrize(
    ("model", "values", "error", "reason"),
    [
        ("skip-none", {}, UsageError, "run was trained with --model skip-gated, not skip-none; resume with the same"),
        (None, {"recipe": "wu2016"}, UsageError, "run was trained with --recipe default, not wu2016"),
        (None, {"hidden": 9}, RunError, "run/last: made with other settings of model or optimiser"),
        (None, {"optimiser": "sgd"}, UsageError, "run was trained with optimiser=adam and average=0.999"),
        (None, {"metric": "sentence_accuracy"}, UsageError, "run was trained with metric=accuracy.*not sentence_acc"),
        (None, {"average": 0}, UsageError, "a running mean cannot be started or dropped half way"),
        (None, {"data": "data/processed/other"}, RunError, r"run was trained on other data .*vocabularies differ"),
        (None, {"data": "data/processed/gone"}, RunError, "data/processed/gone: not a data folder"),
    ],
)
def test_what_cannot_be_resumed(
    data: DataFolder, model: str | None, values: dict[str, Any], error: type[Exception], reason: str
) -> None:
    run(epochs=1)
    preprocess_tagging(open_corpus("columns", {"train": ["own-dev.tsv"]}), "data/processed/other")
    before = {file: file.read_bytes() for file in Path("run").rglob("*") if file.is_file()}
    with pytest.raises(error, match=reason):
        run("run", model, resume=True, epochs=2, **values)
    assert {file: file.read_bytes() for file in Path("run").rglob("*") if file.is_file()} == before


def test_resuming_needs_a_run(data: DataFolder) -> None:
    with pytest.raises(UsageError, match="--resume needs the run that it should continue: name it with --out"):
        run(None, resume=True)
    with pytest.raises(RunError, match=r"nowhere: nothing to resume \(no last/model.safetensors in it\)"):
        run("nowhere", resume=True)
    run(epochs=1)
    Path("run/last/config.json").write_text("{}")
    with pytest.raises(RunError, match="run/last/config.json: not the config of a run"):
        run("run", resume=True)


def test_a_trained_run_is_not_overwritten(data: DataFolder) -> None:
    run()
    with pytest.raises(UsageError, match="run already holds a trained run; continue it with --resume"):
        run()
    shutil.rmtree("run/last")
    with pytest.raises(UsageError, match="run already holds a trained run"):
        run()


@pytest.mark.parametrize(
    ("values", "error", "reason"),
    [
        ({"epochs": 0}, UsageError, "--epochs 0: nothing would be trained"),
        ({"layers": 0}, UsageError, "layers must be at least 1, found 0"),
        ({"device": "cuda:77"}, UsageError, "--device cuda:77"),
        ({"recipe": "wu2015"}, UsageError, "unknown recipe for tagging 'wu2015'"),
        ({"data": "own-dev.tsv"}, RunError, "own-dev.tsv: not a data folder"),
        ({"word_vectors": "gone.vec"}, DataError, "gone.vec: cannot be read"),
    ],
    ids=str,
)
def test_refusals_leave_nothing(data: DataFolder, values: dict[str, Any], error: type[Exception], reason: str) -> None:
    with pytest.raises(error, match=reason):
        run("fresh", **values)
    assert not Path("fresh").exists()


@pytest.mark.parametrize("out", ["own-dev.tsv", "own-dev.tsv/run"])
def test_places_that_cannot_be_written(data: DataFolder, out: str) -> None:
    with pytest.raises(RunError, match="cannot write the run folder"):
        run(out)


def test_there_is_no_data_yet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RunError, match="data/processed: no data folder for tagging; make one with `nntag preprocess`"):
        run()


def test_two_trainings_cannot_share_a_folder(data: DataFolder) -> None:
    with (
        lock_run(Path("run")),
        pytest.raises(UsageError, match="run: another process is training into this run folder"),
    ):
        run()
    assert not Path("run").exists()
    assert run().epochs == 2


def test_a_loss_that_is_not_finite_leaves_no_weights(data: DataFolder) -> None:
    with pytest.raises(RunError, match="not finite"):
        run("wild", optimiser="sgd", lr=1e30, average=0, clip_norm=0)
    assert not list(Path("wild").rglob("*.safetensors"))
    assert run("wild").epochs == 2  # the folder can be used


@pytest.mark.parametrize("file", ["vocab.json", "train.tsv", "dev.tsv"])
@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b"\xff", b'{"words": [1], "word_counts": [1]}', None])
def test_damaged_data_folders_are_errors(data: DataFolder, file: str, content: bytes | None) -> None:
    if content is None:
        (data.path / file).unlink()
    else:
        (data.path / file).write_bytes(content)
    with pytest.raises((RunError, DataError)):
        run()


def test_word_vectors_decide_the_width_and_are_needed_once(data: DataFolder) -> None:
    Path("own.vec").write_text("the 1 2 3\nann 4 5 6\n")
    result = run(word_vectors="own.vec", epochs=1, tune_vectors=False)
    assert result.settings.input.word_size == 3
    table = read_checkpoint(Path("run/last/model.safetensors")).weights["input.words.weight"]
    words = load_run("run").task.vocabularies.words
    assert table[words.id_of("the")].tolist() == [1, 2, 3] and table[words.id_of("ann")].tolist() == [4, 5, 6]
    Path("own.vec").unlink()
    assert load_tagger("run").tag(["the", "dog"])
    assert run("run", resume=True, epochs=2).epochs == 2
    again = read_checkpoint(Path("run/last/model.safetensors")).weights["input.words.weight"]
    assert torch.equal(again, table)  # not tuned


def test_an_interrupted_training_keeps_its_last_epoch(data: DataFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    run("straight", epochs=3, patience=0)
    real = Trainer._update

    def interrupt(self: Trainer, batch: Any, epoch: int) -> tuple[float, int]:
        if epoch == 2 and self.state.step == 8:
            raise KeyboardInterrupt
        return real(self, batch, epoch)

    with monkeypatch.context() as patch:
        patch.setattr(Trainer, "_update", interrupt)
        with pytest.raises(KeyboardInterrupt):
            run("stopped", epochs=3, patience=0)
    assert load_run("stopped/last").state["epoch"] == 1
    run("stopped", resume=True)
    assert contents(Path("stopped")) == contents(Path("straight"))


@pytest.mark.parametrize(("name", "recipe"), [("skip-gated", "default"), ("skip-none", "wu2016")])
def test_a_tagger_learns_what_the_context_decides(data: DataFolder, name: str, recipe: str) -> None:
    """`run`, `walk` and `play` are nouns and verbs here; the most frequent tag of each word cannot tell them apart."""
    counts: dict[str, Counter[str]] = {}
    for tokens, tags in learnable(40, 1):
        for token, tag in zip(tokens, tags, strict=True):
            counts.setdefault(token, Counter())[tag] += 1
    pairs = [pair for tokens, tags in learnable(12, 101) for pair in zip(tokens, tags, strict=True)]
    baseline = sum(counts[token].most_common(1)[0][0] == tag for token, tag in pairs) / len(pairs)
    values = {"lr": 0.01, "batch_size": 4} if recipe == "default" else {"lr": 0.2, "batch_size": 1}
    result = run("learned", name, recipe=recipe, hidden=12, word_size=10, dropout=0.1, epochs=8, patience=0, **values)
    assert baseline < 0.95 < result.best_score
