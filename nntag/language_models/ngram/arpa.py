"""An n-gram model and its words in, an ARPA file out; `arpa_reader.py` is the way back.

    \\data\\
    ngram 1=3
    ...
    \\1-grams:
    log10 p TAB words, space between TAB log10 backoff weight (may be absent: 0)
    ...
    \\end\\

The file is written piece by piece, compressed if its name ends in `.gz`. Nine digits are written, so that what is
read back equals what was written to the last bit.
"""

from __future__ import annotations

import gzip
import math
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

import numpy as np

from nntag.errors import UsageError
from nntag.files import replace_output
from nntag.language_models.ngram.model import NgramModel
from nntag.progress import Progress, ProgressCallback, ignore_progress

BOS, EOS, UNK = "<s>", "</s>", "<unk>"
_LN10 = math.log(10)
_BLOCK = 1 << 16  # n-grams written at a time


def write_arpa(
    model: NgramModel, path: str | os.PathLike[str], words: Sequence[str], progress: ProgressCallback = ignore_progress
) -> None:
    """Writes the model to `path`, which appears when complete; `words[id]` is the word of each id but <s>'s and </s>'s.

    Raises UsageError for words that the format cannot hold: with white space inside, empty, or twice in the vocabulary.
    """
    names = list(words[: model.vocab_size])
    names += [BOS] * (model.base - len(names))
    names[model.bos], names[model.eos] = BOS, EOS
    for name in names:
        if not name or re.search("[ \t\r\n]", name):
            raise UsageError(f"an ARPA file cannot hold the word {name!r}: it is empty or has white space inside")
    if len(set(names)) < len(names):
        raise UsageError("an ARPA file cannot hold a vocabulary in which a word, <s> or </s> occurs twice")
    target = Path(path)
    with replace_output(target) as partial, _open_for_writing(partial, target.suffix == ".gz") as file:
        file.write("\\data\\\n" + "".join(f"ngram {k}={n}\n" for k, n in enumerate(model.counts, 1)))
        for k in range(1, model.order + 1):
            file.write(f"\n\\{k}-grams:\n")
            for lines in _format_order(model, k, names, progress):
                file.writelines(lines)
        file.write("\n\\end\\\n")


def _open_for_writing(path: Path, packed: bool) -> IO[str]:
    if packed:
        return gzip.open(path, "wt", compresslevel=6, encoding="utf-8", newline="\n")
    return open(path, "w", encoding="utf-8", newline="\n")


def _format_order(model: NgramModel, k: int, names: list[str], progress: ProgressCallback) -> Iterator[list[str]]:
    total = model.counts[k - 1]
    for begin in range(0, total, _BLOCK):
        end = min(begin + _BLOCK, total)
        texts = [" ".join([names[word] for word in row]) for row in model.list_ngrams(k, begin, end).tolist()]
        log_prob = (model.log_prob[k - 1][begin:end].astype(np.float64) / _LN10).tolist()
        if k < model.order:
            log_backoff = (model.log_backoff[k - 1][begin:end].astype(np.float64) / _LN10).tolist()
            yield [f"{p:.9g}\t{text}\t{b:.9g}\n" for p, text, b in zip(log_prob, texts, log_backoff, strict=True)]
        else:
            yield [f"{p:.9g}\t{text}\n" for p, text in zip(log_prob, texts, strict=True)]
        progress(Progress(f"writing {k}-grams", end, total, "n-grams", finished=end == total))
