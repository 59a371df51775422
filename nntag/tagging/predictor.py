"""Sentences and a trained tagger -> tags, or tables of log-probabilities; each sentence in a batch of its length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from nntag.encoding.batching import sorted_batches
from nntag.encoding.contextual.batch import EncodedSentence
from nntag.encoding.contextual.source import EncoderSource
from nntag.tagging.ensemble import average_tables
from nntag.tagging.features import FormTable, TaggerVocabularies
from nntag.tagging.form_rows import FormRows
from nntag.tagging.network import TaggerNetwork
from nntag.training.ensemble import Ensemble

PREDICT_SIZE = 64  # most sentences of a batch
PREDICT_TOKENS = 4096  # most padded tokens of one


class Predictor:
    """Of one task; what it computes for a word form is kept from call to call.

    `forms` numbers the word forms of the text; `source` gives the contextual vectors of models that read them.
    """

    def __init__(self, vocabularies: TaggerVocabularies, forms: FormTable, source: EncoderSource | None):
        self.vocabularies = vocabularies
        self._forms, self._source = forms, source
        self._rows = FormRows(forms)
        self._no_answers = vocabularies.no_answers
        self.precision = "float32"  # of the products

    def predict(
        self,
        model: TaggerNetwork | Ensemble,
        sentences: Sequence[Sequence[str]],
        batch_size: int = PREDICT_SIZE,
        encoded: Sequence[EncodedSentence] | None = None,
    ) -> list[list[str]]:
        """The most probable tag of every token, in the first column; `encoded` where the sentences' contextual vectors
        are there already."""
        return [columns[0] for columns in self.predict_columns(model, sentences, batch_size, encoded)]

    def predict_columns(
        self,
        model: TaggerNetwork | Ensemble,
        sentences: Sequence[Sequence[str]],
        batch_size: int = PREDICT_SIZE,
        encoded: Sequence[EncodedSentence] | None = None,
    ) -> list[list[list[str]]]:
        """As `predict`, the tags of all columns, one after the other for each sentence."""
        found: list[list[list[str]]] = [[[] for _ in self.vocabularies.columns] for _ in sentences]
        for number, table in self._tables(model, sentences, batch_size, encoded, normalised=False):
            found[number] = self.best_columns(table)
        return found

    def log_probabilities(
        self, model: TaggerNetwork | Ensemble, sentences: Sequence[Sequence[str]], batch_size: int = PREDICT_SIZE
    ) -> list[np.ndarray]:
        """For each sentence float32[T, V]: the log-probabilities of the tags; an empty sentence gives [0, V].

        V counts the tags of all columns, one after the other (`TaggerVocabularies.places`). The rare tag, which is no
        answer, has minus infinity; the others keep what the model gives them.
        """
        width = sum(len(column.tags) for column in self.vocabularies.columns)
        found = [np.zeros((0, width), np.float32)] * len(sentences)
        for number, table in self._tables(model, sentences, batch_size):
            found[number] = table
        return found

    def best_columns(self, table: np.ndarray) -> list[list[str]]:
        """The most probable tags of one sentence's float32[T, V], column by column."""
        vocabularies = self.vocabularies
        return [
            [column.tags[tag] for tag in table[:, place].argmax(1)]
            for column, place in zip(vocabularies.columns, vocabularies.places, strict=True)
        ]

    def likely_tags(self, table: np.ndarray, beta: float) -> list[list[tuple[str, float]]]:
        """For each word every tag of the first column with p >= beta * p_best and its probability, most probable first
        (Clark & Curran)."""
        names, words = self.vocabularies.tags, []
        for row in table[:, : len(names)]:
            chosen = np.flatnonzero(row >= row.max() + np.log(beta))
            chosen = chosen[np.argsort(-row[chosen], kind="stable")]
            words.append([(names[tag], float(np.exp(row[tag]))) for tag in chosen])
        return words

    def _tables(
        self,
        model: TaggerNetwork | Ensemble,
        sentences: Sequence[Sequence[str]],
        batch_size: int,
        encoded: Sequence[EncodedSentence] | None = None,
        normalised: bool = True,
    ) -> Iterator[tuple[int, np.ndarray]]:
        """For each sentence that has tokens, batch by batch: its number and its log-probabilities float32[T, V], or
        scores that differ from them by a number for each word, unless they are to be normalised."""
        if isinstance(model, Ensemble):
            yield from enumerate(average_tables(self.vocabularies, model, sentences, batch_size))
            return
        self._forms.make_room()
        forms = self._forms.number(sentences)
        lengths = np.array([len(sentence) for sentence in forms], dtype=np.int64)
        if forms:
            self._rows.fill(model, np.concatenate(forms), self.precision)
        for chosen in sorted_batches(lengths, batch_size, PREDICT_TOKENS):
            filled = chosen[lengths[chosen] > 0]
            if len(filled):
                context = None
                if self._source:
                    context = (
                        [encoded[n] for n in filled] if encoded else self._source.encode([sentences[n] for n in filled])
                    )
                numbered = [forms[n] for n in filled]
                scores = self._rows.score(model, numbered, context, self.precision, normalised)  # float32[T, B, V]
                scores[:, :, self._no_answers] = -np.inf
                for column, number in enumerate(filled):
                    yield int(number), scores[: lengths[number], column]
