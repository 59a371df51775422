"""Paragraphs of running text in, sentences out, by nltk's Punkt (Kiss & Strunk 2006) trained on these very texts.

Punkt learns abbreviations from raw text, so that nothing has to be downloaded. ours: a piece that begins with a
lower-case letter is joined to the one before it, since Punkt ends a sentence at every `!` and `?` (`"Where?" asked
he.`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from nltk.tokenize.punkt import PunktSentenceTokenizer, PunktTrainer


class SentenceSplitter:
    """Splits paragraphs; made by `train_splitter`."""

    def __init__(self, tokenizer: PunktSentenceTokenizer):
        self._tokenizer = tokenizer

    def split(self, paragraph: str) -> Iterator[str]:
        """The sentences of one paragraph, in order."""
        for start, end in self.span(paragraph):
            yield paragraph[start:end]

    def span(self, paragraph: str) -> Iterator[tuple[int, int]]:
        """Where each sentence of one paragraph begins and ends, in order."""
        begin = last = 0
        for start, end in self._tokenizer.span_tokenize(paragraph):
            goes_on = paragraph[start:end].lstrip("\"'`(").startswith(tuple("abcdefghijklmnopqrstuvwxyz"))
            if last and not goes_on:
                yield begin, last
            if not (last and goes_on):
                begin = start
            last = end
        if last:
            yield begin, last


def train_splitter(texts: Iterable[str]) -> SentenceSplitter:
    """A splitter that has learnt the abbreviations of `texts`, each some paragraphs; takes 2 s a million letters."""
    trainer = PunktTrainer()
    for text in texts:
        trainer.train(text, finalize=False)
    trainer.finalize_training()
    return SentenceSplitter(PunktSentenceTokenizer(trainer.get_params()))
