"""`nntag score`: text in, the log-probability and perplexity of each line out, as it arrives."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nntag.config.options.use import ScoreOptions
from nntag.corpora.arrivals import group_arrived
from nntag.corpora.faults import OnBad, SkippedItems, raise_bad
from nntag.corpora.lines import Lines, split_spaces
from nntag.corpora.raw_text import UntokenisedWatch, read_raw_text
from nntag.errors import DataError
from nntag.language_models.mixture import LanguageModel
from nntag.language_models.ngram.model import NgramModel
from nntag.language_models.perplexity import perplexity
from nntag.language_models.preprocessing.text import RESERVED
from nntag.language_models.streams import SENTENCE_END, UNKNOWN
from nntag.language_models.word_scores import WordScore, describe_words

WORD_HEADER = ("word", "log_probability_nats", "rank", "ngram_length")


@dataclass
class ScoreTotals:
    """Sums over all lines that were scored."""

    sentences: int = 0
    tokens: int = 0  # predicted ones: </s> counted
    unknown: int = 0
    log_probability: float = 0.0  # nats

    @property
    def perplexity(self) -> float | None:
        """Perplexity over all lines scored so far."""
        return perplexity(-self.log_probability, self.tokens) if self.tokens else None


def score_lines(
    model: LanguageModel,
    lines: Lines,
    write: Callable[[bytes], None],
    options: ScoreOptions | None = None,
) -> ScoreTotals:
    """Scores one sentence per line, as lines arrive; a blank line stays blank. Logarithms are natural ones.

    One line out for each line in: log-probability, perplexity, predicted tokens and unknown words, tab-separated. With
    `per_token` one line for each token and for `</s>`, with its log-probability, and a blank line after each sentence;
    with `words` the same below a header, with the word's rank and of n-gram models the length of the n-gram.
    What comes before a fault is written before its `DataError` is raised.
    """
    options = options or ScoreOptions()
    totals = ScoreTotals()
    has_ngrams = any(isinstance(run.model, NgramModel) for run in model.runs)
    if options.words and not options.json:
        write(("\t".join(WORD_HEADER[: 4 if has_ngrams else 3]) + "\n").encode("utf-8"))
    on_bad = SkippedItems() if options.skip_bad else raise_bad
    for group in group_arrived(_read_lines(lines, on_bad, options.tokenize), lines, len):
        scored = iter(model.score_sentences([tokens for tokens in group if tokens and not isinstance(tokens, str)]))
        parts = []
        for tokens in group:
            if isinstance(tokens, str):
                parts.append(_format_fault(tokens, options))
                continue
            if not tokens:
                parts.append("{}\n" if options.json else "\n")
                continue
            logs = next(scored)
            unknown = int((model.vocabulary.encode(tokens) == UNKNOWN).sum())
            totals.sentences += 1
            totals.tokens += len(logs)
            totals.unknown += unknown
            totals.log_probability += float(logs.sum())
            words = describe_words(model, tokens) if options.words else []
            parts.append(_format_sentence(tokens, logs, unknown, words, options))
        write("".join(parts).encode("utf-8"))
    return totals


def read_tokens(lines: Lines, tokenize: bool = False) -> Iterator[Sequence[str]]:
    """The tokens of each line, or with `tokenize` of each sentence of running text. Raises `DataError` for the words
    that stand for sentence borders, for what is not UTF-8, and for a file of another kind than text."""
    return (tokens for tokens in _read_lines(lines, raise_bad, tokenize) if not isinstance(tokens, str))


def _read_lines(lines: Lines, on_bad: OnBad, tokenize: bool) -> Iterator[Sequence[str] | str]:
    """The tokens of each line or sentence, or what is wrong with it. Raises `DataError` for a file of another kind than
    text."""
    if tokenize:
        for sentence in read_raw_text(lines, on_bad):
            yield sentence.fault or sentence.tokens
        return
    lines.expect("text")
    watch = UntokenisedWatch(lines.path)
    for number, raw in lines.raw():
        try:
            tokens = split_spaces(lines.decode(number, raw))
            if not RESERVED.isdisjoint(tokens):
                raise lines.fault(number, "the words <s> and </s> are reserved: sentence borders are added")
        except DataError as error:
            on_bad(error)
            yield str(error)
        else:
            watch.see(tokens)
            yield tokens


def _format_fault(fault: str, options: ScoreOptions) -> str:
    """What stands in the place of a line that cannot be scored."""
    if options.json:
        return json.dumps({"error": fault}, ensure_ascii=False) + "\n"
    if options.words or options.per_token:
        return "<bad>\tnan\t0\n\n" if options.words else "<bad>\tnan\n\n"
    return "nan\tnan\t0\t0\n"


def _format_sentence(
    tokens: Sequence[str], logs: np.ndarray, unknown: int, words: Sequence[WordScore], options: ScoreOptions
) -> str:
    total = float(logs.sum())
    if options.json:
        record: dict[str, Any] = {
            "log_probability": round(total, 6),
            "perplexity": round(perplexity(-total, len(logs)), 6),
            "tokens": len(logs),
            "unknown": unknown,
        }
        if options.per_token or words:
            record["words"] = [*tokens, SENTENCE_END]
            record["log_probabilities"] = [round(float(log), 6) for log in logs]
        if words:
            record["ranks"] = [word.rank for word in words]
            if words[0].ngram is not None:
                record["ngram_lengths"] = [word.ngram for word in words]
        return json.dumps(record, ensure_ascii=False) + "\n"
    if words:
        return "".join(_format_word(word) + "\n" for word in words) + "\n"
    if options.per_token:
        pairs = zip([*tokens, SENTENCE_END], logs, strict=True)
        return "".join(f"{word}\t{log:.4f}\n" for word, log in pairs) + "\n"
    return f"{total:.4f}\t{perplexity(-total, len(logs)):.4f}\t{len(logs)}\t{unknown}\n"


def _format_word(word: WordScore) -> str:
    ngram = "" if word.ngram is None else f"\t{word.ngram}"
    return f"{word.word}\t{word.log_probability:.4f}\t{word.rank}{ngram}"
