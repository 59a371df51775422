"""Taggers on a pre-trained encoder: training and tagging see the same vectors, the run folder finds its encoder."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch

import nntag
from nntag.commands.evaluate import evaluate
from nntag.commands.train import train
from nntag.config.options.train import TrainOptions
from nntag.config.options.use import EvaluateOptions
from nntag.encoding.contextual.vectors import ContextualVectors
from nntag.encoding.data_folder import open_data_folder
from nntag.errors import RunError, UsageError
from nntag.progress import Progress
from nntag.tagging.text_files import read_columns_file
from nntag.training.checkpoint import read_checkpoint
from nntag.training.runs import load_run
from tests.encoding.contextual.tiny_encoder import make_bert
from tests.tagging.tiny_run import QUICK, SMALL, make_tiny_run

LIGHT = {"contextual_size": 8, "contextual_precision": "float32"}
SENTENCES = [["the", "run", "ends"], [], ["Bob", "", "unknownword"], ["walk"] * 30, ["Ann", "run", "now"]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`bert`, `data` and `run`, which was trained on both."""
    folder = tmp_path_factory.mktemp("contextual")
    make_bert(folder / "bert")
    make_tiny_run(folder, contextual=str(folder / "bert"), **LIGHT)
    return folder


def train_again(folder: Path, out: Path, resume: bool = False, progress=lambda report: None, **values) -> Path:
    chosen = {} if resume else {**SMALL, **QUICK, **LIGHT, "contextual": str(folder / "bert")}
    options = TrainOptions(
        model=None if resume else "skip-none", data=folder / "data", out=out, resume=resume, settings=chosen | values
    )
    return train(options, progress).run


def test_training_and_tagging_see_the_same_vectors(folder: Path) -> None:
    """Dev as training evaluated it, from the cache, against dev as new text, in other batches."""
    run = load_run(folder / "run")
    data = open_data_folder(folder / "data")
    text = read_columns_file(data.file("dev.tsv"))
    cached = run.task._encode_context(data, "dev")
    tagger = nntag.load(folder / "run")
    for number, table in run.task.predictor._tables(run.model, text.tokens, 64, cached):
        np.testing.assert_allclose(
            run.task.predictor.log_probabilities(run.model, [text.tokens[number]])[0], table, atol=0.01
        )
    assert tagger.tag_all(text.tokens) == run.task.predictor.predict(run.model, text.tokens, encoded=cached)
    score = evaluate(EvaluateOptions(model=folder / "run", split="dev")).report["accuracy"]
    log = [json.loads(line) for line in (folder / "run" / "log.jsonl").read_text().splitlines()]
    assert score == max(entry["dev_accuracy"] for entry in log)


def test_a_sentence_has_the_same_scores_alone_and_in_company(folder: Path) -> None:
    run = load_run(folder / "run")
    together = run.task.predictor.log_probabilities(run.model, SENTENCES)
    assert [len(table) for table in together] == [3, 0, 3, 30, 3]
    for tokens, table in zip(SENTENCES, together, strict=True):
        np.testing.assert_allclose(run.task.predictor.log_probabilities(run.model, [tokens])[0], table, atol=0.01)


def test_the_vectors_decide_something(folder: Path) -> None:
    run = load_run(folder / "run")
    before = run.task.predictor.log_probabilities(run.model, SENTENCES[:1])[0]
    with torch.no_grad():
        run.model.input.contextual.projection.weight.zero_()
    assert np.abs(run.task.predictor.log_probabilities(run.model, SENTENCES[:1])[0] - before).max() > 0.01


def test_a_second_run_reads_the_vectors_of_the_first(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reports: list[Progress] = []
    monkeypatch.setattr(ContextualVectors, "_fill", None)
    train_again(folder, tmp_path / "run", progress=reports.append, epochs=1)
    assert not any("contextual" in report.stage for report in reports)


def test_the_first_run_reports_its_progress(folder: Path, tmp_path: Path) -> None:
    reports: list[Progress] = []
    train_again(folder, tmp_path / "run", progress=reports.append, epochs=1, contextual_pooling="first")
    done = {report.stage: report for report in reports if report.finished}
    assert done["contextual vectors of train"].unit == "tokens" and done["contextual vectors of dev"].done == 36


def test_contextual_vectors_alone(folder: Path, tmp_path: Path) -> None:
    run = load_run(train_again(folder, tmp_path / "run", epochs=1, contextual_alone=True))
    names = {name for name, _ in run.model.named_parameters() if name.startswith("input.")}
    assert names and all(name.startswith("input.contextual.") for name in names)
    assert run.model.input.output_size == 8
    assert len(nntag.load(tmp_path / "run").tag(SENTENCES[0])) == 3


def test_a_resumed_run_equals_a_straight_one(folder: Path, tmp_path: Path) -> None:
    train_again(folder, tmp_path / "straight", epochs=3)
    train_again(folder, tmp_path / "resumed", epochs=1)
    train_again(folder, tmp_path / "resumed", resume=True, epochs=3)
    one, other = (read_checkpoint(tmp_path / name / "last" / "model.safetensors") for name in ("straight", "resumed"))
    assert all(torch.equal(value, other.weights[name]) for name, value in one.weights.items())


def test_a_tuned_encoder_is_part_of_the_run(folder: Path, tmp_path: Path) -> None:
    """It moves, is resumed bit for bit, and the run folder stands alone."""
    bert = tmp_path / "bert"
    shutil.copytree(folder / "bert", bert)
    tuned = {"contextual_tune": True, "contextual_lr": 0.01, "contextual_warmup": 2, "contextual": str(bert)}
    train_again(folder, tmp_path / "straight", epochs=3, **tuned)
    train_again(folder, tmp_path / "resumed", epochs=2, **tuned)
    train_again(folder, tmp_path / "resumed", resume=True, epochs=3)
    one, other = (read_checkpoint(tmp_path / name / "last" / "model.safetensors") for name in ("straight", "resumed"))
    assert one.weights.keys() == other.weights.keys()
    assert all(torch.equal(value, other.weights[name]) for name, value in one.weights.items())
    query = "encoder.layer.0.attention.self.query.weight"
    start = ContextualVectors(load_run(folder / "run").settings.input).encoder.model.state_dict()[query]
    assert (one.weights[f"input.contextual.encoder.model.{query}"] - start).abs().max() > 0.01
    tags = nntag.load(tmp_path / "straight").tag_all(SENTENCES)
    shutil.rmtree(bert)
    shutil.move(tmp_path / "straight", tmp_path / "moved")
    assert nntag.load(tmp_path / "moved").tag_all(SENTENCES) == tags
    assert not list((tmp_path / "moved" / "encoder").glob("*.safetensors"))


def test_an_embedded_encoder_needs_no_other(folder: Path, tmp_path: Path) -> None:
    bert = tmp_path / "bert"
    shutil.copytree(folder / "bert", bert)
    train_again(folder, tmp_path / "run", epochs=1, contextual=str(bert), contextual_embed=True)
    tags = nntag.load(tmp_path / "run").tag_all(SENTENCES)
    shutil.rmtree(bert)
    shutil.move(tmp_path / "run", tmp_path / "moved")
    assert nntag.load(tmp_path / "moved").tag_all(SENTENCES) == tags
    train_again(folder, tmp_path / "moved", resume=True, epochs=2)
    assert sorted(os.listdir(tmp_path / "moved")) == ["README.md", "best", "encoder", "last", "log.jsonl"]


def test_a_missing_or_changed_encoder_is_one_clear_line(folder: Path, tmp_path: Path) -> None:
    bert = tmp_path / "bert"
    shutil.copytree(folder / "bert", bert)
    run = train_again(folder, tmp_path / "run", epochs=1, contextual=str(bert))
    assert json.loads((run / "best" / "config.json").read_text())["settings"]["input"]["contextual"] == str(bert)
    assert len(json.loads((run / "best" / "vocab.json").read_text())["encoder"]["hash"]) == 64
    shutil.move(bert, tmp_path / "elsewhere")
    with pytest.raises(RunError, match=f"{bert}: the encoder that this run was trained with is not there; put it back"):
        load_run(run)
    (run / "encoder").symlink_to(tmp_path / "elsewhere")
    load_run(run)
    (run / "encoder").unlink()
    make_bert(bert, seed=9)
    with pytest.raises(RunError, match=f"{bert}: not the encoder that this run was trained with"):
        load_run(run)


def test_settings_without_an_encoder_are_refused() -> None:
    for name in ("contextual_alone", "contextual_tune", "contextual_embed"):
        with pytest.raises(UsageError, match=f"{name} needs an encoder"):
            train(TrainOptions(settings={name: True}))
