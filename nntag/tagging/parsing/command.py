"""`nntag parse`: text or tagged text in, a derivation for every sentence out, in the same order, as it arrives."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from nntag.config.fields import refuse_flags
from nntag.config.options.parse import ParseOptions
from nntag.config.options.use import list_models
from nntag.corpora.arrivals import group_arrived
from nntag.corpora.faults import OnBad, SkippedItems, raise_bad
from nntag.corpora.lines import Lines, open_lines
from nntag.errors import RunError, UsageError
from nntag.tagging.parsing.categories import require_categories
from nntag.tagging.parsing.grammar import GRAMMAR_FILE, Grammar, read_grammar
from nntag.tagging.parsing.hand_over import TaggedWords
from nntag.tagging.parsing.jobs import ParserPool
from nntag.tagging.parsing.tagged import TAGGED_FORMATS, read_tagged
from nntag.tagging.parsing.write import ParsedSentence, find_writer
from nntag.tagging.stream.input import choose_input_format, read_items
from nntag.tagging.tag import Tagger, load_tagger
from nntag.training.task import Run

CCGBANK = "ccgbank"  # the grammar that depccg brings
WITH_POS = ("auto", "conll")  # formats that parts of speech stand in
PIECE = 32  # sentences parsed between two writes, times the number of processes


@dataclass(frozen=True)
class ParseCounts:
    """How it went, for the line that says so."""

    sentences: int  # with words
    parsed: int
    too_long: int
    seconds: float
    run: Path | None  # weights of the tagger; None for text that was tagged already
    grammar: str  # the file, or ccgbank

    def describe(self) -> str:
        """One line; what was not parsed is always said."""
        rate = self.sentences / self.seconds if self.seconds else 0.0
        line = (
            f"parsed {self.parsed} of {self.sentences} sentences ({rate:.1f} a second) with the grammar {self.grammar}"
        )
        if self.parsed < self.sentences:
            line += f"; without a parse: {self.sentences - self.parsed}"
            line += f", of them too long (--max-words): {self.too_long}" if self.too_long else ""
        return line


def parse_text(options: ParseOptions, write: Callable[[bytes], object]) -> ParseCounts:
    """Parses the file that the options name; `write` is called whenever some sentences are done.

    Raises `UsageError`, `RunError`, and `DataError` after what stands before the fault is written.
    """
    with TextParser(options) as parser:
        return parser.parse(open_lines(options.file), write)


class TextParser:
    """A tagger and a parser with their grammar, loaded for the first lines that need them; a context manager."""

    def __init__(self, options: ParseOptions):
        """Raises `UsageError` for an unknown format, and for parts of speech that it has no place for."""
        self._options = options
        self._write = find_writer(options.format)
        if options.format not in WITH_POS:
            refuse_flags(options, ("pos_model",), f"has no place in --format {options.format}")
        self._pos_tagger = None if options.pos_model is None else load_tagger(options.pos_model, options.device)
        self._loaded: dict[bool, tuple[Tagger | None, ParserPool, str]] = {}  # for text that is tagged, or is not
        self._pools = ExitStack()

    def __enter__(self) -> TextParser:
        return self

    def __exit__(self, *error: Any) -> None:
        self._pools.__exit__(*error)

    def parse(self, lines: Lines, write: Callable[[bytes], object], first: int = 1) -> ParseCounts:
        """Parses what `lines` holds; `first` is the number of its first sentence. See `parse_text`."""
        options = self._options
        format = choose_input_format(options.input_format, lines.path)
        is_tagged = format in TAGGED_FORMATS and not list_models(options.model)
        if is_tagged and options.tokenize:
            raise UsageError(f"--tokenize is for plain text, and {lines.path} is read as {format}, which has tokens")
        tagger, pool, grammar_name = self._load(is_tagged)
        on_bad = SkippedItems() if options.skip_bad else raise_bad
        sentences = parsed = too_long = 0
        number = first
        started = time.perf_counter()
        for piece in _read_pieces(lines, format, is_tagged, options, on_bad):
            words = [item.tokens for item in piece]
            if tagger:
                scored = tagger.score_columns(words, options.betas[-1])
                piece = [
                    replace(item, likely=likely, tags=tagger.find_pos(further) or item.tags)
                    for item, (likely, further) in zip(piece, scored, strict=True)
                ]
            tags = self._pos_tagger.tag_all(words) if self._pos_tagger else [item.tags for item in piece]
            found = pool.parse(words, [item.likely for item in piece])
            text = ""
            for tokens, parses, pos in zip(words, found, tags, strict=True):
                text += self._write(ParsedSentence(number, tuple(tokens), parses, pos))
                number += 1
                sentences += bool(tokens)
                parsed += bool(parses)
                too_long += len(tokens) > options.max_words
            write(text.encode("utf-8"))
        run = tagger.run.path if tagger else None
        return ParseCounts(sentences, parsed, too_long, time.perf_counter() - started, run, grammar_name)

    def _load(self, is_tagged: bool) -> tuple[Tagger | None, ParserPool, str]:
        if is_tagged not in self._loaded:
            options = self._options
            named = options.model, options.device, options.batch_size, options.weights
            tagger = None if is_tagged else load_tagger(*named)
            if tagger:
                require_categories(tagger.tags, "parsing")
            grammar, name = find_grammar(options, tagger.run if tagger else None)
            pool = self._pools.enter_context(ParserPool(grammar, options))
            self._loaded[is_tagged] = tagger, pool, name
        return self._loaded[is_tagged]


def find_grammar(options: ParseOptions, run: Run | None) -> tuple[Grammar | None, str]:
    """The grammar and its name; None for the one that depccg brings. Raises `RunError` for one that is named and not
    there or damaged."""
    if options.grammar is not None:
        if str(options.grammar) == CCGBANK:
            return None, CCGBANK
        path = Path(options.grammar)
        path = path / GRAMMAR_FILE if (path / GRAMMAR_FILE).exists() else path
        path = path / "best" / GRAMMAR_FILE if (path / "best" / GRAMMAR_FILE).exists() else path
        if path.is_dir():
            raise RunError(f"{path}: no {GRAMMAR_FILE} in this folder; `nntag preprocess ccgbank` counts one")
        return read_grammar(path), str(path)
    if run is not None and (path := run.path.parent / GRAMMAR_FILE).exists():
        return read_grammar(path), str(path)
    return None, CCGBANK


def _read_pieces(
    lines: Lines, format: str, is_tagged: bool, options: ParseOptions, on_bad: OnBad
) -> Iterator[Sequence[TaggedWords]]:
    """At most `PIECE` sentences a process at a time, fewer where the next line has not arrived."""
    size = PIECE * options.jobs
    if is_tagged:
        items = read_tagged(lines, format, on_bad)
    else:
        found = read_items(lines, format, on_bad=on_bad, tokenize=options.tokenize)
        items = (TaggedWords(item.tokens, [], item.tags) for item in found)
    for group in group_arrived(items, lines, lambda item: len(item.tokens)):
        for start in range(0, len(group), size):
            yield group[start : start + size]
