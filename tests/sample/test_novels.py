"""Generated novels and questions: read back by the readers, held out, and answerable by the company that words keep."""

from __future__ import annotations

import math
import re
from collections import Counter

import pytest

from nntag.corpora.gutenberg import read_gutenberg
from nntag.corpora.lines import open_lines
from nntag.corpora.sherlock import read_sherlock
from nntag.sample import write_sample

WORD = re.compile(r"[a-z-]+")


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    return write_sample("sherlock", tmp_path_factory.mktemp("sherlock"), 3000, 4)


@pytest.fixture(scope="module")
def paragraphs(paths) -> list[str]:
    return [one.text for path in sorted(paths["train"].iterdir()) for one in read_gutenberg(open_lines(str(path)))]


@pytest.fixture(scope="module")
def questions(paths):
    return list(read_sherlock(open_lines(str(paths["questions"])), open_lines(str(paths["answers"]))))


def test_layout_of_the_novels(paths):
    assert paths["train"].name == "Holmes_Training_Data"
    files = sorted(paths["train"].iterdir())
    assert len(files) >= 3 and all(re.fullmatch(r"[A-Z0-9]{1,8}\.TXT", path.name) for path in files)
    for path in files:
        raw = path.read_bytes()
        assert raw.isascii() and raw.count(b"\n") == raw.count(b"\r\n")
        assert max(map(len, raw.split(b"\r\n"))) <= 100
    heads = [path.read_text().split("CHAPTER I\n")[0] for path in files]
    assert any("SMALL PRINT" in head for head in heads) and any("*** START OF" in head for head in heads)


def test_notices_are_stripped(paragraphs):
    text = "\n".join(paragraphs)
    for word in ("Gutenberg", "Etext", "eBook", "SMALL PRINT", "Author", "generated"):
        assert word not in text
    assert sum(paragraph.startswith("CHAPTER ") for paragraph in paragraphs) > 5


def test_novels_have_as_many_sentences_as_asked(paragraphs):
    body = " ".join(paragraph for paragraph in paragraphs if not paragraph.startswith("CHAPTER "))
    ends = re.findall(r'[.?!]"?(?=\s|$)', re.sub(r"\b(Mr|Mrs|Dr)\.", r"\1", body))
    quoted = re.findall(r'[?!,]" ', body)
    assert abs(len(ends) - 3000) <= len(quoted) + 5


def test_both_forms_of_the_questions_agree(paths, questions):
    other = list(read_sherlock(open_lines(str(paths["csv_questions"])), open_lines(str(paths["csv_answers"]))))
    assert [(one.number, one.left, one.options, one.right, one.answer) for one in questions] == [
        (one.number, one.left, one.options, one.right, one.answer) for one in other
    ]
    assert len(questions) == 300 and {one.answer for one in questions} == {0, 1, 2, 3, 4}
    assert all(len(set(one.options)) == 5 for one in questions)


def test_articles_give_no_answer_away(questions):
    for question in questions:
        before = question.left[-1].lower() if question.left else ""
        starts = {option[0] in "aeio" for option in question.options}
        assert before not in ("a", "an") or len(starts) == 1 or "u" in {option[0] for option in question.options}


def test_question_sentences_are_held_out(paragraphs, questions):
    letters = re.compile(r"[^a-z0-9]+")
    text = letters.sub("", " ".join(paragraphs).lower())
    for question in questions:
        tokens = (*question.left, question.options[question.answer], *question.right)
        assert letters.sub("", "".join(tokens).lower()) not in text


def test_company_tells_the_answer(paragraphs, questions):
    """Words that stand together in the novels' sentences decide far more questions than the 20 % of a guess."""
    single, pairs, sentences = Counter(), Counter(), 0
    for sentence in re.split(r"[.?!]", " ".join(paragraphs)):
        found = set(WORD.findall(sentence.lower()))
        sentences += 1
        single.update(found)
        pairs.update((one, other) for one in found for other in found)
    right = 0
    for question in questions:
        context = set(WORD.findall(" ".join(question.left + question.right).lower()))

        def score(option: str, context=context) -> float:
            expected = {word: single[option] * single[word] / sentences for word in context}
            return sum(math.log((pairs[option, word] + 1) / (expected[word] + 1)) for word in context)

        scores = [score(option) for option in question.options]
        right += scores.index(max(scores)) == question.answer
    assert right / len(questions) > 0.4
    assert sum(single[question.options[question.answer]] > 0 for question in questions) > 0.9 * len(questions)
