"""What every trainable model is to the training loop: a module with a loss that is a sum with its counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from torch import Tensor, nn

GatherRows = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]  # rows of a table, and a gradient for each


def keep_rows(rows: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
    """`GatherRows` of a process that trains alone."""
    return rows, values


class Loss(NamedTuple):
    """The loss of one batch, as sums, so that no average of averages can arise."""

    nats: Tensor  # scalar: negative log-likelihood summed over all predicted items
    count: int  # type: ignore[assignment]  # predicted items: tokens, or labelled nodes (hides tuple.count)
    items: int  # sentences or trees in the batch


class PretrainedPart(NamedTuple):
    """Weights of a model that were trained before, and how they are trained on."""

    parameters: list[nn.Parameter]
    lr: float  # before the schedule
    warmup_steps: int  # updates over which it rises from 0
    weight_decay: float  # apart from the gradients


class Model(nn.Module):
    """A model that the training loop can train."""

    def use_sparse_gradients(self) -> None:
        """A batch looks up few rows of the large tables; zeros for all others cost as much time as an LSTM layer.

        Only called where the optimiser takes sparse gradients; a pre-trained part has an optimiser of its own.
        """
        part = self.pretrained_part()
        apart = set(part.parameters) if part else set()
        for module in self.modules():
            if isinstance(module, nn.Embedding) and module.weight not in apart:
                module.sparse = True

    def step_tables(self, gather: GatherRows = keep_rows) -> None:
        """Part of each update, after the backward pass: steps what is trained but is no parameter of the optimiser.

        `gather` gives the rows and gradients of all processes that train together.
        """

    def pretrained_part(self) -> PretrainedPart | None:
        """What is not left to the run's optimiser, as it needs far smaller steps."""
        return None

    def loss(self, batch: Any) -> Loss:
        """The summed negative log-likelihood of the batch's gold labels."""
        raise TypeError(f"{type(self).__name__} has no loss")
