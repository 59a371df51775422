"""Bracketed text -> trees of any depth, for the PTB and SST readers.

Trees are found by brackets and not by lines, without recursion. Separators are spaces, tabs and line ends; everything
else belongs to a label or a word.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from nntag.corpora.escapes import unescape_words
from nntag.corpora.faults import OnBad, logger, raise_bad
from nntag.corpora.lines import Lines, RawLine
from nntag.corpora.marks import TRACE_TAG
from nntag.corpora.records import Tree
from nntag.errors import DataError

_ATOM = r"[^ \t()]+"
_TOKEN = re.compile(rf"[()]|{_ATOM}")
# Nearly all of a file is leaves and the brackets closed behind them, `(label word)))`, and `(label`: one token each.
_LABELLED_TOKEN = re.compile(rf"\([ \t]*({_ATOM})[ \t]+({_ATOM})[ \t]*(\)+)|\([ \t]*({_ATOM})|[()]|{_ATOM}")
_CLOSING, _LABEL = 3, 4  # the last groups of the two

Position = tuple[int, int]  # line and column, from 1


@dataclass(slots=True)
class BracketedTree:
    """A tree as it stands in the file: like `Tree`, with raw words and the line and column of each node's bracket."""

    labels: list[str] = field(default_factory=list)
    children: list[tuple[int, ...]] = field(default_factory=list)
    words: list[str | None] = field(default_factory=list)
    places: list[Position] = field(default_factory=list)
    line: int = 0  # where the outer bracket opens
    empty: Position | None = None  # of the first `()`

    def add(self, label: str, children: tuple[int, ...], word: str | None, place: Position) -> int:
        """Appends a node and returns its number."""
        self.labels.append(label)
        self.children.append(children)
        self.words.append(word)
        self.places.append(place)
        return len(self.labels) - 1


class _Builder:
    """Takes lines one by one; holds the brackets that are open and the nodes of the tree that are done."""

    def __init__(self, lines: Lines, labelled: bool):
        self._lines = lines
        self._labelled = labelled
        self.open: list[tuple[Position, str, int]] = []  # where; label; how many nodes waited before it
        self._word: str | None = None  # of the innermost bracket, which has no subtrees then
        self._waiting: list[int] = []  # nodes whose parents are open
        self._tree = BracketedTree()

    def take(self, line: int, text: str) -> Iterator[BracketedTree]:
        """The trees that a line completes. Raises DataError."""
        for match in (_LABELLED_TOKEN if self._labelled else _TOKEN).finditer(text):
            kind, place = match.lastindex, (line, match.start() + 1)
            if kind == _CLOSING:
                self._add_leaf(match[1], match[2], place)
                if not self.open:
                    yield self._tree
                for column in range(match.start(_CLOSING) + 2, match.end() + 1):
                    if self._close((line, column)):
                        yield self._tree
            elif kind == _LABEL:
                self._open(place, match[_LABEL])
            elif match[0] == "(":
                self._open(place, "")
            elif match[0] != ")":
                self._take_atom(match[0], place)
            elif self._close(place):
                yield self._tree

    def unclosed(self) -> DataError:
        line, column = self.open[0][0]
        return self._lines.fault(line, f"this bracket is never closed ({len(self.open)} are open at the end)", column)

    def _fault(self, place: Position, reason: str) -> DataError:
        line, column = place
        start = self._tree.line if self.open else line
        within = "" if start == line else f" (in the tree that starts on line {start})"
        return self._lines.fault(line, reason + within, column)

    def _open(self, place: Position, label: str) -> None:
        self._prepare_opening(place)
        self.open.append((place, label, len(self._waiting)))

    def _add_leaf(self, label: str, word: str, place: Position) -> None:
        if self._word is not None or not self.open:
            self._prepare_opening(place)
        tree = self._tree
        self._waiting.append(len(tree.labels))
        tree.labels.append(label)
        tree.children.append(())
        tree.words.append(word)
        tree.places.append(place)

    def _prepare_opening(self, place: Position) -> None:
        if self._word is not None:
            label = self.open[-1][1]
            raise self._fault(place, f"expected ')' after the word {self._word!r} of {label}, found '('")
        if not self.open:
            self._tree, self._waiting = BracketedTree(line=place[0]), []

    def _close(self, place: Position) -> bool:
        """Whether the tree is complete now."""
        if not self.open:
            raise self._fault(place, "expected '(' or the end of the file, found one ')' too many")
        opened, label, first = self.open[-1]
        tree, children = self._tree, tuple(self._waiting[first:])
        if not children and self._word is None:
            if label:
                raise self._fault(place, f"expected a word or a subtree after {label!r}, found ')'")
            tree.empty = tree.empty or opened
        self.open.pop()
        if self._labelled or len(children) != 1 or tree.words[children[0]] is None:  # else the word is the node
            self._waiting[first:] = (len(tree.labels),)
            tree.labels.append(label)
            tree.children.append(children)
            tree.words.append(self._word)
            tree.places.append(opened)
        self._word = None
        return not self.open

    def _take_atom(self, token: str, place: Position) -> None:
        if not self.open:
            raise self._fault(place, f"expected '(', found {token!r} outside any tree")
        opened, label, first = self.open[-1]
        if not self._labelled:
            self._add_leaf("", token, place)
        elif len(self._waiting) > first:
            raise self._fault(place, f"expected '(' or ')' beside a subtree, found the word {token!r}")
        elif not label:
            self.open[-1] = opened, token, first
        elif self._word is not None:
            reason = f"expected ')' after the word {self._word!r} of {label}, found a second word {token!r}"
            raise self._fault(place, reason)
        else:
            self._word = token


def read_bracketed(lines: Lines, on_bad: OnBad = raise_bad, labelled: bool = True) -> Iterator[BracketedTree]:
    """The trees of a file, as they stand there; where brackets are not `labelled`, `(A (good film))` has three words.

    Raises DataError at unbalanced brackets, a label without a word or subtree, two words under a label, a word beside
    a subtree and text outside brackets. After a bad tree reading goes on at the first line below its first one that
    opens with a bracket, so that an unclosed tree does not swallow the rest of the file.
    """
    source = lines.raw()
    again: deque[RawLine] = deque()
    held: list[RawLine] = []  # the lines of the open tree
    builder = _Builder(lines, labelled)
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
            for tree in builder.take(number, lines.decode(number, raw)):
                held = [item]
                yield tree
            if not builder.open:
                held = []
        except DataError as error:
            on_bad(error)
            builder = _Builder(lines, labelled)
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
        clean = _without_traces(tree) if tree.empty or TRACE_TAG in tree.labels else tree
        if not clean.labels:
            logger.warning("%s:%d: a tree without words was left out", lines.path, tree.line)
            continue
        if tree.empty:
            line, column = tree.empty
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
        is_word = word is not None and label != TRACE_TAG
        numbers.append(clean.add(label, kept, word, place) if kept or is_word else None)
    return clean


def freeze_tree(tree: BracketedTree, lines: Lines) -> Tree:
    """The record of a tree, its words unescaped."""
    words = unescape_words(tree.words)
    return Tree(tuple(tree.labels), tuple(tree.children), tuple(words), lines.place(tree.line))
