"""Trees -> trees of another shape, or bracketed text; every loop is over flat arrays, so that depth costs nothing."""

from __future__ import annotations

from nntag.corpora.escapes import escape_words
from nntag.corpora.records import Tree


def binarise_tree(tree: Tree) -> Tree:
    """A tree whose inner nodes have two children.

    A node with one child is merged with it and keeps its own label (the upper one); of more than two children all but
    the first hang, one by one to the right, from new nodes with the label "".
    """
    return binarise_numbered(tree)[0]


def binarise_numbered(tree: Tree) -> tuple[Tree, tuple[int, ...]]:
    """`binarise_tree`, and for each node of `tree` its number in the new tree."""
    labels: list[str] = []
    children: list[tuple[int, ...]] = []
    words: list[str | None] = []
    numbers: list[int] = []  # of each old node: its number in the new tree

    def add(label: str, kids: tuple[int, ...], word: str | None) -> int:
        labels.append(label)
        children.append(kids)
        words.append(word)
        return len(labels) - 1

    for label, kids, word in zip(tree.labels, tree.children, tree.words, strict=True):
        if len(kids) == 1:
            number = numbers[kids[0]]
            labels[number] = label
        elif len(kids) > 2:
            right = numbers[kids[-1]]
            for kid in reversed(kids[1:-1]):
                right = add("", (numbers[kid], right), None)
            number = add(label, (numbers[kids[0]], right), None)
        else:
            number = add(label, tuple(numbers[kid] for kid in kids), word)
        numbers.append(number)
    return Tree(tuple(labels), tuple(children), tuple(words), tree.place), tuple(numbers)


def format_tree(tree: Tree) -> str:
    """The tree on one line in brackets, words escaped again: `(S (NP (PRP I)) (VP (VBP wait)))`."""
    parts: list[str] = []
    words = escape_words(tree.words)
    waiting: list[int | None] = [len(tree) - 1]  # None: a closing bracket
    while waiting:
        node = waiting.pop()
        if node is None:
            parts.append(")")
        elif (word := words[node]) is not None:
            parts.append(f" ({tree.labels[node]} {word})")
        else:
            parts.append(f" ({tree.labels[node]}")
            waiting.append(None)
            waiting.extend(reversed(tree.children[node]))
    return "".join(parts)[1:]
