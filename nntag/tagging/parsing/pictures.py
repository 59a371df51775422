"""A derivation -> ASCII art: words, their categories below them, and a line with the rule's sign for each step."""

from __future__ import annotations

from collections.abc import Sequence

from nntag.corpora.records import Tree

SIGNS = {
    "fa": ">",
    "ba": "<",
    "fc": ">B",
    "bx": "<B",
    "gfc": ">B",
    "gbx": "<B",
    "conj": "<Φ>",
}  # other rules are drawn as <rule>


def draw_derivation(tree: Tree, rules: Sequence[str]) -> str:
    """Lines of text, each with its end; a step is drawn from the left edge of its words to the right edge."""
    widths = [
        2 + max(len(word), len(label)) for label, word in zip(tree.labels, tree.words, strict=True) if word is not None
    ]
    starts = [sum(widths[:place]) for place in range(len(widths) + 1)]
    words = "".join(word.center(width) for word, width in zip(tree.tokens, widths, strict=True))
    leaves = [label for label, word in zip(tree.labels, tree.words, strict=True) if word is not None]
    lines = [words, "".join(label.center(width) for label, width in zip(leaves, widths, strict=True))]
    spans = find_spans(tree)
    for number, (start, end) in enumerate(spans):
        if tree.children[number]:
            left, right = starts[start], starts[end]
            sign = SIGNS.get(rules[number], f"<{rules[number]}>")
            lines += [" " * left + "-" * (right - left) + sign, " " * left + tree.labels[number].center(right - left)]
    return "".join(line.rstrip() + "\n" for line in lines)


def find_spans(tree: Tree) -> list[tuple[int, int]]:
    """For each node its first word and the word after its last one, counted from 0."""
    spans: list[tuple[int, int]] = []
    words = 0
    for children in tree.children:
        if children:
            spans.append((spans[children[0]][0], spans[children[-1]][1]))
        else:
            spans.append((words, words + 1))
            words += 1
    return spans
