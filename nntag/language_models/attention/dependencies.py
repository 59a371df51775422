"""Attention by grammar: weights of a parsed text's predictions in, mean weights by dependency and by path out.

Figure 6 of Tran, Bisazza & Monz (2016): a pair is an attended word and the word to predict. `->rel`: the word to
predict depends on the attended one as `rel`; `rel<-`: the attended word depends on the word to predict. Longer paths
are written the same way from the attended word up to the common head and down again: `subj<- ->conj ->xcomp`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from nntag.corpora.records import Sentence
from nntag.language_models.attention.statistics import Attention

MOST_STEPS = 4  # of a path
ALL = "[ALL]"


def position_bins(memory: int) -> list[tuple[int, int]]:
    """The paper's bins of positions, oldest first: -1, -2, -3, then four at a time: (-15, -12), (-11, -8), (-7, -4)."""
    bins = [(-back, -back) for back in range(1, min(3, memory) + 1)]
    bins += [(-min(back + 3, memory), -back) for back in range(4, memory + 1, 4)]
    return bins[::-1]


class DependencyStatistics:
    """Sums of weights by relation and position, and by path."""

    def __init__(self, memory: int):
        self.memory = memory
        self._sums: dict[str, np.ndarray] = defaultdict(lambda: np.zeros((2, memory)))  # weight, pairs by position
        self._paths: dict[str, np.ndarray] = defaultdict(lambda: np.zeros((2, memory)))

    def add(self, sentence: Sentence, weights: np.ndarray) -> None:
        """Takes in a sentence with heads; `weights: float[T + 1, M]`, a row for each word and for the end."""
        assert sentence.heads is not None and sentence.relations is not None
        heads, relations = sentence.heads, sentence.relations
        chains = [_chain(heads, word) for word in range(len(sentence))]
        for predicted in range(1, len(sentence)):
            for attended in range(max(0, predicted - self.memory), predicted):
                column = self.memory - (predicted - attended)
                entry = (weights[predicted, column], 1.0)
                self._sums[ALL][:, column] += entry
                path = find_path(chains[attended], chains[predicted])
                if path is None:
                    continue
                up, down = path
                labels = [f"{relations[word]}<-" for word in up] + [f"->{relations[word]}" for word in down]
                if len(labels) == 1:
                    self._sums[labels[0]][:, column] += entry
                if len(labels) <= MOST_STEPS:
                    self._paths[" ".join(labels)][:, column] += entry

    def report_relations(self) -> dict[str, Any]:
        """For each relation with its direction the mean weight in every bin of positions (None where it never occurs),
        most pairs first; `[ALL]` is the mean over all pairs of words."""
        bins = position_bins(self.memory)
        order = sorted(self._sums, key=lambda name: (name != ALL, -self._sums[name][1].sum(), name))
        return {"bins": bins, "relations": [self._report_relation(name, bins) for name in order]}

    def report_paths(self, least: int) -> list[dict[str, Any]]:
        """Paths seen at least `least` times by how much more weight they get than other pairs at the same positions."""
        all_sums, all_pairs = self._sums[ALL]
        usual = np.divide(all_sums, all_pairs, out=np.zeros(self.memory), where=all_pairs > 0)
        distances = np.arange(self.memory, 0, -1)
        rows = []
        for path, (sums, pairs) in self._paths.items():
            count = pairs.sum()
            if count >= least:
                expected = float(pairs @ usual / count)
                rows.append(
                    {
                        "path": path,
                        "pairs": int(count),
                        "mean_distance": float(pairs @ distances / count),
                        "mean_weight": float(sums.sum() / count),
                        "usual_weight": expected,  # of all pairs at the same positions
                        "ratio": float(sums.sum() / count / expected) if expected else None,
                    }
                )
        return sorted(rows, key=lambda row: (-(row["ratio"] or 0), row["path"]))

    def _report_relation(self, name: str, bins: Sequence[tuple[int, int]]) -> dict[str, Any]:
        sums, pairs = self._sums[name]
        columns = [slice(self.memory + first, self.memory + last + 1) for first, last in bins]
        counts = [int(pairs[where].sum()) for where in columns]
        means = [
            float(sums[where].sum() / count) if count else None for where, count in zip(columns, counts, strict=True)
        ]
        return {"relation": name, "pairs": int(pairs.sum()), "mean_weight": means, "pairs_by_bin": counts}


def find_path(attended: Sequence[int], predicted: Sequence[int]) -> tuple[list[int], list[int]] | None:
    """The words whose relations are passed going up from the attended word, and then going down to the predicted one.

    Both arguments are chains from a word to its root; None where the two are in different trees.
    """
    if attended[-1] != predicted[-1]:
        return None
    up, down = list(attended), list(predicted)
    while up and down and up[-1] == down[-1]:
        up.pop()
        down.pop()
    return up, down[::-1]


def _chain(heads: Sequence[int], word: int) -> list[int]:
    """The word, its head, the head of that and so on (words from 0); ends at a root, or where heads go in circles."""
    chain = [word]
    while heads[chain[-1]] != 0 and len(chain) <= len(heads):
        chain.append(heads[chain[-1]] - 1)
    return chain


def add_all(statistics: DependencyStatistics, sentences: Sequence[Sentence], attention: Attention) -> None:
    """Takes in the sentences that have heads, in the order of the attention's stream."""
    starts = attention.stream.starts
    for number, sentence in enumerate(sentences):
        if sentence.heads is not None:
            statistics.add(sentence, attention.weights[starts[number] : starts[number + 1]])
