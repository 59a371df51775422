"""How sentences are parsed: a frozen record of options, checked where it is made."""

from __future__ import annotations

from dataclasses import dataclass

from nntag.errors import UsageError

ENGLISH_ROOTS = ("S[dcl]", "S[wq]", "S[q]", "S[qem]", "NP")  # depccg's for CCGbank


@dataclass(frozen=True, slots=True)
class ParseOptions:
    """Betas are tried one after the other until a sentence has a parse (the ladder of Clark & Curran 2007)."""

    betas: tuple[float, ...] = (0.01, 0.001, 0.0001)
    roots: tuple[str, ...] = ()  # categories that a whole sentence may have; (): those of the grammar
    fragments: bool = False  # a sentence without a parse may have any other category
    seen_rules: bool | None = (
        None  # True: only those of the treebank, False: all at once, None: first seen ones, then all
    )
    nbest: int = 1  # most derivations of a sentence
    max_steps: int = 200_000  # items that the search takes up before a try is given up
    max_words: int = 250  # longer sentences are not parsed
    unary_penalty: float = 0.1  # depccg's, subtracted from the log-probability for each unary rule

    def __post_init__(self) -> None:
        if not self.betas or any(not 0 < beta <= 1 for beta in self.betas):
            raise UsageError(f"every beta must lie above 0 and not above 1, found {list(self.betas)}")
        if any(later >= earlier for earlier, later in zip(self.betas, self.betas[1:], strict=False)):
            raise UsageError(f"each beta must be smaller than the one before it, found {list(self.betas)}")
        for name in ("nbest", "max_steps", "max_words"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name.replace('_', '-')} must be at least 1, found {getattr(self, name)}")
