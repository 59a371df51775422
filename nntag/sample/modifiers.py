"""What follows a noun phrase in the sample grammar (`NP\\NP`): prepositional phrases, relative clauses, participles."""

from __future__ import annotations

from nntag.sample.derivations import Derivation, Leaf, join, retype
from nntag.sample.lexicon import GAPPED, GENERAL_NOUNS, PASSIVE, Table
from nntag.sample.nouns import Nouns
from nntag.sample.phrases import SOMEONE, Reference, choose_article, find_first_leaf, make_mark

AFTER_NOUN = r"NP\NP"
PREPOSITION = r"(NP\NP)/NP"
PREPOSITIONS = {  # by the kind of the noun: prepositions with the kind of what follows
    "person": Table(
        [("with", "thing"), ("from", "place"), ("in", "place"), ("near", "thing"), ("behind", "thing"),
         ("of", "place")],
        (4, 4, 2, 2, 1, 1),
    ),
    "thing": Table(
        [("from", "place"), ("of", "person"), ("in", "place"), ("on", "thing"), ("for", "person"), ("with", "thing"),
         ("near", "thing"), ("about", "thing"), ("without", "thing"), ("by", "person")],
        (5, 5, 4, 3, 2, 2, 2, 1, 1, 1),
    ),
    "place": Table(
        [("near", "place"), ("in", "town"), ("of", "town"), ("with", "thing"), ("behind", "place"),
         ("beyond", "place")],
        (4, 3, 2, 2, 2, 1),
    ),
    "event": Table(
        [("in", "place"), ("at", "place"), ("of", "year"), ("near", "town"), ("between", "pair")],
        (4, 3, 2, 1, 1),
    ),
}  # fmt: skip


class Modifiers(Nouns):
    def modify(self, phrase: Derivation, reference: Reference, depth: int, subject: bool) -> Derivation:
        """Put one modifier after a noun phrase; between commas sometimes where a verb is still to come."""
        modifier = self.pick(AFTER[reference.kind])(self, reference, depth)
        if modifier is None:
            modifier = self.prepositional(reference, depth)
        if subject and self.chance(0.1):
            modifier = join(join(make_mark(","), modifier), make_mark(","))
        elif self.chance(0.03):
            modifier = self.prepositional(reference, depth)
            modifier = join(join(make_mark("("), modifier), make_mark(")"))
        return join(phrase, modifier)

    def preposition_phrase(self, category: str, word: str, kind: str, depth: int) -> Derivation:
        """A preposition with a noun phrase of this kind, which may also be `town`, `year` or `pair` (of towns)."""
        leaf = Leaf(category, "TO" if word == "to" else "IN", word, word)
        if kind == "year":
            year = str(1780 + int(220 * self.random()))
            return join(leaf, retype(Leaf("N", "CD", year, year), "NP"))
        if kind == "town":
            return join(leaf, retype(self.town_name(), "NP"))
        if kind == "pair":
            one, two = (retype(self.town_name(), "NP") for _ in range(2))
            return join(leaf, join(one, join(Leaf("conj", "CC", "and", "and"), two)))
        return join(leaf, self.noun_phrase(kind, depth + 1)[0])

    def prepositional(self, reference: Reference, depth: int) -> Derivation:
        word, kind = self.pick(PREPOSITIONS[reference.kind])
        phrase = self.preposition_phrase(PREPOSITION, word, kind, depth)
        if word in ("near", "behind", "beyond") and self.chance(0.12):
            adverb = "right" if word == "behind" else "just" if word == "beyond" else "very"
            phrase = join(Leaf(r"(NP\NP)/(NP\NP)", "RB", adverb, adverb), phrase)
        return phrase

    def subject_relative(self, reference: Reference, depth: int) -> Derivation:
        word = "who" if reference.kind == "person" and self.chance(0.75) else "that" if self.chance(0.6) else "which"
        if reference.kind == "person" and word == "which":
            word = "that"
        leaf = Leaf(r"(NP\NP)/(S[dcl]\NP)", "WP" if word == "who" else "WDT", word, word)
        return join(leaf, self.finite_phrase(reference, depth + 1))

    def object_relative(self, reference: Reference, depth: int) -> Derivation | None:
        if not GAPPED[reference.kind].items:
            return None
        word = "that" if self.chance(0.6) else "whom" if reference.kind == "person" else "which"
        leaf = Leaf(r"(NP\NP)/(S[dcl]/NP)", "WP" if word == "whom" else "WDT", word, word)
        return join(leaf, self.gapped_clause(reference, depth + 1))

    def reduced_relative(self, reference: Reference, depth: int) -> Derivation | None:
        if not GAPPED[reference.kind].items:
            return None
        return retype(self.gapped_clause(reference, depth + 1), AFTER_NOUN)

    def possessive_relative(self, reference: Reference, depth: int) -> Derivation:
        leaf = Leaf(r"((NP\NP)/(S[dcl]\NP))/N", "WP$", "whose", "whose")
        noun, owned = self.noun("thing" if reference.kind != "person" or self.chance(0.6) else "person", depth + 1)
        agreement = "pl" if owned.agreement == "pl" else "sg"
        return join(join(leaf, noun), self.finite_phrase(owned._replace(agreement=agreement), depth + 1))

    def place_relative(self, reference: Reference, depth: int) -> Derivation:
        """`where` or `in which` with a whole clause."""
        if self.chance(0.6):
            leaf: Derivation = Leaf(r"(NP\NP)/S[dcl]", "WRB", "where", "where")
        else:
            word = "in" if self.chance(0.7) else "from"
            which = Leaf(r"((NP\NP)/S[dcl])\((NP\NP)/NP)", "WDT", "which", "which")
            leaf = join(Leaf(PREPOSITION, "IN", word, word), which)
        return join(leaf, self.clause(depth + 1))

    def participle(self, reference: Reference, depth: int) -> Derivation:
        return retype(self.verb_phrase("VBG", reference, depth + 2), AFTER_NOUN)

    def passive_participle(self, reference: Reference, depth: int) -> Derivation | None:
        if not PASSIVE[reference.kind].items:
            return None
        return retype(self.passive_phrase(reference, depth + 2, is_reduced=True), AFTER_NOUN)

    def adjective(self, reference: Reference, depth: int) -> Derivation:
        """`afraid of the storm`: only adjectives with a complement stand after their noun."""
        return retype(self.adjective_with_complement(reference, depth + 2), AFTER_NOUN)

    def infinitive(self, reference: Reference, depth: int) -> Derivation | None:
        """`a book to read`."""
        if not GAPPED[reference.kind].items:
            return None
        return retype(self.add_infinitive(self.gapped_phrase("VB", reference, depth + 2)), AFTER_NOUN)

    def add_apposition(self, phrase: Derivation) -> Derivation:
        """`Anna Harley , a young pilot ,` as CCGbank has it: coordination by a comma."""
        noun, _ = self.single_noun("person")
        article = choose_article(find_first_leaf(noun).word)
        other = join(Leaf("NP[nb]/N", "DT", article, "a"), noun)
        return join(join(phrase, join(make_mark(","), other, "conj")), make_mark(","))

    def content_clause(self, kind: str, depth: int) -> Derivation:
        """`the claim that the ship sank` and `the plan to sink it`, with their determiner."""
        if kind == "claim":
            (word, _) = self.pick(GENERAL_NOUNS["claim"])
            clause = join(Leaf("S[em]/S[dcl]", "IN", "that", "that"), self.clause(depth + 1))
            noun = join(Leaf("N/S[em]", "NN", word, word), clause)
        else:
            (word, _) = self.pick(GENERAL_NOUNS["plan"])
            phrase = self.add_infinitive(self.verb_phrase("VB", SOMEONE, depth + 1))
            noun = join(Leaf(r"N/(S[to]\NP)", "NN", word, word), phrase)
        return join(Leaf("NP[nb]/N", "DT", "the", "the"), noun)


AFTER = {  # by the kind of the noun
    "person": Table(
        [Modifiers.prepositional, Modifiers.subject_relative, Modifiers.object_relative, Modifiers.reduced_relative,
         Modifiers.participle, Modifiers.passive_participle, Modifiers.possessive_relative, Modifiers.adjective],
        (40, 26, 7, 6, 9, 4, 4, 4),
    ),
    "thing": Table(
        [Modifiers.prepositional, Modifiers.subject_relative, Modifiers.object_relative, Modifiers.reduced_relative,
         Modifiers.passive_participle, Modifiers.participle, Modifiers.infinitive, Modifiers.possessive_relative],
        (46, 12, 12, 11, 11, 3, 3, 2),
    ),
    "place": Table(
        [Modifiers.prepositional, Modifiers.place_relative, Modifiers.object_relative, Modifiers.reduced_relative,
         Modifiers.passive_participle, Modifiers.infinitive],
        (50, 24, 8, 8, 8, 2),
    ),
    "event": Table(
        [Modifiers.prepositional, Modifiers.object_relative, Modifiers.reduced_relative],
        (60, 20, 20),
    ),
}  # fmt: skip
