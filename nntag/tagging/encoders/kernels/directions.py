"""Both reading directions of a padded batch: one time-major tensor in, one for both directions out, and back."""

import torch
from torch import Tensor


def reverse_padded(x: Tensor, lengths: Tensor) -> Tensor:
    """Reverses each sentence inside its own length; padding stays at the end. Its own inverse.

    x: float[T, B, D]; lengths: int64[B]. A sweep over the result is the backward direction and needs no mask: padding
    comes after the last word, so that it never reaches a word.
    """
    steps = torch.arange(x.shape[0], device=x.device)[:, None]  # int64[T, 1]
    source = torch.where(steps < lengths, lengths - 1 - steps, steps)  # int64[T, B]
    return x.gather(0, source[:, :, None].expand_as(x))


def split_directions(x: Tensor, lengths: Tensor) -> Tensor:
    """float[2, T, B, D] out of float[T, B, D]: as it is, and reversed."""
    return torch.stack((x, reverse_padded(x, lengths)))


def join_directions(h: Tensor, lengths: Tensor) -> Tensor:
    """[h_fwd; h_bwd], float[T, B, 2H] in the order of the words, out of float[2, T, B, H]; padding holds leftovers."""
    return torch.cat((h[0], reverse_padded(h[1], lengths)), 2)
