"""A data folder or a corpus file in, the sentences whose attention is analysed out, with their parses if it has any."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from nntag.corpora.conllu import read_conllu
from nntag.corpora.formats import guess_format
from nntag.corpora.lines import open_lines
from nntag.corpora.records import Sentence
from nntag.encoding.data_folder import choose_split, is_corpus_file, open_data_folder
from nntag.errors import DataError, UsageError
from nntag.language_models.mixture import LanguageModel
from nntag.language_models.preprocessing.text import read_sentences
from nntag.language_models.streams import TokenStream, join_streams


@dataclass(frozen=True)
class AnalysedText:
    """The sentences to analyse."""

    source: str
    stream: TokenStream
    parsed: Sequence[Sentence] | None  # the same sentences with heads, from CoNLL-U


def open_text(model: LanguageModel, data: str | Path | None, split: str | None) -> AnalysedText:
    """Splits of a data folder (by default that of the run, and test or dev), or a corpus file.

    Raises `UsageError`, `RunError`, `DataError`.
    """
    if not is_corpus_file(data):
        folder = open_data_folder(data, "lm") if data else model.runs[0].open_data()
        splits = [choose_split(folder, part) for part in (split.split(",") if split else [None])]
        stream = join_streams([model.open_split(folder, part) for part in splits])
        return AnalysedText(f"{folder.path} {' + '.join(splits)}", stream, None)
    path = str(data)
    if split is not None:
        raise UsageError(f"--split {split}: {path} is a corpus file, which has no splits")
    try:
        format = guess_format(path)
    except UsageError:
        reason = (
            "--data must be a data folder, or a corpus file whose name ends in .conllu, .txt or another known suffix"
        )
        raise UsageError(f"{path}: {reason}") from None
    if format == "conllu":
        return open_parsed(model, path)
    return _encode(model, path, list(read_sentences([path], format)))


def open_parsed(model: LanguageModel, path: str) -> AnalysedText:
    """The sentences of a CoNLL-U file, all of which must have heads; raises `DataError`."""
    parsed = list(read_conllu(open_lines(path), column=None, need_heads=True))
    return _encode(model, path, [sentence.tokens for sentence in parsed], parsed)


def _encode(
    model: LanguageModel, path: str, tokens: Sequence[Sequence[str]], parsed: Sequence[Sentence] | None = None
) -> AnalysedText:
    if not tokens:
        raise DataError(path, None, "no sentences to analyse")
    return AnalysedText(path, model.vocabulary.encode_sentences(tokens), parsed)
