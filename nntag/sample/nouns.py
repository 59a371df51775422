"""Nouns of the sample grammar with what stands before them (`N`): numbers, degrees, adjectives, compounds, names."""

from __future__ import annotations

from nntag.sample import words
from nntag.sample.derivations import Derivation, Leaf, join
from nntag.sample.inflection import compare_adjective, form_quality
from nntag.sample.lexicon import COMPARABLE, GENERAL_NOUNS, Noun, list_nouns, list_words
from nntag.sample.phrases import Phrases, Reference, find_first_leaf

THING_ADJECTIVES, PERSON_ADJECTIVES = list_words(words.THING_ADJECTIVES), list_words(words.PERSON_ADJECTIVES)
PLACE_ADJECTIVES, EVENT_ADJECTIVES = list_words(words.PLACE_ADJECTIVES), list_words(words.EVENT_ADJECTIVES)
QUALITY_ADJECTIVES = list_words(words.QUALITY_ADJECTIVES)
DEGREES, MANNER = list_words(words.DEGREES), list_words(words.MANNER)
TRIPLE_PARTS, TOWN_PARTS = list_words(words.TRIPLE_PARTS), list_words(words.TOWN_PARTS)
MAKERS = list_nouns(words.MAKERS)
NAME_STARTS, SURNAME_ENDS, TOWN_ENDS = (
    list_words(text) for text in (words.NAME_STARTS, words.SURNAME_ENDS, words.TOWN_ENDS)
)
FIRST_NAMES, TITLES = list_words(words.FIRST_NAMES), list_words(words.TITLES)
NUMBER_WORDS = list_words("two three four five six ten seven twelve eight twenty nine thirty fifty eleven forty")
APPROXIMATIONS = ("about", "nearly", "only", "almost", "over")
MODIFIER = "N/N"
DEGREE = "(N/N)/(N/N)"


class Nouns(Phrases):
    def noun(self, kind: str, depth: int) -> tuple[Derivation, Reference]:
        """A noun with adjectives, compound parts and sometimes a number; its determiner is chosen by the caller."""
        if kind == "thing" and self.chance(0.02):
            return self._quality()
        if kind == "thing" and self.chance(0.12):
            return self._with_parts(depth) if depth < 3 and self.chance(0.5) else self._mass()
        is_trader = kind == "person" and self.chance(0.03)
        (singular, plural), topical = self._trader() if is_trader else self.pick_noun(kind)
        is_plural = self.chance(0.3) and kind != "role"
        word, tag = (plural, "NNS") if is_plural else (singular, "NN")
        phrase: Derivation = Leaf("N", tag, word, singular)
        if kind == "thing" and topical and self.chance(0.12):
            part = self._compound_part()
            phrase = join(part, phrase) if part.lemma != singular else phrase
        for chance in (0.34, 0.2):
            if not self.chance(chance):
                break
            modifier = self.modifier(kind, topical)
            if find_first_leaf(modifier).lemma != find_first_leaf(phrase).lemma:
                phrase = join(modifier, phrase)
        if is_plural and self.chance(0.14):
            phrase = join(self.number_phrase(), phrase)
        return phrase, Reference(kind if kind != "role" else "person", "pl" if is_plural else "sg", topical)

    def _trader(self) -> tuple[Noun, bool]:
        """A person by their trade, `rope-maker`: words that are rare one by one and common together."""
        thing, (singular, plural) = self.pick(self.topic.nouns["thing"])[0], self.pick(MAKERS)
        return (f"{thing}-{singular}", f"{thing}-{plural}"), True

    def single_noun(self, kind: str) -> tuple[Derivation, Reference]:
        """A countable noun in the singular."""
        while (pair := self.noun(kind, 2))[1].agreement != "sg":
            pass
        return pair

    def _mass(self) -> tuple[Derivation, Reference]:
        (word, _), topical = self.pick_noun("mass")
        phrase: Derivation = Leaf("N", "NN", word, word)
        if self.chance(0.3):
            phrase = join(self.modifier("thing", topical), phrase)
        return phrase, Reference("thing", "mass", topical)

    def _quality(self) -> tuple[Derivation, Reference]:
        """An abstract noun, half of the time one in -ness."""
        if self.chance(0.5):
            word = form_quality(self.pick(QUALITY_ADJECTIVES))
        else:
            word = self.pick(GENERAL_NOUNS["quality"])[0]
        return Leaf("N", "NN", word, word), Reference("thing", "mass", False)

    def _with_parts(self, depth: int) -> tuple[Derivation, Reference]:
        """`captain of the ship`: a noun that takes a prepositional phrase."""
        (singular, plural), topical = self.pick_noun("part")
        whole, _ = self.topical_object(depth + 2)
        of_phrase = join(Leaf("PP/NP", "IN", "of", "of"), whole)
        is_plural = self.chance(0.12)
        word, tag = (plural, "NNS") if is_plural else (singular, "NN")
        phrase = join(Leaf("N/PP", tag, word, singular), of_phrase)
        return phrase, Reference("thing", "pl" if is_plural else "sg", topical)

    def _compound_part(self) -> Leaf:
        word = self.pick(self.topic.nouns["mass" if self.chance(0.3) else "thing"])[0]
        return Leaf(MODIFIER, "NN", word, word)

    def modifier(self, kind: str, topical: bool) -> Derivation:
        """An `N/N`: an adjective, with its degree or in a higher degree, a participle or a compound adjective."""
        adjective = self.pick_adjective(kind, topical)
        if adjective in COMPARABLE and self.chance(0.08):
            word = compare_adjective(adjective)[0]
            return Leaf(MODIFIER, "JJR", word, adjective)
        if kind == "thing" and self.chance(0.02):
            noun = self.pick(self.topic.nouns["mass" if self.chance(0.5) else "thing"])[0]
            word = f"{noun}-{self.pick(TRIPLE_PARTS)}"
            return Leaf(MODIFIER, "JJ", word, word)
        if kind == "thing" and topical and self.chance(0.1):
            verb = self.pick(self.topic.verbs["use"])
            if self.chance(0.3):
                word = f"{'un' if self.chance(0.6) else 'half-'}{verb.VBN}"
                return Leaf(MODIFIER, "JJ", word, word)
            return Leaf(MODIFIER, "VBN", verb.VBN, verb.lemma)
        if self.chance(0.04):
            verb = self.pick(self.topic.verbs["happen" if kind == "thing" else "act"])
            return Leaf(MODIFIER, "VBG", verb.VBG, verb.lemma)
        leaf = Leaf(MODIFIER, "JJ", adjective, adjective)
        if self.chance(0.08):
            return join(self.degree(DEGREE), leaf)
        if self.chance(0.05):
            other = self.pick_adjective(kind, topical)
            if other != adjective:
                also = join(Leaf("conj", "CC", "and", "and"), Leaf(MODIFIER, "JJ", other, other))
                return join(leaf, also)
        return leaf

    def pick_adjective(self, kind: str, topical: bool) -> str:
        if kind in ("person", "role"):
            return self.pick(PERSON_ADJECTIVES)
        if kind in ("place", "event"):
            return self.pick(PLACE_ADJECTIVES if kind == "place" else EVENT_ADJECTIVES)
        return self.pick(self.topic.adjectives if topical and self.chance(0.5) else THING_ADJECTIVES)

    def degree(self, category: str) -> Leaf:
        word = self.pick(DEGREES)
        return Leaf(category, "RB", word, word)

    def superlative(self, kind: str) -> Leaf:
        while (adjective := self.pick_adjective(kind, False)) not in COMPARABLE:
            pass
        word = compare_adjective(adjective)[1]
        return Leaf(MODIFIER, "JJS", word, adjective)

    def number(self, category: str, is_whole: bool = True) -> Leaf:
        """A number above one, as a word, in figures, with a thousands comma; or a decimal number or a fraction."""
        kind = self.random() * (0.92 if is_whole else 1.0)
        if kind < 0.5:
            word = self.pick(NUMBER_WORDS)
        elif kind < 0.8:
            word = str(2 + int(98 * self.random() ** 2))
        elif kind < 0.92:
            word = f"{100 * (1 + int(90 * self.random() ** 2)):,}"
        elif kind < 0.98:
            word = f"{1 + int(30 * self.random() ** 2)}.{1 + int(9 * self.random())}"
        else:
            part = 1 + int(5 * self.random())
            word = f"{part}/{part + 1 + int(4 * self.random())}"
        return Leaf(category, "CD", word, word)

    def number_phrase(self) -> Derivation:
        """A number before a plural noun, sometimes with `about` or `nearly`."""
        number = self.number(MODIFIER)
        if not self.chance(0.15):
            return number
        word = APPROXIMATIONS[int(len(APPROXIMATIONS) * self.random())]
        return join(Leaf(DEGREE, "IN" if word == "over" else "RB", word, word), number)

    def person_name(self) -> Derivation:
        """`Anna`, `Anna Harley`, `Mrs. Harley`."""
        kind = self.random()
        surname = self.pick(NAME_STARTS) + self.pick(SURNAME_ENDS)
        last = Leaf("N", "NNP", surname, surname)
        first = self.pick(FIRST_NAMES if kind < 0.8 else TITLES)
        if kind < 0.56:
            return Leaf("N", "NNP", first, first)
        return join(Leaf(MODIFIER, "NNP", first, first), last)

    def town_name(self) -> Derivation:
        town = self.pick(NAME_STARTS) + self.pick(TOWN_ENDS)
        leaf = Leaf("N", "NNP", town, town)
        if not self.chance(0.12):
            return leaf
        word = self.pick(TOWN_PARTS)
        return join(Leaf(MODIFIER, "NNP", town, town), Leaf("N", "NNP", word, word))
