"""What every reader yields: frozen records, each with the place it came from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """Where a record starts: a file (`<stdin>` for standard input) and a line counted from 1."""

    path: str
    line: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence; every field that is present has one entry per token.

    Tokens are unescaped (`(`, not `-LRB-`); tags, supertags and relations are exactly as written.
    """

    tokens: tuple[str, ...]
    tags: tuple[str, ...] | None = None  # part of speech, or the one tag that a two-column file holds
    supertags: tuple[str, ...] | None = None  # CCG lexical categories
    heads: tuple[int, ...] | None = None  # dependency heads: 1-based, 0 is the root
    relations: tuple[str, ...] | None = None  # dependency relation to the head
    further: tuple[tuple[str, ...], ...] = ()  # tags of more columns, in the order they were asked for
    place: Place | None = None

    def __len__(self) -> int:
        return len(self.tokens)


@dataclass(frozen=True, slots=True)
class Tree:
    """One bracketed tree as flat arrays over its nodes in post-order (children before parents; the root is last)."""

    labels: tuple[str, ...]  # N node labels; "" where there is none
    children: tuple[tuple[int, ...], ...]  # N tuples of node numbers; () for a leaf
    words: tuple[str | None, ...]  # N entries: the word of a leaf, None for an inner node
    place: Place | None = None
    heads: tuple[int, ...] | None = None  # CCG: N numbers (from 0) of the child that holds the head word; 0 for a leaf
    tags: tuple[str, ...] | None = None  # CCG: the part of speech of each word, from left to right

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def tokens(self) -> tuple[str, ...]:
        """The words from left to right, in post-order of their nodes."""
        words: list[str] = [word for word in self.words if word is not None]
        return tuple(words)


@dataclass(frozen=True, slots=True)
class Question:
    """One sentence-completion question: the tokens left and right of the gap and the candidates for it."""

    number: int
    left: tuple[str, ...]
    options: tuple[str, ...]
    right: tuple[str, ...]
    answer: int | None = None  # index into options
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One paragraph of running text, its lines joined by spaces; not yet split into sentences or tokens."""

    text: str
    place: Place | None = None
