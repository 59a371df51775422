"""A standard LSTM layer as plain loops over words and units, for one sentence."""

import math

import numpy as np


def sigm(x):
    return 1.0 / (1.0 + math.exp(-x))


def product(matrix, vector):
    """The matrix times the vector, summed entry by entry."""
    return [sum(entry * value for entry, value in zip(row, vector, strict=True)) for row in matrix]


def run_lstm(x, w, u, b):
    """x: [T][D]; w, u, b: dicts from gate (i, f, j, o) to [H][D], [H][H], [H]. Returns all h, [T][H]."""
    size = len(b["i"])
    h, c, outputs = [0.0] * size, [0.0] * size, []
    for x_t in x:
        sums = {
            gate: [p + q + r for p, q, r in zip(product(w[gate], x_t), product(u[gate], h), b[gate], strict=True)]
            for gate in b
        }
        c = [sigm(sums["f"][k]) * c[k] + sigm(sums["i"][k]) * math.tanh(sums["j"][k]) for k in range(size)]
        h = [sigm(sums["o"][k]) * math.tanh(c[k]) for k in range(size)]
        outputs.append(h)
    return np.array(outputs)


def softmax(scores):
    highest = max(scores)
    terms = [math.exp(score - highest) for score in scores]
    return [term / sum(terms) for term in terms]


def predict(states, weight, bias):
    """Log-probabilities of all words after each state: [T][V]."""
    rows = []
    for h in states:
        logits = [p + q for p, q in zip(product(weight, h), bias, strict=True)]
        rows.append([math.log(p) for p in softmax(logits)])
    return np.array(rows)
