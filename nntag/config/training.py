"""`TrainConfig`: how a model is trained, whatever its task."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nntag.config.fields import option
from nntag.errors import UsageError

CHECKPOINT_MINUTES = 10.0  # ours: what a kill can cost; no setting, as no result depends on it

Precision = Literal["float32", "bf16", "auto"]


@dataclass(frozen=True, slots=True)
class TrainConfig:
    """One recipe's numbers; none of them depends on `epochs`, so that a longer run begins like a shorter one."""

    epochs: int = option(30, "maximum number of passes over the training data", low=0)
    batch_size: int = option(32, "sentences or trees in a batch", low=1)
    batch_tokens: int = option(0, "maximum number of tokens in a batch, including padding; 0: no limit", low=0)
    optimiser: Literal["sgd", "adam", "adagrad", "lazy-adam"] = option(
        "adam", "update rule; lazy-adam: Adam, but for rows of word tables that a batch does not use, which stay"
    )
    lr: float = option(0.002, "learning rate", low=0)
    lr_decay: float = option(1.0, "factor on the learning rate for every epoch after `lr_decay_after`", low=0, high=1)
    lr_decay_after: int = option(0, "number of epochs at the full learning rate", low=0)
    lr_half_life: int = option(
        0, "number of updates at the full rate; it halves over every further such number; 0: off", low=0
    )
    warmup_steps: int = option(0, "number of updates over which the learning rate rises from 0", low=0)
    adam_beta2: float = option(0.999, "decay of Adam's second moment", low=0, high=0.999999)
    weight_decay: float = option(0.0, "L2 penalty: adds weight_decay * theta to every gradient, biases too", low=0)
    clip_norm: float = option(0.0, "gradients are rescaled to at most this norm; 0: no clipping", low=0)
    loss_per: Literal["token", "sentence", "batch"] = option(
        "token", "what a batch's summed loss is divided by; batch: by batch_size, even if it has fewer sentences"
    )
    average: float = option(
        0.0, "decay of the running mean of the weights that dev sees and `best` keeps; 0: off", low=0, high=1
    )
    average_every: int = option(1, "updates between two steps of that mean; more: less time with large tables", low=1)
    patience: int = option(5, "stop after this many epochs without a better dev score; 0: never", low=0)
    metric: str = option("", "which figure of the dev report picks the epoch [default: the task's first]")
    score_train: bool = option(False, "after every epoch score the training split too, for plots")
    precision: Precision = option(
        "float32", "of matrix products; bf16: 8 significant bits, sums in float32; auto: bf16 where the hardware has it"
    )
    seed: int = option(1, "seed for everything random", low=0, high=2**32 - 1)

    def __post_init__(self) -> None:
        if self.optimiser == "lazy-adam" and self.weight_decay:
            raise UsageError("optimiser=lazy-adam takes no weight_decay, which would move every row at every update")
