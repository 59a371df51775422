"""Sentence-completion questions in both forms, with answers, and their faults."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nntag.corpora.records import Question
from nntag.corpora.sherlock import LETTERS, read_sherlock
from nntag.errors import DataError
from tests.corpora.reading import fault, read, read_on, toy_lines

WORDS = ("red", "low", "nine", "ours", "odd")
HEADER = "id,question,a),b),c),d),e)\n"


def machine(number: int, text: str = "The tide is [{}] .", words: tuple[str, ...] = WORDS, end: str = "\n") -> str:
    return "".join(f"{number}{letter}) {text.format(word)}{end}" for letter, word in zip(LETTERS, words, strict=True))


def summary(questions: list[Question]) -> list[tuple[int, str, str, str]]:
    return [(q.number, " ".join(q.left), ",".join(q.options), " ".join(q.right)) for q in questions]


def test_machine_format() -> None:
    data = (
        "\ufeff"
        + machine(1, end="\r\n")
        + "\n"
        + machine(12, 'f) (x) "[{}]," he\tsaid a) and  went')
        + machine(3, "[{}]")
    )
    assert summary(read(read_sherlock, data)) == [
        (1, "The tide is", ",".join(WORDS), "."),
        (12, 'f) (x) "', ",".join(WORDS), '," he said a) and went'),
        (3, "", ",".join(WORDS), ""),
    ]
    assert [question.place.line for question in read(read_sherlock, data)] == [1, 7, 12]


def test_other_words_in_square_brackets_are_text() -> None:
    data = machine(1, "He said [sic] it was [{}] by [then] .")
    assert summary(read(read_sherlock, data)) == [(1, "He said [sic] it was", ",".join(WORDS), "by [then] .")]
    same = machine(1, "[one] and [two] .")
    assert "differ in more than one word" in fault(read_sherlock, same)


def test_csv_format() -> None:
    seven = f'7,"The ""tide"" , is _____, now .",{",".join(WORDS)}'
    data = f"\ufeffID, question,a),b),c),d),e)\r\n{seven}\r\n\n8,_____,a,b,c,d,e\n"
    assert summary(read(read_sherlock, data)) == [
        (7, 'The "tide" , is', ",".join(WORDS), ", now ."),
        (8, "", "a,b,c,d,e", ""),
    ]


@pytest.mark.parametrize("answers", ["1c) The tide is [nine] .\n2a) x [red] .\n", "id,answer\n1,c\n2,a\n"])
def test_answers_of_either_form(answers: str) -> None:
    questions = machine(1) + machine(2)
    in_csv = HEADER + "".join(f"{n},The tide is _____ .,{','.join(WORDS)}\n" for n in (1, 2))
    for data in (questions, in_csv):
        assert [q.answer for q in read(read_sherlock, data, answers=toy_lines(answers))] == [2, 0]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (machine(1) + "some text\n", "toy:6: expected an option such as"),
        (machine(1) + "2a tide [x]\n", "toy:6: expected an option such as"),
        (machine(1, "The tide is {} ."), "toy:1: expected a candidate in square brackets"),
        (machine(1, "The tide is [ ] ."), "toy:1: expected a candidate in square brackets"),
        (machine(1, "The tide is [{} ."), "toy:1: expected a candidate in square brackets"),
        (machine(1).replace("1b", "1c"), "toy:2: expected option 1b), found 1c)"),
        (machine(1).replace("1d", "2d"), "toy:4: expected option 1d), found 2d)"),
        (machine(1)[9:].replace("1a", "1b"), "toy:1: expected an option"),
        (machine(1).replace("1a", "1b"), "toy:1: expected option 1a), found 1b)"),
        (machine(1)[:77] + "\n" + machine(2), "toy:4: expected a candidate in square brackets"),
        ("1a) [x] .\n1b) [y] .\n", "toy:2: question 1 ends after 2 of 5 options"),
        ("1a) [x] .\n1b) [y] .\n" + machine(2), "toy:2: question 1 ends after 2 of 5 options"),
        (machine(1) + "1f) The tide is [x] .\n", "toy:6: expected option 1a), found 1f)"),
        (machine(1).replace("tide is [nine]", "sea is [nine]"), "toy:1: the options of question 1 differ"),
        (
            HEADER + "1,The tide is _____ .,a,b,c,d\n",
            "toy:2: expected 7 fields (id, question and five options), found 6",
        ),
        (HEADER + "1,The tide is _____ .,a,b,c,d,e,f\n", "toy:2: expected 7 fields"),
        (HEADER + "1,The tide is .,a,b,c,d,e\n", "toy:2: expected one gap '_____', found 0"),
        (HEADER + "1,_____ is _____ .,a,b,c,d,e\n", "toy:2: expected one gap '_____', found 2"),
        (HEADER + "x,The tide is _____ .,a,b,c,d,e\n", "toy:2: expected a number and five words"),
        (HEADER + "1,The tide is _____ .,a,b, ,d,e\n", "toy:2: expected a number and five words"),
        (HEADER + '\n1,"The tide is _____ .,a,b,c,d,e\n', "toy:3: not a CSV row"),
        (machine(1) + machine(2) + machine(1, "It is [{}] ."), "toy:11: a second question 1"),
        (HEADER + "1,It is _____ .,a,b,c,d,e\n1,She is _____ .,a,b,c,d,e\n", "toy:3: a second question 1"),
    ],
)
def test_faults_name_the_line(data: str, message: str) -> None:
    assert fault(read_sherlock, data).startswith(message)


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ("1c) The tide is [low] .\n", "answers:1: option c of question 1 is 'nine', not 'low'"),
        ("1f) The tide is [low] .\n", "answers:1: expected a letter from a to e, found 'f'"),
        ("1c) The tide is low .\n", "answers:1: expected a candidate in square brackets"),
        ("id,answer\n1,f\n", "answers:2: expected a number and a letter from a to e, found '1,f'"),
        ("id,answer\n1,ab\n", "answers:2: expected a number and a letter"),
        ("id,answer\n1,\n", "answers:2: expected a number and a letter"),
        ("id,answer\n1,a,b\n", "answers:2: expected a number and a letter"),
        ("id,answer\n1,a\n1,b\n", "answers:3: a second answer to question 1"),
        ("id,answer\n1,a\n2,b\n", "answers:3: an answer to question 2, which toy does not have"),
        ("id,answer\n", "toy:1: question 1 has no answer in answers"),
        ("", "toy:1: question 1 has no answer in answers"),
    ],
)
def test_faults_of_answers_name_their_file(answers: str, message: str) -> None:
    lines = toy_lines(answers)
    lines.path = "answers"
    with pytest.raises(DataError) as caught:
        read(read_sherlock, machine(1), answers=lines)
    assert str(caught.value).startswith(message)


def test_bad_questions_are_left_out() -> None:
    data = (
        machine(1).replace("1c", "9c") + machine(2) + "1a) [x]\n1b) [y]\n" + machine(3) + machine(4, "{}") + machine(5)
    )
    questions, faults = read_on(read_sherlock, data)
    assert [question.number for question in questions] == [2, 3, 5]
    assert [error.line for error in faults] == [3, 12, 18, 19, 20, 21, 22]
    rows = ["1,no gap,a,b,c,d,e", "2,x _____,a,b,c,d,e", '3,"x" y _____,a,b,c,d,e', "4,x _____,a,b,c,d,e"]
    questions, faults = read_on(read_sherlock, HEADER + "\n".join(rows))
    assert [question.number for question in questions] == [2, 4]
    assert [error.line for error in faults] == [2, 4]
    questions, faults = read_on(read_sherlock, machine(1) + machine(2), answers=toy_lines("2b) [low]\n1a) [low]\n"))
    assert [(question.number, question.answer) for question in questions] == [(2, 1)]
    assert len(faults) == 1
    questions, faults = read_on(read_sherlock, machine(1) + machine(1), answers=toy_lines("1b) [low]\n"))
    assert [(question.number, question.answer) for question in questions] == [(1, 1)]
    assert [str(error) for error in faults] == ["toy:6: a second question 1"]


token = st.text(
    st.characters(exclude_characters=" \t\n\r_[]\ufeff\x00", exclude_categories=["Cs"]), min_size=1, max_size=5
)


@given(
    st.lists(
        st.tuples(
            st.lists(token, max_size=3),
            st.lists(token, min_size=5, max_size=5, unique=True),
            st.lists(token, max_size=3),
        ),
        max_size=4,
    )
)
def test_what_is_written_in_either_form_is_read(rows: list[tuple[list[str], list[str], list[str]]]) -> None:
    expected = [
        (n, tuple(left), tuple(options), tuple(right)) for n, (left, options, right) in enumerate(rows, start=1)
    ]
    lines = "".join(
        f"{n}{letter}) {' '.join([*left, f'[{word}]', *right])}\n"
        for n, left, options, right in expected
        for letter, word in zip(LETTERS, options, strict=True)
    )
    written = io.StringIO()
    writer = csv.writer(written)
    writer.writerow(["id", "question", *(f"{letter})" for letter in LETTERS)])
    writer.writerows([n, " ".join([*left, "_____", *right]), *options] for n, left, options, right in expected)
    for data in (lines, written.getvalue()):
        assert [(q.number, q.left, q.options, q.right) for q in read(read_sherlock, data)] == expected
