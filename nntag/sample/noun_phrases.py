"""Noun phrases of the sample grammar (`NP`): pronouns, names, determined, possessed, counted and coordinated nouns."""

from __future__ import annotations

from nntag.sample import words
from nntag.sample.derivations import Derivation, Leaf, join, retype
from nntag.sample.lexicon import GENERAL_NOUNS, Table, list_words
from nntag.sample.modifiers import Modifiers
from nntag.sample.nouns import APPROXIMATIONS
from nntag.sample.phrases import Reference, choose_article, find_first_leaf, make_mark

DETERMINER = "NP[nb]/N"
PRONOUNS = {  # subject, object, agreement
    "person": Table(
        [("he", "him", "sg"), ("she", "her", "sg"), ("they", "them", "pl"), ("I", "me", "I"), ("we", "us", "pl"),
         ("you", "you", "pl")],
        (5, 5, 4, 3, 2, 2),
    ),
    "thing": Table([("it", "it", "sg"), ("they", "them", "pl")], (3, 1)),
}  # fmt: skip
SINGLE_WORDS = {
    "person": Table(["everyone", "somebody", "nobody", "someone", "everybody", "anyone"], (4, 3, 3, 2, 1, 1)),
    "thing": Table(["everything", "something", "nothing", "this", "that"], (3, 3, 3, 2, 2)),
}
POSSESSIVES = Table(["his", "her", "their", "my", "its", "our", "your"], (6, 6, 4, 3, 1, 2, 2))
DETERMINERS = {
    "sg": Table(["the", "a", "this", "that", "every", "another", "each", "no"], (46, 30, 6, 3, 4, 3, 1, 2)),
    "pl": Table(["the", "some", "these", "those", "all", "no", "both"], (46, 10, 6, 4, 2, 2, 1)),
    "numbered": Table(["the", "these", "those"], (8, 1, 1)),
    "mass": Table(["the", "some", "this", "no", "enough"], (40, 12, 5, 4, 2)),
}
MULTITUDES = list_words(words.MULTITUDES)
QUANTIFIERS = Table(["one", "some", "most", "many", "none", "several", "each", "half"], (6, 5, 3, 3, 1, 2, 1, 1))


class NounPhrases(Modifiers):
    def noun_phrase(self, kind: str, depth: int, subject: bool = False) -> tuple[Derivation, Reference]:
        """A noun phrase of this kind, with pronouns and names where they fit, then modifiers and coordination."""
        simple = self._simple(kind, depth, subject)
        phrase, reference = simple or self.determined(kind, depth)
        if simple is None and depth < 3 and self.chance((0.24, 0.16, 0.08)[depth]):
            phrase = self.modify(phrase, reference, depth, subject)
        elif depth < 3 and self.chance(0.045):
            phrase, reference = self._coordinate(phrase, reference, depth)
        return phrase, reference

    def _simple(self, kind: str, depth: int, subject: bool) -> tuple[Derivation, Reference] | None:
        """A pronoun, a name or another phrase of one word or two; None asks for a noun with a determiner."""
        choice = self.random()
        if kind in PRONOUNS and choice < (0.24 if subject else 0.1) * (1 if kind == "person" else 0.5):
            nominative, oblique, agreement = self.pick(PRONOUNS[kind])
            lemma = nominative
            return Leaf("NP", "PRP", nominative if subject else oblique, lemma), Reference(kind, agreement, False)
        if kind == "person" and choice < 0.46:
            phrase: Derivation = retype(self.person_name(), "NP")
            if subject and depth < 2 and self.chance(0.06):
                phrase = self.add_apposition(phrase)
            return phrase, Reference(kind, "sg", True)
        if kind == "place" and choice < 0.3:
            return retype(self.town_name(), "NP"), Reference(kind, "sg", True)
        if kind in SINGLE_WORDS and choice > 0.985:
            word = self.pick(SINGLE_WORDS[kind])
            tag = "DT" if word in ("this", "that") else "NN"
            return Leaf("NP", tag, word, word), Reference(kind, "sg", False)
        if kind == "thing" and choice > 0.975 and not subject:
            return self._amount(), Reference(kind, "sg", False)
        return None

    def determined(self, kind: str, depth: int) -> tuple[Derivation, Reference]:
        """A noun with a determiner, a possessor, a quantifier, or none where plurals and masses allow it."""
        noun, reference = self.noun(kind, depth)
        agreement = reference.agreement
        counted = reference._replace(agreement="sg" if agreement == "mass" else agreement)
        first, choice = find_first_leaf(noun), self.random()
        is_about, is_numbered = first.word in APPROXIMATIONS, first.tag == "CD"
        if agreement != "sg" and (choice < 0.3 or is_about):
            return self._bare(noun, agreement, is_numbered or is_about), counted
        if choice < 0.4:
            return join(self._possessive(depth), noun), counted
        if choice < 0.43 and agreement == "sg":
            noun = join(self.superlative(kind), noun)
            return join(Leaf(DETERMINER, "DT", "the", "the"), noun), counted
        if choice > 0.985 and agreement == "pl":
            return self._quantified(noun), counted
        word = lemma = self.pick(DETERMINERS["numbered" if is_numbered else agreement])
        if word == "a":
            word = choose_article(first.word)
        phrase = join(Leaf(DETERMINER, "DT", word, lemma), noun)
        if choice > 0.96 and lemma == "the":
            before = ("only", "RB") if agreement != "pl" or self.chance(0.5) else ("all", "PDT")
            phrase = join(Leaf("NP/NP", before[1], before[0], before[0]), phrase)
        return phrase, counted

    def indefinite(self, kind: str, depth: int) -> tuple[Derivation, Reference]:
        """A noun phrase such as stands after `there is`: with `a`, `no`, `some`, a number, or bare."""
        noun, reference = self.noun(kind, depth)
        first, is_single = find_first_leaf(noun), reference.agreement == "sg"
        if not is_single and (first.tag == "CD" or first.word in APPROXIMATIONS or self.chance(0.6)):
            return self._bare(noun, reference.agreement, first.tag != "NNS"), reference
        word = "no" if self.chance(0.15) else choose_article(first.word) if is_single else "some"
        determiner = Leaf(DETERMINER, "DT", word, "a" if word == "an" else word)
        return join(determiner, noun), reference._replace(agreement="pl" if reference.agreement == "pl" else "sg")

    def _bare(self, noun: Derivation, agreement: str, is_numbered: bool) -> Derivation:
        """A plural or mass noun without determiner; some plurals get `many` or the like."""
        if agreement == "pl" and not is_numbered and self.chance(0.22):
            word = self.pick(MULTITUDES)
            noun = join(Leaf("N/N", "JJ", word, word), noun)
        return retype(noun, "NP")

    def _possessive(self, depth: int) -> Derivation:
        """`his`, `Anna 's` or `the captain 's`."""
        choice = self.random()
        if choice < 0.6 or depth > 2:
            word = self.pick(POSSESSIVES)
            return Leaf("NP[nb]/N", "PRP$", word, word)
        if choice < 0.85:
            owner = retype(self.person_name(), "NP")
        else:
            (singular, _), _ = self.pick_noun("person")
            owner = join(Leaf(DETERMINER, "DT", "the", "the"), Leaf("N", "NN", singular, singular))
        return join(owner, Leaf(r"(NP[nb]/N)\NP", "POS", "'s", "'s"))

    def _quantified(self, noun: Derivation) -> Derivation:
        """`one of the sailors`."""
        word = self.pick(QUANTIFIERS)
        first = Leaf("NP", "CD" if word == "one" else "DT" if word in ("each", "some", "half") else "JJ", word, word)
        whole = join(Leaf(DETERMINER, "DT", "the", "the"), noun)
        return join(first, join(Leaf(r"(NP\NP)/NP", "IN", "of", "of"), whole))

    def _amount(self) -> Derivation:
        """`$ 12.50`, `40 percent` or `3 miles`."""
        choice = self.random()
        if choice < 0.4:
            figure = f"{1 + int(99 * self.random() ** 2)}.{int(10 * self.random())}0"
            return retype(join(Leaf("N/N[num]", "$", "$", "$"), Leaf("N[num]", "CD", figure, figure)), "NP")
        if choice < 0.6:
            return retype(join(self.number("N/N", is_whole=False), Leaf("N", "NN", "percent", "percent")), "NP")
        singular, plural = self.pick(GENERAL_NOUNS["unit"])
        return retype(join(self.number("N/N", is_whole=False), Leaf("N", "NNS", plural, singular)), "NP")

    def _coordinate(self, phrase: Derivation, reference: Reference, depth: int) -> tuple[Derivation, Reference]:
        """`A and B`, sometimes `A , B and C`."""
        word = "and" if self.chance(0.9) else "or"
        other, _ = self.determined(reference.kind, depth + 1)
        rest = join(Leaf("conj", "CC", word, word), other)
        if self.chance(0.2):
            middle, _ = self.determined(reference.kind, depth + 2)
            rest = join(make_mark(","), join(middle, rest), "conj")
        return join(phrase, rest), reference._replace(agreement="pl")
