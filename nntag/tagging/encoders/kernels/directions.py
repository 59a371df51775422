"""Both reading directions of a padded batch: one time-major tensor in, one for both directions out, and back."""

from typing import overload

import torch
from torch import Tensor

from nntag.tagging.encoders.kernels.slots import FormSlots


def reverse_padded(x: Tensor, lengths: Tensor) -> Tensor:
    """Reverses each sentence inside its own length; padding stays at the end. Its own inverse.

    x: float[T, B, D]; lengths: int64[B]. A sweep over the result is the backward direction and needs no mask: padding
    comes after the last word, so that it never reaches a word.
    """
    return x.gather(0, _reverse_places(len(x), lengths)[:, :, None].expand_as(x))


def _reverse_places(steps: int, lengths: Tensor) -> Tensor:
    """int64[T, B]: the place that each word comes from."""
    places = torch.arange(steps, device=lengths.device)[:, None]  # int64[T, 1]
    return torch.where(places < lengths, lengths - 1 - places, places)


@overload
def split_directions(x: Tensor, lengths: Tensor) -> Tensor: ...
@overload
def split_directions(x: FormSlots, lengths: Tensor) -> FormSlots: ...
def split_directions(x: Tensor | FormSlots, lengths: Tensor) -> Tensor | FormSlots:
    """float[2, T, B, D] out of float[T, B, D], or the same of what stands for it: as it is, and reversed."""
    if isinstance(x, FormSlots):
        return x.gather(_reverse_places(len(x.rows), lengths))
    return torch.stack((x, reverse_padded(x, lengths)))


def join_directions(h: Tensor, lengths: Tensor) -> Tensor:
    """[h_fwd; h_bwd], float[T, B, 2H] in the order of the words, out of float[2, T, B, H]; padding holds leftovers."""
    return torch.cat((h[0], reverse_padded(h[1], lengths)), 2)
