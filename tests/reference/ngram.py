"""Interpolated modified Kneser-Ney by its definition: dictionaries of tuples, recursion, float64, no ranks."""

from __future__ import annotations

from collections import Counter

BOS, EOS = "<s>", "</s>"


class ReferenceKneserNey:
    """`sentences` are lists of words without signs; `vocabulary` holds every word to be predicted, </s> too."""

    def __init__(self, sentences: list[list[str]], order: int, vocabulary: list[str]):
        self.order, self.vocabulary = order, vocabulary
        self.true = Counter()
        for sentence in sentences:
            words = [BOS, *sentence, EOS]
            for k in range(1, order + 1):
                for i in range(len(words) - k + 1):
                    self.true[tuple(words[i : i + k])] += 1
        self.left = {gram: set() for gram in self.true}
        for gram in self.true:
            if len(gram) > 1:
                self.left[gram[1:]].add(gram[0])
        self.discounts = {k: self._find_discounts(sentences, k) for k in range(1, order + 1)}

    def adjusted(self, gram: tuple[str, ...]) -> int:
        if gram == (BOS,) or gram not in self.true:
            return 0
        if len(gram) == self.order or gram[0] == BOS:
            return self.true[gram]
        return len(self.left[gram])

    def _find_discounts(self, sentences: list[list[str]], k: int) -> list[float]:
        n = Counter(self.adjusted(gram) for gram in self.true if len(gram) == k)
        last = self._find_last(sentences)[-k:]
        if k < self.order and last.count(BOS) < 2:  # lmplz's slip: this one n-gram enters with its true count
            n[self.adjusted(last)] -= 1
            n[self.true[last]] += 1
        if not (n[1] and n[2] and n[3]):
            return [0, 0.5, 1, 1.5]
        y = n[1] / (n[1] + 2 * n[2])
        found = [0, 1 - 2 * y * n[2] / n[1], 2 - 3 * y * n[3] / n[2], 3 - 4 * y * n[4] / n[3]]
        return found if all(0 < d <= c for c, d in enumerate(found) if c) else [0, 0.5, 1, 1.5]

    def _find_last(self, sentences: list[list[str]]) -> tuple[str, ...]:
        """The window that comes last when windows are compared from the right, words by when they first appeared."""
        appeared = list(dict.fromkeys([BOS, EOS, *(word for sentence in sentences for word in sentence)]))
        windows = []
        for sentence in sentences:
            words = [*[BOS] * (self.order - 1), *sentence, EOS]
            windows += [tuple(words[i : i + self.order]) for i in range(len(words) - self.order + 1)]
        return max(windows, key=lambda window: [appeared.index(word) for word in window[::-1]])

    def probability(self, word: str, context: tuple[str, ...]) -> float:
        """p(word | context), the context's oldest word first."""
        context = context[max(0, len(context) - self.order + 1) :]
        lower = self.probability(word, context[1:]) if context else 1 / len(self.vocabulary)
        followers = [self.adjusted((*context, v)) for v in self.vocabulary]
        total = sum(followers)
        if not total:
            return lower
        discounts = self.discounts[len(context) + 1]
        gamma = sum(discounts[min(count, 3)] for count in followers) / total
        count = self.adjusted((*context, word))
        return (count - discounts[min(count, 3)]) / total + gamma * lower
