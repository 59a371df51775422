"""Both reading directions of a padded batch: one time-major tensor in, one for both directions out, and back.

Every word is a row that is copied whole, in the gradients too: `Tensor.gather`, which is made for single numbers, takes
up to ten times as long.
"""

from typing import Any, overload

import torch
from torch import Tensor

from nntag.tagging.encoders.kernels.slots import FormSlots


def reverse_padded(x: Tensor, lengths: Tensor) -> Tensor:
    """Reverses each sentence inside its own length; padding stays at the end. Its own inverse.

    x: float[T, B, D]; lengths: int64[B]. A sweep over the result is the backward direction and needs no mask: padding
    comes after the last word, so that it never reaches a word.
    """
    found: Tensor = _Reverse.apply(x, _reverse_rows(len(x), lengths))
    return found


def _reverse_rows(steps: int, lengths: Tensor) -> Tensor:
    """int64[T * B]: the row of float[T * B, D] that each row of the reversed sentences comes from."""
    places = torch.arange(steps, device=lengths.device)[:, None]  # int64[T, 1]
    sources = torch.where(places < lengths, lengths - 1 - places, places)
    return (sources * len(lengths) + torch.arange(len(lengths), device=lengths.device)).flatten()


class _Reverse(torch.autograd.Function):
    """Rows that trade places in pairs, whose gradients therefore trade places in the same way."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, rows: Tensor) -> Tensor:
        ctx.save_for_backward(rows)
        return x.flatten(0, 1).index_select(0, rows).view(x.shape)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        (rows,) = ctx.saved_tensors
        return _Reverse.apply(grad, rows), None


@overload
def split_directions(x: Tensor, lengths: Tensor) -> Tensor: ...
@overload
def split_directions(x: FormSlots, lengths: Tensor) -> FormSlots: ...
def split_directions(x: Tensor | FormSlots, lengths: Tensor) -> Tensor | FormSlots:
    """float[2, T, B, D] out of float[T, B, D], or the same of what stands for it: as it is, and reversed."""
    if isinstance(x, FormSlots):
        return x.split(_reverse_rows(len(x.rows), lengths))
    return torch.stack((x, reverse_padded(x, lengths)))


def join_directions(h: Tensor, lengths: Tensor) -> Tensor:
    """[h_fwd; h_bwd], float[T, B, 2H] in the order of the words, out of float[2, T, B, H]; padding holds leftovers."""
    return torch.cat((h[0], reverse_padded(h[1], lengths)), 2)


def exchange_directions(h: Tensor, lengths: Tensor, kind: torch.dtype) -> Tensor:
    """`split_directions(join_directions(h, lengths), lengths)` at once, rounded to `kind`: [2, T, B, 2H] for a joined
    layer, out of float[2, T, B, H]."""
    found: Tensor = _Exchange.apply(h, _reverse_rows(h.shape[1], lengths), kind)
    return found


class _Exchange(torch.autograd.Function):
    """Each row of h goes to its own direction as it is, and to the other one reversed."""

    @staticmethod
    def forward(ctx: Any, h: Tensor, reverse: Tensor, kind: torch.dtype) -> Tensor:
        ctx.save_for_backward(reverse)
        ctx.kind = h.dtype
        _, T, B, H = h.shape
        stay = torch.arange(T * B, device=h.device)
        forwards, backwards = (stay, T * B + reverse), (reverse, T * B + stay)  # of the first half and of the second
        rows = torch.stack((*forwards, *backwards)).view(2, 2, T * B).transpose(1, 2).flatten()
        return h.to(kind).flatten(0, 2).index_select(0, rows).view(2, T, B, 2 * H)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:
        (reverse,) = ctx.saved_tensors
        _, T, B, width = grad.shape
        halves = grad.to(ctx.kind).view(2, T * B, 2, width // 2)
        own = torch.stack((halves[0, :, 0], halves[1, :, 1]))  # [2, T * B, H]
        crossed = torch.stack((halves[1, :, 0].index_select(0, reverse), halves[0, :, 1].index_select(0, reverse)))
        return own.add_(crossed).view(2, T, B, width // 2), None, None
