"""The sample grammar's sentences: a seed in, an endless stream of derivations with their topics out.

The text is generated; no sentence was taken from anywhere.
"""

from __future__ import annotations

from typing import NamedTuple

from nntag.sample import words
from nntag.sample.derivations import Derivation, Leaf, Node, iterate_leaves, join, retype
from nntag.sample.lexicon import ACTIVE, FEATURES, TOPIC_TABLE, Table, Topic, list_verbs, list_words
from nntag.sample.phrases import SOMEONE, Reference, inflect_be, make_mark
from nntag.sample.questions import Questions
from nntag.sample.verb_phrases import HAVE, MODALS

SHORTEST, LONGEST = 3, 40
SPEECH, WEATHER, SEEM = list_verbs(words.SPEECH), list_verbs(words.WEATHER), list_verbs(words.SEEM)
TOUGH_ADJECTIVES = list_words(words.TOUGH_ADJECTIVES)
DITRANSITIVE = next(frame for frame in ACTIVE["person"].items if frame.arguments == ("person", "thing"))
FACT_ADJECTIVES, INTERJECTIONS = list_words(words.FACT_ADJECTIVES), list_words(words.INTERJECTIONS)
THING = Reference("thing", "sg", True)


class Generated(NamedTuple):
    """One generated sentence."""

    derivation: Node
    topic: str


class SentenceGenerator(Questions):
    def generate(self, topic: Topic | None = None) -> Generated:
        """One sentence of 3 to 40 words, on this topic or on any."""
        while True:
            self.topic = topic or self.pick(TOPIC_TABLE)
            self.is_past = self.chance(0.68)
            root = self.pick(SENTENCES)(self)
            length = sum(1 for _ in iterate_leaves(root))
            if SHORTEST <= length <= LONGEST:
                return Generated(_capitalise(root), self.topic.name)

    def clause(self, depth: int) -> Node:
        """A subject with its verb phrase, or now and then a clause with `there` or `it`."""
        choice = self.random()
        if choice < 0.03:
            return self._there_clause(depth)
        if choice < 0.045:
            return self._it_clause(depth)
        kind = "person" if choice < 0.74 else "thing" if choice < 0.94 else "place" if choice < 0.97 else "event"
        if kind == "thing" and depth < 2 and self.chance(0.05):
            gerund = retype(self.verb_phrase("VBG", SOMEONE, depth + 2), "NP")
            return join(gerund, self.finite_phrase(THING._replace(topical=False), depth))
        subject, reference = self.noun_phrase(kind, depth, subject=True)
        return join(subject, self.finite_phrase(reference, depth))

    def statement(self) -> Node:
        clause: Derivation = self.clause(0)
        if self.chance(0.16):
            clause = self.introduce(clause, 0)
        if self.chance(0.025):
            clause = self._begin_with_word(clause)
        return self.end(clause, "!" if self.chance(0.01) else ".")

    def end(self, sentence: Derivation, mark: str = ".") -> Node:
        return join(sentence, make_mark(mark))

    def _begin_with_word(self, clause: Derivation) -> Node:
        if self.chance(0.6):
            word = "but" if self.chance(0.6) else "and"
            return join(Leaf("S/S", "CC", word, word), clause)
        word = self.pick(INTERJECTIONS)
        return join(join(Leaf("S/S", "UH", word, word), make_mark(",")), clause)

    def two_statements(self) -> Node:
        """`S and S .`, `S , but S .`, `S ; S .`"""
        first, second = self.clause(1), self.clause(1)
        if self.chance(0.2):
            return self.end(join(first, join(make_mark(";"), second, "conj")))
        word = "and" if self.chance(0.5) else "but" if self.chance(0.7) else "or"
        left = join(first, make_mark(",")) if self.chance(0.6) else first
        return self.end(join(left, join(Leaf("conj", "CC", word, word), second)))

    def shared_object(self) -> Node:
        """`Anna painted and Tom sold the boats .`: two clauses that miss the same object."""
        rest = join(Leaf("conj", "CC", "and", "and"), self.gapped_clause(THING, 2))
        both = join(self.gapped_clause(THING, 2), rest)
        return self.end(join(both, self.topical_object(0)[0]))

    def shared_verb(self) -> Node:
        """`Anna gave the cook a pan and the waiter a spoon .`: coordinated pairs of objects."""
        verb = self.pick_verb(DITRANSITIVE)
        subject, reference = self.noun_phrase("person", 2, subject=True)
        tag = self.pick_tag(reference.agreement)
        leaf = Leaf(rf"((S[{FEATURES[tag]}]\NP)/NP)/NP", tag, getattr(verb, tag), verb.lemma)
        pairs = join(self._object_pair(), join(Leaf("conj", "CC", "and", "and"), self._object_pair()))
        return self.end(join(subject, join(leaf, pairs)))

    def _object_pair(self) -> Node:
        person = retype(self.determined("person", 3)[0], r"((S\NP)/NP)\(((S\NP)/NP)/NP)")
        return join(person, retype(self.determined("thing", 3)[0], r"(S\NP)\((S\NP)/NP)"))

    def speech(self) -> Node:
        """`The tide is rising , said the pilot .`"""
        verb = self.pick(SPEECH)
        said = join(self.clause(0), make_mark(","))
        speaker, reference = self.noun_phrase("person", 2, subject=True)
        tag = self.pick_tag(reference.agreement)
        is_pronoun = isinstance(speaker, Leaf)
        if is_pronoun or self.chance(0.4):
            report = join(speaker, Leaf(r"(S[dcl]\S[dcl])\NP", tag, getattr(verb, tag), verb.lemma))
        else:
            report = join(Leaf(r"(S[dcl]\S[dcl])/NP", tag, getattr(verb, tag), verb.lemma), speaker)
        return self.end(join(said, report))

    def _there_clause(self, depth: int) -> Node:
        """`There was a ship in the bay`, also with an auxiliary."""
        phrase, reference = self.indefinite("thing" if self.chance(0.7) else "person", depth)
        if self.chance(0.6):
            word = "in" if self.chance(0.6) else "near"
            phrase = join(phrase, self.preposition_phrase(r"(NP\NP)/NP", word, "place", depth + 1))
        tag, agreement = self.pick_tag(reference.agreement), reference.agreement
        there = Leaf("NP[thr]", "EX", "there", "there")
        if self.chance(0.2):
            word = self.pick(MODALS)
            modal = Leaf(r"(S[dcl]\NP[thr])/(S[b]\NP[thr])", "MD", word, word)
            return join(there, join(modal, join(Leaf(r"(S[b]\NP[thr])/NP", "VB", "be", "be"), phrase)))
        if self.chance(0.12):
            have = Leaf(r"(S[dcl]\NP[thr])/(S[pt]\NP[thr])", tag, HAVE[tag], "have")
            return join(there, join(have, join(Leaf(r"(S[pt]\NP[thr])/NP", "VBN", "been", "be"), phrase)))
        return join(there, join(Leaf(r"(S[dcl]\NP[thr])/NP", tag, inflect_be(tag, agreement), "be"), phrase))

    def _it_clause(self, depth: int) -> Node:
        """`It rained`, `it seems that S`, `it is clear that S`, `it was hard to VP`."""
        it, choice, tag = Leaf("NP[expl]", "PRP", "it", "it"), self.random(), self.pick_tag("sg")
        if choice < 0.25:
            verb = self.pick(WEATHER)
            return join(it, Leaf(r"S[dcl]\NP[expl]", tag, getattr(verb, tag), verb.lemma))
        if choice < 0.5:
            verb = self.pick(SEEM)
            leaf = Leaf(r"(S[dcl]\NP[expl])/S[em]", tag, getattr(verb, tag), verb.lemma)
            return join(it, join(leaf, self.that_clause(SOMEONE, depth + 1)))
        if choice < 0.75:
            word, argument = self.pick(FACT_ADJECTIVES), "S[em]"
            complement: Derivation = self.that_clause(SOMEONE, depth + 1)
        else:
            word, argument = self.pick(TOUGH_ADJECTIVES), r"(S[to]\NP)"
            complement = self.add_infinitive(self.verb_phrase("VB", SOMEONE, depth + 1))
        leaf = Leaf(rf"((S[dcl]\NP[expl])/{argument})/(S[adj]\NP)", tag, inflect_be(tag, "sg"), "be")
        return join(it, join(join(leaf, Leaf(r"S[adj]\NP", "JJ", word, word)), complement))

    def command(self) -> Node:
        phrase = self.verb_phrase("VB", SOMEONE._replace(agreement="pl"), 1, has_be=False)
        if self.chance(0.25):
            word = "please" if self.chance(0.5) else self.manner_adverb()
            phrase = join(Leaf(r"(S\NP)/(S\NP)", "RB", word, word), phrase)
        return self.end(phrase, "!" if self.chance(0.15) else ".")


def _capitalise(derivation: Node) -> Node:
    """The derivation with a capital at the start of its first word."""
    first, *rest = derivation.children
    if isinstance(first, Node):
        changed: Derivation = _capitalise(first)
    else:
        changed = first._replace(word=first.word[0].upper() + first.word[1:])
    return derivation._replace(children=(changed, *rest))


SENTENCES = Table(
    [SentenceGenerator.statement, SentenceGenerator.two_statements, SentenceGenerator.question,
     SentenceGenerator.speech, SentenceGenerator.command, SentenceGenerator.shared_object,
     SentenceGenerator.shared_verb],
    (80, 7, 7, 3, 2, 0.5, 0.4),
)  # fmt: skip
