"""Vocabularies: strings to ids and back; id 0 is padding, id 1 the unknown entry."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

PAD, UNKNOWN = 0, 1
RARE = "RARE"  # the class that stands for all tags under `--tag-cutoff` (section 6.1.2, Wu 2016); never an answer
SPECIALS = ("<pad>", "<unk>")  # in the list, so that ids are places in it; never looked up by these names


class Vocabulary:
    """The known strings of one kind; ids are places in `entries`, which begins with `<pad>` and `<unk>`."""

    def __init__(self, entries: Iterable[str]):
        """`entries` without the two specials, in id order."""
        self.entries: tuple[str, ...] = (*SPECIALS, *entries)
        self._ids = {entry: number + len(SPECIALS) for number, entry in enumerate(self.entries[len(SPECIALS) :])}

    def __len__(self) -> int:
        return len(self.entries)

    def __contains__(self, entry: str) -> bool:
        return entry in self._ids

    def id_of(self, entry: str) -> int:
        """The id, or `UNKNOWN`."""
        return self._ids.get(entry, UNKNOWN)

    def ids_of(self, entries: Iterable[str]) -> list[int]:
        """The id of each, or `UNKNOWN`; of a string, of its characters."""
        known = self._ids.get
        return [known(entry, UNKNOWN) for entry in entries]

    def known(self) -> list[str]:
        """The entries without the specials: what the constructor takes."""
        return list(self.entries[len(SPECIALS) :])


class Numbering(dict[str, int]):
    """Numbers strings from 1 in the order in which they are first looked up."""

    def __missing__(self, entry: str) -> int:
        number = self[entry] = len(self) + 1
        return number


def rank_by_count(counts: Mapping[str, int], min_count: int = 1) -> list[str]:
    """The strings seen at least `min_count` times, most frequent first, equal counts in code point order."""
    kept = (entry for entry, count in counts.items() if count >= min_count)
    return sorted(kept, key=lambda entry: (-counts[entry], entry))


def count_all(groups: Iterable[Iterable[str]]) -> Counter[str]:
    """How often each string occurs in all groups together."""
    counts: Counter[str] = Counter()
    for group in groups:
        counts.update(group)
    return counts
