"""CCGbank derivations (AUTO files) -> sentences with supertags and POS tags, or the derivation trees.

One derivation a line of `(<T category head children> ...)` and `(<L category POS POS word category>)`; `ID=...` lines
before them are optional and their fields free; one with `NUMPARSE=0` stands for a sentence without a derivation.
Marks after the fields of a node, such as PropBank's `{join.01:rel} [ARG0,ARG1]`, are left out. A category is any string
and is never looked into.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from nntag.corpora.escapes import unescape_word
from nntag.corpora.faults import OnBad, logger, raise_bad
from nntag.corpora.lines import Lines, is_blank
from nntag.corpora.marks import replace_marks
from nntag.corpora.records import Sentence, Tree
from nntag.errors import DataError

NO_PARSE = "NUMPARSE=0"  # field of the ID line of a sentence that a parser found no derivation for

_MARK = re.compile(r"\{[^ ]*\}|\[[^ ]*\]")
_NUMBER, _COUNT = re.compile("[0-9]+"), re.compile("[1-9][0-9]{0,3}")
_SPACES = re.compile(r"[ \t]*")
_FIELDS = {"T": "category, head and number of children", "L": "category, POS, POS, word and category"}


@dataclass(slots=True)
class _Node:
    category: str
    column: int
    children: tuple[int, ...] = ()
    expected_children: int = 0
    head: int = 0
    tag: str | None = None
    word: str | None = None


def read_ccgbank(lines: Lines, on_bad: OnBad = raise_bad) -> Iterator[Sentence]:
    """Words unescaped, the first POS field as tags, categories as supertags. Raises DataError for a broken line."""
    return replace_marks(_read_leaves(lines, on_bad), lines)


def _read_leaves(lines: Lines, on_bad: OnBad) -> Iterator[Sentence]:
    for number, nodes in _read_nodes(lines, on_bad):
        leaves = [node for node in nodes if node.word is not None]
        yield Sentence(
            tokens=tuple(unescape_word(leaf.word or "") for leaf in leaves),
            tags=tuple(leaf.tag or "" for leaf in leaves),
            supertags=tuple(leaf.category for leaf in leaves),
            place=lines.place(number),
        )


def read_derivations(lines: Lines, on_bad: OnBad = raise_bad) -> Iterator[Tree]:
    """The derivations as trees: a node's label is its category, its head the child whose number the node names."""
    for number, nodes in _read_nodes(lines, on_bad):
        yield Tree(
            labels=tuple(node.category for node in nodes),
            children=tuple(node.children for node in nodes),
            words=tuple(None if node.word is None else unescape_word(node.word) for node in nodes),
            place=lines.place(number),
            heads=tuple(node.head for node in nodes),
            tags=tuple(node.tag or "" for node in nodes if node.word is not None),
        )


def _read_nodes(lines: Lines, on_bad: OnBad) -> Iterator[tuple[int, list[_Node]]]:
    """Line number and nodes in post-order of every derivation."""
    lines.expect("ccgbank")
    header: tuple[int, str] | None = None  # an ID line that still waits for its derivation
    for number, raw in lines.raw():
        if is_blank(raw):
            continue
        try:
            text = lines.decode(number, raw)
            if text.startswith("ID="):
                _warn_without_derivation(lines, header)
                header = None if NO_PARSE in text.split() else (number, text.split()[0].rstrip(","))
                continue
            nodes = _parse_derivation(lines, number, text, "" if header is None else f" (in {header[1]})")
        except DataError as error:
            on_bad(error)
        else:
            yield number, nodes
        header = None
    _warn_without_derivation(lines, header)


def _warn_without_derivation(lines: Lines, header: tuple[int, str] | None) -> None:
    if header is not None:
        logger.warning("%s:%d: %s has no derivation", lines.path, *header)


def _parse_derivation(lines: Lines, number: int, text: str, within: str) -> list[_Node]:
    def fault(reason: str, position: int) -> DataError:
        return lines.fault(number, reason + within, position + 1)

    done: list[_Node] = []
    open_nodes: list[tuple[_Node, list[int]]] = []
    position = _skip_spaces(text, 0)
    while position < len(text):
        if done and not open_nodes:
            raise fault(f"expected the end of the line after the derivation, found {_shown(text, position)}", position)
        if text[position] == ")" and open_nodes:
            node, children = open_nodes.pop()
            if len(children) != node.expected_children:
                reason = f"expected {node.expected_children} children of {node.category}, found {len(children)}"
                raise fault(reason, node.column)
            node.children = tuple(children)
            position += 1
        elif text.startswith("(<T ", position):
            node, position = _parse_node(text, position, ">", fault)
            open_nodes.append((node, []))
            position = _skip_spaces(text, position)
            continue
        elif text.startswith("(<L ", position):
            node, position = _parse_node(text, position, ">)", fault)
        else:
            choices = "'(<L', '(<T' or ')'" if open_nodes and open_nodes[-1][1] else "'(<L' or '(<T'"
            raise fault(f"expected {choices}, found {_shown(text, position)}", position)
        done.append(node)
        if open_nodes:
            open_nodes[-1][1].append(len(done) - 1)
        position = _skip_spaces(text, position)
    if open_nodes:
        raise fault(f"the derivation ends with {len(open_nodes)} brackets open", len(text))
    return done


def _parse_node(text: str, start: int, closing: str, fault: Callable[[str, int], DataError]) -> tuple[_Node, int]:
    """The node whose bracket opens at `start`, and the position after its `closing`."""
    kind, end = text[start + 2], text.find(closing, start)
    if end < 0:
        raise fault(f"expected {closing!r} after {_shown(text, start)}", start)
    fields = text[start + 4 : end].replace("\t", " ").split(" ")
    fields = [field for field in fields if field]
    required = 3 if kind == "T" else 5
    if len(fields) < required or not all(_MARK.fullmatch(mark) for mark in fields[required:]):
        expected = f"expected {required} fields in (<{kind} ...>: {_FIELDS[kind]}"
        raise fault(f"{expected}; found {len(fields)}: {' '.join(fields)[:80]}", start)
    if kind == "L":
        return _Node(fields[0], start, tag=fields[1], word=fields[3]), end + len(closing)
    head, count = fields[1:3]
    if not (_NUMBER.fullmatch(head) and _COUNT.fullmatch(count)):
        reason = f"expected the head's number and the number of children after {fields[0]}, found {head} {count}"
        raise fault(reason, start)
    return _Node(fields[0], start, expected_children=int(count), head=int(head)), end + len(closing)


def _skip_spaces(text: str, position: int) -> int:
    match = _SPACES.match(text, position)
    return match.end() if match else position


def _shown(text: str, position: int) -> str:
    part = text[position : position + 40].split(" ")
    return repr(part[0] if len(part[0]) > 1 else " ".join(part[:2]))
