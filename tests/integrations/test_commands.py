"""`score` and `parse` in parts: what they print for the whole file, with its numbers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nntag.commands.preprocess import preprocess
from nntag.commands.train import train
from nntag.config.options.engine import EngineOptions
from nntag.config.options.parse import ParseOptions
from nntag.config.options.preprocess import PreprocessOptions
from nntag.config.options.train import TrainOptions
from nntag.config.options.use import ScoreOptions
from nntag.corpora.lines import open_lines
from nntag.errors import UsageError
from nntag.integrations.annotate import Options
from nntag.integrations.job import plan_job
from nntag.integrations.output import run_job
from nntag.language_models.mixture import load_language_model
from nntag.language_models.score import score_lines
from nntag.tagging.parsing.grammar import count_grammar, write_grammar
from tests.integrations.engines import Here
from tests.integrations.test_job import TEXT, output
from tests.tagging.parsing.derivations import DOGS_BARK, SHE_SAW_IT, derivations


def work(options: Options, folder: Path, name: str, part_mb: float = 0.0003) -> tuple[bytes, int]:
    """What the parts hold together, and how many they are."""
    job = plan_job(options, [str(folder / name)], EngineOptions("ray", folder / "out", part_mb=part_mb))
    run_job(job, Here())
    return output(folder, name), len(job.parts)


def test_score(tmp_path: Path) -> None:
    data = preprocess(PreprocessOptions("text", out=tmp_path / "data", sample=True, sample_size=30)).data.path
    run = train(TrainOptions("ngram", data, tmp_path / "run")).run
    (tmp_path / "x.txt").write_text(TEXT)
    options, written = ScoreOptions(models=(run,), json=True), list[bytes]()
    score_lines(load_language_model([run]), open_lines(tmp_path / "x.txt"), written.append, options)
    found, parts = work(options, tmp_path, "x.txt")
    assert found == b"".join(written) and parts > 3
    with pytest.raises(UsageError, match="--next has no meaning with an engine"):
        plan_job(ScoreOptions(models=(run,), next=3), [str(tmp_path / "x.txt")], EngineOptions("ray", tmp_path / "o"))


def test_parse(tmp_path: Path) -> None:
    pytest.importorskip("depccg.parsing", reason="depccg is not installed")
    from nntag.tagging.parsing.command import parse_text

    write_grammar(tmp_path / "grammar.json", count_grammar(derivations(SHE_SAW_IT, DOGS_BARK)))
    rows = [("She", "NP"), ("saw", r"(S\NP)/NP"), ("it", "NP")]
    lines = [{"tokens": [word for word, _ in row], "tags": [tag for _, tag in row]} for row in (rows, rows[:2], []) * 5]
    (tmp_path / "x.json").write_text("".join(json.dumps(line) + "\n" for line in lines))
    options, written = ParseOptions(str(tmp_path / "x.json"), grammar=tmp_path / "grammar.json"), list[bytes]()
    parse_text(options, written.append)
    found, parts = work(options, tmp_path, "x.json", 0.0002)
    assert found == b"".join(written) and parts > 3 and b"\nID=15 " in found
