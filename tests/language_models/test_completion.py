"""Completion: the report on hand-worked scores, and the scores of candidates against one sentence at a time."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
import torch

from nntag.config.language_models import LSTMLMConfig, RMNConfig
from nntag.corpora.records import Place, Question
from nntag.errors import DataError, RunError, UsageError
from nntag.language_models.completion import candidates
from nntag.language_models.completion.candidates import score_candidates
from nntag.language_models.completion.questions import (
    ClozeQuestion,
    choose_options,
    find_known,
    open_questions,
    report_completion,
    tokenize_question,
    wilson_interval,
)
from nntag.language_models.models.lstm_lm import LSTMLM
from nntag.language_models.models.rmn import RecurrentMemory
from nntag.language_models.ngram.estimate import estimate_ngrams
from nntag.language_models.ngram.model import NgramModel
from nntag.language_models.streams import UNKNOWN, StreamVocabulary, make_batch

VOCABULARY = StreamVocabulary(["the", "cat", "sat", "on", "a", "mat", ".", "dog", "ran"])
QUESTIONS = [
    ClozeQuestion(1, ("the",), (("cat",), ("dog",), ("mat",), ("ran",), ("gnu",)), ("sat", "on", "a", "mat", "."), 0),
    ClozeQuestion(2, (), (("the",), ("a",), ("on",), ("gnu", "s"), ("dog", "mat")), ("cat",), 1),
    ClozeQuestion(3, ("the", "zebra", "sat", "on", "a"), (("mat",), ("cat",), ("the",), ("ran",), ("a",)), (), 2),
    ClozeQuestion(4, ("a", "dog"), (("ran",), ("ran",), ("sat",), ("sat", "on"), ("sat", "on", "a")), ("mat", "."), 0),
]


def test_report_by_hand():
    nats = np.array([[1.0, 2, 3, 4, 5], [9, 8.5, 9, 9, 9], [1, 0.25, 1, 1, 1], [7, 8, 9, 9, 9]])
    known = np.ones((4, 5), bool)
    known[0, 4] = known[1, 3] = known[2, 2] = False
    choices, margins = choose_options(nats)
    assert choices.tolist() == [0, 1, 1, 0] and margins.tolist() == [1, 0.5, 0.75, 1]
    report = report_completion(QUESTIONS, nats, known)
    assert (report["accuracy"], report["questions"], report["mean_margin"]) == (0.75, 4, 0.8125)
    assert (report["first_half"]["accuracy"], report["last_half"]["accuracy"]) == (1.0, 0.5)
    assert report["all_candidates_known"]["accuracy"] == 1.0 and report["all_candidates_known"]["questions"] == 1
    assert report["some_candidate_unknown"]["accuracy"] == pytest.approx(2 / 3)
    assert report["answer_unknown"] == {"questions": 1, "accuracy": 0.0, "interval": wilson_interval(0, 1)}
    assert report["unknown_candidates"] == 3


def test_without_answers_there_is_no_accuracy():
    unanswered = [ClozeQuestion(1, (), (("a",), ("the",)), ())]
    assert "accuracy" not in report_completion(unanswered, np.array([[1.0, 2.0]]), np.ones((1, 2), bool))
    with pytest.raises(UsageError):
        report_completion([], np.empty((0, 5)), np.ones((0, 5), bool))


def test_wilson_interval():
    # Newcombe 1998, table I: 81 of 263 gives 0.2553-0.3662, 0 of 20 gives 0-0.1611, 15 of 148 gives 0.0624-0.1605
    assert wilson_interval(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson_interval(0, 20) == pytest.approx((0, 0.1611), abs=5e-5)
    assert wilson_interval(15, 148) == pytest.approx((0.0624, 0.1605), abs=5e-5)
    assert wilson_interval(20, 20)[1] == pytest.approx(1)


def test_both_forms_of_a_question_give_the_same_tokens():
    options = "sitting-room", "King's", "safe"
    raw = Question(7, ("Don't", "open", "the"), options, (",", "Mr.", "Hale."), 1)
    options = "sitting-room", "King 's", "safe"
    spaced = Question(7, ("Do", "n't", "open", "the"), options, (",", "Mr", ".", "Hale", "."), 1)
    assert tokenize_question(raw) == tokenize_question(spaced)
    assert tokenize_question(raw).sentence(1) == ("Do", "n't", "open", "the", "King", "'s", ",", "Mr", ".", "Hale", ".")


def test_a_candidate_without_words_is_a_fault_with_its_place():
    bad = Question(7, ("a",), ('"', "b"), ("c",), None, Place("q.csv", 12))
    with pytest.raises(DataError, match="q.csv:12: the candidate"):
        tokenize_question(bad)


def test_questions_survive_json(tmp_path):
    path = tmp_path / "questions.json"
    path.write_text(json.dumps([question.to_json() for question in QUESTIONS]))
    assert open_questions(path) == QUESTIONS
    assert open_questions(tmp_path / "none.json") == []
    path.write_text('[{"number": 1}]')
    with pytest.raises(RunError, match="damaged"):
        open_questions(path)


def make_models() -> dict[str, LSTMLM | RecurrentMemory | NgramModel]:
    torch.manual_seed(3)
    rows = np.random.default_rng(0).integers(1, len(VOCABULARY), (40, 6))
    rows[:, -1] = 0
    return {
        "lstm": LSTMLM(LSTMLMConfig(layers=2, hidden=7, init_range=0.5), len(VOCABULARY)).double().eval(),
        "rm": RecurrentMemory(RMNConfig(hidden=6, memory=3, init_range=0.5), len(VOCABULARY)).double().eval(),
        "ngram": estimate_ngrams(rows.ravel(), 0, len(VOCABULARY), len(VOCABULARY), 3),
    }


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("name", ["lstm", "rm", "ngram"])
@pytest.mark.parametrize("looks_ahead", [False, True])
def test_scores_are_those_of_single_sentences(name, backward, looks_ahead, monkeypatch):
    model = make_models()[name]
    monkeypatch.setattr(candidates, "BATCH_QUESTIONS", 3)
    if name != "ngram":
        monkeypatch.setattr(type(model), "looks_ahead", looks_ahead)
    found = score_candidates(model, VOCABULARY, QUESTIONS, backward)
    for row, question in zip(found, QUESTIONS, strict=True):
        for option, nats in enumerate(row):
            ids = VOCABULARY.encode(question.sentence(option))
            sentence = np.append(ids[::-1] if backward else ids, 0)
            if isinstance(model, NgramModel):
                expected = model.token_nats(sentence).sum()
            else:
                expected = float(model.token_nats(make_batch([sentence])).sum())
            expected += (sentence == UNKNOWN).sum() * math.log(len(VOCABULARY))
            assert nats == pytest.approx(expected, rel=1e-9)


def test_what_candidates_share_is_predicted_once(monkeypatch):
    model, seen = make_models()["lstm"], []
    original = LSTMLM.token_nats

    def count(self, batch):
        seen.append(int((batch.targets >= 0).sum()))
        return original(self, batch)

    monkeypatch.setattr(LSTMLM, "token_nats", count)
    score_candidates(model, VOCABULARY, [QUESTIONS[2]])
    assert seen == [5 + 5 * 2]  # the five words on the left once, the candidate and the end five times


def test_known_candidates():
    assert find_known(VOCABULARY, QUESTIONS)[:2].tolist() == [[True] * 4 + [False], [True] * 3 + [False, True]]


@pytest.mark.parametrize("answer", range(5))
def test_a_tie_counts_as_a_guess_among_the_tied(answer: int) -> None:
    """Question 1: all five options tie, 1/5 whatever the answer is; question 2: the first two tie; question 3: none."""
    questions = [ClozeQuestion(number, ("a",), tuple(("w",) for _ in range(5)), (), answer) for number in (1, 2, 3)]
    nats = np.array([[7.0] * 5, [1.0, 1.0 + 1e-7, 2.0, 3.0, 4.0], [5.0, 4.0, 3.0, 2.0, 1.0]])
    report = report_completion(questions, nats, np.ones((3, 5), bool))
    expected = (1 / 5 + (1 / 2 if answer < 2 else 0) + (1 if answer == 4 else 0)) / 3
    assert report["accuracy"] == pytest.approx(expected) and report["ties"] == 2
