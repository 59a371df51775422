"""A tagger: input layer, recurrent encoder, softmax; `TaggingBatch` in, scores of the tags out.

    y_t = softmax(W_hy [h_fwd; h_bwd])      eq. 17, Wu, Zhang & Zong 2016
    C = -sum_n log y_tn                     eq. 3, as a sum

The encoder is any class of a registry row for tagging: `Class(config, input_size)` with `forward(x, lengths)`, taking
float[T, B, D] to float[T, B, output_size].

Where this differs from the paper: the output layer has a bias. With init wu2016 the Gaussian of section 6.1.2 is drawn
for the window's gate and the output layer (the encoder draws its own); embedding rows keep a norm of about 1, since
for a look-up table the "fan-in" would be the vocabulary.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from nntag.config.settings import Settings
from nntag.encoding.contextual.layer import ContextualLayer
from nntag.tagging.batches import NO_TAG, TaggingBatch
from nntag.tagging.encoders.kernels.slots import FormSlots
from nntag.tagging.features import TaggerVocabularies
from nntag.tagging.input_layer import TaggerInputLayer
from nntag.training.model import Loss, Model, PretrainedPart
from nntag.training.precision import products_in
from nntag.training.pretrained import encoder_part

INIT_SCALE = 0.1  # section 6.1.2: N(0, 1 / sqrt(fan-in)) scaled by 0.1


class TaggerNetwork(Model):
    """The network of section 5, with the encoder that the settings name."""

    turns = 0  # how often it was switched between training and prediction

    def __init__(
        self,
        settings: Settings,
        vocabularies: TaggerVocabularies,
        word_vectors: Tensor | None = None,
        contextual: ContextualLayer | None = None,
    ):
        super().__init__()
        self.input = TaggerInputLayer(settings.input, vocabularies, word_vectors, contextual)
        self.encoder = settings.row.load_class()(settings.model, self.input.output_size)
        self.widths = [len(column.tags) for column in vocabularies.columns]
        self.output = nn.Linear(self.encoder.output_size, sum(self.widths))
        nn.init.zeros_(self.output.bias)
        if getattr(settings.model, "init", "") == "wu2016":
            linear = [module for module in (*self.input.children(), self.output) if isinstance(module, nn.Linear)]
            for module in linear:
                nn.init.normal_(module.weight, std=INIT_SCALE / module.in_features**0.5)
                nn.init.zeros_(module.bias)

    def forward(self, batch: TaggingBatch) -> Tensor:
        """Scores before the softmax: float[T, B, V], V the tags of all columns; rows after a sentence's end mean
        nothing."""
        return self.score(self.input(batch), batch.lengths)

    @property
    def takes_slots(self) -> bool:
        """Whether `score` takes what stands for x, which then depends on word forms alone."""
        return self.input.contextual is None and hasattr(self.encoder, "input_weight")

    def train(self, mode: bool = True) -> TaggerNetwork:
        """As every module's; what predictions keep is dropped then, since training changes what it comes from."""
        self.turns += 1
        super().train(mode)
        return self

    def score(self, x: Tensor | FormSlots, lengths: Tensor) -> Tensor:
        """As `forward`, from x: float[T, B, D] or what stands for it, and lengths: int64[B]."""
        states = self.encoder(x, lengths)
        with products_in("float32", states.device):  # small, and scores of few bits would tie
            return self.output(states)  # eq. 17

    def pretrained_part(self) -> PretrainedPart | None:
        return encoder_part(self.input.contextual)

    def loss(self, batch: TaggingBatch) -> Loss:
        """Negative log-likelihood of the gold tags, summed, over the columns too; `NO_TAG` is left out. A token counts
        once, however many tags it has."""
        if batch.tags is None:
            raise ValueError("a batch without tags has no loss")
        scores = self(batch).flatten(0, 1).split(self.widths, 1)
        tags = batch.tags.reshape(-1, len(self.widths))  # [T * B, C]
        nats = [
            functional.cross_entropy(part, column, ignore_index=NO_TAG, reduction="sum")  # eq. 3
            for part, column in zip(scores, tags.unbind(1), strict=True)
        ]
        return Loss(sum(nats[1:], nats[0]), int((tags != NO_TAG).any(1).sum()), len(batch.lengths))

    @torch.no_grad()
    def log_probabilities(self, batch: TaggingBatch) -> Tensor:
        """float[T, B, V]: log-probabilities of the tags, those of each column by themselves."""
        return self.normalise(self(batch))

    def normalise(self, scores: Tensor) -> Tensor:
        """Log-probabilities of the tags from their scores, float[T, B, V]."""
        return torch.cat([torch.log_softmax(part, 2) for part in scores.split(self.widths, 2)], 2)
