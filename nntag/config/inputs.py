"""What stands below the encoder of each task: its input layer's settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nntag.config.fields import option
from nntag.config.language_models import LMInput
from nntag.config.trees import SentimentInput
from nntag.errors import UsageError


@dataclass(frozen=True, slots=True)
class TaggerInput:
    """The token representation of a tagger: section 5.1 of Wu 2016, every part of it switchable, and our additions."""

    word_size: int = option(200, "width of the word embeddings; 0: no words", low=0)
    lowercase: bool = option(True, "look words up in lower case")
    digits: bool = option(True, "map every digit to 9 before the look-up")
    min_count: int = option(1, "words seen less often in training are <unk>", low=1)
    word_vectors: str | None = option(None, "file of pre-trained vectors in GloVe, word2vec or fastText text format")
    word_init: Literal["random", "zero"] = option(
        "random", "start of the word embeddings; zero (ours) adds no noise for rare words"
    )
    tune_vectors: bool = option(True, "go on training the word embeddings")
    window: int = option(3, "tokens in the context window d (an odd number)", low=1)
    window_gate: bool = option(True, "a logistic gate on each slot of the window")
    window_over: Literal["words", "all"] = option(
        "words", "what the window spans: words (Wu 2016) or all features (Wu 2017)"
    )
    affix_length: int = option(5, "characters of prefix and suffix whose embeddings are concatenated; 0: off", low=0)
    character_size: int = option(5, "width of those character embeddings", low=1)
    normalised_affixes: bool = option(
        False, "take those characters from the word as it is looked up (lower case, digits as 9), not as it is written"
    )
    capital_size: int = option(5, "width of the capitalisation embedding; 0: off", low=0)
    shapes: bool = option(False, "tell more word shapes apart than capitalised or not (ours)")
    filters: int = option(0, "filters of a convolution over the word's characters (ours); 0: off", low=0)
    filter_character_size: int = option(32, "width of the convolution's character embeddings", low=1)
    affix_size: int = option(
        0, "width of embeddings of whole prefixes and suffixes of 1-4 characters (ours); 0: off", low=0
    )
    dropout: float = option(0.25, "dropout on the context window", low=0, high=0.99)
    word_dropout: float = option(0.0, "probability of reading a training word as <unk> (ours)", low=0, high=0.99)
    form_dropout: float = option(0.0, "probability of hiding all else of a training word (ours)", low=0, high=0.99)

    def __post_init__(self) -> None:
        if self.window % 2 == 0:
            raise UsageError(f"window must be an odd number of tokens, found {self.window}")
        if not (self.word_size or self.affix_length or self.capital_size or self.filters or self.affix_size):
            raise UsageError(
                "nothing is left of the words: one of word_size, affix_length, capital_size, filters, affix_size "
                "must be above 0"
            )


TASK_INPUTS: dict[str, type] = {"tagging": TaggerInput, "lm": LMInput, "sentiment": SentimentInput}
