"""Bracketed text -> trees of any depth, for the PTB and SST readers.

Trees are found by brackets and not by lines, without recursion. Separators are spaces, tabs and line ends; everything
else belongs to a label or a word.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from nntag.corpora.faults import OnBad, logger, raise_bad
from nntag.corpora.lines import Lines, RawLine
from nntag.corpora.records import Tree
from nntag.errors import DataError

_TOKEN = re.compile(r"[()]|[^ \t()]+")


@dataclass(slots=True)
class BracketedTree:
    """A tree as it stands in the file: like `Tree`, with raw words and the line and column of each node's bracket."""

    labels: list[str] = field(default_factory=list)
    children: list[tuple[int, ...]] = field(default_factory=list)
    words: list[str | None] = field(default_factory=list)
    places: list[tuple[int, int]] = field(default_factory=list)
    line: int = 0  # where the outer bracket opens

    def add(self, label: str, children: tuple[int, ...], word: str | None, place: tuple[int, int]) -> int:
        """Appends a node and returns its number."""
        self.labels.append(label)
        self.children.append(children)
        self.words.append(word)
        self.places.append(place)
        return len(self.labels) - 1


@dataclass(slots=True)
class _OpenBracket:
    place: tuple[int, int]
    label: str | None = None  # None until a label or a bracket has been seen
    word: str | None = None
    children: list[int] = field(default_factory=list)


class _Builder:
    """Takes tokens one by one; holds the brackets that are open and the nodes of the tree that are done."""

    def __init__(self, lines: Lines):
        self._lines = lines
        self.open: list[_OpenBracket] = []
        self._tree = BracketedTree()

    def take(self, token: str, line: int, column: int) -> BracketedTree | None:
        """Returns the tree that this token completes. Raises DataError."""
        if token == "(":
            self._open(line, column)
            return None
        if token == ")":
            return self._close(line, column)
        self._take_atom(token, line, column)
        return None

    def unclosed(self) -> DataError:
        line, column = self.open[0].place
        return self._lines.fault(line, f"this bracket is never closed ({len(self.open)} are open at the end)", column)

    def _fault(self, line: int, reason: str, column: int) -> DataError:
        start = self.open[0].place[0] if self.open else line
        within = "" if start == line else f" (in the tree that starts on line {start})"
        return self._lines.fault(line, reason + within, column)

    def _open(self, line: int, column: int) -> None:
        if not self.open:
            self._tree = BracketedTree(line=line)
        else:
            parent = self.open[-1]
            if parent.word is not None:
                reason = f"expected ')' after the word {parent.word!r} of {parent.label}, found '('"
                raise self._fault(line, reason, column)
            parent.label = parent.label or ""
        self.open.append(_OpenBracket((line, column)))

    def _close(self, line: int, column: int) -> BracketedTree | None:
        if not self.open:
            raise self._fault(line, "expected '(' or the end of the file, found one ')' too many", column)
        node = self.open[-1]
        if node.label and node.word is None and not node.children:
            raise self._fault(line, f"expected a word or a subtree after {node.label!r}, found ')'", column)
        self.open.pop()
        number = self._add(node)
        if not self.open:
            return self._tree
        self.open[-1].children.append(number)
        return None

    def _add(self, node: _OpenBracket) -> int:
        return self._tree.add(node.label or "", tuple(node.children), node.word, node.place)

    def _take_atom(self, token: str, line: int, column: int) -> None:
        if not self.open:
            raise self._fault(line, f"expected '(', found {token!r} outside any tree", column)
        node = self.open[-1]
        if node.label is None:
            node.label = token
        elif node.children:
            raise self._fault(line, f"expected '(' or ')' beside a subtree, found the word {token!r}", column)
        elif node.word is not None:
            reason = f"expected ')' after the word {node.word!r} of {node.label}, found a second word {token!r}"
            raise self._fault(line, reason, column)
        else:
            node.word = token


class _UnlabelledBuilder(_Builder):
    """Takes every word for a node of its own: brackets have no labels, and one about a single word is its node."""

    def _add(self, node: _OpenBracket) -> int:
        is_word = len(node.children) == 1 and self._tree.words[node.children[0]] is not None
        return node.children[0] if is_word else super()._add(node)

    def _take_atom(self, token: str, line: int, column: int) -> None:
        if not self.open:
            raise self._fault(line, f"expected '(', found {token!r} outside any tree", column)
        self.open[-1].label = ""
        self.open[-1].children.append(self._tree.add("", (), token, (line, column)))


def read_bracketed(lines: Lines, on_bad: OnBad = raise_bad, labelled: bool = True) -> Iterator[BracketedTree]:
    """The trees of a file, as they stand there; where brackets are not `labelled`, `(A (good film))` has three words.

    Raises DataError at unbalanced brackets, a label without a word or subtree, two words under a label, a word beside
    a subtree and text outside brackets. After a bad tree reading goes on at the first line below its first one that
    opens with a bracket, so that an unclosed tree does not swallow the rest of the file.
    """
    source = lines.raw()
    again: deque[RawLine] = deque()
    held: list[RawLine] = []  # the lines of the open tree
    kind = _Builder if labelled else _UnlabelledBuilder
    builder = kind(lines)
    skipping = False
    while True:
        item = again.popleft() if again else next(source, None)
        try:
            if item is None:
                if not builder.open:
                    return
                raise builder.unclosed()
            number, raw = item
            if skipping and not raw.startswith(b"("):
                continue
            skipping = False
            held.append(item)
            for match in _TOKEN.finditer(lines.decode(number, raw)):
                tree = builder.take(match[0], number, match.start() + 1)
                if tree is not None:
                    held = [item]
                    yield tree
            if not builder.open:
                held = []
        except DataError as error:
            on_bad(error)
            builder = kind(lines)
            start = next((index for index, (_, raw) in enumerate(held) if index and raw.startswith(b"(")), None)
            skipping = start is None
            if start is not None:
                again.extendleft(reversed(held[start:]))
            held = []


def read_clean_trees(lines: Lines, on_bad: OnBad = raise_bad, labelled: bool = True) -> Iterator[BracketedTree]:
    """Trees without the outer bracket that has no label, without traces and the nodes that only traces filled.

    A tree without words is left out with a warning. Raises DataError as `read_bracketed`, and for `()` beside words.
    """
    for tree in read_bracketed(lines, on_bad, labelled):
        clean = _without_traces(tree)
        if not clean.labels:
            logger.warning("%s:%d: a tree without words was left out", lines.path, tree.line)
            continue
        nodes = zip(tree.children, tree.words, tree.places, strict=True)
        empty = next((place for children, word, place in nodes if not children and word is None), None)
        if empty is not None:
            line, column = empty
            on_bad(lines.fault(line, "expected a label or '(', found an empty bracket '()'", column))
            continue
        while not clean.labels[-1] and len(clean.children[-1]) == 1:
            del clean.labels[-1], clean.children[-1], clean.words[-1], clean.places[-1]
        yield clean


def _without_traces(tree: BracketedTree) -> BracketedTree:
    clean = BracketedTree(line=tree.line)
    numbers: list[int | None] = []  # of each node of `tree`: its number in `clean`
    for label, children, word, place in zip(tree.labels, tree.children, tree.words, tree.places, strict=True):
        kept = tuple(number for child in children if (number := numbers[child]) is not None)
        is_word = word is not None and label != "-NONE-"
        numbers.append(clean.add(label, kept, word, place) if kept or is_word else None)
    return clean


def freeze_tree(tree: BracketedTree, lines: Lines, words: list[str | None]) -> Tree:
    """The record of a tree, with `words` in place of its raw ones."""
    return Tree(tuple(tree.labels), tuple(tree.children), tuple(words), lines.place(tree.line))
