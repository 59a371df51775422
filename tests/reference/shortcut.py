"""A stack of shortcut blocks (Wu et al. 2017) as plain loops, for one sentence in one direction."""

import numpy as np

from tests.reference.skip_lstm import run_cell


def run_stack(links, layers, x, gate, draws=None, p=None):
    """Returns the outputs of the last layer, [T][H].

    layers: dicts of w, u, b (each a dict by gate letter) and perhaps w_gate; x: [T][D]; gate: linear, nonlinear,
    below (g = sigm(W_g h[l-1,t] + b_g)) or fixed, the last with the values of g in draws[layer] ([T][H]), or p for all
    of them.
    """
    outputs = []
    for n, weights in enumerate(layers):
        below = outputs[-1] if outputs else x
        sources = [outputs[source - 1] for source, target in links if target == n + 1]
        weights = dict(weights)
        w_gate, b_gate = weights.pop("w_gate", None), weights.pop("b_gate", None)
        if not sources:
            h, _ = run_cell("none", below, **weights)
        else:
            source = [[sum(rows[t][j] for rows in sources) for j in range(len(sources[0][0]))] for t in range(len(x))]
            kind = "shortcut"
            if gate == "linear":
                source = [
                    [sum(row[k] * w_gate[k][j] for k in range(len(row))) for j in range(len(row))] for row in source
                ]
            elif gate == "below":
                source = [[_gate(row, w_gate, b_gate, j) * value for j, value in enumerate(values)]
                          for row, values in zip(below, source, strict=True)]  # fmt: skip
            elif gate == "nonlinear":
                kind = "shortcut-gated"
            elif draws is not None:
                source = [[draws[n][t][j] * source[t][j] for j in range(len(source[t]))] for t in range(len(x))]
            else:
                source = [[p * value for value in row] for row in source]
            h, _ = run_cell(kind, below, skip=np.array(source), **weights)
        outputs.append(h)
    return outputs[-1]


def _gate(row, w_gate, b_gate, j):
    return 1 / (1 + np.exp(-sum(value * w_gate[k][j] for k, value in enumerate(row)) - b_gate[j]))
