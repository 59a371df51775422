"""CoNLL-U sentences -> trees with a word at every node, a word's dependents being its children; and back.

`Sentiment=3` among a word's MISC features is the label of its node: of the phrase that the word is the head of.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nntag.corpora.conllu import ConlluBlock, read_conllu_blocks
from nntag.corpora.faults import OnBad, raise_bad
from nntag.corpora.lines import Lines
from nntag.corpora.marks import replace_tree_marks
from nntag.corpora.records import Sentence, Tree
from nntag.corpora.sst import LABELS
from nntag.errors import DataError

FEATURE = "Sentiment"


@dataclass(frozen=True, slots=True)
class DependencyTree:
    """A sentence as a tree; over several roots stands a node without a word and without a label."""

    tree: Tree
    numbers: tuple[int, ...]  # of each token: its node in the tree
    block: ConlluBlock

    def with_labels(self, labels: Sequence[str]) -> bytes:
        """The bytes of the block with `Sentiment=LABEL` in MISC; `labels`: one for each node of the tree."""
        assert self.block.sentence is not None and self.block.sentence.tags is not None
        values = []
        for misc, number in zip(self.block.sentence.tags, self.numbers, strict=True):
            kept = [part for part in misc.split("|") if part != "_" and not part.startswith(f"{FEATURE}=")]
            values.append("|".join([*kept, f"{FEATURE}={labels[number]}"]))
        return self.block.with_column(values, "MISC")


def read_dependency_trees(lines: Lines, on_bad: OnBad = raise_bad) -> Iterator[DependencyTree]:
    """The sentences of a CoNLL-U file as trees, children in the order of the sentence.

    Raises DataError for rows that break the format, for missing heads, for heads that run in a circle and for a
    Sentiment other than 0 to 4.
    """
    for block in read_conllu_blocks(lines, ("MISC",), need_heads=True, on_bad=on_bad):
        if block.sentence is None:
            continue
        try:
            yield build_dependency_tree(block)
        except DataError as error:
            on_bad(error)


def read_labelled_trees(lines: Lines, on_bad: OnBad = raise_bad) -> Iterator[Tree]:
    """The trees alone; see `read_dependency_trees`. Marks of unknown words become `<unk>`; see `marks`."""
    return replace_tree_marks((found.tree for found in read_dependency_trees(lines, on_bad)), lines)


def build_dependency_tree(block: ConlluBlock) -> DependencyTree:
    """See `read_dependency_trees`."""
    sentence = block.sentence
    assert sentence is not None and sentence.heads is not None and sentence.tags is not None
    dependents: list[list[int]] = [[] for _ in range(len(sentence) + 1)]  # by head; 0 is the root
    for token, head in enumerate(sentence.heads, 1):
        dependents[head].append(token)
    tokens = _post_order(dependents)
    if len(tokens) < len(sentence):
        raise _fault(sentence, "the dependency heads of this sentence run in a circle")
    numbers = {token: number for number, token in enumerate(tokens)}
    children = [tuple(numbers[child] for child in dependents[token]) for token in tokens]
    words: list[str | None] = [sentence.tokens[token - 1] for token in tokens]
    labels = [_label(block, token) for token in tokens]
    if len(dependents[0]) > 1:
        children.append(tuple(numbers[root] for root in dependents[0]))
        words.append(None)
        labels.append("")
    tree = Tree(tuple(labels), tuple(children), tuple(words), sentence.place)
    return DependencyTree(tree, tuple(numbers[token] for token in range(1, len(sentence) + 1)), block)


def _post_order(dependents: Sequence[Sequence[int]]) -> list[int]:
    """All tokens below the root, children before parents."""
    order: list[int] = []  # parents before children, later children first: backwards it is post-order
    waiting = list(dependents[0])
    while waiting:
        token = waiting.pop()
        order.append(token)
        waiting.extend(dependents[token])
    return order[::-1]


def _label(block: ConlluBlock, token: int) -> str:
    assert block.sentence is not None and block.sentence.tags is not None
    for part in block.sentence.tags[token - 1].split("|"):
        name, equals, value = part.partition("=")
        if name == FEATURE and equals:
            if value not in LABELS:
                below = block.word_rows[token - 1] - block.word_rows[0]
                raise _fault(block.sentence, f"expected {FEATURE}=0 to {FEATURE}=4, found {part!r}", below)
            return value
    return ""


def _fault(sentence: Sentence, reason: str, below: int = 0) -> DataError:
    """At the sentence's first word, or so many lines below it."""
    place = sentence.place
    return DataError(place.path if place else "<sentence>", place.line + below if place else None, reason)
