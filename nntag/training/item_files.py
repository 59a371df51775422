"""Item files: what a run made of each sentence, tree or question, one JSON object a line; written, and read back.

`nntag eval --output` writes them and `nntag compare` reads two of them. Each line names its task, whose room says what
else it holds.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from nntag.corpora.lines import Lines, open_lines
from nntag.errors import DataError, UsageError
from nntag.files import replace_output
from nntag.json_files import decode_json, without_infinity
from nntag.schema import Misfit, Record, Schema, Text

Item = Mapping[str, Any]
_ANY_ITEM = Record({"task": Text()})


def write_item_file(path: str | os.PathLike[str], task: str, items: Iterable[Item]) -> None:
    """Writes an item file, whole or not at all; raises `UsageError` where it cannot be written."""
    target = Path(path)
    lines = (json.dumps(without_infinity({"task": task, **item}), ensure_ascii=False) + "\n" for item in items)
    try:
        with (
            replace_output(target) as partial,
            partial.open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as file,
        ):
            file.writelines(lines)
    except OSError as error:
        raise UsageError(f"{path}: cannot write --output: {error.strerror}") from None


def read_item_file(path: str | os.PathLike[str], schema_of: Callable[[str], Schema]) -> tuple[str, list[Item]]:
    """The task of an item file and its items; `schema_of` gives the schema of a task's items. Raises `DataError`."""
    lines = open_lines(path)
    task, items = "", []
    for number, text in lines:
        try:
            item = decode_json(text)
            _ANY_ITEM.check(item, "the line")
            schema_of(item["task"]).check(item, "the line")
        except Misfit as error:
            raise _not_an_item(lines, number, str(error)) from None
        if task and item["task"] != task:
            raise _not_an_item(lines, number, f"the task was {task!r}, is {item['task']!r}")
        task = item["task"]
        items.append(item)
    if not items:
        raise DataError(lines.path, None, "no items in it; `nntag eval --output FILE.jsonl` writes such a file")
    return task, items


def _not_an_item(lines: Lines, number: int, reason: str) -> DataError:
    return lines.fault(number, f"not a line that `nntag eval --output FILE.jsonl` writes: {reason}")
