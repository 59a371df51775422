"""The options of `nntag parse`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from nntag.config.fields import MOST_PROCESSES, flag
from nntag.config.options.use import DEVICE, MODEL, WEIGHT, Models
from nntag.errors import UsageError


@dataclass(frozen=True)
class ParseOptions:
    """Which text is parsed, with which tagger and grammar, how far the search goes, and how derivations are written."""

    file: str = flag("-", "File to parse, with --engine also a folder; - is standard input.", argument=True)
    model: Models = flag(
        None, f"{MODEL[:-1]}; not needed for text that is tagged already, as `nntag tag --format json` writes it."
    )
    format: str = flag("auto", "Output: auto (CCGbank's), deriv, ptb, json, conll.")
    input_format: str | None = flag(
        None,
        "Input: text (one tokenised sentence per line), tagged text (json, easyccg, easysrl, candc, depccg), or a "
        "corpus format [default: by the file's suffix, else text].",
    )
    tokenize: bool = flag(
        False,
        "The input is running English text: split it into sentences, which are parsed one by one, and tokens first.",
    )
    grammar: Path | str | None = flag(
        None,
        "grammar.json, a folder that holds one, or ccgbank for the one that depccg brings [default: that of the "
        "treebank the run was trained on, else ccgbank].",
        metavar="GRAMMAR",
    )
    betas: tuple[float, ...] = flag(
        (0.1, 0.01, 0.001, 0.0001),
        "Give the parser all tags with p >= beta * p_best; with several betas between commas, the next is tried where "
        "one gives no parse [default: 0.1,0.01,0.001,0.0001].",
        names=("--beta",),
        commas=True,
    )
    roots: str = flag(
        "",
        "Categories that a whole sentence may have, between commas [default: those of the treebank; for ccgbank "
        "S[dcl],S[wq],S[q],S[qem],NP].",
    )
    fragments: bool = flag(False, "A sentence without a parse may have any other category.")
    seen_rules: bool | None = flag(
        None,
        "Rules that the treebank has, or all at once [default: the treebank's, then all where they give no parse].",
        names=("--seen-rules/--all-rules",),
    )
    nbest: int = flag(1, "Most derivations of a sentence.", low=1)
    jobs: int = flag(1, "Processes that parse.", low=1, high=MOST_PROCESSES)
    max_steps: int = flag(50_000, "Steps of the search after which a try is given up.", low=1)
    max_words: int = flag(250, "Longer sentences are not parsed.", low=1)
    pos_model: Path | str | None = flag(None, "Run of a second tagger, for the parts of speech in auto and conll.")
    batch_size: int = flag(64, "Maximum number of sentences tagged together.", low=1)
    skip_bad: bool = flag(
        False, "Go on after a bad sentence: it is listed on stderr, and an empty one stands in its place."
    )
    weights: tuple[float, ...] = flag((), WEIGHT, names=("--weight",))
    device: str = flag("cpu", DEVICE)

    def __post_init__(self) -> None:
        if not self.betas or any(not 0 < beta <= 1 for beta in self.betas):
            raise UsageError(f"--beta must be above 0 and at most 1, found {_list(self.betas)}")
        if any(later >= earlier for earlier, later in zip(self.betas, self.betas[1:], strict=False)):
            raise UsageError(f"--beta: each must be smaller than the one before it, found {_list(self.betas)}")

    @property
    def root_categories(self) -> tuple[str, ...]:
        """The roots that were asked for; () for those of the grammar."""
        return tuple(self.roots.replace(",", " ").split())


def _list(numbers: tuple[float, ...]) -> str:
    return ", ".join(f"{number:g}" for number in numbers) or "none"
