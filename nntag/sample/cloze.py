"""Generated sentence-completion questions: a seed in, questions and the files of the Sherlock challenge out.

How a question can be answered: a sentence keeps to one topic of the grammar, and so does a paragraph of the novels, so
the words of a topic stand together there. A question is a held-out sentence with at least two words that belong to one
topic alone; its gap is a third one. The four wrong candidates have the same tag and play the same part in other topics
(persons for a person, verbs with objects for a verb with an object), and are as frequent: only the company tells.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from nntag.sample.derivations import iterate_leaves
from nntag.sample.generator import Generated, SentenceGenerator
from nntag.sample.inflection import choose_article
from nntag.sample.lexicon import TOPIC_TABLE, Topic
from nntag.sample.scope import Random
from nntag.sample.writers import join_tokens

Part = tuple[str, str]  # a tag, and the list that the word comes from
Parts = dict[Part, dict[str, list[str]]]  # part -> topic -> words

FREQUENT = 6  # gaps and candidates are among the first six words of their list
SHORTEST, LONGEST = 9, 30
LETTERS = "abcde"


class Cloze(NamedTuple):
    """A question: tokens with a gap, five candidates and the place of the right one."""

    left: tuple[str, ...]
    options: tuple[str, ...]
    right: tuple[str, ...]
    answer: int


def make_questions(count: int, seed: str) -> tuple[list[Cloze], frozenset[str]]:
    """Questions, all different, and the sentences that they were made from."""
    generator, choose = SentenceGenerator(seed), random.Random(f"{seed}-gaps").random
    parts = _list_telling_words()
    questions: dict[str, Cloze] = {}
    while len(questions) < count:
        generated = generator.generate()
        text = join_tokens(generated.derivation)
        if text not in questions and (question := _make_question(generated, parts, choose)) is not None:
            questions[text] = question
    return list(questions.values()), frozenset(questions)


def _list_telling_words() -> Parts:
    """The most frequent words of each topic that belong to no other."""
    words = [(part, topic.name, word) for topic in TOPIC_TABLE.items for part, word in _list_frequent_words(topic)]
    topics = Counter(word for word, _ in {(word, name) for _, name, word in words})
    parts: Parts = defaultdict(lambda: defaultdict(list))
    for part, name, word in words:
        if topics[word] == 1:
            parts[part][name].append(word)
    return parts


def _list_frequent_words(topic: Topic) -> Iterator[tuple[Part, str]]:
    for kind, nouns in topic.nouns.items():
        for singular, plural in nouns.items[:FREQUENT]:
            yield ("NN", kind), singular
            if kind != "mass":
                yield ("NNS", kind), plural
    for source, verbs in topic.verbs.items():
        for verb in verbs.items[:FREQUENT]:
            for tag in ("VB", "VBD", "VBG", "VBN", "VBZ"):
                yield (tag, source), getattr(verb, tag)


def _make_question(generated: Generated, parts: Parts, choose: Random) -> Cloze | None:
    """The sentence with one of its topic's words taken out; None if it has fewer than three of them."""
    leaves = list(iterate_leaves(generated.derivation))
    if not SHORTEST <= len(leaves) <= LONGEST:
        return None
    telling = [
        (place, part)
        for place, leaf in enumerate(leaves)
        for part, topics in parts.items()
        if part[0] == leaf.tag and leaf.word in topics.get(generated.topic, ())
    ]
    gaps = [(place, part) for place, part in telling if place > 0]
    if len({place for place, _ in telling}) < 3 or not gaps:
        return None
    place, part = gaps[int(len(gaps) * choose())]
    before = leaves[place - 1]
    others = []
    for name, words in parts[part].items():
        fitting = [word for word in words if before.lemma != "a" or choose_article(word) == before.word]
        if fitting and name != generated.topic:
            others.append(fitting)
    if len(others) < 4:
        return None
    options = [leaves[place].word]
    while len(options) < 5:
        words = others.pop(int(len(others) * choose()))
        options.append(words[int(len(words) * choose())])
    answer = int(5 * choose())
    options[0], options[answer] = options[answer], options[0]
    tokens = tuple(leaf.word for leaf in leaves)
    return Cloze(tokens[:place], tuple(options), tokens[place + 1 :], answer)


def write_questions(folder: Path, questions: list[Cloze]) -> dict[str, Path]:
    """Write the questions in both forms in which they are distributed; gives the path of each file."""
    lines, right, rows, letters = [], [], ["id,question,a),b),c),d),e)"], ["id,answer"]
    for number, question in enumerate(questions, start=1):
        for letter, option in zip(LETTERS, question.options, strict=True):
            lines.append(f"{number}{letter}) {_write_text(question, f'[{option}]')}")
        right.append(lines[question.answer - 5])
        text = _write_text(question, "_____")
        rows.append(",".join([str(number), f'"{text}"' if "," in text else text, *question.options]))
        letters.append(f"{number},{LETTERS[question.answer]}")
    files = {
        "questions": ("Holmes.machine_format.questions.txt", lines),
        "answers": ("Holmes.machine_format.answers.txt", right),
        "csv_questions": ("testing_data.csv", rows),
        "csv_answers": ("test_answer.csv", letters),
    }
    for name, listed in files.values():
        (folder / name).write_text("\n".join(listed) + "\n", encoding="utf-8", newline="\n")
    return {key: folder / name for key, (name, _) in files.items()}


def _write_text(question: Cloze, gap: str) -> str:
    """As in the challenge: spaces before commas, but none before the final mark, `'s` and `n't`."""
    text = " ".join([*question.left, gap, *question.right])
    for mark in (" 's", " n't"):
        text = text.replace(mark, mark[1:])
    return text[:-2] + text[-1]
