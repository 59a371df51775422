"""The adaptive softmax of Grave et al. 2017, word by word in plain loops."""

from __future__ import annotations

import math
from collections.abc import Sequence

Vector = Sequence[float]


def softmax_logs(logits: Vector) -> list[float]:
    """Log-probabilities of a list of logits."""
    top = max(logits)
    total = math.log(sum(math.exp(value - top) for value in logits)) + top
    return [value - total for value in logits]


def multiply(matrix: Sequence[Vector], vector: Vector) -> list[float]:
    return [sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix]


def predict_adaptive(
    state: Vector,
    head: tuple[Sequence[Vector], Vector],
    clusters: Sequence[tuple[Sequence[Vector], Sequence[Vector], Vector]],
) -> list[float]:
    """The log-probabilities of all words.

    `head`: weights and biases, of which the last entries are the clusters'; of each: projection, weights, biases.
    """
    weights, biases = head
    outer = softmax_logs([x + b for x, b in zip(multiply(weights, state), biases, strict=True)])
    logs = outer[: len(outer) - len(clusters)]
    for number, (projection, own_weights, own_biases) in enumerate(clusters):
        narrow = multiply(projection, state)
        inner = softmax_logs([x + b for x, b in zip(multiply(own_weights, narrow), own_biases, strict=True)])
        logs += [outer[len(outer) - len(clusters) + number] + value for value in inner]
    return logs
