"""The options of `nntag tag`, `score` or `parse` -> one function from lines to the bytes that the command prints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from nntag.commands.tag import SUFFIXES, load_to_tag, tag
from nntag.config.fields import refuse_flags
from nntag.config.options.parse import ParseOptions
from nntag.config.options.use import Models, ScoreOptions, TagOptions, list_models
from nntag.corpora.lines import Lines, lines_from_bytes
from nntag.errors import UsageError
from nntag.language_models.mixture import load_language_model
from nntag.language_models.score import score_lines
from nntag.tagging.parsing.command import TextParser
from nntag.tagging.stream.input import choose_input_format
from nntag.training.checkpoint import checkpoint_path

Options = TagOptions | ScoreOptions | ParseOptions
Write = Callable[[bytes], None]

LINE_FORMATS = ("text", "json", "easyccg", "easysrl", "depccg")  # a sentence is a line, in and out


@dataclass(frozen=True)
class Annotator:
    """A loaded model at work; `annotate(lines, write, first)` writes what the command prints and gives the number of
    sentences, of which `first` is the number of the first one."""

    command: str
    annotate: Callable[[Lines, Write, int], int]
    format: str  # of what is written
    is_line_each: bool  # one line is written for each line of text
    models: tuple[Path, ...]  # the files and folders that the output depends on
    options: Options  # with the model named that was taken where none was

    @property
    def suffix(self) -> str:
        """Of the files that are written."""
        return SUFFIXES.get(self.format, f".{self.format}")

    def annotate_texts(self, texts: Sequence[str | None]) -> list[str | None]:
        """For each text, of one sentence or of one a line, what the command prints for it; None stays None.

        Raises `DataError`, whose line counts the lines of all texts.
        """
        if not self.is_line_each:
            reason = f"which --format {self.format}, or one of the other flags, does not give; use json"
            raise UsageError(f"a column needs one line for each line of text, {reason}")
        written: list[bytes] = []
        data = "".join(text + "\n" for text in texts if text is not None)
        self.annotate(lines_from_bytes(data.encode(), "<column>"), written.append, 1)
        rows = iter(b"".join(written).decode().split("\n"))
        return [None if text is None else "\n".join(next(rows) for _ in range(text.count("\n") + 1)) for text in texts]


def load_annotator(options: Options) -> Annotator:
    """Loads what the options name; raises `UsageError`, `RunError`."""
    if isinstance(options, ScoreOptions):
        return _load_scorer(options)
    return _load_parser(options) if isinstance(options, ParseOptions) else _load_tagger(options)


def find_cut(options: Options, path: Path) -> str | None:
    """How a file can be cut into parts: see `cut_file`."""
    if options.tokenize or (isinstance(options, ScoreOptions) and options.words):
        return None  # places of tokens in the text, and headers, are those of a whole file
    if isinstance(options, ScoreOptions):
        return "lines"
    format = choose_input_format(options.input_format, str(path))
    if format == "conllu":
        return None if isinstance(options, ParseOptions) else "blocks"  # parses are numbered over the whole file
    return "lines" if format in LINE_FORMATS else None


def _load_tagger(options: TagOptions) -> Annotator:
    run = load_to_tag(options)
    format = options.format or run.task.tag_format
    runs = list_models(options.model) or (run.path,)
    models = (*_folders_of(runs), *_folders_of(options.pos_model))
    is_line_each = format in (*LINE_FORMATS, "piped") and not options.tokenize
    named = replace(options, model=runs)
    return Annotator(
        "tag", lambda lines, write, _: tag(run, lines, write, options), format, is_line_each, models, named
    )


def _load_scorer(options: ScoreOptions) -> Annotator:
    refuse_flags(options, ("next",), "has no meaning with an engine")
    loaded = load_language_model(options.models, options.device, options.weights)
    runs = options.models or (loaded.runs[0].path,)
    format = "jsonl" if options.json else "tsv"
    return Annotator(
        "score",
        lambda lines, write, _: score_lines(loaded, lines, write, options).sentences,
        format,
        not options.tokenize and (options.json or not (options.per_token or options.words)),
        _folders_of(runs),
        replace(options, models=runs),
    )


def _load_parser(options: ParseOptions) -> Annotator:
    parser = TextParser(options)
    models = [*_folders_of(options.model), *_folders_of(options.pos_model)]
    if options.grammar is not None and Path(options.grammar).exists():
        models.append(Path(options.grammar))
    is_line_each = options.format == "json" or (options.format == "ptb" and options.nbest == 1)
    is_line_each = is_line_each and not options.tokenize
    return Annotator(
        "parse",
        lambda lines, write, first: parser.parse(lines, write, first).sentences,
        options.format,
        is_line_each,
        tuple(models),
        options,
    )


def _folders_of(models: Models) -> tuple[Path, ...]:
    """The folders of the weights."""
    return tuple(checkpoint_path(model).parent for model in list_models(models))
