"""Derivations of a treebank -> its grammar: how often each root, unary rule and binary rule instance was used.

Instances are counted twice: as they are, and with a mark at each inner node that says how it was made (`mark_steps`). A
parser that allows only marked instances keeps to the treebank's ways of attaching punctuation and modifiers, which
categories alone leave open.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nntag.corpora.records import Tree
from nntag.errors import RunError
from nntag.json_files import read_json
from nntag.schema import Columns, Record, Rows, Text, Whole

GRAMMAR_FILE = "grammar.json"
FORMAT_VERSION = 1

_COUNT = Whole()
_SCHEMA = Record(
    {
        "format_version": Whole(),
        "roots": Rows(Columns((Text(), _COUNT))),
        "unary": Rows(Columns((Text(), Text(), _COUNT))),
        "binary": Rows(Columns((Text(), Text(), Text(), _COUNT, _COUNT))),
        "marked_unary": Rows(Columns((Text(), Text(), _COUNT))),
        "marked_binary": Rows(Columns((Text(), Text(), Text(), _COUNT))),
        "wide": Rows(Columns((Text(), _COUNT))),
    }
)

Unary = tuple[str, str]  # child, parent
Binary = tuple[str, str, str]  # left child, right child, parent


@dataclass(frozen=True, slots=True)
class Grammar:
    """Counts over derivations; categories are written as the treebank writes them."""

    roots: Counter[str] = field(default_factory=Counter)
    unary: Counter[Unary] = field(default_factory=Counter)
    binary: Counter[Binary] = field(default_factory=Counter)
    right_heads: Counter[Binary] = field(default_factory=Counter)  # how often the head word came from the right child
    marked_unary: Counter[Unary] = field(default_factory=Counter)
    marked_binary: Counter[Binary] = field(default_factory=Counter)
    wide: Counter[str] = field(default_factory=Counter)  # nodes with three children or more: no CCG rule makes them

    def add(self, tree: Tree) -> None:
        """Counts one derivation."""
        self.roots[tree.labels[-1]] += 1
        marked = mark_steps(tree)
        for number, children in enumerate(tree.children):
            if len(children) == 1:
                self.unary[tree.labels[children[0]], tree.labels[number]] += 1
                self.marked_unary[marked[children[0]], marked[number]] += 1
            elif len(children) == 2:
                left, right = children
                rule = (tree.labels[left], tree.labels[right], tree.labels[number])
                self.binary[rule] += 1
                self.right_heads[rule] += bool(tree.heads and tree.heads[number])
                self.marked_binary[marked[left], marked[right], marked[number]] += 1
            elif children:
                self.wide[tree.labels[number]] += 1

    def head_of(self, rule: Binary) -> int:
        """The child (0 or 1) that holds the head word of most instances of a binary rule."""
        return int(2 * self.right_heads[rule] > self.binary[rule])

    def to_json(self) -> dict[str, Any]:
        """Lists of categories with their counts, most frequent first.

        Plain binary rules end with how often the head word came from the right child.
        """
        return {
            "format_version": FORMAT_VERSION,
            "derivations": self.roots.total(),
            "roots": [[root, count] for root, count in _sorted(self.roots)],
            "unary": _rule_rows(self.unary),
            "binary": [[*rule, count, self.right_heads[rule]] for rule, count in _sorted(self.binary)],
            "marked_unary": _rule_rows(self.marked_unary),
            "marked_binary": _rule_rows(self.marked_binary),
            "wide": [[parent, count] for parent, count in _sorted(self.wide)],
        }

    @classmethod
    def from_json(cls, saved: dict[str, Any]) -> Grammar:
        """Raises ValueError, TypeError or KeyError for anything that `to_json` does not write."""
        if saved["format_version"] != FORMAT_VERSION:
            raise ValueError(f"format {saved['format_version']}")
        return cls(
            roots=Counter({str(root): int(count) for root, count in saved["roots"]}),
            unary=_read_unary(saved["unary"]),
            binary=_read_binary([row[:4] for row in saved["binary"]]),
            right_heads=_read_binary([[*row[:3], row[4]] for row in saved["binary"]]),
            marked_unary=_read_unary(saved["marked_unary"]),
            marked_binary=_read_binary(saved["marked_binary"]),
            wide=Counter({str(parent): int(count) for parent, count in saved["wide"]}),
        )


def count_grammar(derivations: Iterable[Tree]) -> Grammar:
    """The grammar that `derivations` use."""
    grammar = Grammar()
    for tree in derivations:
        grammar.add(tree)
    return grammar


def mark_steps(tree: Tree) -> list[str]:
    """The labels, those of inner nodes followed by a blank and a mark.

    `fa`, `ba`: forward or backward application; `l`, `r`: the left or right child's category goes up (punctuation,
    coordination, modifiers with features); `un`: a unary rule; `o`: anything else.
    """
    labels = tree.labels
    return [
        f"{label} {_step_kind([labels[child] for child in children], label)}" if children else label
        for label, children in zip(labels, tree.children, strict=True)
    ]


def unmarked(label: str) -> str:
    """A label without its mark."""
    return label.partition(" ")[0]


def _step_kind(children: list[str], parent: str) -> str:
    if len(children) != 2:
        return "un" if len(children) == 1 else "o"
    left, right = children
    if left == f"{_bracketed(parent)}/{_bracketed(right)}":
        return "fa"
    if right == f"{_bracketed(parent)}\\{_bracketed(left)}":
        return "ba"
    return "l" if parent == left else "r" if parent == right else "o"


def _bracketed(category: str) -> str:
    return f"({category})" if "/" in category or "\\" in category else category


def write_grammar(path: Path, grammar: Grammar) -> None:
    """Writes `grammar.json`; one rule per line, so that it can be read and compared."""
    saved = grammar.to_json()
    lines = [f" {json.dumps(key)}: {_rows(value)}" for key, value in saved.items()]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def read_grammar(path: Path) -> Grammar:
    """The grammar of a data or run folder. Raises RunError for a missing or damaged file."""
    try:
        return Grammar.from_json(read_json(path, _SCHEMA, "the grammar of a treebank"))
    except (RunError, ValueError):
        if not path.exists():
            raise RunError(f"{path}: cannot be read: no such file") from None
        raise RunError(f"{path}: damaged grammar; run `nntag preprocess ccgbank` again") from None


def _rows(value: object) -> str:
    if not isinstance(value, list) or not value:
        return json.dumps(value)
    return "[\n  " + ",\n  ".join(json.dumps(row, ensure_ascii=False) for row in value) + "\n ]"


def _sorted(counts: Counter[Any]) -> list[tuple[Any, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _rule_rows(counts: Counter[Any]) -> list[list[Any]]:
    return [[*rule, count] for rule, count in _sorted(counts)]


def _read_unary(rows: list[Any]) -> Counter[Unary]:
    return Counter({(str(child), str(parent)): int(count) for child, parent, count in rows})


def _read_binary(rows: list[Any]) -> Counter[Binary]:
    return Counter({(str(left), str(right), str(parent)): int(count) for left, right, parent, count in rows})
