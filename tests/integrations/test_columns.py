"""A column of text in, a column of what is printed for it out: Parquet parts, and batches of any engine."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from nntag.config.options.engine import EngineOptions
from nntag.config.options.use import TagOptions
from nntag.errors import DataError, UsageError
from nntag.integrations.columns import AddColumn
from nntag.integrations.job import Job, plan_job
from nntag.integrations.output import run_job
from tests.integrations.engines import Here
from tests.integrations.test_job import tagged
from tests.tagging.tiny_run import make_tiny_run

TEXTS = [f"the dog number {number}" for number in range(30)] + ["two lines\nin one", "", None, "the end", "a\u2028b c"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny_run(tmp_path_factory.mktemp("run"), epochs=1)


def plain(run: Path, folder: Path) -> list[str | None]:
    """For each text what `nntag tag` prints for a file that holds it."""
    file = folder / "one.txt"
    found: list[str | None] = []
    for text in TEXTS:
        if text is not None:
            file.write_text(text + "\n")
        found.append(None if text is None else tagged(run, file).decode()[:-1])
    return found


def test_a_batch_gets_a_column(run: Path, tmp_path: Path) -> None:
    add = AddColumn(TagOptions(model=run))
    batch = {"text": np.array(TEXTS, dtype=object), "id": np.arange(len(TEXTS))}
    result = add(batch)
    assert list(result) == ["text", "id", "tagged"] and list(result["tagged"]) == plain(run, tmp_path)
    assert result["tagged"][-1].count("|") == 2  # a line separator of Unicode ends no line
    with pytest.raises(UsageError, match="no column 'text' among"):
        add({"other": []})
    with pytest.raises(UsageError, match="one line for each line of text, which --format columns"):
        AddColumn(TagOptions(model=run, format="columns"))


def test_a_data_frame_gets_a_column(run: Path, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pandas.DataFrame({"body": TEXTS, "n": range(len(TEXTS))})
    result = AddColumn(TagOptions(model=run), "body", "tags")(frame)
    assert list(result.columns) == ["body", "n", "tags"] and list(frame.columns) == ["body", "n"]
    expected = plain(run, tmp_path)
    assert [None if text is None or text != text else text for text in result["tags"]] == expected


def plan(run: Path, folder: Path, **engine: object) -> Job:
    options = EngineOptions("ray", folder / "out", **engine)  # type: ignore[arg-type]
    return plan_job(TagOptions(model=run), [str(folder / "x.parquet")], options)


def test_parquet_keeps_rows_and_columns(run: Path, tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pyarrow.table({"doc": [f"d{n // 4}" for n in range(len(TEXTS))], "text": TEXTS, "n": range(len(TEXTS))})
    parquet.write_table(table, tmp_path / "x.parquet", row_group_size=7)
    job = plan(run, tmp_path, part_mb=0.001)
    assert len(job.parts) > 1
    run_job(job, Here())
    parts = [parquet.read_table(path) for path in sorted((tmp_path / "out" / "x.parquet").glob("part-*"))]
    result = pyarrow.concat_tables(parts)
    assert result.select(["doc", "text", "n"]).equals(table)
    assert result.column("tagged").to_pylist() == plain(run, tmp_path)
    with pytest.raises(DataError, match=r"no column of text called body; name one with --text-column: \['doc', 'text'"):
        plan(run, tmp_path, text_column="body")
    (tmp_path / "x.parquet").write_bytes(b"no Parquet")
    with pytest.raises(DataError, match="cannot be read as Parquet"):
        plan(run, tmp_path)
