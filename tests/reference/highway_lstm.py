"""The highway LSTM of Zhang et al. 2016 as plain loops, for one sentence in one direction."""

import math


def sigm(x):
    return 1.0 / (1.0 + math.exp(-x))


def run_stack(layers, x):
    """Returns the outputs of the last layer, [T][H].

    layers: dicts of w, u, b by gate letter (i, f, o, s; d too from layer 2 on, without u) and w_cd, w_ld; x: [T][D].
    """
    below, below_c = [list(row) for row in x], None
    for weights in layers:
        n = len(weights["b"]["i"])
        h, c = [0.0] * n, [0.0] * n
        outputs, states = [], []
        for t, row in enumerate(below):
            z = {}
            for gate in "ifos":
                z[gate] = [
                    weights["b"][gate][j]
                    + sum(row[k] * weights["w"][gate][k][j] for k in range(len(row)))
                    + sum(h[k] * weights["u"][gate][k][j] for k in range(n))
                    for j in range(n)
                ]
            new_c = [sigm(z["f"][j]) * c[j] + sigm(z["i"][j]) * math.tanh(z["s"][j]) for j in range(n)]
            if below_c is not None:
                for j in range(n):
                    d = weights["b"]["d"][j] + sum(row[k] * weights["w"]["d"][k][j] for k in range(len(row)))
                    d += weights["w_cd"][j] * c[j] + weights["w_ld"][j] * below_c[t][j]
                    new_c[j] += sigm(d) * below_c[t][j]
            c = new_c
            h = [sigm(z["o"][j]) * math.tanh(c[j]) for j in range(n)]
            outputs.append(h)
            states.append(c)
        below, below_c = outputs, states
    return below
