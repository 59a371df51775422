"""Generated sentiment trees as dependency trees: a seed and a size in, CoNLL-U files with `Sentiment=0` to `4` out.

ours: the head of a phrase is that of its longer part, or of the right one of two equals. A word's label is that of the
largest phrase that it is the head of.
"""

from __future__ import annotations

from itertools import count
from pathlib import Path

from nntag.corpora.lines import lines_from_bytes
from nntag.corpora.records import Tree
from nntag.corpora.sst import read_sst


def write_labelled_conllu(sources: dict[str, Path]) -> dict[str, Path]:
    """Writes a CoNLL-U file beside each file of labelled binary trees; gives their paths by split."""
    written = {}
    for split, source in sources.items():
        written[split] = source.with_suffix(".conllu")
        trees = read_sst(lines_from_bytes(source.read_bytes(), str(source)))
        text = "".join(_write_sentence(f"{split}-{number}", tree) for number, tree in zip(count(1), trees))
        written[split].write_text(text, encoding="utf-8", newline="\n")
    return written


def _write_sentence(name: str, tree: Tree) -> str:
    heads, labels = _find_heads(tree)
    rows = [f"# sent_id = {name}", f"# text = {' '.join(tree.tokens)}"]
    for number, (token, head, label) in enumerate(zip(tree.tokens, heads, labels, strict=True), 1):
        relation = "dep" if head else "root"
        rows.append(f"{number}\t{token}\t_\tX\t_\t_\t{head}\t{relation}\t_\tSentiment={label}")
    return "\n".join(rows) + "\n\n"


def _find_heads(tree: Tree) -> tuple[list[int], list[str]]:
    """For each token the number of its head (from 1; 0 at the root) and the label of its largest phrase."""
    numbers = count(1)
    sizes: list[int] = []  # words below each node
    head_of: list[int] = []  # the token that is each node's head
    heads, labels = [0] * len(tree.tokens), [""] * len(tree.tokens)
    for label, children in zip(tree.labels, tree.children, strict=True):  # children come before their parents
        if not children:
            sizes.append(1)
            head_of.append(next(numbers))
        else:
            left, right = children
            kept, other = (left, right) if sizes[left] > sizes[right] else (right, left)
            sizes.append(sizes[left] + sizes[right])
            head_of.append(head_of[kept])
            heads[head_of[other] - 1] = head_of[kept]
        labels[head_of[-1] - 1] = label
    return heads, labels
