"""Generated novels and sentence-completion questions: a seed in, a folder laid out like the Sherlock challenge out.

`Holmes_Training_Data/*.TXT` are novels with CRLF, lines of about 70 characters, chapter heads and, before and after
them, notices in wording of our own that carry the markers by which the Gutenberg reader finds a novel's ends: those of
the 1990s in one half of the files, the later ones in the other. The questions stand beside them in both distributed
forms. All of it is generated; no sentence was taken from anywhere.

How a question can be answered: a paragraph keeps to one topic of the grammar, and so does a sentence, so the words of a
topic stand together in the novels. A question is a held-out sentence with at least two words that belong to one topic
alone; its gap is a third one. The four wrong candidates have the same tag and play the same part in other topics
(persons for a person, verbs with objects for a verb with an object), and are as frequent: only the company tells.
"""

from __future__ import annotations

import random
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from nntag.sample.derivations import Derivation, Node, iterate_leaves
from nntag.sample.generator import Generated, SentenceGenerator
from nntag.sample.lexicon import TOPIC_TABLE, list_words
from nntag.sample.phrases import choose_article
from nntag.sample.writers import join_tokens, run_together

Choose = Callable[[], float]  # a random number in [0, 1)
Parts = dict[tuple[str, str], dict[str, list[str]]]

NOVEL_SENTENCES = 1500  # sentences in a novel, or fewer so that there are three
MOST_QUESTIONS = 1040  # as many as the challenge has
FREQUENT = 6  # gaps and candidates are among the first six words of their list
LETTERS = "abcde"
QUESTION_FILE, ANSWER_FILE = "Holmes.machine_format.questions.txt", "Holmes.machine_format.answers.txt"
CSV_QUESTIONS, CSV_ANSWERS = "testing_data.csv", "test_answer.csv"
TITLE_WORDS = list_words("Lantern Orchard Verdict Viaduct Pendulum Ledger Lullaby Harbour Tonic Kettle Satchel Gallows")
TITLE_PLACES = list_words("Ashford Winbury Holmouth Millwick Thornhaven Stoneport Redcliffe Harwick Fenbridge Coldstow")
AUTHORS = list_words("Agnes_Holridge Peter_Millgate Clara_Thornby Oscar_Wetherman Maud_Brackley Hugo_Fenshaw")

OLD_HEADER = """\
The Project Gutenberg Etext of {title}, by {author}

This is no Etext of that project: the text was generated, and only imitates the layout of one.

{title}

by {author}

*END*THE SMALL PRINT! FOR GENERATED TEXTS*Ver.01.01.01*END*
"""
OLD_FOOTER = "End of The Project Gutenberg Etext of {title}, by {author}\n"
NEW_HEADER = """\
Title: {title}
Author: {author}

This file was generated and only imitates the layout of an eBook.

*** START OF THIS PROJECT GUTENBERG EBOOK {upper} ***
"""
NEW_FOOTER = """\
*** END OF THIS PROJECT GUTENBERG EBOOK {upper} ***

Nothing after this line belongs to the novel.
"""


class Cloze(NamedTuple):
    """A question: tokens with a gap, five candidates and the place of the right one."""

    left: tuple[str, ...]
    options: tuple[str, ...]
    right: tuple[str, ...]
    answer: int


def write_sherlock(folder: Path, size: int, seed: int | str) -> dict[str, Path]:
    """Write novels of `size` sentences and the questions; gives `train` (the novels' folder) and each question file."""
    questions, held_out = _make_questions(max(50, min(MOST_QUESTIONS, size // 10)), f"{seed}-questions")
    novels = folder / "Holmes_Training_Data"
    novels.mkdir(parents=True, exist_ok=True)
    _write_novels(novels, size, f"{seed}-novels", held_out)
    return {"train": novels, **_write_questions(folder, questions)}


def _write_novels(folder: Path, size: int, seed: str, held_out: frozenset[str]) -> None:
    generator, choose = SentenceGenerator(seed), random.Random(f"{seed}-layout").random
    count = max(3, -(-size // NOVEL_SENTENCES))
    for number in range(count):
        title = f"The {TITLE_WORDS.pick(choose)} of {TITLE_PLACES.pick(choose)}"
        names = {"title": title, "author": AUTHORS.pick(choose).replace("_", " "), "upper": title.upper()}
        header, footer = (OLD_HEADER, OLD_FOOTER) if number % 2 == 0 else (NEW_HEADER, NEW_FOOTER)
        sentences = size // count + (number < size % count)
        parts = [header.format(**names), "", *_write_chapters(generator, choose, sentences, held_out)]
        text = "\n".join([*parts, "", footer.format(**names)])
        # 8.3 file names, as on the discs of the time
        (folder / f"GEN{number + 1:03d}10.TXT").write_bytes(text.replace("\n", "\r\n").encode("ascii"))


def _write_chapters(
    generator: SentenceGenerator, choose: Choose, sentences: int, held_out: frozenset[str]
) -> Iterator[str]:
    """Chapter heads and paragraphs; a paragraph keeps to one of the chapter's two topics."""
    chapter = 0
    while sentences > 0:
        chapter += 1
        yield f"\n\nCHAPTER {_write_roman(chapter)}\n"
        topics = [TOPIC_TABLE.pick(choose), TOPIC_TABLE.pick(choose)]
        for _ in range(8 + int(8 * choose())):
            topic = topics[int(2 * choose())]
            length = min(sentences, 3 + int(5 * choose()))
            spoken: list[str] = []
            while len(spoken) < length:
                generated = generator.generate(topic)
                if join_tokens(generated.derivation) not in held_out:
                    spoken.append(_write_sentence(generated.derivation))
            sentences -= length
            if spoken:
                yield textwrap.fill("  ".join(spoken), 70, break_on_hyphens=False, break_long_words=False) + "\n"


def _write_sentence(root: Node) -> str:
    """Running text; what somebody says stands between quotation marks."""
    body = root.children[0]
    if isinstance(body, Node) and body.rule == "ba" and body.children[1].category == r"S[dcl]\S[dcl]":
        said, report = (_list_words(child) for child in body.children)
        return f'"{run_together(said)}" {run_together(report)}.'
    return run_together(_list_words(root))


def _list_words(derivation: Derivation) -> list[str]:
    return [leaf.word for leaf in iterate_leaves(derivation)]


def _write_roman(number: int) -> str:
    text = ""
    for value, letters in ((50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")):
        text += letters * (number // value)
        number %= value
    return text


def _list_topic_words() -> Parts:
    """(tag, part that the word plays) -> topic -> its most frequent words that belong to no other topic."""
    found: Parts = {}
    for topic in TOPIC_TABLE.items:
        for kind, nouns in topic.nouns.items():
            for singular, plural in nouns.items[:FREQUENT]:
                found.setdefault(("NN", kind), {}).setdefault(topic.name, []).append(singular)
                if kind != "mass":
                    found.setdefault(("NNS", kind), {}).setdefault(topic.name, []).append(plural)
        for source, verbs in topic.verbs.items():
            for verb in verbs.items[:FREQUENT]:
                for tag in ("VB", "VBD", "VBG", "VBN", "VBZ"):
                    found.setdefault((tag, source), {}).setdefault(topic.name, []).append(getattr(verb, tag))
    owners: dict[str, set[str]] = {}
    for topics in found.values():
        for name, words in topics.items():
            for word in words:
                owners.setdefault(word, set()).add(name)
    return {
        part: {name: [word for word in words if len(owners[word]) == 1] for name, words in topics.items()}
        for part, topics in found.items()
    }


def _make_questions(count: int, seed: str) -> tuple[list[Cloze], frozenset[str]]:
    """Questions, all different, and the sentences that they were made from."""
    generator, choose = SentenceGenerator(seed), random.Random(f"{seed}-gaps").random
    parts = _list_topic_words()
    questions: list[Cloze] = []
    used: set[str] = set()
    while len(questions) < count:
        generated = generator.generate()
        text = join_tokens(generated.derivation)
        question = None if text in used else _make_question(generated, parts, choose)
        if question is not None:
            used.add(text)
            questions.append(question)
    return questions, frozenset(used)


def _make_question(generated: Generated, parts: Parts, choose: Choose) -> Cloze | None:
    """The sentence with one of its topic's words taken out; None if it has fewer than three of them."""
    leaves = list(iterate_leaves(generated.derivation))
    if not 9 <= len(leaves) <= 30:
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
    options, others = [leaves[place].word], []
    article = leaves[place - 1].word if leaves[place - 1].lemma == "a" else ""
    for name, words in parts[part].items():
        fitting = [word for word in words if not article or choose_article(word) == article]
        if fitting and name != generated.topic:
            others.append(fitting)
    if len(others) < 4:
        return None
    while len(options) < 5:
        words = others.pop(int(len(others) * choose()))
        options.append(words[int(len(words) * choose())])
    answer = int(5 * choose())
    options[0], options[answer] = options[answer], options[0]
    tokens = tuple(leaf.word for leaf in leaves)
    return Cloze(tokens[:place], tuple(options), tokens[place + 1 :], answer)


def _write_text(question: Cloze, gap: str) -> str:
    """As in the challenge: spaces before commas, but none before the final mark, `'s` and `n't`."""
    text = " ".join([*question.left, gap, *question.right])
    for mark in (" 's", " n't"):
        text = text.replace(mark, mark[1:])
    return text[:-2] + text[-1]


def _write_questions(folder: Path, questions: list[Cloze]) -> dict[str, Path]:
    lines, right, rows, letters = [], [], ["id,question,a),b),c),d),e)"], ["id,answer"]
    for number, question in enumerate(questions, start=1):
        for letter, option in zip(LETTERS, question.options, strict=True):
            lines.append(f"{number}{letter}) {_write_text(question, f'[{option}]')}")
        letter = LETTERS[question.answer]
        right.append(lines[question.answer - 5])
        text = _write_text(question, "_____")
        rows.append(",".join([str(number), f'"{text}"' if "," in text else text, *question.options]))
        letters.append(f"{number},{letter}")
    files = {
        "questions": (QUESTION_FILE, lines),
        "answers": (ANSWER_FILE, right),
        "csv_questions": (CSV_QUESTIONS, rows),
        "csv_answers": (CSV_ANSWERS, letters),
    }
    for name, listed in files.values():
        (folder / name).write_text("\n".join(listed) + "\n", encoding="utf-8", newline="\n")
    return {key: folder / name for key, (name, _) in files.items()}
