"""The text of a tagging data folder: `WORD<tab>TAG` lines, a blank line after each sentence, "" for no tag."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from nntag.errors import RunError


@dataclass(frozen=True, slots=True)
class TaggedText:
    """Sentences: their tokens and, one for each token, the gold tag or None."""

    tokens: list[tuple[str, ...]]
    tags: list[tuple[str | None, ...]]


def write_columns_file(path: Path, sentences: Iterable[tuple[Sequence[str], Sequence[str | None]]]) -> None:
    """Writes (tokens, tags) pairs."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for tokens, tags in sentences:
            file.writelines(f"{token}\t{tag or ''}\n" for token, tag in zip(tokens, tags, strict=True))
            file.write("\n")


def read_columns_file(path: Path) -> TaggedText:
    """Reads what `write_columns_file` wrote; raises `RunError` naming the line where it is damaged."""
    try:
        text = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RunError(f"{path}: damaged data folder: {error}; run `nntag preprocess` again") from None
    tokens: list[tuple[str, ...]] = []
    tags: list[tuple[str | None, ...]] = []
    rows: list[tuple[str, str | None]] = []
    for number, line in enumerate([*text.split("\n"), ""], 1):  # the last sentence counts without its blank line
        if line:
            token, tab, tag = line.rpartition("\t")
            if not tab:
                raise RunError(
                    f"{path}:{number}: damaged data folder: expected WORD, tab, TAG; run `nntag preprocess` again"
                )
            rows.append((token, tag or None))
        elif rows:
            tokens.append(tuple(token for token, _ in rows))
            tags.append(tuple(tag for _, tag in rows))
            rows = []
    return TaggedText(tokens, tags)
