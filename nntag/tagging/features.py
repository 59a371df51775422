"""Word forms -> the integer features of the tagger's input layer, computed once for each distinct form."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nntag.config.tagging import TaggerInput
from nntag.encoding.vocabulary import PAD, Vocabulary, rank_by_count
from nntag.schema import Record, Rows, Text
from nntag.tagging.tag_columns import MAYBE_TAGS, SAME_LENGTH, TAGS, TagColumn, columns_from_json, columns_to_json

DIGIT = re.compile(r"[0-9]")
LONGEST_WORD = 24  # characters that the convolution sees: the first 16 and the last 8 of a longer word
AFFIX_LENGTHS = (1, 2, 3, 4)
AFFIX_MIN_COUNT = 3  # ours: an affix of fewer training word forms is unknown
SHAPES = ("lower", "Capital", "UPPER", "Capital.", "mIxed", "digits", "d1gits", "symbols")

SAVED = Record(  # the `vocab.json` of a run
    {
        "words": Rows(Text()),
        "characters": Rows(Text()),
        "affixes": Rows(Text()),
        "forms": Rows(Text()),
        **TAGS,
    },
    {"encoder": Record({"hash": Text()}), **MAYBE_TAGS},
    same_length=(SAME_LENGTH,),
)


def normalise_word(word: str, settings: TaggerInput) -> str:
    """The form under which a word is looked up: lower case, digits as 9 (section 6.1.1, Wu 2016)."""
    if settings.lowercase:
        word = word.lower()
    return DIGIT.sub("9", word) if settings.digits else word


def capital_of(word: str, shapes: bool) -> int:
    """1 or 2 for not capitalised or capitalised; with `shapes`, 1-8 for the entry of `SHAPES` (0 is padding)."""
    if not shapes:
        return 1 + word[:1].isupper()
    if word.isalpha() and word[1:].islower() and (word[0].islower() or word[0].isupper()):
        return 1 + word[0].isupper()  # what most words are, found without a loop
    letters = [character for character in word if character.isalpha()]
    if not letters:
        return 1 + (5 if any(character.isdigit() for character in word) else 7)
    if any(character.isdigit() for character in word):
        return 1 + 6
    if all(not character.isupper() for character in letters):
        return 1 + 0
    if all(not character.islower() for character in letters):
        return 1 + (1 if len(letters) == 1 else 2)
    if word[0].isupper() and not any(character.isupper() for character in word[1:]):
        return 1 + (3 if "." in word else 1)
    return 1 + 4


def word_affixes(word: str) -> list[str]:
    """The prefixes (`^..`) and suffixes (`..$`) of `AFFIX_LENGTHS` characters, "" where the word is too short."""
    prefixes = ["^" + word[:length] if len(word) >= length else "" for length in AFFIX_LENGTHS]
    suffixes = [word[-length:] + "$" if len(word) >= length else "" for length in AFFIX_LENGTHS]
    return prefixes + suffixes


@dataclass(frozen=True, slots=True)
class TaggerVocabularies:
    """The strings that a tagger knows; all of them come from the training split."""

    words: Vocabulary
    characters: Vocabulary
    affixes: Vocabulary
    columns: tuple[TagColumn, ...]  # of tags
    forms: frozenset[str]  # the training words as written, to tell known from unseen words

    @property
    def tags(self) -> tuple[str, ...]:
        """The output classes of the first column, in id order."""
        return self.columns[0].tags

    @property
    def tag_counts(self) -> tuple[int, ...]:
        """How often each tag of the first column occurs in training."""
        return self.columns[0].counts

    @property
    def places(self) -> list[slice]:
        """Where each column's tags stand among those of all columns: the places of their scores."""
        ends = list(itertools.accumulate(len(column.tags) for column in self.columns))
        return [slice(start, end) for start, end in zip([0, *ends], ends, strict=False)]

    @property
    def no_answers(self) -> list[int]:
        """The places of the rare tags, which are never given."""
        return [
            place.start + column.tags.index(column.rare_tag)
            for column, place in zip(self.columns, self.places, strict=True)
            if column.rare_tag in column.tags
        ]

    def to_json(self) -> dict[str, Any]:
        """What a run keeps of them."""
        return {
            "words": self.words.known(),
            "characters": self.characters.known(),
            "affixes": self.affixes.known(),
            **columns_to_json(self.columns),
            "forms": sorted(self.forms),
        }

    @classmethod
    def from_json(cls, saved: Mapping[str, Any]) -> TaggerVocabularies:
        """The vocabularies that `to_json` wrote."""
        words, characters, affixes = (Vocabulary(saved[name]) for name in ("words", "characters", "affixes"))
        return cls(words, characters, affixes, columns_from_json(saved), frozenset(saved["forms"]))


def build_vocabularies(
    word_counts: Mapping[str, int],
    tags: Mapping[str, int] | Sequence[TagColumn],
    settings: TaggerInput,
) -> TaggerVocabularies:
    """Vocabularies from the counts of the training split's word forms and tags; or from its columns of tags."""
    words: Counter[str] = Counter()
    characters: Counter[str] = Counter()
    affixes: Counter[str] = Counter()
    for form, count in word_counts.items():
        words[normalise_word(form, settings)] += count
        for character in set(form):
            characters[character] += 1
        if settings.normalised_affixes:
            characters.update(set(normalise_word(form, settings)) - set(form))
        affixes.update(affix for affix in word_affixes(normalise_word(form, settings)) if affix)
    if not settings.affix_size:
        affixes.clear()
    if isinstance(tags, Mapping):
        ranked = rank_by_count(tags)
        tags = [TagColumn("", tuple(ranked), tuple(tags[tag] for tag in ranked))]
    return TaggerVocabularies(
        Vocabulary(rank_by_count(words, settings.min_count)),
        Vocabulary(rank_by_count(characters)),
        Vocabulary(rank_by_count(affixes, AFFIX_MIN_COUNT)),
        tuple(tags),
        frozenset(word_counts),
    )


@dataclass(frozen=True, slots=True)
class FormFeatures:
    """The features of U distinct word forms; row 0 is padding (all zeros)."""

    words: np.ndarray  # int64[U]
    capitals: np.ndarray  # int64[U]
    ends: np.ndarray  # int64[U, 2 * affix_length]: ids of the first and last characters
    affixes: np.ndarray  # int64[U, 8]
    characters: np.ndarray  # int64[U, W]: characters in order, 0 after the end

    def rows(self, wanted: np.ndarray) -> FormFeatures:
        """The features of the forms `wanted`, without the character columns that are padding in all of them."""
        characters = self.characters[wanted]
        width = max(1, int(np.count_nonzero(characters, axis=1).max(initial=0)))
        return FormFeatures(
            self.words[wanted], self.capitals[wanted], self.ends[wanted], self.affixes[wanted], characters[:, :width]
        )


def encode_forms(forms: Sequence[str], vocabularies: TaggerVocabularies, settings: TaggerInput) -> FormFeatures:
    """The features of `forms`, with the padding row put before them."""
    size = len(forms) + 1
    words, capitals = np.zeros(size, np.int64), np.zeros(size, np.int64)
    ends = np.zeros((size, 2 * settings.affix_length), np.int64)
    affixes = np.zeros((size, 2 * len(AFFIX_LENGTHS) if settings.affix_size else 0), np.int64)
    characters = np.zeros((size, LONGEST_WORD if settings.filters else 1), np.int64)
    for row, form in enumerate(forms, 1):
        normal = normalise_word(form, settings)
        words[row] = vocabularies.words.id_of(normal)
        capitals[row] = capital_of(form, settings.shapes)
        if settings.affix_length:
            ends[row] = _end_characters(
                normal if settings.normalised_affixes else form, vocabularies.characters, settings.affix_length
            )
        if settings.affix_size:
            affixes[row] = [vocabularies.affixes.id_of(affix) if affix else PAD for affix in word_affixes(normal)]
        if settings.filters:
            seen = form if len(form) <= LONGEST_WORD else form[:16] + form[-8:]
            characters[row, : len(seen)] = vocabularies.characters.ids_of(seen)
    return FormFeatures(words, capitals, ends, affixes, characters)


def _end_characters(form: str, characters: Vocabulary, length: int) -> list[int]:
    """Ids of the first and the last `length` characters (section 5.1, Wu 2016); short words are padded with one symbol.

    ours: the padding follows a short prefix and precedes a short suffix, so that last characters keep their places.
    """
    first, last = characters.ids_of(form[:length]), characters.ids_of(form[-length:])
    padding = [PAD] * (length - len(first))
    return first + padding + padding + last


class FormTable:
    """Numbers word forms as they are met and keeps their features, so that each form is encoded once.

    With a `limit`, memory stays flat on endless input: past it, `make_room` begins the table anew.
    """

    def __init__(self, vocabularies: TaggerVocabularies, settings: TaggerInput, limit: int | None = None):
        self._vocabularies, self._settings, self._limit = vocabularies, settings, limit
        self.generation = 0  # rises whenever the numbers begin anew
        self._reset()

    def _reset(self) -> None:
        self.generation += 1
        self._numbers: dict[str, int] = {}
        self._features = encode_forms([], self._vocabularies, self._settings)

    def make_room(self) -> None:
        """Forgets all forms where there are too many; numbers given before that are then invalid."""
        if self._limit is not None and len(self._numbers) > self._limit:
            self._reset()

    def number(self, sentences: Iterable[Sequence[str]]) -> list[np.ndarray]:
        """Each sentence as int64 form numbers (from 1); forms not met before are encoded and added."""
        numbered, fresh = [], []
        for sentence in sentences:
            row = np.empty(len(sentence), np.int64)
            for place, form in enumerate(sentence):
                number = self._numbers.get(form)
                if number is None:
                    number = self._numbers[form] = len(self._numbers) + 1
                    fresh.append(form)
                row[place] = number
            numbered.append(row)
        if fresh:
            added = encode_forms(fresh, self._vocabularies, self._settings)
            old = self._features
            self._features = FormFeatures(
                *(np.concatenate([getattr(old, name), getattr(added, name)[1:]]) for name in old.__slots__)
            )
        return numbered

    def features(self, numbers: np.ndarray) -> FormFeatures:
        """The features of the given form numbers, padding row (number 0) not added."""
        return self._features.rows(numbers)
