"""Scored sentences and answered questions as items for a file; two models' items in, their figures side by side out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from nntag.errors import UsageError
from nntag.language_models.completion.questions import LETTERS, ClozeQuestion, choose_options, find_tied
from nntag.language_models.streams import StreamVocabulary, TokenStream
from nntag.schema import Choice, Columns, Flag, Maybe, Real, Record, Rows, Text, Whole
from nntag.training.item_files import Item
from nntag.training.paired_figures import PairedFigure, share

_SENTENCE = Record(
    {"tokens": Rows(Text(), 1), "log_probabilities": Rows(Maybe(Real()))},
    {"pseudo": Flag()},
    same_length=(("tokens", "log_probabilities"),),
)
_OPTIONS = Columns((Maybe(Real()),) * len(LETTERS))
_LETTER = Choice(tuple(LETTERS))
_QUESTION = Record({"question": Whole(), "nats": _OPTIONS, "choice": _LETTER, "answer": Maybe(_LETTER)})


class LanguageModelItem:
    """The schema of a line: a sentence with the log-probability of each token, or a question with its candidates."""

    def check(self, value: object, place: str) -> None:
        (_QUESTION if isinstance(value, dict) and "question" in value else _SENTENCE).check(value, place)


ITEM = LanguageModelItem()
IDENTITY = ("tokens", "pseudo", "question", "answer")  # by which two items are of the same sentence or question


def make_sentence_items(
    vocabulary: StreamVocabulary, stream: TokenStream, nats: np.ndarray, pseudo: bool
) -> Iterator[Item]:
    """One item a sentence, its words as the model knows them and `</s>` after them; `nats: float64[N]` of the stream.

    `pseudo`: the model sees words on both sides, so that its figures are no probabilities of the sentence.
    """
    mark = {"pseudo": True} if pseudo else {}
    for number, (start, stop) in enumerate(zip(stream.starts, stream.starts[1:], strict=False)):
        tokens = [vocabulary.words[word] for word in stream[number]]
        yield {"tokens": tokens, "log_probabilities": [round(-float(n), 9) for n in nats[start:stop]], **mark}


def make_question_items(questions: Sequence[ClozeQuestion], nats: np.ndarray) -> Iterator[Item]:
    """One item a question: the score of each candidate (`nats: float64[Q, 5]`), the choice and the answer, if known."""
    choices, _ = choose_options(nats)
    for question, scores, choice in zip(questions, nats, choices, strict=True):
        answer = None if question.answer is None else LETTERS[question.answer]
        yield {"question": question.number, "nats": scores.tolist(), "choice": LETTERS[choice], "answer": answer}


def compare_items(first: Sequence[Item], second: Sequence[Item]) -> list[PairedFigure]:
    """The perplexity of the sentences, and where there are questions with answers their accuracy."""
    figures = []
    sentences = [[item for item in items if "tokens" in item] for items in (first, second)]
    if sentences[0]:
        sums = (_count_nats(sentences[0]), _count_nats(sentences[1]))
        name = "pseudo-perplexity" if sentences[0][0].get("pseudo") else "perplexity"
        figures.append(PairedFigure(name, "sentences", sums, _perplexity, higher_is_better=False, percent=False))
    questions = [[item for item in items if item.get("answer")] for items in (first, second)]
    if questions[0]:
        credits = (_credit(questions[0]), _credit(questions[1]))
        counted = tuple(np.stack([credit, np.ones(len(credit))], 1) for credit in credits)
        right = (credits[0] == 1, credits[1] == 1)  # a tie is no answer
        figures.append(PairedFigure("accuracy", "questions", (counted[0], counted[1]), share, right, "questions"))
    return figures


def _count_nats(sentences: Sequence[Item]) -> np.ndarray:
    """float64[K, 2]: nats and tokens of each; raises `UsageError` for a token without a finite log-probability."""
    logs = [item["log_probabilities"] for item in sentences]
    if any(log is None for item in logs for log in item):
        raise UsageError("a token has the probability 0, so that the perplexity is infinite and cannot be compared")
    return np.array([[-sum(item), len(item)] for item in logs], float)


def _perplexity(sums: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):
        return np.exp(share(sums))


def _credit(questions: Sequence[Item]) -> np.ndarray:
    """float64[Q]: 1 for a right answer, 1/k where k candidates are equally good and the right one is among them."""
    nats = np.array([[np.inf if n is None else n for n in item["nats"]] for item in questions])
    best = find_tied(nats)
    answers = [LETTERS.index(item["answer"]) for item in questions]
    return best[np.arange(len(questions)), answers] / best.sum(axis=1)
