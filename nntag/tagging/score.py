"""Gold and predicted tags in, the tagging report out: plain counts over all real tokens, whatever the batches were."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from nntag.encoding.vocabulary import RARE
from nntag.errors import DataError
from nntag.tagging.parts import PartScore, find_part_kind

BANDS = ((100, ">=100"), (10, "10-99"), (1, "1-9"), (0, "unseen"))  # of the gold tag's count in training
MOST_CONFUSIONS = 20
MOST_PAIRS = 10_000  # of gold and predicted tags: a report stays below half a megabyte


class TaggingScore:
    """Counts of right and wrong tags; `add` sentences, then `report`.

    A gold tag of None (missing in the file) is not counted at all. A gold tag that training lacks counts as wrong.
    """

    def __init__(self, training_tags: Mapping[str, int], training_forms: frozenset[str], rare_tag: str | None = RARE):
        """From the training split: tag counts, the words as written (to tell known from unseen words), and the class
        of the tags that were cut off, if any."""
        self._training_tags, self._training_forms, self._rare_tag = training_tags, training_forms, rare_tag
        self._pairs: Counter[tuple[str, str]] = Counter()  # (gold, predicted)
        self._known: Counter[bool] = Counter()  # is the prediction right?
        self._unseen: Counter[bool] = Counter()
        self._sentences: Counter[bool] = Counter()
        kind = find_part_kind(tag for tag in training_tags if tag != rare_tag)
        self._parts = PartScore(kind) if kind else None
        self.missing = 0

    def add(self, tokens: Sequence[str], gold: Sequence[str | None], predicted: Sequence[str]) -> None:
        """Counts one sentence; all three have one entry a token."""
        all_right, counted = True, False
        for token, right_tag, tag in zip(tokens, gold, predicted, strict=True):
            if right_tag is None:
                self.missing += 1
                continue
            counted = True
            right = right_tag == tag
            all_right &= right
            self._pairs[right_tag, tag] += 1
            (self._known if token in self._training_forms else self._unseen)[right] += 1
        if counted:
            self._sentences[all_right] += 1
        if self._parts:
            self._parts.add(gold, predicted)

    def report(self) -> dict[str, Any]:
        """All figures; shares lie between 0 and 1 and are None where there is nothing to share. Where the training tags
        have parts, also what `PartScore` reports. Raises `DataError` where no token with a gold tag was added."""
        if not self._pairs:
            raise DataError("<evaluation>", None, "no sentences with gold tags to evaluate on")
        right = Counter({gold: n for (gold, tag), n in self._pairs.items() if gold == tag})
        gold_counts, predicted_counts = Counter[str](), Counter[str]()
        for (gold, tag), number in self._pairs.items():
            gold_counts[gold] += number
            predicted_counts[tag] += number
        return {
            **_share("accuracy", right.total(), gold_counts.total(), "tokens"),
            "known_words": _accuracy(self._known),
            "unseen_words": _accuracy(self._unseen),
            **_share("sentence_accuracy", self._sentences[True], self._sentences.total(), "sentences"),
            "tokens_without_gold_tag": self.missing,
            "by_training_frequency": self._by_frequency(right, gold_counts),
            "per_tag": {
                tag: _precision_recall(right[tag], gold_counts[tag], predicted_counts[tag])
                for tag in sorted(gold_counts | predicted_counts, key=lambda tag: (-gold_counts[tag], tag))
            },
            "confusions": self._confusions(),
            "confusion_matrix": self._confusion_matrix(),
            **(self._parts.report() if self._parts else {}),
        }

    def _by_frequency(self, right: Counter[str], gold: Counter[str]) -> dict[str, Any]:
        """With `--tag-cutoff` the tags that training lacks are those that it has not seen and those cut off."""
        bands = [*BANDS[:-1], (0, f"unseen or {self._rare_tag}")] if self._rare_tag in self._training_tags else BANDS
        hits, totals = Counter[str](), Counter[str]()
        for tag, number in gold.items():
            count = self._training_tags.get(tag, 0)
            band = next(name for low, name in bands if count >= low)
            hits[band] += right[tag]
            totals[band] += number
        return {name: _share("accuracy", hits[name], totals[name], "tokens") for _, name in bands}

    def _confusions(self) -> list[dict[str, Any]]:
        wrong = [(pair, number) for pair, number in self._pairs.items() if pair[0] != pair[1]]
        wrong.sort(key=lambda item: (-item[1], item[0]))
        return [{"gold": g, "predicted": p, "count": number} for (g, p), number in wrong[:MOST_CONFUSIONS]]

    def _confusion_matrix(self) -> dict[str, Any]:
        """Every pair of a gold and a predicted tag, also the right ones: `[gold, predicted, count]`, the tags by their
        place in `tags`. Of more than `MOST_PAIRS` pairs those that occur most, and the others' count as `left_out`."""
        tags = sorted({tag for pair in self._pairs for tag in pair})
        places = {tag: place for place, tag in enumerate(tags)}
        pairs = sorted(self._pairs.items(), key=lambda item: (-item[1], item[0]))
        shown = [[places[gold], places[tag], number] for (gold, tag), number in pairs[:MOST_PAIRS]]
        return {"tags": tags, "pairs": shown, "left_out": sum(number for _, number in pairs[MOST_PAIRS:])}


def _share(name: str, part: int, whole: int, unit: str) -> dict[str, Any]:
    return {name: part / whole if whole else None, unit: whole}


def _accuracy(counts: Counter[bool]) -> dict[str, Any]:
    return _share("accuracy", counts[True], counts.total(), "tokens")


def _precision_recall(right: int, gold: int, predicted: int) -> dict[str, Any]:
    """F1 = 2 right / (gold + predicted): the harmonic mean of precision and recall."""
    return {
        "precision": right / predicted if predicted else None,
        "recall": right / gold if gold else None,
        "f1": 2 * right / (gold + predicted),
        "gold": gold,
        "predicted": predicted,
    }


class MultitagScore:
    """How good the sets of tags with p >= beta * p_best are: size, and how often the gold tag is among them."""

    def __init__(self, beta: float):
        self.beta = beta
        self._tags = self._words = self._right_words = self._sentences = self._right_sentences = 0

    def add(self, gold: Iterable[str | None], offered: Iterable[Sequence[str]]) -> None:
        """Counts one sentence: gold tags (None: missing, not counted) and the tags offered for each word."""
        hits = []
        for right_tag, tags in zip(gold, offered, strict=True):
            if right_tag is not None:
                self._tags += len(tags)
                hits.append(right_tag in tags)
        self._words += len(hits)
        self._right_words += sum(hits)
        self._sentences += bool(hits)
        self._right_sentences += bool(hits) and all(hits)

    def report(self) -> dict[str, Any]:
        """Tags per word, and shares of words and sentences with every gold tag among those offered."""
        return {
            "beta": self.beta,
            "tags_per_word": self._tags / self._words if self._words else None,
            "word_accuracy": self._right_words / self._words if self._words else None,
            "sentence_accuracy": self._right_sentences / self._sentences if self._sentences else None,
        }
