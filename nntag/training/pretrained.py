"""Weights that were trained before: a part of a model in, an update rule of its own beside the run's optimiser out.

A pre-trained encoder takes steps a hundred times smaller than the layers on top of it, rising from 0 while those still
know nothing, and keeps near where it began by decoupled weight decay (AdamW, Loshchilov & Hutter 2019).
"""

from __future__ import annotations

import dataclasses

from nntag.config.training import TrainConfig
from nntag.encoding.contextual.layer import ContextualLayer
from nntag.training.model import PretrainedPart
from nntag.training.optimisers import learning_rate
from nntag.training.update_rules import AdamW


def encoder_part(layer: ContextualLayer | None) -> PretrainedPart | None:
    """The encoder below a layer of contextual vectors, where there is one and it is tuned."""
    if layer is None or layer.encoder is None:
        return None
    s = layer.settings
    parameters = [parameter for parameter in layer.encoder.parameters() if parameter.requires_grad]
    return PretrainedPart(parameters, s.contextual_lr, s.contextual_warmup, s.contextual_decay)


class PretrainedTuner:
    """AdamW over a `PretrainedPart`; its rate falls as that of the run does."""

    def __init__(self, part: PretrainedPart, config: TrainConfig):
        self._schedule = dataclasses.replace(config, lr=part.lr, warmup_steps=part.warmup_steps)
        self.optimiser = AdamW(part.parameters, part.lr, betas=(0.9, 0.999), weight_decay=part.weight_decay)

    def step(self, epoch: int, step: int) -> None:
        """Update `step` in `epoch` (both from 1)."""
        for group in self.optimiser.param_groups:
            group["lr"] = learning_rate(self._schedule, epoch, step)
        self.optimiser.step()
