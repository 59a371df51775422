"""Questions of the sample grammar: `S[q]` with an inverted auxiliary, and `S[wq]` with a question word."""

from __future__ import annotations

from nntag.sample.adjuncts import ADJECTIVE
from nntag.sample.derivations import Derivation, Leaf, Node, join
from nntag.sample.lexicon import Table
from nntag.sample.phrases import SOMEONE, VP_BEFORE, Reference, inflect_be, make_mark
from nntag.sample.verb_phrases import DO, HAVE, MODALS, VerbPhrases

TOPICAL_THING = Reference("thing", "sg", True)


class Questions(VerbPhrases):
    def question(self) -> Node:
        """A question with its mark."""
        build = self.pick(QUESTIONS)
        return join(build(self), make_mark("?"))

    def _inverted(self, argument: str, form: str) -> tuple[Node, Reference]:
        """An auxiliary or `be` with its subject: `is the captain`, of category `S[q]/argument`."""
        kind = "person" if self.chance(0.7) or form in ("do", "modal") else "thing"
        subject, reference = self.noun_phrase(kind, 2, subject=True)
        tag = self.pick_tag(reference.agreement)
        if form == "modal":
            tag, word = "MD", self.pick(MODALS)
            lemma = word
        elif form == "do":
            word, lemma = DO[tag], "do"
        elif form == "have":
            word, lemma = HAVE[tag], "have"
        else:
            word, lemma = inflect_be(tag, reference.agreement), "be"
        return join(Leaf(f"(S[q]/{argument})/NP", tag, word, lemma), subject), reference

    def _pick_auxiliary(self) -> str:
        return "do" if self.chance(0.65) else "modal"

    def polar(self) -> Node:
        """`Did the captain leave ?`, `Is the ship old ?`, `Has Anna seen it ?`"""
        choice = self.random()
        if choice < 0.5:
            form = self._pick_auxiliary()
            start, reference = self._inverted(r"(S[b]\NP)", form)
            phrase = self.verb_phrase("VB", reference, 1, has_be=form != "do")
            if self.chance(0.15):
                phrase = join(Leaf(VP_BEFORE, "RB", "not", "not"), phrase)
        elif choice < 0.66:
            start, reference = self._inverted(r"(S[adj]\NP)", "be")
            phrase = self.adjective_phrase(reference, 1)
        elif choice < 0.76:
            start, reference = self._inverted(r"(S[pt]\NP)", "have")
            phrase = self.verb_phrase("VBN", reference, 1)
        elif choice < 0.84:
            start, reference = self._inverted(r"(S[ng]\NP)", "be")
            phrase = self.verb_phrase("VBG", reference, 1)
        elif choice < 0.9:
            start, reference = self._inverted(r"(S[pss]\NP)", "be")
            phrase = self.passive_phrase(reference, 1)
        elif choice < 0.95:
            start, _ = self._inverted("PP", "be")
            phrase = self.preposition_phrase("PP/NP", self.place_preposition("place"), "place", 1)
        else:
            phrase, reference = self.indefinite("thing", 1)
            tag = self.pick_tag(reference.agreement)
            be = Leaf("(S[q]/NP)/NP[thr]", tag, inflect_be(tag, reference.agreement), "be")
            start = join(be, Leaf("NP[thr]", "EX", "there", "there"))
        return join(start, phrase)

    def subject_question(self) -> Node:
        """`Who sank the ship ?`, `Which sailor left ?`"""
        choice = self.random()
        if choice < 0.55:
            return join(Leaf(r"S[wq]/(S[dcl]\NP)", "WP", "who", "who"), self.finite_phrase(SOMEONE, 1))
        if choice < 0.7:
            return join(Leaf(r"S[wq]/(S[dcl]\NP)", "WP", "what", "what"), self.finite_phrase(TOPICAL_THING, 1))
        noun, reference = self.single_noun("person")
        word = "which" if self.chance(0.7) else "what"
        first = join(Leaf(r"(S[wq]/(S[dcl]\NP))/N", "WDT", word, word), noun)
        return join(first, self.finite_phrase(reference, 1))

    def object_question(self) -> Node:
        """`What did Anna sell ?`, `Whom did she see ?`, `Which ropes can he repair ?`, `How many ships sank ?`"""
        choice = self.random()
        if choice < 0.5:
            kind, word = ("thing", "what") if self.chance(0.7) else ("person", "whom" if self.chance(0.4) else "who")
            gap = Reference(kind, "sg", kind == "thing")
            first: Derivation = Leaf("S[wq]/(S[q]/NP)", "WP", word, word)
        else:
            noun, gap = self.noun("thing" if self.chance(0.7) else "place", 2)
            if choice > 0.85 and gap.agreement == "pl":
                how = Leaf("((S[wq]/(S[q]/NP))/N)/(NP/N)", "WRB", "how", "how")
                asking: Derivation = join(how, Leaf("NP/N", "JJ", "many", "many"))
            else:
                word, tag = ("whose", "WP$") if choice > 0.8 else ("which", "WDT") if choice > 0.6 else ("what", "WDT")
                asking = Leaf("(S[wq]/(S[q]/NP))/N", tag, word, word)
            first = join(asking, noun)
        start, _ = self._inverted(r"(S[b]\NP)", self._pick_auxiliary())
        return join(first, join(start, self.gapped_phrase("VB", gap, 2)))

    def adverb_question(self) -> Node:
        """`Where did she go ?`, `Why is the ship late ?`"""
        word = self.pick(ADVERBS)
        return join(Leaf("S[wq]/S[q]", "WRB", word, word), self.polar())

    def degree_question(self) -> Node:
        """`How old is the ship ?`"""
        start, reference = self._inverted(r"(S[adj]\NP)", "be")
        adjective = self.pick_adjective(reference.kind, reference.topical)
        how = Leaf(r"(S[wq]/(S[q]/(S[adj]\NP)))/(S[adj]\NP)", "WRB", "how", "how")
        return join(join(how, Leaf(ADJECTIVE, "JJ", adjective, adjective)), start)


ADVERBS = Table(["where", "why", "when", "how"], (4, 3, 3, 2))
QUESTIONS = Table(
    [Questions.polar, Questions.subject_question, Questions.object_question, Questions.adverb_question,
     Questions.degree_question],
    (40, 18, 24, 14, 4),
)  # fmt: skip
