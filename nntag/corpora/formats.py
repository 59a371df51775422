"""The one table of formats: a row says how a format is read, chosen, found on disk and what can be made of it.

A new format is a reader and a row here; `nntag read`, `preprocess`, `eval --data` and their help texts follow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from nntag.config.fields import unknown_name
from nntag.corpora.packing import unpacked_name
from nntag.corpora.records import Sentence
from nntag.errors import UsageError


@dataclass(frozen=True, slots=True)
class Column:
    """One choice of tags in a format: the attribute of records that holds them, and the reader's arguments for it."""

    name: str
    attribute: str = "tags"  # of `Sentence`
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ColumnChoice:
    """Several columns of tags together: the reader's arguments for them, and where its records hold them."""

    options: Mapping[str, Any]
    attributes: tuple[str, ...]  # of `Sentence`

    def read(self, sentence: Sentence) -> tuple[tuple[str, ...], ...]:
        """The tags of a sentence, column by column."""
        return (*(getattr(sentence, name) for name in self.attributes), *sentence.further)


TAG_LAYERS = (Column("supertag", "supertags"), Column("pos"))  # of CCG corpora


@dataclass(frozen=True, slots=True)
class Format:
    """One row of the table; `reader` is `module:function` under `nntag.corpora` and takes `Lines` and `on_bad`."""

    name: str
    reader: str
    yields: Literal["sentences", "trees", "questions", "paragraphs", "vectors"]
    summary: str
    suffixes: tuple[str, ...] = ()  # file names that end like this are of this format
    other_suffixes: tuple[str, ...] = ()  # also looked for in a folder that is said to hold this format
    tasks: tuple[str, ...] = ()  # what `preprocess --task` can make of it, the default first
    columns: tuple[Column, ...] = ()  # what --column can choose, the default first
    column_kind: type | None = None  # str, int: the reader itself takes any column, by name or number
    default_column: str | None = None  # of such a reader
    words: Mapping[str, Any] = field(default_factory=dict)  # arguments of the reader where only the words are wanted
    tree_reader: str = ""  # of its labelled trees, where that is another function than `reader`
    binarise: Mapping[str, Any] = field(default_factory=dict)  # arguments of the reader of trees with --binarise
    layout: str = "named"  # how a corpus folder is laid out, see `splits`
    read_options: Mapping[str, Any] = field(default_factory=dict)  # arguments of the reader for `nntag read`
    read_flags: Mapping[str, str] = field(default_factory=dict)  # flags of `nntag read` -> the reader's parameters
    supertags_are_tags: bool = False  # `nntag read` shows supertags as `tags`, and POS tags as `pos`

    def load_reader(self) -> Callable[..., Any]:
        """The function that takes `Lines` and yields records."""
        return _load(self.reader)

    def load_tree_reader(self) -> Callable[..., Any]:
        """The function that takes `Lines` and yields trees with labelled nodes."""
        return _load(self.tree_reader or self.reader)

    def choose_column(self, name: str | None) -> Column:
        """The tags that `name` means, the format's default without one; raises `UsageError` with the choices."""
        if self.column_kind is None:
            choices = {column.name: column for column in self.columns}
            if name is not None and name not in choices:
                raise UsageError(unknown_name(f"column of the format {self.name}", name, choices or ["none"]))
            return choices[name] if name is not None else next(iter(self.columns), Column(""))
        if name is None and self.default_column is None:
            return Column("")
        chosen = name if name is not None else str(self.default_column)
        try:
            return Column(chosen, options={"column": self.column_kind(chosen)})
        except ValueError:
            raise UsageError(f"--column must be a number for the format {self.name}, found {name!r}") from None

    def choose_columns(self, names: Sequence[str | None]) -> ColumnChoice:
        """As `choose_column`, for several; raises `UsageError` also for those that do not go together."""
        columns = [self.choose_column(name) for name in names]
        _check_together(columns, self.name)
        options = dict(columns[0].options)
        if len(columns) > 1 and "column" in options:
            options["further"] = [column.options["column"] for column in columns[1:]]
            return ColumnChoice(options, ("tags",))
        return ColumnChoice(options, tuple(column.attribute for column in columns))


def _check_together(columns: Sequence[Column], format: str) -> None:
    """Raises `UsageError` for a column that is named twice, and for those that lines of different forms hold."""
    names = [column.name for column in columns]
    for number, (column, name) in enumerate(zip(columns, names, strict=True)):
        if name in names[:number]:
            raise UsageError(f"--column {name} is given twice")
        if column.options.keys() != columns[0].options.keys():
            raise UsageError(f"no file of the format {format} has both the columns {names[0]} and {name}")


def _load(reader: str) -> Callable[..., Any]:
    module, function = reader.split(":")
    return getattr(import_module(f"nntag.corpora.{module}"), function)


FORMATS: dict[str, Format] = {
    row.name: row
    for row in (
        Format(
            "ccgbank",
            "ccgbank:read_ccgbank",
            "sentences",
            "CCGbank derivations (AUTO): supertags, or POS tags with the column 'pos'",
            suffixes=(".auto",),
            tasks=("tagging", "lm"),
            columns=TAG_LAYERS,
            layout="ccgbank",
            tree_reader="ccgbank:read_derivations",
            supertags_are_tags=True,
        ),
        Format(
            "ptb",
            "ptb:read_ptb",
            "sentences",
            "bracketed Penn Treebank trees: POS tags",
            suffixes=(".mrg", ".prd"),
            other_suffixes=(".ptb",),
            tasks=("tagging", "lm"),
            columns=(Column("pos"),),
            layout="ptb",
        ),
        Format(
            "conllu",
            "conllu:read_conllu",
            "sentences",
            "CoNLL-U: UPOS, or the column that is named",
            suffixes=(".conllu", ".conllup", ".conll"),
            tasks=("tagging", "lm", "fine", "binary"),
            column_kind=str,
            default_column="UPOS",
            words={"column": None},
            tree_reader="dependency_trees:read_labelled_trees",
        ),
        Format(
            "columns",
            "columns:read_columns",
            "sentences",
            "a word and its tag a line, blank line between sentences; other tag columns by number",
            suffixes=(".tsv", ".col", ".cols", ".bio"),
            other_suffixes=(".conll",),
            tasks=("tagging", "lm"),
            column_kind=int,
            words={"words_only": True},
        ),
        Format(
            "piped",
            "piped:read_piped",
            "sentences",
            "word|POS|supertag: supertags, or POS tags with the column 'pos', or word|tag with 'tag'",
            suffixes=(".piped", ".pipe", ".stagged", ".staggedgold"),
            tasks=("tagging", "lm"),
            columns=(*TAG_LAYERS, Column("tag", options={"fields": 2})),
        ),
        Format(
            "pmb",
            "pmb:read_pmb",
            "sentences",
            "layers of the Parallel Meaning Bank: CCG categories, or 'semtag', 'sense', 'symbol', 'roles'",
            other_suffixes=(".conll",),  # as CoNLL-U's files may end too
            tasks=("tagging", "lm"),
            columns=tuple(
                Column(name, options={"column": name}) for name in ("category", "semtag", "sense", "symbol", "roles")
            ),
            layout="languages",
        ),
        Format(
            "text",
            "text:read_text",
            "sentences",
            "plain text, one tokenised sentence a line",
            suffixes=(".txt", ".text"),
            other_suffixes=(".tokens",),
            tasks=("lm",),
            read_options={"keep_blank": True},  # line by line, as `tag` answers
        ),
        Format(
            "sst",
            "sst:read_sst",
            "trees",
            "Stanford Sentiment Treebank trees with labels from 0 to 4",
            suffixes=(".sst",),
            other_suffixes=(".txt",),
            tasks=("fine", "binary"),
            binarise={"binarise": True},
        ),
        Format(
            "sherlock",
            "sherlock:read_sherlock",
            "questions",
            "sentence-completion questions, machine_format or CSV, and their answers; as a corpus, novels beside them",
            suffixes=(".questions", ".csv"),
            tasks=("lm",),
            layout="sherlock",
            read_flags={"answers": "answers"},
        ),
        Format(
            "gutenberg",
            "gutenberg:read_gutenberg",
            "paragraphs",
            "Project Gutenberg novels without the licence",
        ),
        Format(
            "vectors",
            "vectors:read_vectors",
            "vectors",
            "word vectors as text: GloVe, word2vec, fastText",
            suffixes=(".vec", ".glove"),
            read_options={"dtype": "float64"},  # as written: float32 would not print 0.1 as 0.1
            read_flags={"dim": "dimension"},
        ),
    )
}


def find_format(name: str) -> Format:
    """The row of a format; raises UsageError that lists the names and the nearest one."""
    if name not in FORMATS:
        raise UsageError(unknown_name("format", name, FORMATS))
    return FORMATS[name]


def find_corpus(name: str) -> Format:
    """The row of a format that `preprocess` takes; raises UsageError that lists them."""
    corpora = {row.name: row for row in FORMATS.values() if row.tasks}
    if name not in corpora:
        raise UsageError(unknown_name("corpus", name, corpora))
    return corpora[name]


def guess_format(path: str | Path) -> str:
    """The format that a file's name suggests (`.gz`, `.bz2`, `.xz` aside); raises UsageError where it suggests none."""
    suffix = unpacked_name(path).suffix.lower()
    for row in FORMATS.values():
        if suffix in row.suffixes:
            return row.name
    problem = "standard input: the name" if str(path) == "-" else f"{path}: the file's name"
    raise UsageError(f"{problem} does not show its format; choose one of {', '.join(FORMATS)} with --format")


def describe_columns() -> str:
    """What --column can name in each format, for help texts."""
    parts = []
    for row in FORMATS.values():
        if row.column_kind is not None:
            parts.append(f"{row.name} {'a number' if row.column_kind is int else f'{row.default_column}, ...'}")
        elif row.columns:
            parts.append(f"{row.name} {', '.join(column.name for column in row.columns)}")
    return "; ".join(parts)
