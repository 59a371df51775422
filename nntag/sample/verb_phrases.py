"""Verb phrases of the sample grammar: filled frames, passives, copulas, auxiliaries and missing objects."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nntag.sample import words
from nntag.sample.adjuncts import Adjuncts
from nntag.sample.derivations import Derivation, Leaf, Node, join, retype
from nntag.sample.lexicon import (
    ACTIVE,
    FEATURES,
    GAPPED,
    PASSIVE,
    Frame,
    Table,
    get_verb_category,
    list_words,
)
from nntag.sample.phrases import SOMEONE, VP_AFTER, VP_BEFORE, Reference

MODALS = Table(["will", "would", "can", "could", "must", "should", "may", "might"], (6, 7, 4, 6, 3, 3, 2, 3))
HAVE = {"VBD": "had", "VBZ": "has", "VBP": "have", "VB": "have"}
DO = {"VBD": "did", "VBZ": "does", "VBP": "do"}
MIDDLE_ADVERBS = list_words(words.MIDDLE_ADVERBS)
STANDING = list_words("in near at behind beside outside opposite beyond")
DIRECTIONS = Table(["into", "to", "onto", "towards"], (4, 2, 1, 1))
STATES = {"VB": 0.16, "VBG": 0.0}  # how often a verb phrase is a form of "be" with what is said of its subject
Builder = Callable[[str, bool], Derivation]  # Penn tag, may the verb be `be` -> the phrase that starts with this verb


class VerbPhrases(Adjuncts):
    def verb_phrase(self, tag: str, subject: Reference, depth: int, has_be: bool = True) -> Derivation:
        """A verb with its arguments, or `be` with a passive, an adjective, a noun phrase or a place; then adjuncts."""
        choice = self.random() if has_be else 1.0
        is_state = choice < STATES.get(tag, 0.32) or subject.kind in ("place", "event")
        if PASSIVE[subject.kind].items and choice < (0.15 if subject.kind == "thing" else 0.06):
            be = self.make_be(tag, subject.agreement, r"(S[pss]\NP)")
            phrase: Derivation = join(be, self.passive_phrase(subject, depth))
        elif is_state:
            phrase = self._copula(tag, subject, depth)
        else:
            phrase = self._active(tag, subject, depth)
        if self.chance(0.06):
            word = self.pick(MIDDLE_ADVERBS) if is_state or self.chance(0.6) else self.manner_adverb()
            phrase = join(self._before_verb(word), phrase)
        return self.adjoin(phrase, subject, depth, is_state)

    def _before_verb(self, word: str) -> Derivation:
        """An adverb before its verb; those in -ly with a degree now and then."""
        leaf = Leaf(VP_BEFORE, "RB", word, word)
        if word[-2:] != "ly" or not self.chance(0.06):
            return leaf
        return join(self.degree(rf"({VP_BEFORE})/({VP_BEFORE})"), leaf)

    def _active(self, tag: str, subject: Reference, depth: int) -> Derivation:
        frame = self.pick_frame(ACTIVE[subject.kind], subject)
        verb = self.pick_verb(frame)
        prefix = "re" if frame.source == "use" and self.chance(0.04) and not verb.lemma.startswith("re") else ""
        category, word = get_verb_category(FEATURES[tag], frame.arguments), prefix + getattr(verb, tag)
        phrase: Derivation = Leaf(category, tag, word, prefix + verb.lemma)
        if frame.source == "use" and self.chance(0.04):
            phrase = self._coordinate_verbs(phrase, tag)
        return self._add_arguments(phrase, frame.arguments, subject, depth)

    def _add_arguments(
        self, phrase: Derivation, arguments: Sequence[str], subject: Reference, depth: int
    ) -> Derivation:
        """Apply a verb to its arguments; a clause or adjective among them speaks of the object or else the subject."""
        for argument in arguments:
            added, reference = self.argument(argument, subject, depth)
            phrase, subject = join(phrase, added), reference or subject
        return phrase

    def _coordinate_verbs(self, first: Derivation, tag: str) -> Node:
        """`loaded and moored` before their common object."""
        verb = self.pick(self.topic.verbs["use"])
        second = Leaf(first.category, tag, getattr(verb, tag), verb.lemma)
        return join(first, join(Leaf("conj", "CC", "and", "and"), second))

    def argument(self, argument: str, subject: Reference, depth: int) -> tuple[Derivation, Reference | None]:
        """One argument of a frame, named as in the frame lists, and what it refers to if it is a noun phrase."""
        if argument.endswith("!"):
            return Leaf("PR", "RP", argument[:-1], argument[:-1]), None
        word, _, kind = argument.rpartition(":")
        if word:
            word = self.pick(DIRECTIONS) if word == "into" else word
            return self.preposition_phrase("PP/NP", word, kind, depth), None
        if kind in CLAUSES:
            return CLAUSES[kind](self, subject, depth + 1), None
        if kind in ("claim", "plan"):
            return self.content_clause(kind, depth), None
        if kind == "role":
            return self.single_noun_phrase(kind), None
        if kind == "thing" and depth < 3 and self.chance(0.02):
            return self._free_relative(depth), None
        if kind == "name":
            return retype(self.person_name(), "NP"), None
        if kind == "use":
            return self.topical_object(depth)
        return self.noun_phrase(kind, depth)

    def passive_phrase(self, subject: Reference, depth: int, is_reduced: bool = False) -> Derivation:
        frame = self.pick_frame(PASSIVE[subject.kind], subject)
        verb = self.pick_verb(frame)
        phrase: Derivation = Leaf(get_verb_category("pss", frame.arguments[1:]), "VBN", verb.VBN, verb.lemma)
        phrase = self._add_arguments(phrase, frame.arguments[1:], subject, depth + 1)
        if len(frame.arguments) == 1 and (is_reduced or self.chance(0.3)):
            if self.chance(0.4):
                return join(phrase, self.adjunct(VP_AFTER, subject, 2))
            phrase = join(phrase, self.preposition_phrase(rf"({VP_AFTER})/NP", "by", "person", depth + 1))
        return phrase

    def _copula(self, tag: str, subject: Reference, depth: int) -> Derivation:
        choice = self.random()
        if choice < 0.6 or (subject.kind == "event" and choice < 0.85):
            return join(self.make_be(tag, subject.agreement, r"(S[adj]\NP)"), self.adjective_phrase(subject, depth))
        if choice < 0.8 and subject.kind == "person" and subject.agreement != "pl":
            return join(self.make_be(tag, subject.agreement, "NP"), self.single_noun_phrase("role"))
        if subject.kind == "place":
            near = self.preposition_phrase("PP/NP", "near", "place", depth)
            return join(self.make_be(tag, subject.agreement, "PP"), near)
        kind = "place" if choice < 0.9 else "thing"
        word = self.pick(STANDING) if kind == "place" else self.place_preposition(kind)
        return join(self.make_be(tag, subject.agreement, "PP"), self.preposition_phrase("PP/NP", word, kind, depth))

    def finite_phrase(self, subject: Reference, depth: int) -> Derivation:
        def build(tag: str, has_be: bool) -> Derivation:
            phrase = self.verb_phrase(tag, subject, depth, has_be)
            if depth > 0 or not self.chance(0.07):
                return phrase
            word = ("and", "and", "and", "but", "or")[int(5 * self.random())]
            return join(phrase, join(Leaf("conj", "CC", word, word), self.verb_phrase(tag, subject, 1, has_be)))

        return self.add_auxiliaries(subject, build)

    def add_auxiliaries(self, subject: Reference, build: Builder) -> Derivation:
        """A finite phrase: one verb, or auxiliaries before what `build` makes; they apply to it or compose with it."""
        agreement, choice = subject.agreement, self.random()
        finite = self.pick_tag(agreement)
        if choice < 0.66:
            return build(finite, True)
        if choice < 0.8:
            word = self.pick(MODALS)
            modal = self._negate(self._make_auxiliary("dcl", "b", "MD", word, word), 0.15)
            if self.chance(0.12):
                have = self._make_auxiliary("b", "pt", "VB", "have", "have")
                return join(modal, join(have, build("VBN", True)))
            return join(modal, build("VB", True))
        if choice < 0.88:
            have = self._make_auxiliary("dcl", "pt", finite, HAVE[finite], "have")
            if self.chance(0.15) and subject.kind == "person":
                been = self.make_be("VBN", agreement, r"(S[ng]\NP)")
                return join(self._negate(have, 0.1), join(been, build("VBG", True)))
            return join(self._negate(have, 0.15), build("VBN", True))
        if subject.kind in ("place", "event"):
            return build(finite, True)
        if choice < 0.94:
            return join(self._negate(self.make_be(finite, agreement, r"(S[ng]\NP)"), 0.15), build("VBG", True))
        return join(self._negate(self._make_auxiliary("dcl", "b", finite, DO[finite], "do"), 0.97), build("VB", False))

    def _make_auxiliary(self, feature: str, wanted: str, tag: str, word: str, lemma: str) -> Leaf:
        return Leaf(rf"(S[{feature}]\NP)/(S[{wanted}]\NP)", tag, word, lemma)

    def _negate(self, auxiliary: Leaf, probability: float) -> Derivation:
        """`not`, or `n't` where the auxiliary takes it, by backward crossed composition."""
        if not self.chance(probability):
            return auxiliary
        short = self.chance(0.4) and auxiliary.word in SHORTENED
        if short and auxiliary.word in ("will", "can"):
            auxiliary = auxiliary._replace(word={"will": "wo", "can": "ca"}[auxiliary.word])
        return join(auxiliary, Leaf(VP_AFTER, "RB", "n't" if short else "not", "not"))

    def gapped_phrase(self, tag: str, gap: Reference, depth: int) -> Derivation:
        """A verb that misses its last object (or the object of its preposition), of category `(S[f]\\NP)/NP`."""
        frame = self.pick_frame(GAPPED[gap.kind], gap)
        verb, category = self.pick_verb(frame), get_verb_category(FEATURES[tag], frame.arguments)
        leaf = Leaf(category, tag, getattr(verb, tag), verb.lemma)
        phrase = self._add_arguments(leaf, frame.arguments[:-1], SOMEONE, 3)
        word = frame.arguments[-1].rpartition(":")[0]
        if word:
            phrase = join(phrase, Leaf("PP/NP", "TO" if word == "to" else "IN", word, word))
        if self.chance(0.06):
            adverb = self.manner_adverb()
            phrase = join(Leaf(VP_BEFORE, "RB", adverb, adverb), phrase)
        return phrase if word or not self.chance(0.05) else join(phrase, self.adverb_phrase(VP_AFTER))

    def control_gap(self, tag: str, gap: Reference, depth: int) -> Derivation:
        """`wanted to sell` without its object: three verbs composed into one `(S[f]\\NP)/NP`."""
        frame = SUBJECT_CONTROL
        verb = self.pick_verb(frame)
        leaf = Leaf(get_verb_category(FEATURES[tag], frame.arguments), tag, getattr(verb, tag), verb.lemma)
        return join(leaf, self.add_infinitive(self.gapped_phrase("VB", gap, depth + 1)))

    def gapped_clause(self, gap: Reference, depth: int) -> Node:
        """A raised subject composed with a verb phrase that misses an object."""
        subject, reference = self.noun_phrase("person", depth + 1, subject=True)
        build = self.gapped_phrase if self.chance(0.85) else self.control_gap
        phrase = self.add_auxiliaries(reference, lambda tag, _: build(tag, gap, depth))
        return join(retype(subject, r"S/(S\NP)"), phrase)

    def _free_relative(self, depth: int) -> Node:
        """`what she had sold` as a noun phrase."""
        gap = Reference("thing", "sg", True)
        return join(Leaf("NP/(S[dcl]/NP)", "WP", "what", "what"), self.gapped_clause(gap, depth + 1))

    def embedded_question(self, subject: Reference, depth: int) -> Node:
        """`whether S`, `if S`."""
        word = "whether" if self.chance(0.6) else "if"
        return join(Leaf("S[qem]/S[dcl]", "IN", word, word), self.clause(depth))

    def embedded_what(self, subject: Reference, depth: int) -> Node:
        """`what she sold`, `who sold it`, `where S`."""
        choice = self.random()
        if choice < 0.45:
            gap = Reference("thing", "sg", True)
            return join(Leaf("S[qem]/(S[dcl]/NP)", "WP", "what", "what"), self.gapped_clause(gap, depth))
        if choice < 0.7:
            return join(Leaf(r"S[qem]/(S[dcl]\NP)", "WP", "who", "who"), self.finite_phrase(SOMEONE, depth))
        word = ("why", "where", "when", "how")[int(4 * self.random())]
        return join(Leaf("S[qem]/S[dcl]", "WRB", word, word), self.clause(depth))

    def embedded_how(self, subject: Reference, depth: int) -> Node:
        """`how to sell it`."""
        phrase = self.add_infinitive(self.verb_phrase("VB", subject, depth))
        return join(Leaf(r"S[qem]/(S[to]\NP)", "WRB", "how", "how"), phrase)

    def that_clause(self, subject: Reference, depth: int) -> Node:
        return join(Leaf("S[em]/S[dcl]", "IN", "that", "that"), self.clause(depth))


SHORTENED = frozenset(("will", "would", "can", "could", "must", "should", "had", "has", "have", "did", "does", "do"))
SUBJECT_CONTROL: Frame = next(frame for frame in ACTIVE["person"].items if frame.arguments == ("to",))
CLAUSES: dict[str, Callable[[VerbPhrases, Reference, int], Derivation]] = {
    "to": lambda self, subject, depth: self.add_infinitive(self.verb_phrase("VB", subject, depth)),
    "ing": lambda self, subject, depth: self.verb_phrase("VBG", subject, depth),
    "bare": lambda self, subject, depth: self.verb_phrase("VB", subject, depth),
    "adj": lambda self, subject, depth: self.adjective_phrase(subject, depth + 1),
    "done": lambda self, subject, depth: self.passive_phrase(subject, depth + 1),
    "clause": lambda self, subject, depth: self.clause(depth),
    "that": VerbPhrases.that_clause,
    "whether": VerbPhrases.embedded_question,
    "what": VerbPhrases.embedded_what,
    "how": VerbPhrases.embedded_how,
}
