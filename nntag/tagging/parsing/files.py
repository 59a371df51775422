"""Gold and predicted derivations in AUTO files -> pairs of trees for the same sentence."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from nntag.corpora.ccgbank import read_derivations
from nntag.corpora.lines import Lines, open_lines
from nntag.corpora.records import Tree
from nntag.errors import DataError


def read_gold(path: str | Path) -> list[Tree]:
    """The derivations of a gold file. Raises DataError where there are none."""
    trees = list(read_derivations(open_lines(path)))
    if not trees:
        raise DataError(path, None, "no derivations in this file")
    return trees


def read_parses(path: str | Path) -> list[Tree | None]:
    """For each sentence its best derivation, None for one without a parse.

    Sentences are told apart by their ID lines: further lines with the same ID hold lower-ranked derivations. In a file
    without ID lines each derivation is a sentence.
    """
    trees = list(read_derivations(open_lines(path)))
    headers = list(_read_headers(open_lines(path)))
    if not headers:
        return list(trees)
    found: dict[str, Tree | None] = {}
    waiting = iter(trees)
    tree = next(waiting, None)
    for (line, name), (end, _) in zip(headers, [*headers[1:], (None, "")], strict=True):
        own = None
        while tree is not None and tree.place is not None and (end is None or tree.place.line < end):
            own = own or (tree if tree.place.line > line else None)
            tree = next(waiting, None)
        if found.get(name) is None:
            found[name] = own
    return list(found.values())


def pair_parses(gold_path: str | Path, predicted_path: str | Path) -> Iterator[tuple[Tree, Tree | None]]:
    """Gold and predicted derivations, the n-th with the n-th. Raises DataError where they are not of the same words."""
    gold, predicted = read_gold(gold_path), read_parses(predicted_path)
    if len(gold) != len(predicted):
        reason = f"expected the {len(gold)} sentences of {gold_path}, found {len(predicted)}"
        raise DataError(predicted_path, None, reason)
    for number, (right, tree) in enumerate(zip(gold, predicted, strict=True), 1):
        if tree is not None and tree.tokens != right.tokens:
            reason = f"expected sentence {number} of {gold_path} ({_shown(right)}), found {_shown(tree)}"
            raise DataError(predicted_path, tree.place.line if tree.place else None, reason)
        yield right, tree


def _read_headers(lines: Lines) -> Iterator[tuple[int, str]]:
    """Line number and name of every ID line."""
    for number, raw in lines.raw():
        if raw.startswith(b"ID="):
            yield number, lines.decode(number, raw).split()[0].rstrip(",")


def _shown(tree: Tree) -> str:
    words = " ".join(tree.tokens)
    return repr(words if len(words) <= 60 else words[:57] + "...")
