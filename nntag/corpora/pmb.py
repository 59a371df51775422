"""Layer files of the Parallel Meaning Bank -> sentences with one layer as tags: CCG categories, semantic tags, senses.

One word a line, its layers between TABs; a blank line between sentences. The release's files hold `LAYERS`; a comment
such as `# tok:gold<TAB>sem:gold<TAB>cat:gold` says which layers follow from there on. Comments begin with `# ` or
`### ` (hash and space) and stand before a sentence; a hash sign with no space after it is a word. A word of several
parts keeps its tilde (`San~Francisco`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from nntag.config.fields import unknown_name
from nntag.corpora.faults import OnBad, raise_bad
from nntag.corpora.lines import Lines, RawLine, is_blank
from nntag.corpora.marks import replace_marks
from nntag.corpora.records import Sentence
from nntag.errors import DataError, UsageError

LAYERS = ("tok", "tok", "sym", "sem", "cat", "sns", "rol")  # of the files of release 4.0.0
COLUMNS = {"category": "cat", "semtag": "sem", "sense": "sns", "symbol": "sym", "roles": "rol"}  # the first by default
_LAYER_LINE = re.compile(rb"# ([a-z]+:[a-z]+(?:\t[a-z]+:[a-z]+)+)\r?\n?")
_COMMENTS = ("# ", "### ")


def read_pmb(
    lines: Lines, column: str | None = None, on_bad: OnBad = raise_bad, further: Sequence[str] = ()
) -> Iterator[Sentence]:
    """Sentences with `column` (`category` where None; see `COLUMNS`) as tags, and with those of the columns `further`.

    Raises DataError for another number of fields than layers, an empty one, a word that its columns spell differently,
    a comment inside a sentence, and a file without the layer; UsageError for an unknown column.
    """
    columns = (column or next(iter(COLUMNS)), *further)
    for name in columns:
        if name.lower() not in COLUMNS:
            raise UsageError(unknown_name("column of the Parallel Meaning Bank", name, COLUMNS))
    return replace_marks(_read_blocks(lines, [COLUMNS[name.lower()] for name in columns], on_bad), lines)


def _read_blocks(lines: Lines, wanted: Sequence[str], on_bad: OnBad) -> Iterator[Sentence]:
    lines.expect("pmb")
    layers: tuple[str, ...] = LAYERS
    for block in lines.blocks():
        layers = _find_layers(block) or layers
        try:
            sentence = _parse_block(lines, block, layers, wanted)
        except DataError as error:
            on_bad(error)
            continue
        if sentence is not None:
            yield sentence


def _find_layers(block: list[RawLine]) -> tuple[str, ...] | None:
    """The layers that a block names, in order of their columns; None where it has no such comment."""
    found = next((match for _, raw in block if (match := _LAYER_LINE.fullmatch(raw))), None)
    return tuple(name.split(":")[0] for name in found[1].decode("ascii").split("\t")) if found else None


def _parse_block(lines: Lines, block: list[RawLine], layers: tuple[str, ...], wanted: Sequence[str]) -> Sentence | None:
    rows: list[list[str]] = []
    first = 0
    for number, raw in block:
        if is_blank(raw):
            continue
        text = lines.decode(number, raw)
        if not text.startswith(_COMMENTS):
            first = first or number
            rows.append(_split_row(lines, number, text, layers))
        elif rows:
            raise lines.fault(number, "a comment inside a sentence; is the blank line before it missing?")
    if not rows:
        return None
    for layer in wanted:
        if layer not in layers:
            raise lines.fault(first, f"no layer {layer!r} here; the layers of this part are {', '.join(layers)}")
    words, tags, *more = (tuple(row[layers.index(layer)] for row in rows) for layer in ("tok", *wanted))
    return Sentence(words, tags, further=tuple(more), place=lines.place(first))


def _split_row(lines: Lines, number: int, text: str, layers: tuple[str, ...]) -> list[str]:
    fields = [field.strip(" ") for field in text.split("\t")]  # the release has a space before some senses
    if len(fields) != len(layers):
        raise lines.fault(number, f"{len(fields)} columns found, {len(layers)} expected (separated by TABs)")
    if "" in fields:
        raise lines.fault(number, f"column {fields.index('') + 1}, layer {layers[fields.index('')]!r}, is empty")
    words = [field for field, layer in zip(fields, layers, strict=True) if layer == "tok"]
    if not words:
        raise lines.fault(number, f"no layer 'tok', which holds the words; the layers are {', '.join(layers)}")
    if len(set(words)) > 1:
        raise lines.fault(number, f"the columns of the word differ: {' and '.join(map(repr, words))}")
    return fields
