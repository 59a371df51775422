"""The options of `nntag generate`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from nntag.config.fields import flag
from nntag.config.options.use import DEVICE, WEIGHT
from nntag.errors import UsageError


@dataclass(frozen=True)
class GenerateOptions:
    """Which model writes, how freely, how much, and from which beginning on."""

    prefix: str | None = flag(None, "Beginning of every sentence: words between blanks.", argument=True)
    models: tuple[Path | str, ...] = flag(
        (),
        "Run of a language model; given several times, the mean of their probabilities is taken [default: the newest].",
        names=("--model",),
    )
    weights: tuple[float, ...] = flag((), WEIGHT, names=("--weight",))
    sentences: int = flag(10, "How many sentences.", low=1)
    max_length: int = flag(100, "Most words of a sentence, those of the beginning among them.", low=1)
    temperature: float = flag(
        1.0, "Below 1 likely words are chosen more often, above 1 unlikely ones; 0 always takes the likeliest."
    )
    known_words: bool = flag(False, "Never choose <unk>, which stands for all words outside the vocabulary.")
    seed: int = flag(1, "Seed of the choices: the same seed gives the same sentences.", low=0)
    json: bool = flag(False, "One JSON object per sentence: its words, and whether it ended or was cut.")
    device: str = flag("cpu", DEVICE)

    def __post_init__(self) -> None:
        if not 0 <= self.temperature < float("inf"):
            raise UsageError(f"--temperature must be 0 or more, found {self.temperature:g}")
