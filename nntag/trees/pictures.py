"""A tree and a class for each of its nodes in, a picture of it out: as text for a terminal, or as SVG.

Both are built from the flat arrays of the tree without recursion, so that depth costs nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from html import escape

from nntag.corpora.records import Tree

SIGNS = {"0": "--", "1": "-", "2": "0", "3": "+", "4": "++", "negative": "-", "neutral": "0", "positive": "+"}
COLOURS = {"--": "#b2182b", "-": "#ef8a62", "0": "#d9d9d9", "+": "#67a9cf", "++": "#2166ac"}
DARK = {"--", "++"}  # white text on these
HALO = ' stroke="white" stroke-width="4" paint-order="stroke"'  # keeps the letters legible where a line crosses a word
FONT_SIZE, CHARACTER, LEVEL, RADIUS, GAP = 14, 8.4, 44, 13, 14  # SVG units; a character's width in a monospaced font
NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def draw_tree_text(tree: Tree, classes: Sequence[str]) -> str:
    """One line per node, children below their parent: its sign (`--`, `-`, `0`, `+`, `++`) and its word."""
    lines: list[str] = []
    waiting: list[tuple[int, str, str]] = [(len(tree) - 1, "", "")]  # node, what stands before it, before its children
    while waiting:
        node, before, below = waiting.pop()
        word = tree.words[node]
        sign = SIGNS.get(classes[node], classes[node])
        lines.append(f"{before}{sign:>2}" + ("" if word is None else f" {word}"))
        children = tree.children[node]
        for child in reversed(children):
            last = child == children[-1]
            waiting.append((child, below + ("└─ " if last else "├─ "), below + ("   " if last else "│  ")))
    return "\n".join(lines)


def draw_tree_svg(tree: Tree, classes: Sequence[str], word_nodes: Sequence[int] | None = None) -> str:
    """An SVG document: words from left to right, each node a disc in the colour of its class above its children.

    `word_nodes`: the nodes that have words, in the order of the sentence; by default in their own.
    """
    across, heights, width = _place_nodes(tree, word_nodes)
    top = max(heights)
    down = [LEVEL * (top - height) + 2 * RADIUS for height in heights]
    bottom = LEVEL * top + 2 * RADIUS
    full_height = bottom + RADIUS + 2.2 * FONT_SIZE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{full_height:.0f}" '
        f'viewBox="0 0 {width:.1f} {full_height:.1f}" font-family="monospace" font-size="{FONT_SIZE}">',
        f'<rect width="{width:.1f}" height="{full_height:.1f}" fill="white"/>',
    ]
    for node, children in enumerate(tree.children):
        for child in children:
            ends = f'x1="{across[node]:.1f}" y1="{down[node]:.1f}" x2="{across[child]:.1f}" y2="{down[child]:.1f}"'
            parts.append(f'<line {ends} stroke="#888888"/>')
    for node, word in enumerate(tree.words):
        sign = SIGNS.get(classes[node], classes[node])
        colour = "white" if sign in DARK else "black"
        x, y = across[node], down[node]
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{RADIUS}" fill="{COLOURS.get(sign, "#ffffff")}"/>')
        parts.append(_text(x, y + 0.35 * FONT_SIZE, sign, colour))
        if word is not None:
            parts.append(_text(x, y + RADIUS + 1.2 * FONT_SIZE, word, "black", HALO))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _place_nodes(tree: Tree, word_nodes: Sequence[int] | None) -> tuple[list[float], list[int], float]:
    """Centre and height of each node, and the width of the picture; every word has a column of its own."""
    across, heights, edge = [0.0] * len(tree), [0] * len(tree), float(GAP)
    for node in word_nodes or [node for node, word in enumerate(tree.words) if word is not None]:
        size = max(2.0 * RADIUS, CHARACTER * _count_columns(tree.words[node] or ""))
        across[node] = edge + size / 2
        edge += size + GAP
    for node, (children, word) in enumerate(zip(tree.children, tree.words, strict=True)):
        if children:
            heights[node] = 1 + max(heights[child] for child in children)
            if word is None:
                across[node] = (across[children[0]] + across[children[-1]]) / 2
    return across, heights, edge


def _count_columns(word: str) -> int:
    """Width in characters: Chinese, Japanese and Korean ones count twice."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in word)


def _text(x: float, y: float, text: str, colour: str, more: str = "") -> str:
    shown = escape(NOT_IN_XML.sub("\ufffd", text))
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="middle" fill="{colour}"{more}>{shown}</text>'
