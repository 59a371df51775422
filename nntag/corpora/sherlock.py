"""Sentence-completion questions (MSR challenge) in either distributed form, with or without answers -> questions.

`machine_format`: five lines a question, `12b) text [candidate] text`; answers are the right ones of these lines.
CSV: `id,question,a),b),c),d),e)` with `_____` for the gap; answers are `id,answer`. Texts are split at spaces and tabs
and not tokenised any further.
"""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from nntag.corpora.faults import OnBad, raise_bad
from nntag.corpora.lines import Lines, is_blank, split_spaces
from nntag.corpora.records import Question
from nntag.errors import DataError

LETTERS = "abcde"

_OPTION = re.compile(r"[ \t]*([0-9]{1,9})([a-z])\)(.*)", re.DOTALL)  # the letter ends at the first bracket
_CANDIDATE = re.compile(r"\[([^\[\]]*)\]")
_GAP = re.compile(r"_{2,}")
_NUMBER = re.compile(r"[0-9]{1,9}")

_NumberedText = tuple[int, str]


@dataclass(frozen=True, slots=True)
class _Option:
    """One line of the machine format; `readings` has each way to take one bracketed word as the gap."""

    number: int
    letter: str
    readings: dict[tuple[tuple[str, ...], tuple[str, ...]], str]  # (left, right) -> candidate
    line: int


@dataclass(frozen=True, slots=True)
class _Answer:
    number: int
    option: int
    words: tuple[str, ...] | None  # the bracketed words of a machine_format answer
    line: int


def read_sherlock(lines: Lines, answers: Lines | None = None, on_bad: OnBad = raise_bad) -> Iterator[Question]:
    """Questions of five candidates, with the index of the right one where `answers` are given.

    Raises DataError for lines of neither form, questions without five candidates for one gap or with the number of an
    earlier one, and answers that are missing, repeated, of no question, or name a word that is not the candidate.
    """
    if answers is None:
        yield from _read_new_questions(lines, on_bad)
        return
    known: dict[int, _Answer] = {}
    for answer in _read_answers(answers, on_bad):
        if answer.number in known:
            on_bad(answers.fault(answer.line, f"a second answer to question {answer.number}"))
        known.setdefault(answer.number, answer)
    for question in _read_new_questions(lines, on_bad):
        try:
            yield replace(question, answer=_find_answer(lines, answers, known.pop(question.number, None), question))
        except DataError as error:
            on_bad(error)
    for answer in known.values():
        on_bad(answers.fault(answer.line, f"an answer to question {answer.number}, which {lines.path} does not have"))


def _find_answer(lines: Lines, answers: Lines, answer: _Answer | None, question: Question) -> int:
    if answer is None:
        line = question.place.line if question.place else None
        raise lines.fault(line, f"question {question.number} has no answer in {answers.path}")
    option = question.options[answer.option]
    if answer.words is not None and option not in answer.words:
        found = " or ".join(repr(word) for word in answer.words)
        reason = f"option {LETTERS[answer.option]} of question {question.number} is {option!r}, not {found}"
        raise answers.fault(answer.line, reason)
    return answer.option


def _read_new_questions(lines: Lines, on_bad: OnBad) -> Iterator[Question]:
    """The questions, without those whose number was there before."""
    numbers: set[int] = set()
    for question in _read_questions(lines, on_bad):
        if question.number in numbers:
            line = question.place.line if question.place else None
            on_bad(lines.fault(line, f"a second question {question.number}"))
            continue
        numbers.add(question.number)
        yield question


def _read_questions(lines: Lines, on_bad: OnBad) -> Iterator[Question]:
    source, is_csv = _open_rows(lines, on_bad)
    if is_csv:
        for line, cells in _csv_rows(lines, source, on_bad):
            try:
                yield _csv_question(lines, line, cells)
            except DataError as error:
                on_bad(error)
        return
    yield from _join_lines(lines, source, on_bad)


def _join_lines(lines: Lines, source: Iterator[_NumberedText], on_bad: OnBad) -> Iterator[Question]:
    """The questions of a file in the machine format. After a fault reading goes on at the next option a)."""
    group: list[_Option] = []
    skipping = False
    for line, text in source:
        restart: list[_Option] = []
        try:
            option = _parse_option(lines, line, text)
            skipping = skipping and option.letter != LETTERS[0]
            if skipping:
                continue
            if option.letter == LETTERS[0] and group:
                restart = [option]
                raise _short_question(lines, group)
            expected = f"{group[0].number}{LETTERS[len(group)]}" if group else f"{option.number}{LETTERS[0]}"
            if f"{option.number}{option.letter}" != expected:
                raise lines.fault(line, f"expected option {expected}), found {option.number}{option.letter})")
            group.append(option)
            if len(group) == len(LETTERS):
                complete, group = group, []
                yield _join_options(lines, complete)
        except DataError as error:
            on_bad(error)
            group, skipping = restart, not restart
    if group:
        on_bad(_short_question(lines, group))


def _short_question(lines: Lines, group: list[_Option]) -> DataError:
    reason = f"question {group[0].number} ends after {len(group)} of {len(LETTERS)} options"
    return lines.fault(group[-1].line, reason)


def _parse_option(lines: Lines, line: int, text: str) -> _Option:
    match = _OPTION.match(text)
    if match is None:
        raise lines.fault(line, f"expected an option such as '12b) ... [word] ...', found {text[:40]!r}")
    sentence = match[3]
    readings = {}
    for candidate in _CANDIDATE.finditer(sentence):
        left, right = sentence[: candidate.start()], sentence[candidate.end() :]
        word = " ".join(split_spaces(candidate[1]))
        if word:
            readings[tuple(split_spaces(left)), tuple(split_spaces(right))] = word
    if not readings:
        raise lines.fault(line, f"expected a candidate in square brackets, found {sentence.strip()[:60]!r}")
    return _Option(int(match[1]), match[2], readings, line)


def _join_options(lines: Lines, group: list[_Option]) -> Question:
    """The gap is the bracketed word that, taken out, leaves the same text in all five lines."""
    shared = [reading for reading in group[0].readings if all(reading in option.readings for option in group)]
    if len(shared) != 1:
        reason = f"the options of question {group[0].number} differ in more than one word in square brackets"
        raise lines.fault(group[0].line, reason)
    left, right = shared[0]
    options = tuple(option.readings[left, right] for option in group)
    return Question(group[0].number, left, options, right, place=lines.place(group[0].line))


def _csv_question(lines: Lines, line: int, cells: list[str]) -> Question:
    if len(cells) != 2 + len(LETTERS):
        raise lines.fault(line, f"expected 7 fields (id, question and five options), found {len(cells)}")
    number, text, *options = (cell.strip(" \t") for cell in cells)
    parts = _GAP.split(text)
    if _NUMBER.fullmatch(number) is None or "" in options:
        raise lines.fault(line, f"expected a number and five words as options, found {number!r} and {options}")
    if len(parts) != 2:
        raise lines.fault(line, f"expected one gap '_____', found {len(parts) - 1} in {text[:60]!r}")
    left, right = (tuple(split_spaces(part)) for part in parts)
    return Question(int(number), left, tuple(options), right, place=lines.place(line))


def _read_answers(lines: Lines, on_bad: OnBad) -> Iterator[_Answer]:
    source, is_csv = _open_rows(lines, on_bad)
    for line, row in _csv_rows(lines, source, on_bad) if is_csv else source:
        try:
            yield _csv_answer(lines, line, row) if isinstance(row, list) else _machine_answer(lines, line, row)
        except DataError as error:
            on_bad(error)


def _machine_answer(lines: Lines, line: int, text: str) -> _Answer:
    option = _parse_option(lines, line, text)
    if option.letter not in LETTERS:
        raise lines.fault(line, f"expected a letter from a to e, found {option.letter!r}")
    return _Answer(option.number, LETTERS.index(option.letter), tuple(option.readings.values()), line)


def _csv_answer(lines: Lines, line: int, cells: list[str]) -> _Answer:
    number, letter = (cell.strip(" \t") for cell in (*cells, "", "")[:2])
    if len(cells) != 2 or _NUMBER.fullmatch(number) is None or letter not in tuple(LETTERS):
        raise lines.fault(line, f"expected a number and a letter from a to e, found {','.join(cells)[:60]!r}")
    return _Answer(int(number), LETTERS.index(letter), None, line)


def _open_rows(lines: Lines, on_bad: OnBad) -> tuple[Iterator[_NumberedText], bool]:
    """The lines that are not blank, and whether they are CSV: then the header is left out."""
    lines.expect("sherlock")
    source = _decoded(lines, on_bad)
    first = next(source, None)
    if first is None:
        return iter(()), False
    if first[1].lower().replace(" ", "").startswith("id,"):
        return source, True
    return itertools.chain([first], source), False


def _decoded(lines: Lines, on_bad: OnBad) -> Iterator[_NumberedText]:
    for number, raw in lines.raw():
        try:
            if not is_blank(raw):
                yield number, lines.decode(number, raw)
        except DataError as error:
            on_bad(error)


def _csv_rows(lines: Lines, source: Iterator[_NumberedText], on_bad: OnBad) -> Iterator[tuple[int, list[str]]]:
    """The line where a row starts, and its cells."""
    last = 0
    start = 0

    def feed() -> Iterator[str]:
        nonlocal last, start
        for number, text in source:
            start = start or number
            last = number
            yield text + "\n"

    rows = csv.reader(feed(), strict=True)
    while True:
        start = 0
        try:
            row = next(rows, None)
        except csv.Error as error:
            on_bad(lines.fault(last, f"not a CSV row: {error}"))
            continue
        if row is None:
            return
        yield start, row
