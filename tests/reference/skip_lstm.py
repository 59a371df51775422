"""The layer of Wu, Zhang & Zong 2016 as plain loops over words and units, for one sentence in one direction."""

import math

import numpy as np


def sigm(x):
    return 1.0 / (1.0 + math.exp(-x))


def run_cell(kind, x, w, u, b, skip=None, u_skip=None, mapping="identity", h=None, c=None, peep=None):
    """x: [T][D]; w, u, b: dicts from gate to [D][H], [H][H], [H]; skip: [T][H]. Returns all h and c, [T][H]."""
    n = len(next(iter(b.values())))
    h = np.zeros(n) if h is None else h
    c = np.zeros(n) if c is None else c
    outputs, states = [], []
    for t in range(len(x)):
        new_h, new_c = np.zeros(n), np.zeros(n)
        for j in range(n):
            v = 0.0
            if skip is not None:
                v = sigm(skip[t][j]) if mapping == "sigmoid" else skip[t][j]
            z = {}
            for gate in b:
                total = b[gate][j]
                if gate == "g" and u_skip is not None:
                    for k in range(n):
                        total += skip[t][k] * u_skip[k][j]
                else:
                    for k in range(len(x[t])):
                        total += x[t][k] * w[gate][k][j]
                if gate == "g" and peep is not None:
                    total += peep[0][j] * c[j] + peep[1][j] * v
                else:
                    for k in range(n):
                        total += h[k] * u[gate][k][j]
                if kind == "gates":
                    total += v
                z[gate] = total
            s = math.tanh(z["s"])
            new_c[j] = sigm(z["i"]) * s
            if "f" in z:
                new_c[j] += sigm(z["f"]) * c[j]
            g = sigm(z["g"]) if "g" in z else 1.0
            if kind in ("internal", "internal-gated", "shortcut", "shortcut-gated", "highway"):
                new_c[j] += g * v
            new_h[j] = sigm(z["o"]) * math.tanh(new_c[j])
            if kind in ("output", "output-gated", "shortcut", "shortcut-gated"):
                new_h[j] += g * v
        h, c = new_h, new_c
        outputs.append(h)
        states.append(c)
    return np.array(outputs), np.array(states)


def run_stack(kind, layers, x, gate="plain", mapping="identity"):
    """One direction of the stack. layers: dicts of w, u, b and perhaps u_skip; x: [T][D]. Returns h[L]."""
    outputs = []
    for n, weights in enumerate(layers):
        below = outputs[n - 1] if n else x
        skipped = outputs[n - 2] if n >= 2 and kind != "none" else None
        h, _ = run_cell(kind if n >= 2 else "none", below, skip=skipped, mapping=mapping, **weights)
        outputs.append(h)
    return outputs[-1]
