"""Jobs of parts with an engine in this process: the same bytes, only what is missing, nothing of another command."""

from __future__ import annotations

import dataclasses
import json
import shutil
from pathlib import Path

import pytest

from nntag.commands.tag import load_to_tag, tag
from nntag.config.options.engine import EngineOptions
from nntag.config.options.use import TagOptions
from nntag.corpora.lines import open_lines
from nntag.errors import NntagError, UsageError
from nntag.integrations.job import Job, find_inputs, plan_job
from nntag.integrations.output import JobCounts, run_job
from nntag.integrations.worker import MOST_TRIES
from tests.integrations.engines import Here
from tests.tagging.tiny_run import make_tiny_run

TEXT = "".join(f"the dog number {number} sees a cat\n\n" for number in range(60))
PART_MB = 0.0002


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny_run(tmp_path_factory.mktemp("run"), epochs=1)


def plan(run: Path, folder: Path, *inputs: Path, part_mb: float = PART_MB, **options: object) -> Job:
    engine = EngineOptions("ray", folder / "out", part_mb=part_mb)
    return plan_job(TagOptions(model=run, **options), [str(path) for path in inputs], engine)  # type: ignore[arg-type]


def work(job: Job, engine: Here | None = None, force: bool = False) -> tuple[JobCounts, list[int]]:
    engine = engine or Here()
    return run_job(job, engine, force), engine.seen


def output(folder: Path, place: str) -> bytes:
    return b"".join(path.read_bytes() for path in sorted((folder / "out" / place).glob("part-*")))


def tagged(run: Path, path: Path, **options: object) -> bytes:
    written: list[bytes] = []
    named = TagOptions(model=run, **options)  # type: ignore[arg-type]
    tag(load_to_tag(named), open_lines(path), written.append, named)
    return b"".join(written)


@pytest.mark.parametrize("name, format", [("x.txt", "json"), ("x.txt", "columns"), ("x.conllu", "conllu")])
def test_parts_together_are_what_tag_prints(run: Path, tmp_path: Path, name: str, format: str) -> None:
    path = tmp_path / name
    path.write_bytes((run.parent / "train.conllu").read_bytes() if name == "x.conllu" else TEXT.encode())
    counts, seen = work(plan(run, tmp_path, path, format=format))
    assert counts.parts == len(seen) > 3
    assert output(tmp_path, name) == tagged(run, path, format=format)
    assert not [path for path in (tmp_path / "out").rglob("*") if path.name.startswith(".part")]


def test_the_manifest_says_what_was_done(run: Path, tmp_path: Path) -> None:
    (tmp_path / "in" / "a").mkdir(parents=True)
    for name in ("in/x.txt", "in/a/y.txt", "in/_SUCCESS", "in/.hidden"):
        (tmp_path / name).write_text(TEXT)
    job = plan(run, tmp_path, tmp_path / "in", part_mb=1)
    work(job)
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert list(manifest["files"]) == ["a/y.txt/part-00000.piped", "x.txt/part-00000.piped"]
    written = manifest["files"]["x.txt/part-00000.piped"]
    assert written["sentences"] == 120 and written["bytes"] == len(output(tmp_path, "x.txt"))
    assert [Path(entry["path"]).name for entry in manifest["identity"]["inputs"]] == ["y.txt", "x.txt"]
    assert manifest["identity"]["command"] == "tag" and len(manifest["identity"]["models"][0]["sha256"]) == 64


def test_a_second_run_does_what_is_missing_and_only_that(run: Path, tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text(TEXT)
    job = plan(run, tmp_path, tmp_path / "x.txt")
    number = len(job.parts)
    with pytest.raises(KeyboardInterrupt):
        work(job, Here(most=2))
    folder = tmp_path / "out" / "x.txt"
    assert len(list(folder.iterdir())) == 2
    shutil.copy(folder / "part-00000.piped", folder / "part-00004.piped")  # done, but the driver died before it knew
    expected = folder / "part-00001.piped"
    expected.write_bytes(expected.read_bytes()[:-1])  # cut short by somebody since
    counts, seen = work(job)
    assert seen == [part for part in range(number) if part not in (0, 4)]
    assert (counts.parts, counts.done_before) == (number, 2)
    assert work(job)[1] == []
    (folder / "part-00004.piped").unlink()
    assert work(job)[1] == [4]
    assert output(tmp_path, "x.txt") == tagged(run, tmp_path / "x.txt")


def test_the_parts_of_another_command_stay(run: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text(TEXT)
    job = plan(run, tmp_path, path)
    work(job)
    before = output(tmp_path, "x.txt")
    other = plan(run, tmp_path, path, probabilities=True)
    with pytest.raises(UsageError, match=r"another command \(settings differ\).*--force"):
        work(other)
    with pytest.raises(UsageError, match=r"\(settings differ\)"):
        work(plan(run, tmp_path, path, part_mb=1))
    models = [{**model, "sha256": "0"} for model in job.identity["models"]]
    with pytest.raises(UsageError, match=r"\(models differ\)"):
        work(dataclasses.replace(job, identity={**job.identity, "models": models}))
    path.write_text(TEXT + "more\n")
    with pytest.raises(UsageError, match=r"\(inputs differ\)"):
        work(plan(run, tmp_path, path))
    assert output(tmp_path, "x.txt") == before
    large = plan(run, tmp_path, path, part_mb=1, probabilities=True)
    work(large, force=True)
    assert output(tmp_path, "x.txt") == tagged(run, path, probabilities=True)
    assert len(list((tmp_path / "out" / "x.txt").iterdir())) == 1


def test_a_fault_keeps_one_part_from_being_done(run: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(TEXT.encode().replace(b"number 50", b"number \xff"))
    job = plan(run, tmp_path, path)
    with pytest.raises(NntagError, match=rf"1 of {len(job.parts)} parts failed.*x.txt:101:16: expected UTF-8"):
        work(job)
    parts = list((tmp_path / "out" / "x.txt").iterdir())
    assert len(parts) == len(job.parts) - 1 and all(part.suffix == ".piped" for part in parts)


def test_a_part_that_kills_its_workers_is_given_up(run: Path, tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text(TEXT)
    job = plan(run, tmp_path, tmp_path / "x.txt", part_mb=1)
    tries = tmp_path / "out" / "x.txt" / ".part-00000.piped.tries"

    def dying(job: Job, numbers: list[int]):  # type: ignore[no-untyped-def]
        tries.parent.mkdir(parents=True)
        tries.write_bytes(b"." * MOST_TRIES)  # what workers leave that are killed
        yield from Here()(job, numbers)

    with pytest.raises(NntagError, match=f"given up; {MOST_TRIES} workers died at this part"):
        run_job(job, dying)  # type: ignore[arg-type]
    assert work(job)[1] == [0]


def test_what_cannot_be_planned(run: Path, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    for name in ("x.txt", "a/x.txt"):
        (tmp_path / name).write_text("a\n")
    with pytest.raises(UsageError, match="would both go to x.txt"):
        find_inputs([str(tmp_path / "x.txt"), str(tmp_path / "a")])
    with pytest.raises(UsageError, match="not standard input"):
        find_inputs(["-"])
    with pytest.raises(UsageError, match="name at least one"):
        find_inputs([])
    with pytest.raises(UsageError, match="--engine needs --output"):
        EngineOptions("ray")
    with pytest.raises(UsageError, match="--workers has a meaning with --engine alone"):
        EngineOptions(workers=2)
    with pytest.raises(UsageError, match="unknown --engine 'spark'"):
        EngineOptions("spark", tmp_path)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").write_text("")
    with pytest.raises(UsageError, match=r"holds other files \(mine\)"):
        work(plan(run, tmp_path, tmp_path / "x.txt"))
