"""`nntag score --next`: beginnings of sentences in, the likeliest words after each out, as they arrive."""

from __future__ import annotations

import json
from collections.abc import Callable

from nntag.corpora.arrivals import group_arrived
from nntag.corpora.lines import Lines
from nntag.language_models.mixture import LanguageModel
from nntag.language_models.score import read_tokens


def predict_lines(
    model: LanguageModel,
    lines: Lines,
    write: Callable[[bytes], None],
    count: int,
    as_json: bool,
    tokenize: bool = False,
) -> int:
    """One line out for each line in: the `count` likeliest next words, each with its probability; returns how many
    lines. A blank line is the beginning of a sentence. Raises `UsageError`, `DataError`."""
    model.next_words((), 1)  # raises for a model that cannot, before anything is read
    done = 0
    for group in group_arrived(read_tokens(lines, tokenize), lines, len):
        found = [model.next_words(tokens, count) for tokens in group]
        if as_json:
            parts = [
                json.dumps({"next": [[word, round(p, 9)] for word, p in row]}, ensure_ascii=False) for row in found
            ]
        else:
            parts = ["\t".join(f"{word}\t{p:.6f}" for word, p in row) for row in found]
        write("".join(part + "\n" for part in parts).encode("utf-8"))
        done += len(group)
    return done
