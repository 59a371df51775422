"""Text to be tagged, in any format that nntag reads or writes -> items, in order, as the lines arrive."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from nntag.config.fields import unknown_name
from nntag.corpora.conllu import ConlluBlock, read_conllu_blocks
from nntag.corpora.faults import OnBad, mark_faults, raise_bad
from nntag.corpora.formats import FORMATS, guess_format
from nntag.corpora.lines import STDIN, Lines, is_blank, split_spaces
from nntag.corpora.packing import unpacked_name
from nntag.corpora.piped import split_piped
from nntag.corpora.raw_text import RawSentence, UntokenisedWatch, read_raw_text
from nntag.corpora.records import Sentence
from nntag.errors import DataError, UsageError
from nntag.tagging.parsing.tagged import TAGGED_FORMATS, read_tagged

logger = logging.getLogger("nntag")


@dataclass(frozen=True, slots=True)
class Item:
    """One sentence to be tagged; without tokens it stands for a blank line, or for comments alone."""

    tokens: tuple[str, ...]
    tags: Sequence[str] | None = None  # parts of speech that the input has, kept beside the new tags
    block: ConlluBlock | None = None  # where CoNLL-U is to be written back as it came
    fault: str = ""  # why there are no tokens, where what stood here could not be read
    source: RawSentence | None = None  # the text that was tokenised
    further: Mapping[str, Sequence[str]] = field(default_factory=dict)  # the new tags of further columns, by name


CORPUS_FORMATS = tuple(row.name for row in FORMATS.values() if "tagging" in row.tasks)
INPUT_FORMATS = ("text", *CORPUS_FORMATS, *TAGGED_FORMATS)
SUFFIXES = {".json": "json", ".jsonl": "json", **{f".{name}": name for name in TAGGED_FORMATS}}


def choose_input_format(name: str | None, path: str) -> str:
    """The format that is named, or that the file's name tells, or text. Raises `UsageError` for an unknown one."""
    if name is not None:
        if name not in INPUT_FORMATS:
            raise UsageError(unknown_name("--input-format", name, INPUT_FORMATS))
        return name
    if path == STDIN:
        return "text"
    suffix = unpacked_name(path).suffix.lower()
    if suffix in SUFFIXES:
        return SUFFIXES[suffix]
    try:
        guessed = guess_format(path)
    except UsageError:
        return "text"
    return guessed if guessed in INPUT_FORMATS else "text"


def read_items(
    lines: Lines, format: str, keep_blocks: bool = False, on_bad: OnBad = raise_bad, tokenize: bool = False
) -> Iterator[Item]:
    """The sentences of `lines`; with `keep_blocks`, CoNLL-U with all that stands about it. With `tokenize`, text is
    split into sentences and tokens. Raises `DataError`, and `UsageError` where there is nothing to tokenise.

    Where `on_bad` does not raise, an empty item with a `fault` stands in the place of each bad sentence.
    """
    lines.keep_marks = True
    if tokenize:
        if format != "text":
            raise UsageError(f"--tokenize is for plain text, and {lines.path} is read as {format}, which has tokens")
        found = read_raw_text(lines, on_bad)
        return (Item(sentence.tokens, source=sentence, fault=sentence.fault) for sentence in found)
    if format == "text":
        return _read_text(lines, on_bad)
    if format == "piped":
        return _read_piped(lines, on_bad)
    if format == "conllu":
        return mark_faults(lambda collect: _read_conllu(lines, keep_blocks, collect), _unreadable, on_bad)
    if format in TAGGED_FORMATS:
        sentences = read_tagged(lines, format, on_bad)
        return (
            Item(tuple(found.tokens), tuple(found.tags) if found.tags else None, fault=found.fault)
            for found in sentences
        )
    row = FORMATS[format]
    reader: Callable[..., Iterator[Sentence]] = row.load_reader()
    return mark_faults(
        lambda collect: (Item(sentence.tokens) for sentence in reader(lines, on_bad=collect, **row.words)),
        _unreadable,
        on_bad,
    )


def _unreadable(fault: str) -> Item:
    return Item((), fault=fault)


def _mark(error: DataError, on_bad: OnBad) -> Item:
    on_bad(error)
    return _unreadable(str(error))


def _read_text(lines: Lines, on_bad: OnBad) -> Iterator[Item]:
    lines.expect("text", "piped")  # tagged words are warned of: a word may hold bars
    looked = False
    watch = UntokenisedWatch(lines.path)
    for number, raw in lines.raw():
        try:
            tokens = tuple(split_spaces(lines.decode(number, raw)))
        except DataError as error:
            yield _mark(error, on_bad)
            continue
        watch.see(tokens)
        if tokens and not looked:
            looked = True
            if all("|" in token[1:-1] for token in tokens):
                logger.warning(
                    "%s: every token of the first sentence holds a bar, as in %s; if a tag follows it, "
                    "read it with --input-format piped",
                    lines.path,
                    tokens[0],
                )
        yield Item(tokens)


def _read_piped(lines: Lines, on_bad: OnBad) -> Iterator[Item]:
    """`word|TAG`, whose tag is kept; or `word|POS|supertag`, told by the first sentence, of which POS is kept."""
    fields = 0
    for number, raw in lines.raw():
        if is_blank(raw):
            yield Item(())
            continue
        try:
            text = lines.decode(number, raw)
            width = fields or (3 if all(token.count("|") > 1 for token in split_spaces(text)) else 2)
            rows = split_piped(lines, number, text, width)
        except DataError as error:
            yield _mark(error, on_bad)
            continue
        fields = width  # a bad line tells nothing
        yield Item(tuple(row[0] for row in rows), tuple(row[1] for row in rows))


def _read_conllu(lines: Lines, keep_blocks: bool, on_bad: OnBad) -> Iterator[Item]:
    for block in read_conllu_blocks(lines, on_bad=on_bad):
        tokens = block.sentence.tokens if block.sentence else ()
        if keep_blocks:
            yield Item(tokens, block=block)
        elif tokens:
            yield Item(tokens)
