"""`AddColumn` in Spark's `mapInPandas`, as docs/scale.md has it; skipped without pyspark or a Java machine."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nntag.config.options.use import TagOptions
from tests.integrations.test_job import tagged
from tests.tagging.tiny_run import make_tiny_run

pytest.importorskip("pyspark", reason="pyspark is not installed")
pytest.importorskip("pandas", reason="pandas is not installed")
if not shutil.which("java"):
    pytest.skip("Spark needs a Java machine", allow_module_level=True)


def test_map_in_pandas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pyspark.sql import SparkSession

    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    options = TagOptions(model=make_tiny_run(tmp_path, epochs=1))

    def add_tags(frames: Iterator[Any]) -> Iterator[Any]:
        from nntag.integrations.columns import AddColumn

        add = AddColumn(options)  # the model is loaded once for each partition
        yield from map(add, frames)

    texts = [f"the dog number {number}" for number in range(20)] + [""]
    spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    try:
        rows = spark.createDataFrame(list(enumerate(texts)), "id long, text string").repartition(2)
        found = rows.mapInPandas(add_tags, "id long, text string, tagged string").orderBy("id").collect()
    finally:
        spark.stop()
    (tmp_path / "y.txt").write_text("\n".join(texts) + "\n")
    assert [row.text for row in found] == texts
    assert [row.tagged for row in found] == tagged(Path(str(options.model)), tmp_path / "y.txt").decode().split("\n")[
        :-1
    ]
