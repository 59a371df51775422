"""Tagged sentences -> bytes, in the format that the options name: so that `nntag read` gives back what was tagged.

`piped` and MISC have no escape for their separators: what holds one is refused.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from nntag.config.fields import refuse_flags, unknown_name
from nntag.config.options.use import TagOptions
from nntag.corpora.conllu import COLUMNS, ConlluBlock, column_index
from nntag.errors import UsageError
from nntag.tagging.parsing.categories import require_categories
from nntag.tagging.parsing.hand_over import HAND_OVER_FORMATS, TaggedWords, hand_over_writer
from nntag.tagging.stream.input import Item
from nntag.training.task import Run

OUTPUT_FORMATS = ("piped", "columns", "conllu", "json", *HAND_OVER_FORMATS)
HAND_OVER_BETA = 0.001  # where --beta is not given: one tag a word would leave a parser no choice
NO_POS = ("easysrl", "depccg")  # formats without a place for parts of speech
POS = "pos"  # the column of parts of speech in corpora that have tags beside them
MISC, MISC_KEY = "MISC", "Tag"  # a tag in MISC is written Tag=TAG
NO_SPACE, TEXT = "SpaceAfter=No", "# text"

Scored = list[list[tuple[str, float]]]  # for each token its tags with their probabilities, best first


@dataclass(frozen=True)
class Output:
    """How tagged sentences are written."""

    format: str = "piped"
    beta: float | None = None  # every tag with p >= beta * p_best, not only the best
    probabilities: bool = False  # a probability after each tag
    column: str = "UPOS"  # the CoNLL-U column that the tag goes to
    tags: tuple[str, ...] = ()  # all that the model can give, in its first column
    columns: tuple[str, ...] = ("",)  # the names of the model's columns, where it has several
    further_tags: tuple[str, ...] = ()  # all that it can give in the others

    @classmethod
    def choose(cls, options: TagOptions, run: Run, tags: tuple[str, ...]) -> Output:
        """What the options ask for; the column is the one that the run was trained on unless they name another.

        Raises `UsageError` for what cannot be written.
        """
        format = options.format or cls.format
        if format != "conllu":
            refuse_flags(options, ("column",), f"names a column of --format conllu, and {format} has none")
        beta = HAND_OVER_BETA if options.beta is None and format in HAND_OVER_FORMATS else options.beta
        trained = run.trained_column("conllu")
        columns = tuple(column.name for column in run.task.vocabularies.columns)
        further = tuple(tag for column in run.task.vocabularies.columns[1:] for tag in column.answers)
        column = options.column or (trained if isinstance(trained, str) else cls.column)
        if format in NO_POS or (format == "conllu" and column.upper() == "UPOS"):
            refuse_flags(options, ("pos_model",), f"has no place in --format {format}")
        output = cls(format, beta, options.probabilities, column, tags, columns, further)
        output._check()
        if len(columns) > 1:
            output._check_several(options.column, trained)
        return output

    def _check_several(self, asked: str, trained: str | list[str] | None) -> None:
        if self.format == "conllu" and not self.is_in_misc and (asked or not trained):
            reason = f"--column {asked} is one" if asked else "CoNLL-U has no column for any of them"
            raise UsageError(f"this run gives tags of {', '.join(self.columns)}, and {reason}; give --column MISC")
        if self.format in ("piped", "columns") and (self.beta is not None or self.probabilities):
            raise UsageError(
                f"with several columns of tags, --format {self.format} has no place for probabilities; use json, which "
                "has those of the first column"
            )

    def add_further(self, item: Item, tags: Sequence[Sequence[str]]) -> Item:
        """The item with the tags of the further columns; a column `pos` is taken as the parts of speech beside the
        tags, but in CoNLL-U."""
        if not tags:
            return item
        named: dict[str, Sequence[str]] = dict(zip(self.columns[1:], tags, strict=True))
        pos = named.pop(POS) if POS in named and self.format != "conllu" else item.tags
        return replace(item, tags=pos, further=named)

    @property
    def shows_probabilities(self) -> bool:
        """Whether more than the best tags is written."""
        return self.beta is not None or self.probabilities

    @property
    def is_in_misc(self) -> bool:
        """Whether the tag stands beside what MISC holds already."""
        return self.column.upper() == MISC

    def _check(self) -> None:
        if self.format not in OUTPUT_FORMATS:
            raise UsageError(unknown_name("--format", self.format, OUTPUT_FORMATS))
        if self.beta is not None and not 0 < self.beta <= 1:
            raise UsageError(f"--beta must be above 0 and at most 1, found {self.beta}")
        if self.format == "piped":
            self._refuse("| ", "--format piped separates", "use columns or json")
        if self.format in HAND_OVER_FORMATS:
            require_categories(self.tags, f"--format {self.format}")
        if self.format == "conllu":
            if column_index(self.column) < COLUMNS.index("LEMMA"):
                raise UsageError(f"--column {self.column} would replace the words; choose UPOS, XPOS, FEATS, MISC, ...")
            if self.beta is not None or self.probabilities:
                raise UsageError("CoNLL-U has no column for probabilities; use --format json, columns or piped")
            if self.is_in_misc:
                self._refuse("|", "MISC separates", "choose another --column")

    def _refuse(self, separators: str, who: str, advice: str) -> None:
        wrong = [tag for tag in (*self.tags, *self.further_tags) if any(separator in tag for separator in separators)]
        if wrong:
            raise UsageError(f"{who} with bars or blanks, and this run has tags that hold one ({wrong[0]}); {advice}")

    def writer(self) -> Callable[[Item, Scored], bytes]:
        """The function that writes one sentence. It raises `UsageError` for a word that cannot be written."""
        if self.format in HAND_OVER_FORMATS:
            write = hand_over_writer(self.format, self.tags)
            return lambda item, scored: write(TaggedWords(item.tokens, scored, item.tags)).encode("utf-8")
        writers = {"piped": _write_piped, "columns": _write_columns, "conllu": _write_conllu, "json": _write_json}
        return lambda item, scored: writers[self.format](item, scored, self)


def _write_piped(item: Item, scored: Scored, output: Output) -> bytes:
    for name, values, separators in (("the word", item.tokens, " "), ("the part of speech", item.tags or (), "| ")):
        for value in values:
            if any(separator in value for separator in separators):
                reason = "--format piped separates words with blanks and tags with bars, and has no escape"
                raise UsageError(f"{reason} for {name} {value!r}; use columns, conllu or json")
    return (" ".join("|".join(fields) for fields in _rows(item, scored, output)) + "\n").encode("utf-8")


def _write_columns(item: Item, scored: Scored, output: Output) -> bytes:
    rows = ("\t".join(fields) for fields in _rows(item, scored, output))
    return "".join(row + "\n" for row in [*rows, ""]).encode("utf-8")


def _rows(item: Item, scored: Scored, output: Output) -> list[list[str]]:
    """Word, part of speech if there is one, TAG; or TAG and probability by turns; the tags of further columns."""
    heads = [[token] for token in item.tokens]
    if item.tags:
        heads = [[token, tag] for token, tag in zip(item.tokens, item.tags, strict=True)]
    further = zip(*item.further.values(), strict=True) if item.further else [()] * len(heads)
    return [[*head, *_fields(tags, output), *more] for head, tags, more in zip(heads, scored, further, strict=True)]


def _fields(tags: list[tuple[str, float]], output: Output) -> list[str]:
    if output.beta is None and not output.probabilities:
        return [tags[0][0]]
    return [field for tag, probability in tags for field in (tag, f"{probability:.4f}")]


def _write_json(item: Item, scored: Scored, output: Output) -> bytes:
    """Probabilities have six significant digits, as the formats for other parsers have."""
    best = [tags[0][0] for tags in scored]
    record: dict[str, object] = {"tokens": item.tokens, "tags": best}
    if item.fault:
        record["error"] = item.fault
    if item.tags:
        record["pos"] = item.tags
    if item.further:
        record["columns"] = {output.columns[0]: best, **item.further}
    if output.probabilities:
        record["probabilities"] = [_round(tags[0][1]) for tags in scored]
    if item.source:
        record |= {"line": item.source.line, "offsets": item.source.spans}
    if output.beta is not None:
        record["likely_tags"] = [[[tag, _round(p)] for tag, p in tags] for tags in scored]
    return (json.dumps(record, ensure_ascii=False) + "\n").encode("utf-8")


def _round(probability: float) -> float:
    return float(f"{probability:.6g}")


def _write_conllu(item: Item, scored: Scored, output: Output) -> bytes:
    """Into the block as it came; else ten columns, all but ID, FORM and tags empty, an empty sentence a comment."""
    if not item.tokens:
        if item.block is not None:
            return b"".join(item.block.raw)
        return f"# unreadable: {item.fault}\n\n".encode() if item.fault else b"# empty\n\n"
    best = [tags[0][0] for tags in scored]
    only = MISC_KEY if output.is_in_misc else output.column
    columns = {output.columns[0]: best, **item.further} if item.further else {only: best}
    block = _make_block(item) if item.block is None else item.block
    return block.with_misc(columns) if output.is_in_misc else block.with_columns(columns)


def _make_block(item: Item) -> ConlluBlock:
    """Rows with nothing but ID, FORM and the parts of speech that there are; of tokenised text also the text, and in
    MISC where no blank follows."""
    head: list[str] = []
    rows = []
    for place, token in enumerate(item.tokens):
        fields = [str(place + 1), token] + ["_"] * 8
        fields[column_index("UPOS")] = item.tags[place] if item.tags else "_"
        if item.source and not item.source.spaces[place]:
            fields[column_index(MISC)] = NO_SPACE
        rows.append("\t".join(fields) + "\n")
    if item.source:
        head = [f"{TEXT} = {restore_text(item.tokens, item.source.spaces)}\n"]
    raw = tuple(line.encode("utf-8") for line in (*head, *rows, "\n"))
    return ConlluBlock(None, raw, tuple(range(len(head), len(head) + len(rows))))


def restore_text(tokens: Sequence[str], spaces: Sequence[bool]) -> str:
    """The text that the FORMs and `SpaceAfter=No` of CoNLL-U give: one blank for whatever stood between two tokens."""
    return "".join(token + " " * space for token, space in zip(tokens, spaces, strict=True)).rstrip(" ")
