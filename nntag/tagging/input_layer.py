"""The input layer of a tagger: a `TaggingBatch` in, the token representations `float[T, B, D]` out.

Paper: Wu, Zhang & Zong, "An Empirical Exploration of Skip Connections for Sequential Tagging", COLING 2016, section
5.1; with `window_over = "all"` the wider input of Wu, Zhang & Zong, "Shortcut Sequence Tagging", 2017.

    w_t = [r_{t-d/2} w_{t-d/2}; ...; r_{t+d/2} w_{t+d/2}]      the gated context window of d tokens
    x_t = [w_t; L(c_1..c_5); L(c_{l-4}..c_l); a_t]             words, characters, capitalisation

Symbols: w word embeddings (`words`), r the window's logistic gate (`window_gate`), L(c) character embeddings
(`characters`), a capitalisation embedding (`capitals`), d the window.

Where this differs from the paper: the paper does not say what the gate r_t sees; we take the window itself,
r_t = sigm(W [w_{t-d/2}; ...; w_{t+d/2}] + b); beyond a sentence's ends stands a learned boundary vector (padding).
The convolution over characters, whole-affix embeddings, word shapes and word dropout are ours and off in `wu2016`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from nntag.config.tagging import TaggerInput
from nntag.encoding.contextual.batch import pad_words
from nntag.encoding.contextual.layer import ContextualLayer
from nntag.encoding.vocabulary import PAD, UNKNOWN
from nntag.tagging.batches import TaggingBatch
from nntag.tagging.features import SHAPES, TaggerVocabularies
from nntag.training.dropout import dropout_by_precision

CONVOLUTION_WIDTH = 3
CHARACTER_RANGE = math.sqrt(3.0)  # uniform(-a, a) of variance 1, scaled by 1 / sqrt(size) below


class Slots(NamedTuple):
    """Which words' forms x consists of."""

    offsets: tuple[int, ...]  # of each slot's word: -1 for the word before
    gated: int  # the number of slots, the first ones, under a gate


class TaggerInputLayer(nn.Module):
    """Section 5.1 and our additions; `output_size` is D."""

    def __init__(
        self,
        settings: TaggerInput,
        vocabularies: TaggerVocabularies,
        word_vectors: Tensor | None = None,
        contextual: ContextualLayer | None = None,
    ):
        """`word_vectors: float[V, word_size]` replace the random word embeddings; `contextual` gives each word a vector
        more, beside the window."""
        super().__init__()
        self.settings = s = settings.own_parts()
        self.words = self._embedding(len(vocabularies.words), s.word_size, word_vectors)
        if self.words is not None and word_vectors is None and s.word_init == "zero":
            nn.init.zeros_(self.words.weight)
        if self.words is not None and not s.tune_vectors:
            self.words.weight.requires_grad_(False)
        letters = len(vocabularies.characters)
        self.characters = self._embedding(letters, s.character_size if s.affix_length else 0)
        self.capitals = self._embedding((len(SHAPES) if s.shapes else 2) + 1, s.capital_size)
        self.affixes = self._embedding(len(vocabularies.affixes), s.affix_size)
        self.filter_characters = self._embedding(letters, s.filter_character_size if s.filters else 0)
        if s.filters:
            self.convolution = nn.Conv1d(s.filter_character_size, s.filters, CONVOLUTION_WIDTH, padding="same")
        form_size = 2 * s.affix_length * s.character_size + s.capital_size + s.affix_size + s.filters
        windowed = s.word_size + (form_size if s.window_over == "all" else 0)
        if s.window > 1 and s.window_gate and windowed:
            self.window_gate = nn.Linear(s.window * windowed, s.window)
        gated = s.window if hasattr(self, "window_gate") else 0
        half = s.window // 2
        around = tuple(range(-half, half + 1)) if windowed else ()
        self.slots = Slots(around + ((0,) if s.window_over == "words" and form_size else ()), gated)
        self.contextual = contextual
        self.output_size = s.window * windowed + (form_size if s.window_over == "words" else 0)
        self.output_size += 0 if contextual is None else contextual.output_size

    def represent_forms(self, batch: TaggingBatch) -> list[Tensor]:
        """The parts that x consists of, one a slot: float[U, ...] for the word forms of the batch, without dropout.

        x has them one after the other, each of the word that lies at the slot's offset, the gated ones under their
        gates; contextual vectors are not among them.
        """
        table = self._form_features(batch)
        words = None if self.words is None else self.words(batch.words)
        if self.settings.window_over == "all":
            return [torch.cat([part for part in (words, table) if part is not None], 1)] * self.settings.window
        return ([] if words is None else [words] * self.settings.window) + ([] if table is None else [table])

    @staticmethod
    def _embedding(rows: int, size: int, vectors: Tensor | None = None) -> nn.Embedding | None:
        if size == 0:
            return None
        if vectors is not None:
            return nn.Embedding.from_pretrained(vectors.clone(), freeze=False)
        table = nn.Embedding(rows, size)
        bound = CHARACTER_RANGE / math.sqrt(size)
        nn.init.uniform_(table.weight, -bound, bound)  # ours: rows of norm about 1
        return table

    def forward(self, batch: TaggingBatch) -> Tensor:
        """x: float[T, B, D]; a sentence's own rows do not depend on the padding after it or on its neighbours."""
        x = self._own_features(batch)
        if self.contextual is None or batch.contextual is None:
            assert x is not None  # `TaggerInput` leaves something of the words
            return x
        vectors = pad_words(self.contextual(batch.contextual), batch.lengths)
        return vectors if x is None else torch.cat([x, vectors], 2)

    def _own_features(self, batch: TaggingBatch) -> Tensor | None:
        """Section 5.1 and our additions to it; None where all of that is switched off."""
        half = self.settings.window // 2
        wide = functional.pad(batch.forms, (0, 0, half, half))  # [T + d - 1, B]: boundaries on both sides
        table = self._form_features(batch)  # [U, F] or None
        words = self._word_embeddings(batch, wide)  # [T + d - 1, B, word_size] or None
        if table is None and words is None:
            return None
        if self.settings.window_over == "all":
            features = None if table is None else self._hide(functional.embedding(wide, table))
            return self._drop(self._window(torch.cat([part for part in (words, features) if part is not None], 2)))
        parts = [] if words is None else [self._window(words)]
        if self.settings.window > 1 and parts:  # the paper's dropout is on the context windows alone
            parts[0] = self._drop(parts[0])
        if table is not None:
            parts.append(self._hide(functional.embedding(batch.forms, table)))
        x = torch.cat(parts, 2)
        return x if self.settings.window > 1 else self._drop(x)

    def _drop(self, x: Tensor) -> Tensor:
        return dropout_by_precision(x, self.settings.dropout, self.training)

    def _hide(self, features: Tensor) -> Tensor:
        """With `form_dropout`, zeros for some training words: embedding and context must then suffice for the tag."""
        if not self.training or not self.settings.form_dropout:
            return features
        seen = torch.rand(*features.shape[:2], 1, device=features.device) >= self.settings.form_dropout
        return features * seen

    def _word_embeddings(self, batch: TaggingBatch, forms: Tensor) -> Tensor | None:
        if self.words is None:
            return None
        ids = batch.words[forms]
        if self.training and self.settings.word_dropout:
            drop = torch.rand(ids.shape, device=ids.device) < self.settings.word_dropout
            ids = ids.masked_fill(drop & (ids != PAD), UNKNOWN)
        return self.words(ids)

    def _form_features(self, batch: TaggingBatch) -> Tensor | None:
        """What depends on the word form alone: float[U, F], or None where every such part is switched off."""
        parts = []
        if self.characters is not None:
            parts.append(self.characters(batch.ends).flatten(1))
        if self.capitals is not None:
            parts.append(self.capitals(batch.capitals))
        if self.affixes is not None:
            present = (batch.affixes != PAD).unsqueeze(2)
            parts.append((self.affixes(batch.affixes) * present).sum(1))
        if self.filter_characters is not None:
            parts.append(self._convolve(self.filter_characters, batch.characters))
        return torch.cat(parts, 1) if parts else None

    def _convolve(self, table: nn.Embedding, characters: Tensor) -> Tensor:
        """Convolution and maximum over a word's characters: int64[U, W] -> float[U, filters]."""
        if not torch.is_grad_enabled():
            return self._look_up_convolution(table, characters)
        present = (characters != PAD).unsqueeze(2)
        letters = table(characters) * present  # [U, W, C]
        found = self.convolution(letters.transpose(1, 2)).masked_fill(~present.transpose(1, 2), 0.0)
        return torch.relu(found).amax(2)

    def _look_up_convolution(self, table: nn.Embedding, characters: Tensor) -> Tensor:
        """What `_convolve` gives, without padding work and gradient: the product of each character with each of the
        filters' places is made once, and a place in a word is a sum of such products."""
        present = characters != PAD
        ids, numbers = torch.unique(characters, return_inverse=True)  # PAD, if it is there, is the first
        letters = functional.pad(table(ids) * (ids != PAD).unsqueeze(1), (0, 0, 1, 0))  # row 0: beside the word
        products = letters @ self.convolution.weight.permute(2, 1, 0)  # [3, R, filters]
        half = CONVOLUTION_WIDTH // 2
        wide = functional.pad(numbers + 1, (half, half))
        places = [wide[:, n : n + characters.shape[1]] + n * len(letters) for n in range(CONVOLUTION_WIDTH)]
        rows = torch.stack(places, 2)[present]  # [characters of all words, 3]
        found = functional.embedding_bag(rows, products.flatten(0, 1), mode="sum")
        most = torch.segment_reduce(found, "max", lengths=present.sum(1), unsafe=True)
        return torch.relu(most + self.convolution.bias)  # type: ignore[operator]

    def _window(self, wide: Tensor) -> Tensor:
        """[T + d - 1, B, S] -> [T, B, d * S]: each token between its neighbours, each slot under its gate."""
        width = self.settings.window
        if width == 1:
            return wide
        steps = len(wide) - width + 1
        slots = torch.stack([wide[offset : offset + steps] for offset in range(width)], 2)  # [T, B, d, S]
        if self.settings.window_gate:
            gate = torch.sigmoid(self.window_gate(slots.flatten(2)))  # r_t: [T, B, d]
            slots = slots * gate.unsqueeze(3)
        return slots.flatten(2)
