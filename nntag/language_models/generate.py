"""A language model and options in, sentences drawn from it out, one by one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from nntag.config.options.generate import GenerateOptions
from nntag.corpora.lines import split_spaces
from nntag.errors import UsageError
from nntag.language_models.mixture import LanguageModel
from nntag.language_models.streams import BOUNDARY, UNKNOWN


@dataclass(frozen=True, slots=True)
class GeneratedSentence:
    """One sentence, with the beginning that was given."""

    words: tuple[str, ...]
    ended: bool  # by the model; False where it was cut at the greatest length


def generate_sentences(model: LanguageModel, options: GenerateOptions) -> Iterator[GeneratedSentence]:
    """Sentences drawn word by word. The n-th is the same however many are asked for: it has a random state of its own,
    made of the seed and n. Raises `UsageError` for models that do not read from left to right."""
    beginning = split_spaces(options.prefix or "")
    if len(beginning) > options.max_length:
        raise UsageError(f"the beginning has {len(beginning)} words, more than --max-length {options.max_length}")
    model.next_words(beginning, 1)  # raises for a model that cannot, before anything is written
    for number in range(options.sentences):
        yield _draw_sentence(model, beginning, np.random.default_rng([options.seed, number]), options)


def _draw_sentence(
    model: LanguageModel, beginning: list[str], random: np.random.Generator, options: GenerateOptions
) -> GeneratedSentence:
    words, ids = list(beginning), model.vocabulary.encode(beginning).tolist()
    while len(words) < options.max_length:
        probabilities = model.next_probabilities(np.array(ids, np.int32))
        chosen = choose_word(probabilities, options.temperature, random, options.known_words)
        if chosen == BOUNDARY:
            return GeneratedSentence(tuple(words), True)
        words.append(model.vocabulary.words[chosen])
        ids.append(chosen)
    return GeneratedSentence(tuple(words), False)


def choose_word(
    probabilities: np.ndarray, temperature: float, random: np.random.Generator, known_words: bool = False
) -> int:
    """The id of a word drawn with p^(1/temperature), normalised, from `probabilities: float64[V]`; of the most probable
    one (the first of several) at temperature 0. With `known_words`, never `UNKNOWN`."""
    logs = np.log(probabilities, out=np.full(len(probabilities), -np.inf), where=probabilities > 0)
    if known_words:
        logs[UNKNOWN] = -np.inf
    best = int(logs.argmax())
    if temperature == 0:
        return best
    with np.errstate(over="ignore"):  # a temperature near 0 sends all but the best to minus infinity
        weights = np.exp((logs - logs[best]) / temperature)
    sums = np.cumsum(weights)
    return int(np.searchsorted(sums, random.random() * sums[-1], side="right"))
