"""Derivations of the sample grammar in; the text of one sentence in a corpus format out.

All writers take a split name, a number from 1 and a derivation, so that every format holds the same sentences. To add a
format, write a writer (here, or in a file of its own such as `pmb.py`) and add a row to `LAYOUTS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from nntag.corpora.escapes import escape_word
from nntag.corpora.records import Sentence
from nntag.sample.constituents import bracket
from nntag.sample.dependencies import analyse
from nntag.sample.derivations import Derivation, Leaf, iterate_leaves
from nntag.sample.pmb import write_pmb

Writer = Callable[[str, int, Derivation], str]

NO_SPACE_BEFORE = frozenset((",", ".", "?", "!", ";", ":", ")", "'s", "n't"))
NO_SPACE_AFTER = frozenset(("(", "$"))


def make_sentence(derivation: Derivation) -> Sentence:
    """The record that the readers give for this sentence, with every layer: Penn tags, supertags, heads, relations."""
    leaves, analysis = list(iterate_leaves(derivation)), analyse(derivation)
    return Sentence(
        tokens=tuple(leaf.word for leaf in leaves),
        tags=tuple(leaf.tag for leaf in leaves),
        supertags=tuple(leaf.category for leaf in leaves),
        heads=analysis.heads,
        relations=analysis.relations,
    )


def join_tokens(derivation: Derivation) -> str:
    """The sentence with a space between tokens."""
    return " ".join(leaf.word for leaf in iterate_leaves(derivation))


def find_spaces(words: list[str]) -> list[bool]:
    """Is there a space after each word in running text?"""
    pairs = zip(words, [*words[1:], ""], strict=True)
    return [word not in NO_SPACE_AFTER and after not in NO_SPACE_BEFORE for word, after in pairs]


def run_together(words: Iterable[str]) -> str:
    """Running text: `Anna 's boat sank .` -> `Anna's boat sank.`"""
    listed = list(words)
    return "".join(word + " " * space for word, space in zip(listed, find_spaces(listed), strict=True)).rstrip()


def write_auto(split: str, number: int, derivation: Derivation) -> str:
    """An ID line and a derivation as in CCGbank's AUTO files."""
    return f"ID=sample_{split}.{number} PARSER=GOLD NUMPARSE=1\n{_write_node(derivation)}\n"


def _write_node(item: Derivation) -> str:
    if isinstance(item, Leaf):
        return f"(<L {item.category} {item.tag} {item.tag} {escape_word(item.word)} {item.category}>)"
    children = " ".join(map(_write_node, item.children))
    return f"(<T {item.category} {item.head} {len(item.children)}> {children} )"


def write_tree(split: str, number: int, derivation: Derivation) -> str:
    """A Penn Treebank tree on a line of its own."""
    return bracket(derivation) + "\n"


def write_conllu(split: str, number: int, derivation: Derivation) -> str:
    """A CoNLL-U sentence with ID, text, lemmas, both tag sets, heads, relations and SpaceAfter."""
    leaves, analysis = list(iterate_leaves(derivation)), analyse(derivation)
    words = [leaf.word for leaf in leaves]
    spaces = find_spaces(words)
    spaces[-1] = True
    lines = [f"# sent_id = sample-{split}-{number}", f"# text = {run_together(words)}"]
    rows = zip(leaves, analysis.universal_tags, analysis.heads, analysis.relations, spaces, strict=True)
    for place, (leaf, tag, head, relation, space) in enumerate(rows, start=1):
        extra = "_" if space else "SpaceAfter=No"
        lines.append(f"{place}\t{leaf.word}\t{leaf.lemma}\t{tag}\t{leaf.tag}\t_\t{head}\t{relation}\t_\t{extra}")
    return "\n".join(lines) + "\n\n"


def write_columns(split: str, number: int, derivation: Derivation) -> str:
    """A word, a tab and its Penn tag a line; a blank line ends the sentence."""
    return "".join(f"{leaf.word}\t{leaf.tag}\n" for leaf in iterate_leaves(derivation)) + "\n"


def write_piped(split: str, number: int, derivation: Derivation) -> str:
    """`word|POS|supertag` separated by spaces."""
    return " ".join(f"{leaf.word}|{leaf.tag}|{leaf.category}" for leaf in iterate_leaves(derivation)) + "\n"


def write_text(split: str, number: int, derivation: Derivation) -> str:
    """The tokens, separated by spaces, on one line."""
    return join_tokens(derivation) + "\n"


class Layout(NamedTuple):
    """How a corpus in one format lies on the disc."""

    name: str  # of a file, with {split} for train, dev or test
    write: Writer


LAYOUTS = {
    "ccgbank": Layout("{split}.auto", write_auto),
    "ptb": Layout("{split}.mrg", write_tree),
    "conllu": Layout("sample-ud-{split}.conllu", write_conllu),
    "columns": Layout("{split}.tsv", write_columns),
    "piped": Layout("{split}.piped", write_piped),
    "pmb": Layout("sample-{split}.conll", write_pmb),
    "text": Layout("{split}.txt", write_text),
}
