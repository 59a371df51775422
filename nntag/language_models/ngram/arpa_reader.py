"""An ARPA file in, an n-gram model and its words out; `arpa.py` shows the format and is the way back.

The file is read line by line, `.gz`, `.bz2` and `.xz` unpacked on the way. Files of other toolkits are read too, pruned
ones as well, if the first k-1 words of every k-gram are listed among the (k-1)-grams, as they are in files of kenlm and
SRILM.
"""

from __future__ import annotations

import logging
import math
import os
import re
from array import array

import numpy as np
from numpy.typing import NDArray

from nntag.corpora.lines import Lines, open_lines, split_spaces
from nntag.corpora.marks import UNKNOWN_MARKS
from nntag.language_models.ngram.arpa import BOS, EOS, UNK
from nntag.language_models.ngram.model import LOG_ZERO, NgramModel, search_keys
from nntag.progress import Progress, ProgressCallback, ignore_progress

_LN10 = math.log(10)
_BLOCK = 1 << 16  # lines read between two reports
_GREATEST_SUM = 1.02  # of the unigrams: one, and what rounding to a few digits adds


def read_arpa(
    path: str | os.PathLike[str], progress: ProgressCallback = ignore_progress
) -> tuple[NgramModel, list[str]]:
    """The model of an ARPA file and the word of each id, ids in the order of the file's unigrams.

    <UNK> is <unk>, as in kenlm, and so are the other signs of `marks`; a file without any gets one of log10 p = -100,
    and a warning. Raises DataError naming file and line where the file is cut short, a count is wrong, a line is
    malformed, an n-gram is repeated or its context missing, where there are two signs of unknown words, and where the
    numbers cannot be log10 probabilities: those of the unigrams sum to more than one.
    """
    lines = open_lines(path)
    lines.expect("arpa")
    reader = _Reader(lines, progress)
    counts = reader.read_counts()
    sections = [reader.read_section(k, count, is_last=k == len(counts)) for k, count in enumerate(counts, 1)]
    words = list(reader.ids)
    if EOS not in reader.ids:
        raise reader.lines.fault(reader.number, "there is no </s> among the unigrams")
    vocab_size, bos = len(words), reader.ids.get(BOS, len(words))
    added = [LOG_ZERO] if bos == vocab_size else []
    signs = [word for word in words if word == UNK or word in UNKNOWN_MARKS]
    if len(signs) > 1:
        raise lines.fault(
            reader.number, f"the unigrams hold more than one sign of unknown words: {', '.join(signs)}; keep one"
        )
    if signs:
        words[reader.ids[signs[0]]] = UNK
    else:
        logging.getLogger("nntag").warning("%s:%d: no <unk> among the unigrams: log10 p = -100", path, reader.number)
        # a word without an id stands before an id of <s> that lies outside the vocabulary
        words, vocab_size, bos, added = [*words, UNK], vocab_size + 1, bos + len(added), [-100 * _LN10, *added]
    log_prob = [np.append(sections[0].log_prob, added).astype(np.float32)]
    log_backoff = [np.append(sections[0].log_backoff, np.zeros(len(added), np.float32)).astype(np.float32)]
    keys = [np.empty(0, np.int64)]
    _check_sum(lines, sections[0].log_prob, reader.ids.get(BOS))
    base = max(vocab_size, bos + 1)
    for section in sections[1:]:
        key = section.make_keys(keys, base, reader.lines)
        by_key = np.argsort(key)
        keys.append(key[by_key])
        log_prob.append(section.log_prob[by_key])
        log_backoff.append(section.log_backoff[by_key])
    return NgramModel(vocab_size, bos, reader.ids[EOS], keys, log_prob, log_backoff[:-1], []), words


class _Section:
    """The n-grams of one order as they are read."""

    def __init__(self, order: int):
        self.order = order
        self._words, self._numbers = array("i"), array("q")
        self._log_prob, self._log_backoff = array("d"), array("d")

    def add(self, number: int, log10_prob: float, words: list[int], log10_backoff: float) -> None:
        self._numbers.append(number)
        self._log_prob.append(log10_prob)
        self._words.extend(words)
        self._log_backoff.append(log10_backoff)

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def log_prob(self) -> NDArray[np.float32]:
        return _to_nats(self._log_prob)

    @property
    def log_backoff(self) -> NDArray[np.float32]:
        return _to_nats(self._log_backoff)

    def make_keys(self, keys: list[NDArray[np.int64]], base: int, lines: Lines) -> NDArray[np.int64]:
        """The key of each n-gram, in file order; `keys` are the sorted ones of the lower orders."""
        words = np.frombuffer(self._words, np.int32).reshape(-1, self.order).astype(np.int64)
        rank = words[:, 0]
        for k in range(1, self.order - 1):
            rank = np.where(rank < 0, -1, search_keys(keys[k], rank * base + words[:, k]))
        if (rank < 0).any():
            number = self._numbers[int((rank < 0).argmax())]
            raise lines.fault(number, f"its first {self.order - 1} words are not among the {self.order - 1}-grams")
        key = rank * base + words[:, -1]
        by_key = np.argsort(key, kind="stable")
        repeated = np.flatnonzero(key[by_key[1:]] == key[by_key[:-1]])
        if len(repeated):
            number = self._numbers[int(by_key[repeated + 1].min())]
            raise lines.fault(number, f"this {self.order}-gram is listed twice")
        return key


def _check_sum(lines: Lines, log_prob: NDArray[np.float32], bos: int | None) -> None:
    """Refuses numbers that are not probabilities: natural logarithms, counts, a file of another kind."""
    total = float(np.exp(np.delete(log_prob, [] if bos is None else [bos]).astype(np.float64)).sum())
    if total > _GREATEST_SUM:
        raise lines.fault(None, f"the probabilities of the unigrams sum to {total:.2f}; are they log10 values?")


def _to_nats(log10: array[float]) -> NDArray[np.float32]:
    return (np.maximum(np.frombuffer(log10, np.float64), -100) * _LN10).astype(np.float32)


class _Reader:
    """Reads an ARPA file part by part; `number` is the line read last."""

    def __init__(self, lines: Lines, progress: ProgressCallback):
        self.lines, self.number, self.ids = lines, 0, dict[str, int]()
        self._progress = progress
        self._rest = iter(lines)

    def _next_line(self, wanted: str) -> str:
        """The next line that is not blank."""
        for number, text in self._rest:
            self.number = number
            if text and not text.isspace():
                return text
        raise self.lines.fault(self.number or None, f"the file ends, expected {wanted} (is it cut short?)")

    def read_counts(self) -> list[int]:
        r"""The numbers of n-grams that \data\ announces; leaves the reader behind the first section's head."""
        while self._next_line("\\data\\").strip() != "\\data\\":  # anything may stand before it
            pass
        counts: list[int] = []
        while (text := self._next_line("ngram 1=... or \\1-grams:").strip()) != "\\1-grams:":
            found = re.fullmatch(r"ngram\s+(\d+)\s*=\s*(\d+)", text)
            if not found or int(found[1]) != len(counts) + 1:
                raise self.lines.fault(self.number, f"expected ngram {len(counts) + 1}=N or \\1-grams:, found {text!r}")
            counts.append(int(found[2]))
        if not counts:
            raise self.lines.fault(self.number, r"\data\ announces no n-grams")
        return counts

    def read_section(self, order: int, count: int, is_last: bool) -> _Section:
        """The n-grams up to the head of the next section, or to the end mark."""
        section = _Section(order)
        end = "\\end\\" if is_last else f"\\{order + 1}-grams:"
        wanted = f"an n-gram or {end}"
        while (text := self._next_line(wanted)).strip() != end:
            if text.startswith("\\") and text.strip().endswith((":", "\\")):
                raise self.lines.fault(self.number, f"expected {wanted}, found {text.strip()!r}")
            section.add(self.number, *self._parse(text, order))
            if len(section) % _BLOCK == 0:
                self._progress(Progress(f"reading {order}-grams", len(section), count, "n-grams"))
        if len(section) != count:
            raise self.lines.fault(self.number, f"\\data\\ announces {count} {order}-grams, found {len(section)}")
        self._progress(Progress(f"reading {order}-grams", count, count, "n-grams", finished=True))
        return section

    def _parse(self, text: str, order: int) -> tuple[float, list[int], float]:
        fields = split_spaces(text)
        if len(fields) not in (order + 1, order + 2):
            raise self.lines.fault(
                self.number, f"expected a log probability, {order} words and perhaps a backoff weight, found {text!r}"
            )
        if order == 1:
            if fields[1] in self.ids:
                raise self.lines.fault(self.number, f"the word {fields[1]!r} is listed twice")
            self.ids[fields[1]] = len(self.ids)
        try:
            log_prob = float(fields[0])
            log_backoff = float(fields[-1]) if len(fields) == order + 2 else 0.0
            words = [self.ids[word] for word in fields[1 : order + 1]]
        except ValueError:
            raise self.lines.fault(self.number, f"expected numbers, found {fields[0]!r} and {fields[-1]!r}") from None
        except KeyError as error:
            raise self.lines.fault(self.number, f"the word {error.args[0]!r} is not among the unigrams") from None
        if not log_prob <= 0 or math.isnan(log_backoff) or log_backoff == math.inf:
            raise self.lines.fault(self.number, f"expected log probabilities, found {fields[0]!r} and {fields[-1]!r}")
        return log_prob, words, log_backoff
