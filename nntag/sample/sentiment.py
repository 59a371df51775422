"""Generated sentiment trees: a seed in, labelled binary trees in the format of the Stanford Sentiment Treebank out.

The trees are reviews made by a small grammar; the text is generated. Every word has a value from -2 (very negative) to
2; every node gets the value that `compose` gives to its two children, and its label is that value plus 2. The rule:

1. A negation (`not`, `n't`, `never`, `hardly`, `no`, `without`, `lacks`) turns a positive phrase on its right into -1
   and a negative one into 1. An auxiliary joined with `n't` or `not` is itself a negation.
2. An intensifier (`very`, ...) makes a phrase that is not neutral 2 or -2; a diminisher (`slightly`, ...) 1 or -1.
3. `too` makes a neutral phrase -1 and leaves others as they are.
4. In `X but Y` and `although X , Y` the node has the value of Y, or of X where Y is neutral.
5. Every other node has the sum of its children, at most 2 and at least -2; so neutral context changes nothing.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

from nntag.corpora.escapes import escape_word
from nntag.sample.lexicon import Table, list_words
from nntag.sample.phrases import choose_article

POLAR_ADJECTIVES = {
    2: "wonderful brilliant superb delightful magnificent masterful gorgeous dazzling exquisite sublime glorious",
    1: "good clever pleasant charming funny lively warm witty fresh tender enjoyable likeable graceful polished "
    "well-made well-acted heartfelt nimble",
    -1: "dull weak clumsy flat bland messy stale predictable shallow muddled unfunny unpleasant uninspired charmless "
    "half-baked over-long badly-made tone-deaf",
    -2: "awful terrible dreadful horrible unbearable disastrous atrocious wretched insufferable abysmal ghastly",
}
POLAR_NOUNS = {
    2: "triumph masterpiece delight marvel gem",
    1: "pleasure joy treat success charm wit grace warmth",
    -1: "mess failure bore chore letdown muddle",
    -2: "disaster insult catastrophe travesty nightmare",
}
POLAR_VERBS = {
    2: "soars dazzles enchants triumphs",
    1: "works shines charms entertains succeeds pleases",
    -1: "drags fails disappoints bores stumbles sags",
    -2: "stinks collapses appals infuriates",
}
FEELINGS = {
    2: "loved adored",
    1: "liked enjoyed admired praised",
    -1: "disliked regretted mocked",
    -2: "hated despised loathed",
}
POLAR_ADVERBS = {
    2: "beautifully superbly",
    1: "nicely neatly cleverly",
    -1: "badly poorly clumsily",
    -2: "horribly dreadfully",
}
NEUTRAL_ADJECTIVES = "long short new old second loud quiet early late small recent local modern slow simple three-hour"
NEUTRAL_NOUNS = (
    "film play novel actor story script song ending concert soup waiter cast plot meal hotel room director chapter "
    "singer scene dialogue album dessert poem sequel painter garden balcony prologue accordion choreography"
)
GRADABLE = "long short loud quiet slow simple late old"
SETTINGS = "film chapter novel scene hotel play concert garden album"
PEOPLE = "we everyone critics I nobody viewers readers they children guests tourists"
NEUTRAL_VERBS = "begins ends continues changes returns plays opens moves"
QUALITIES = "charm wit grace warmth energy depth patience colour"
NEGATIONS = frozenset(("not", "n't", "never", "hardly", "no", "without", "lacks"))
INTENSIFIERS = frozenset(("very", "really", "extremely", "truly", "absolutely", "thoroughly", "utterly", "deeply"))
DIMINISHERS = frozenset(("slightly", "somewhat", "mildly", "fairly", "partly", "moderately"))
AUXILIARIES = frozenset(("is", "was", "does", "did", "were"))
ROLES = {
    **dict.fromkeys(NEGATIONS, "negation"),
    **dict.fromkeys(INTENSIFIERS, "intensifier"),
    **dict.fromkeys(DIMINISHERS, "diminisher"),
    **dict.fromkeys(AUXILIARIES, "auxiliary"),
    "too": "excess",
    "but": "contrast",
    "although": "concession",
    ",": "comma",
}
VALUES = {
    word: value
    for words in (POLAR_ADJECTIVES, POLAR_NOUNS, POLAR_VERBS, FEELINGS, POLAR_ADVERBS)
    for value, text in words.items()
    for word in text.split()
} | {"energy": 1, "depth": 1, "patience": 1, "colour": 1}

Phrase = str | tuple["Phrase", "Phrase"]  # a word or two phrases


class Part(NamedTuple):
    """What the rule needs to know of a phrase: its value, and what it does to the phrase on its right."""

    value: int
    role: str = ""


def describe_word(word: str) -> Part:
    """The value and role of a word; words that are not in the lists are neutral."""
    return Part(VALUES.get(word.lower(), 0), ROLES.get(word.lower(), ""))


def compose(left: Part, right: Part) -> Part:
    """The value of a node from its two children, by the rule in the head of this module."""
    sign = (right.value > 0) - (right.value < 0)
    if left.role == "comma" or right.role == "comma":  # `, but Y` is still a contrast, `although X ,` a concession
        return right if left.role == "comma" else left
    if left.role == "auxiliary" and right.role == "negation":
        return Part(0, "negation")
    if left.role == "negation":
        return Part(-sign)
    if left.role == "intensifier":
        return Part(2 * sign)
    if left.role == "diminisher":
        return Part(sign)
    if left.role == "excess":
        return Part(right.value or -1)
    if left.role in ("contrast", "concession"):
        return Part(right.value, f"{left.role} phrase")
    if right.role == "contrast phrase" or left.role == "concession phrase":
        return Part(right.value or left.value)
    return Part(max(-2, min(2, left.value + right.value)))


def write_phrase(phrase: Phrase) -> tuple[str, Part]:
    """A phrase in brackets with its labels, and what the rule says of it."""
    if isinstance(phrase, str):
        part = describe_word(phrase)
        return f"({part.value + 2} {escape_word(phrase)})", part
    (left, first), (right, second) = map(write_phrase, phrase)
    part = compose(first, second)
    return f"({part.value + 2} {left} {right})", part


def join_polar(words: dict[int, str]) -> dict[int, Table[str]]:
    return {value: list_words(text) for value, text in words.items()}


ADJECTIVES, NOUNS, VERBS = join_polar(POLAR_ADJECTIVES), join_polar(POLAR_NOUNS), join_polar(POLAR_VERBS)
FELT, ADVERBS = join_polar(FEELINGS), join_polar(POLAR_ADVERBS)
PLAIN_NOUNS, PLAIN_ADJECTIVES, PLAIN_VERBS = map(list_words, (NEUTRAL_NOUNS, NEUTRAL_ADJECTIVES, NEUTRAL_VERBS))
SETTING_NOUNS, GRADABLE_ADJECTIVES = list_words(SETTINGS), list_words(GRADABLE)
EVERYBODY, WANTED = list_words(PEOPLE), list_words(QUALITIES)
STRONGER, WEAKER = list_words(" ".join(sorted(INTENSIFIERS))), list_words(" ".join(sorted(DIMINISHERS)))
POLARITIES = Table([2, 1, -1, -2, 0], [2, 3, 3, 2, 4])


class ReviewGenerator:
    """An endless source of reviews; the seed fixes every one."""

    def __init__(self, seed: int | str):
        self.random = random.Random(seed).random

    def generate(self) -> str:
        """One tree of at most 40 words, in brackets, without line end."""
        while True:
            phrase = self._review()
            if phrase_length(phrase) <= 40:
                return write_phrase(_capitalise(phrase))[0]

    def _chance(self, probability: float) -> bool:
        return self.random() < probability

    def _polar(self, tables: dict[int, Table[str]], neutral: Table[str]) -> str:
        return tables.get(POLARITIES.pick(self.random), neutral).pick(self.random)

    def _review(self) -> Phrase:
        choice = self.random()
        if choice < 0.62:
            return self._clause(".")
        if choice < 0.8:
            return self._clause_without_end(), (",", ("but", self._clause(".")))
        if choice < 0.9:
            return (("Although", self._clause_without_end()), ","), self._clause(".")
        return self._clause_without_end(), ("and", self._clause("." if self._chance(0.9) else "!"))

    def _clause_without_end(self) -> Phrase:
        return self._subject_and_verb(None)

    def _clause(self, mark: str) -> Phrase:
        return self._subject_and_verb(mark)

    def _subject_and_verb(self, mark: str | None) -> Phrase:
        if self._chance(0.22):
            subject: Phrase = EVERYBODY.pick(self.random)
            verb: Phrase = self._polar(FELT, FELT[1]), self._noun_phrase()
            if self._chance(0.15):
                verb = "never", verb
        else:
            subject, verb = self._noun_phrase(), self._verb_phrase()
        return subject, verb if mark is None else (verb, mark)

    def _noun_phrase(self) -> Phrase:
        noun: Phrase = PLAIN_NOUNS.pick(self.random)
        if self._chance(0.35):
            noun = self._adjective() if self._chance(0.6) else PLAIN_ADJECTIVES.pick(self.random), noun
        determiner = ("the", "a", "this", "that", "their")[int(5 * self.random() ** 2)]
        first = noun if isinstance(noun, str) else str(noun[0])
        phrase: Phrase = choose_article(first) if determiner == "a" else determiner, noun
        if self._chance(0.16):
            phrase = phrase, (("of", "in", "from")[int(3 * self.random())], ("the", SETTING_NOUNS.pick(self.random)))
        if self._chance(0.05):
            phrase = phrase, ("without", WANTED.pick(self.random))
        return phrase

    def _verb_phrase(self) -> Phrase:
        choice = self.random()
        if choice < 0.45:
            return ("is", "was")[self._chance(0.5)], self._adjective_phrase()
        if choice < 0.57:
            return (("is", "was")[self._chance(0.5)], ("not", "n't")[self._chance(0.5)]), self._adjective_phrase()
        if choice < 0.69:
            noun: Phrase = self._polar(NOUNS, PLAIN_NOUNS)
            if self._chance(0.25):
                noun = self._adjective(), noun
            first = noun if isinstance(noun, str) else str(noun[0])
            return "is", (choose_article(first), noun)
        if choice < 0.74:
            return ("lacks", "has")[self._chance(0.4)], WANTED.pick(self.random)
        verb: Phrase = self._polar(VERBS, PLAIN_VERBS)
        if self._chance(0.2):
            return ("never", "hardly")[self._chance(0.3)], verb
        if self._chance(0.25):
            return verb, self._polar(ADVERBS, ADVERBS[1])
        return (STRONGER.pick(self.random), verb) if self._chance(0.1) else verb

    def _adjective(self) -> str:
        return self._polar(ADJECTIVES, PLAIN_ADJECTIVES)

    def _adjective_phrase(self) -> Phrase:
        choice, adjective = self.random(), self._adjective()
        if choice < 0.18:
            return STRONGER.pick(self.random), adjective
        if choice < 0.3:
            return WEAKER.pick(self.random), adjective
        if choice < 0.36:
            return "too", GRADABLE_ADJECTIVES.pick(self.random)
        if choice < 0.46:
            return adjective, ("and", self._adjective())
        if choice < 0.56:
            return adjective, ("but", self._adjective())
        return adjective


def phrase_length(phrase: Phrase) -> int:
    return 1 if isinstance(phrase, str) else sum(map(phrase_length, phrase))


def _capitalise(phrase: Phrase) -> Phrase:
    if isinstance(phrase, str):
        return phrase[0].upper() + phrase[1:]
    return _capitalise(phrase[0]), phrase[1]


def generate_reviews(seed: int | str) -> Iterator[str]:
    """An endless stream of trees, one line each without its end."""
    generator = ReviewGenerator(seed)
    while True:
        yield generator.generate()
