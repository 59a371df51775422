"""Adjuncts of the sample grammar: adverbs, prepositional phrases, clauses and participles that modify.

The same phrases stand after a verb phrase, as `(S\\NP)\\(S\\NP)`, and before a clause, as `S/S`.
"""

from __future__ import annotations

from nntag.sample import words
from nntag.sample.derivations import Derivation, Leaf, join, retype
from nntag.sample.inflection import compare_adjective, form_adverb
from nntag.sample.lexicon import COMPARABLE, GENERAL_NOUNS, PASSIVE, Table, list_words
from nntag.sample.noun_phrases import DETERMINER, NounPhrases
from nntag.sample.nouns import MANNER, NUMBER_WORDS
from nntag.sample.phrases import SOMEONE, VP_AFTER, Reference, choose_article, find_first_leaf, make_mark

BEFORE = "S/S"
LATE_ADVERBS, SENTENCE_ADVERBS = list_words(words.LATE_ADVERBS), list_words(words.SENTENCE_ADVERBS)
PLACE_PREPOSITIONS, THING_PREPOSITIONS = list_words(words.PLACE_PREPOSITIONS), list_words(words.THING_PREPOSITIONS)
PAST_ADVERBS, PRESENT_ADVERBS = list_words(words.PAST_ADVERBS), list_words(words.PRESENT_ADVERBS)
EVENT_PREPOSITIONS = list_words(words.EVENT_PREPOSITIONS)
SUBORDINATORS, GERUND_HEADS = list_words(words.SUBORDINATORS), list_words(words.GERUND_HEADS)
TOOLS = Table([("with", "thing"), ("with", "person"), ("for", "person")], (3, 1, 1))
DAYS, MONTHS = list_words(words.DAYS), list_words(words.MONTHS)
OF_ADJECTIVES, TO_ADJECTIVES = list_words(words.OF_ADJECTIVES), list_words(words.TO_ADJECTIVES)
THAT_ADJECTIVES, TOUGH_ADJECTIVES = list_words(words.THAT_ADJECTIVES), list_words(words.TOUGH_ADJECTIVES)
ADJECTIVE = r"S[adj]\NP"


def takes(result: str, argument: str) -> str:
    """The category of a word that turns `argument` on its right into the modifier `result`."""
    return f"({result})/{argument}"


class Adjuncts(NounPhrases):
    def adjoin(self, phrase: Derivation, subject: Reference, depth: int, is_state: bool) -> Derivation:
        """Put no, one or two adjuncts after a verb phrase; fewer in deeper clauses, none of manner after a state."""
        last = None
        for chance in ((0.5, 0.2), (0.28, 0.08), (0.12, 0.0), (0.03, 0.0))[min(depth, 3)]:
            if not self.chance(chance):
                break
            build = self.pick(STATE_ADJUNCTS if is_state else ADJUNCTS if depth < 2 else SHORT_ADJUNCTS)
            if build is not last:
                phrase = join(phrase, build(self, VP_AFTER, subject, depth))
            last = build
        return phrase

    def adjunct(self, category: str, subject: Reference, depth: int) -> Derivation:
        """An adjunct with this category, `(S\\NP)\\(S\\NP)` or `S/S`."""
        table = ADJUNCTS if depth < 2 else SHORT_ADJUNCTS
        return self.pick(table)(self, category, subject, depth)

    def introduce(self, clause: Derivation, depth: int) -> Derivation:
        """Put an adjunct before a clause, mostly with a comma."""
        if self.chance(0.35):
            word = self.pick(SENTENCE_ADVERBS)
            first: Derivation = Leaf(BEFORE, "RB", word, word)
        else:
            first = self.adjunct(BEFORE, SOMEONE, depth + 1)
        return join(join(first, make_mark(",")) if self.chance(0.8) else first, clause)

    def manner_adverb(self) -> str:
        return form_adverb(self.pick(MANNER))

    def adverb_phrase(self, category: str) -> Derivation:
        """An adverb in -ly, sometimes with a degree."""
        word = self.manner_adverb()
        leaf = Leaf(category, "RB", word, word)
        return join(self.degree(takes(category, f"({category})")), leaf) if self.chance(0.12) else leaf

    def place_preposition(self, kind: str) -> str:
        return self.pick(PLACE_PREPOSITIONS if kind == "place" else THING_PREPOSITIONS)

    def _manner(self, category: str, subject: Reference, depth: int) -> Derivation:
        return self.adverb_phrase(category)

    def _late(self, category: str, subject: Reference, depth: int) -> Derivation:
        tense_adverbs = PAST_ADVERBS if self.is_past else PRESENT_ADVERBS
        late_adverbs = LATE_ADVERBS if self.chance(0.7) else tense_adverbs
        word = self.pick(late_adverbs if category == VP_AFTER else SENTENCE_ADVERBS)
        return Leaf(category, "NN" if word in ("yesterday", "today") else "RB", word, word)

    def _place(self, category: str, subject: Reference, depth: int) -> Derivation:
        kind = "place" if self.chance(0.75) else "thing"
        phrase = self.preposition_phrase(takes(category, "NP"), self.place_preposition(kind), kind, depth)
        if self.chance(0.06):
            word = ("right", "just", "far", "deep")[int(4 * self.random())]
            phrase = join(Leaf(takes(category, f"({category})"), "RB", word, word), phrase)
        return phrase

    def _tool(self, category: str, subject: Reference, depth: int) -> Derivation:
        word, kind = self.pick(TOOLS)
        return self.preposition_phrase(takes(category, "NP"), word, kind, depth)

    def _time(self, category: str, subject: Reference, depth: int) -> Derivation:
        """`after the storm`, `on Monday`, `in 1872`, `on May 4`, `for three days`."""
        choice, taking = self.random(), takes(category, "NP")
        if choice < 0.45:
            return self.preposition_phrase(taking, self.pick(EVENT_PREPOSITIONS), "event", depth)
        if choice < 0.62 and self.is_past:
            return self.preposition_phrase(taking, "in", "year", depth)
        if choice < 0.8:
            word = self.pick(DAYS)
            return join(Leaf(taking, "IN", "on", "on"), retype(Leaf("N", "NNP", word, word), "NP"))
        if choice < 0.9:
            month, day = self.pick(MONTHS), str(1 + int(30 * self.random()))
            date = join(Leaf("N/N[num]", "NNP", month, month), Leaf("N[num]", "CD", day, day))
            return join(Leaf(taking, "IN", "on", "on"), retype(date, "NP"))
        return join(Leaf(taking, "IN", "for", "for"), self.period())

    def period(self) -> Derivation:
        singular, plural = self.pick(GENERAL_NOUNS["period"])
        word = self.pick(NUMBER_WORDS) if self.chance(0.8) else str(2 + int(30 * self.random()))
        return retype(join(Leaf("N/N", "CD", word, word), Leaf("N", "NNS", plural, singular)), "NP")

    def _bare_time(self, category: str, subject: Reference, depth: int) -> Derivation:
        """`last week`, `every day`, `three years ago`."""
        if self.chance(0.3) and category == VP_AFTER and self.is_past:
            return join(self.period(), Leaf(rf"({VP_AFTER})\NP", "RB", "ago", "ago"))
        choices = ("last", "that", "every", "one") if self.is_past else ("next", "this", "every")
        word = choices[int(len(choices) * self.random())]
        tag = {"last": "JJ", "next": "JJ", "one": "CD"}.get(word, "DT")
        noun = self.pick(DAYS) if self.chance(0.3) else self.pick(GENERAL_NOUNS["period"])[0]
        leaf = Leaf("N", "NNP" if noun[0].isupper() else "NN", noun, noun)
        return join(Leaf(takes(category, "N"), tag, word, word), leaf)

    def _clause(self, category: str, subject: Reference, depth: int) -> Derivation:
        word = self.pick(SUBORDINATORS)
        tag = "WRB" if word == "when" else "IN"
        return join(Leaf(takes(category, "S[dcl]"), tag, word, word), self.clause(depth + 1))

    def _gerund(self, category: str, subject: Reference, depth: int) -> Derivation:
        word = self.pick(GERUND_HEADS)
        return join(Leaf(takes(category, r"(S[ng]\NP)"), "IN", word, word), self.verb_phrase("VBG", subject, depth + 1))

    def _purpose(self, category: str, subject: Reference, depth: int) -> Derivation:
        return retype(self.add_infinitive(self.verb_phrase("VB", SOMEONE, depth + 1)), category)

    def _participle(self, category: str, subject: Reference, depth: int) -> Derivation:
        if category == BEFORE and PASSIVE[subject.kind].items and self.chance(0.4):
            return retype(self.passive_phrase(subject, depth + 1, is_reduced=True), category)
        phrase = retype(self.verb_phrase("VBG", subject, depth + 1), category)
        return phrase if category == BEFORE else join(make_mark(","), phrase)

    def adjective_phrase(self, subject: Reference, depth: int) -> Derivation:
        """An adjective that says something of its subject: alone, in some degree, compared or with a complement."""
        choice = self.random()
        if choice < 0.18 and depth < 3 and subject.kind in ("person", "thing"):
            return self.adjective_with_complement(subject, depth)
        kind = subject.kind
        adjective = self.pick_adjective(kind, subject.topical)
        if choice < 0.26:
            return self._compare(adjective, subject, depth)
        if choice > 0.93 and depth < 3:
            return self._measure(adjective, subject, depth)
        leaf = Leaf(ADJECTIVE, "JJ", adjective, adjective)
        if choice < 0.48:
            return join(self.degree(r"(S[adj]\NP)/(S[adj]\NP)"), leaf)
        if choice < 0.54:
            other = self.pick_adjective(kind, subject.topical)
            word = "and" if self.chance(0.6) else "but"
            return join(leaf, join(Leaf("conj", "CC", word, word), Leaf(ADJECTIVE, "JJ", other, other)))
        return leaf

    def _compare(self, adjective: str, subject: Reference, depth: int) -> Derivation:
        """`older than the ship`, `more useful than ...`."""
        if adjective in COMPARABLE:
            phrase: Derivation = Leaf(ADJECTIVE, "JJR", compare_adjective(adjective)[0], adjective)
        else:
            word = "more" if self.chance(0.8) else "less"
            more = Leaf(r"(S[adj]\NP)/(S[adj]\NP)", "RBR", word, word)
            phrase = join(more, Leaf(ADJECTIVE, "JJ", adjective, adjective))
        than = Leaf(r"((S[adj]\NP)\(S[adj]\NP))/NP", "IN", "than", "than")
        return join(phrase, join(than, self.noun_phrase(subject.kind, depth + 2)[0]))

    def _measure(self, adjective: str, subject: Reference, depth: int) -> Derivation:
        """`so old that it sank`, `too old to sail`, `old enough to sail`: the degree word asks for the clause."""
        choice, leaf = self.random(), Leaf(ADJECTIVE, "JJ", adjective, adjective)
        if choice < 0.4:
            clause = join(Leaf("S[em]/S[dcl]", "IN", "that", "that"), self.clause(depth + 1))
            return join(join(Leaf(rf"(({ADJECTIVE})/S[em])/({ADJECTIVE})", "RB", "so", "so"), leaf), clause)
        phrase = self.add_infinitive(self.verb_phrase("VB", subject, depth + 2, has_be=False))
        if choice < 0.8:
            return join(join(Leaf(rf"(({ADJECTIVE})/(S[to]\NP))/({ADJECTIVE})", "RB", "too", "too"), leaf), phrase)
        return join(join(leaf, Leaf(rf"(({ADJECTIVE})/(S[to]\NP))\({ADJECTIVE})", "RB", "enough", "enough")), phrase)

    def adjective_with_complement(self, subject: Reference, depth: int) -> Derivation:
        if subject.kind != "person":
            word = self.pick(TOUGH_ADJECTIVES)
            leaf = Leaf(r"(S[adj]\NP)/((S[to]\NP)/NP)", "JJ", word, word)
            return join(leaf, self.add_infinitive(self.gapped_phrase("VB", subject, depth + 1)))
        choice = self.random()
        if choice < 0.4:
            preposition, _, word = self.pick(OF_ADJECTIVES).partition(":")
            kind = "person" if self.chance(0.35) else "thing" if self.chance(0.7) else "event"
            phrase = self.preposition_phrase("PP/NP", preposition, kind, depth)
            return join(Leaf(r"(S[adj]\NP)/PP", "JJ", word, word), phrase)
        if choice < 0.75:
            word = self.pick(TO_ADJECTIVES)
            phrase = self.add_infinitive(self.verb_phrase("VB", subject, depth + 1))
            return join(Leaf(r"(S[adj]\NP)/(S[to]\NP)", "JJ", word, word), phrase)
        word = self.pick(THAT_ADJECTIVES)
        clause = join(Leaf("S[em]/S[dcl]", "IN", "that", "that"), self.clause(depth + 1))
        return join(Leaf(r"(S[adj]\NP)/S[em]", "JJ", word, word), clause)

    def single_noun_phrase(self, kind: str) -> Derivation:
        """A singular noun with `a` or `the`, as after `became`."""
        noun, _ = self.single_noun("person" if self.chance(0.5) else kind)
        article = choose_article(find_first_leaf(noun).word) if self.chance(0.75) else "the"
        return join(Leaf(DETERMINER, "DT", article, "the" if article == "the" else "a"), noun)

    def topical_object(self, depth: int) -> tuple[Derivation, Reference]:
        while not (pair := self.determined("thing", depth))[1].topical:
            pass
        phrase, reference = pair
        if depth < 3 and self.chance((0.22, 0.14, 0.06)[depth]):
            phrase = self.modify(phrase, reference, depth, subject=False)
        return phrase, reference


ADJUNCTS = Table(
    [Adjuncts._manner, Adjuncts._late, Adjuncts._place, Adjuncts._tool, Adjuncts._time, Adjuncts._bare_time,
     Adjuncts._clause, Adjuncts._gerund, Adjuncts._purpose, Adjuncts._participle],
    (18, 10, 22, 8, 14, 5, 12, 5, 4, 4),
)  # fmt: skip
SHORT_ADJUNCTS = Table(
    [Adjuncts._manner, Adjuncts._late, Adjuncts._place, Adjuncts._tool, Adjuncts._time, Adjuncts._bare_time],
    (20, 12, 25, 8, 14, 6),
)
STATE_ADJUNCTS = Table([Adjuncts._late, Adjuncts._time, Adjuncts._clause, Adjuncts._bare_time], (4, 4, 2, 1))
