"""Derivations of one sentence -> text: AUTO, ASCII derivations, Penn-style brackets, JSON lines or CoNLL columns.

Every sentence leaves a mark in every format, also one without a parse: the n-th output belongs to the n-th input.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from nntag.config.fields import unknown_name
from nntag.corpora.ccgbank import NO_PARSE
from nntag.corpora.escapes import escape_word
from nntag.corpora.records import Tree
from nntag.errors import UsageError
from nntag.tagging.parsing.parse import Parse, fold
from nntag.tagging.parsing.pictures import draw_derivation

NO_TAG = "POS"  # stands in AUTO where no part of speech is known, as depccg writes it


@dataclass(frozen=True, slots=True)
class ParsedSentence:
    """What there is to write about one sentence."""

    number: int  # counted from 1 over the whole input
    tokens: tuple[str, ...]
    parses: Sequence[Parse]  # best first; none where the sentence has no parse or no tokens
    tags: Sequence[str] | None = None  # parts of speech


def write_auto(sentence: ParsedSentence) -> str:
    """CCGbank's AUTO: an ID line and a derivation line for each parse; `NUMPARSE=0` and an empty line for none."""
    if not sentence.parses:
        return f"ID={sentence.number} PARSER=nntag {NO_PARSE}\n\n"
    return "".join(
        f"ID={sentence.number} PARSER=nntag NUMPARSE={rank} LOGP={parse.score:.6g}\n"
        f"{format_auto(parse.tree, sentence.tags)}\n"
        for rank, parse in enumerate(sentence.parses, 1)
    )


def format_auto(tree: Tree, tags: Sequence[str] | None = None) -> str:
    """One derivation in AUTO; `tags` are the parts of speech of its words."""
    heads = tree.heads or (0,) * len(tree)

    def leaf(number: int, place: int) -> str:
        category, tag, word = tree.labels[number], tags[place] if tags else NO_TAG, tree.words[number] or ""
        return f"(<L {category} {tag} {tag} {escape_word(word)} {category}>)"

    def node(number: int, children: list[str]) -> str:
        return f"(<T {tree.labels[number]} {heads[number]} {len(children)}> {' '.join(children)} )"

    return fold(tree, leaf, node)


def write_deriv(sentence: ParsedSentence) -> str:
    """Derivations drawn below the words; a line `(no parse)` below the words of a sentence without one."""
    head = f"ID={sentence.number}"
    if not sentence.parses:
        return f"{head} (no parse)\n{' '.join(sentence.tokens)}\n\n"
    return "".join(
        f"{head} LOGP={parse.score:.6g}\n{draw_derivation(parse.tree, parse.rules)}\n" for parse in sentence.parses
    )


def write_ptb(sentence: ParsedSentence) -> str:
    """One bracketed tree a line; brackets inside a category are `<` and `>`; `(NOPARSE word ...)` for no parse."""
    if not sentence.tokens:
        return "\n"
    if not sentence.parses:
        return f"(NOPARSE {' '.join(f'(X {escape_word(word)})' for word in sentence.tokens)})\n"
    return "".join(format_ptb(parse.tree) + "\n" for parse in sentence.parses)


def format_ptb(tree: Tree) -> str:
    """One derivation in brackets."""
    labels = [label.replace("(", "<").replace(")", ">") for label in tree.labels]

    def leaf(number: int, _: int) -> str:
        return f"({labels[number]} {escape_word(tree.words[number] or '')})"

    return fold(tree, leaf, lambda number, children: f"({labels[number]} {' '.join(children)})")


def write_json(sentence: ParsedSentence) -> str:
    """One object a line: tokens and a list of parses (score, supertags and derivation); [] for no parse."""
    fields = {"id": sentence.number, "tokens": sentence.tokens}
    parses = ", ".join(_format_json(parse) for parse in sentence.parses)
    return f'{_json(fields)[:-1]}, "parses": [{parses}]}}\n'


def _format_json(parse: Parse) -> str:
    """Put together as text: nested objects would be too deep for long sentences."""
    tree = parse.tree
    heads = tree.heads or (0,) * len(tree)

    def leaf(number: int, _: int) -> str:
        return _json({"category": tree.labels[number], "word": tree.words[number]})

    def node(number: int, children: list[str]) -> str:
        fields = {"category": tree.labels[number], "rule": parse.rules[number], "head": heads[number]}
        return f'{_json(fields)[:-1]}, "children": [{", ".join(children)}]}}'

    fields = {"log_probability": round(parse.score, 6), "supertags": parse.supertags}
    return f'{_json(fields)[:-1]}, "derivation": {fold(tree, leaf, node)}}}'


def _json(fields: dict[str, object]) -> str:
    return json.dumps(fields, ensure_ascii=False)


def write_conll(sentence: ParsedSentence) -> str:
    """Ten columns a word, as CoNLL-U: part of speech in UPOS, category in XPOS, the derivation's head word in HEAD.

    A sentence without a parse has its words and no more; an empty one is a comment.
    """
    comment = f"# sent_id = {sentence.number}\n"
    if not sentence.parses:
        rows = [_conll_row(place, word) for place, word in enumerate(sentence.tokens)]
        return comment + ("# no parse\n" if rows else "# empty\n") + "".join(rows) + "\n"
    text = ""
    for parse in sentence.parses:
        heads, labels = find_head_words(parse.tree), parse.supertags
        tags = sentence.tags or ["_"] * len(heads)
        rows = [_conll_row(*row) for row in zip(range(len(heads)), sentence.tokens, tags, labels, heads, strict=True)]
        text += f"{comment}# log_probability = {parse.score:.6g}\n{''.join(rows)}\n"
    return text


def _conll_row(place: int, word: str, tag: str = "_", category: str = "_", head: int | None = None) -> str:
    relation = "_" if head is None else "dep" if head else "root"
    columns = [str(place + 1), word, "_", tag, category, "_", "_" if head is None else str(head), relation, "_", "_"]
    return "\t".join(columns) + "\n"


def find_head_words(tree: Tree) -> list[int]:
    """For each word the number (from 1) of the word it depends on, 0 for the head word of the sentence."""
    found: dict[int, int] = {}
    heads = tree.heads or (0,) * len(tree)

    def node(number: int, children: list[int]) -> int:
        head = children[heads[number] if len(children) > 1 else 0]
        found.update((child, head + 1) for child in children if child != head)
        return head

    found[fold(tree, lambda _, place: place, node)] = 0
    return [found[place] for place in range(len(found))]


WRITERS: dict[str, Callable[[ParsedSentence], str]] = {
    "auto": write_auto,
    "deriv": write_deriv,
    "ptb": write_ptb,
    "json": write_json,
    "conll": write_conll,
}


def find_writer(format: str) -> Callable[[ParsedSentence], str]:
    """The function that writes a format; raises UsageError for an unknown name."""
    if format not in WRITERS:
        raise UsageError(unknown_name("--format", format, WRITERS))
    return WRITERS[format]
