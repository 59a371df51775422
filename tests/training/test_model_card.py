"""The model card of a run: what `train` writes into it, what `eval` adds, what is kept and what is left alone."""

from __future__ import annotations

import datetime
import hashlib
import json
import shutil
from pathlib import Path

import pytest

from nntag.commands.evaluate import evaluate
from nntag.commands.train import train
from nntag.commands.verify import verify
from nntag.config.options.train import TrainOptions
from nntag.config.options.use import EvaluateOptions
from nntag.training.model_card import Score, add_score
from tests.tagging.tiny_run import SMALL, make_tiny_run

TODAY = datetime.date.today().isoformat()


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny_run(tmp_path_factory.mktemp("card"), "tiny", epochs=2)


@pytest.fixture
def run(trained: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(trained, tmp_path / "run"))


def rows(run: Path) -> list[str]:
    return [line for line in (run / "README.md").read_text().splitlines() if line.endswith(f"| {TODAY} |")]


def test_train_says_what_the_run_is(trained: Path) -> None:
    card = (trained / "README.md").read_text()
    config = json.loads((trained / "best/config.json").read_text())
    assert card.startswith("# skip-none on data\n") and f"nntag {config['nntag']}, seed 1" in card
    assert "--set model.hidden=10" in card and "column UPOS" in card and "- train: 40 sentences, 120 tokens" in card
    for split in ("train", "dev", "test"):
        source = trained.parent / f"{split}.conllu"
        assert f"| {split}: {source.name} | {hashlib.sha256(source.read_bytes()).hexdigest()} |" in card
    best = max(json.loads(line)["dev_accuracy"] for line in (trained / "log.jsonl").read_text().splitlines())
    assert rows(trained) == [f"| data dev | accuracy {100 * best:.2f} % |  | {TODAY} |"]
    assert "## Licence\n\nTo be filled in" in card


def test_eval_adds_a_row_and_replaces_it(run: Path) -> None:
    report = evaluate(EvaluateOptions(run)).report
    shares = f"accuracy {100 * report['accuracy']:.2f} %, sentence accuracy {100 * report['sentence_accuracy']:.2f} %"
    assert rows(run)[1:] == [f"| data test | {shares} | 12 sentences, 36 tokens | {TODAY} |"]
    card = (run / "README.md").read_bytes()
    evaluate(EvaluateOptions(run))
    assert (run / "README.md").read_bytes() == card
    evaluate(EvaluateOptions(run, split="dev"))
    assert [row.split(" | ")[0] for row in rows(run)] == ["| data dev", "| data test"]
    assert "12 sentences" in rows(run)[0]
    yesterday = (run / "README.md").read_text().replace(TODAY, "2001-01-01")
    (run / "README.md").write_text(yesterday)
    evaluate(EvaluateOptions(run))
    assert len(rows(run)) == 1 and "2001-01-01" in (run / "README.md").read_text()
    verify(run)


def test_what_the_owner_writes_stays(run: Path, trained: Path) -> None:
    card = (run / "README.md").read_text().replace("To be filled in: ", "CC BY 4.0. Not: ") + "\nThanks | to all.\n"
    (run / "README.md").write_text(card)
    evaluate(EvaluateOptions(run))
    data = trained.parent / "data"
    train(TrainOptions(data=data, out=run, resume=True, epochs=2))
    after = (run / "README.md").read_text()
    assert "CC BY 4.0. Not: " in after and after.endswith("\nThanks | to all.\n") and len(rows(run)) == 2

    (run / "README.md").write_text("# Ours\n")
    evaluate(EvaluateOptions(run))
    train(TrainOptions(data=data, out=run, resume=True, epochs=2))
    assert (run / "README.md").read_text() == "# Ours\n"
    (run / "README.md").unlink()
    evaluate(EvaluateOptions(run))
    assert not (run / "README.md").exists()


def test_scores_of_other_weights_go(run: Path, trained: Path) -> None:
    evaluate(EvaluateOptions(run))
    evaluate(EvaluateOptions(run / "last"))
    assert len(rows(run)) == 2
    before = (run / "best/model.safetensors").read_bytes()
    train(TrainOptions(data=trained.parent / "data", out=run, resume=True, epochs=6))
    assert (run / "best/model.safetensors").read_bytes() != before
    assert len(rows(run)) == 1 and "--set train.epochs=6" in (run / "README.md").read_text()


def test_a_run_that_was_stopped_has_the_card_of_one_that_was_not(trained: Path, tmp_path: Path) -> None:
    data = trained.parent / "data"
    options = {**SMALL, "train.batch_size": 4}
    whole = train(TrainOptions("skip-none", data, tmp_path / "a", epochs=3, settings=options)).run
    train(TrainOptions("skip-none", data, tmp_path / "b", epochs=1, settings=options))
    parts = train(TrainOptions(data=data, out=tmp_path / "b", resume=True, epochs=3)).run
    assert (parts / "README.md").read_bytes() == (whole / "README.md").read_bytes()


def test_force_writes_the_card_anew(run: Path, trained: Path) -> None:
    evaluate(EvaluateOptions(run))
    (run / "README.md").write_text((run / "README.md").read_text() + "old\n")
    train(TrainOptions("skip-none", trained.parent / "data", run, epochs=1, settings=SMALL, force=True))
    assert "old" not in (run / "README.md").read_text() and len(rows(run)) == 1


def test_a_name_cannot_break_the_table(run: Path) -> None:
    for _ in range(2):
        add_score(run, Score("a|b\n| c", "accuracy 1.00 %", "1 tokens"))
    assert rows(run)[1:] == [rf"| a\|b \| c | accuracy 1.00 % | 1 tokens | {TODAY} |"]
