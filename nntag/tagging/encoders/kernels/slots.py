"""The input of an encoder in parts, one for each slot of a window of word forms: rows of tables in, products out.

x W = sum_i r_i (form_i W_i), where form_i is what stands in slot i of the window, W_i the rows of W that meet it and
r_i the slot's gate. A form in a slot always gives the same product, so that a product is computed once a form, and the
first layer of an encoder begins with sums of rows. For prediction alone: no gradient reaches the tables.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor
from torch.nn import functional


@dataclass(frozen=True)
class FormSlots:
    """What stands for x: float[T, B, D] where x W_in is all that is wanted of it, or of both its directions."""

    table: Tensor  # float[R, K, W]: products of forms in slots with each direction's matrix
    rows: Tensor  # int64[T, B, S], or [K, T, B, S]: which of the R rows stands in each slot
    gates: Tensor | None = None  # float of the shape of rows: the gate of each slot; None: all are 1

    def split(self, reverse: Tensor) -> FormSlots:
        """Both directions: the words as they are, and reversed, with word reverse[n] of all T * B at place n."""
        rows, gates = (
            None if part is None else torch.stack((part, part.flatten(0, 1).index_select(0, reverse).view(part.shape)))
            for part in (self.rows, self.gates)
        )
        assert rows is not None
        return replace(self, rows=rows, gates=gates)

    def multiply(self) -> Tensor:
        """x W_in, float[K, T, B, W], from the rows of both directions."""
        K, T, B, S = self.rows.shape
        directions = torch.arange(K, device=self.rows.device)[:, None, None, None]
        products = functional.embedding_bag(
            (self.rows * K + directions).view(K * T * B, S),
            self.table.flatten(0, 1),
            mode="sum",
            per_sample_weights=None if self.gates is None else self.gates.view(K * T * B, S),
        )
        return products.view(K, T, B, -1)
