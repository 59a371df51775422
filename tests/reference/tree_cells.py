"""Tree cells node by node in plain float64 numpy: a tree is a nested tuple, a leaf a word vector."""

from __future__ import annotations

import numpy as np


def sigm(x):
    return 1.0 / (1.0 + np.exp(-x))


def walk(tree, leaf, inner, out):
    """Post-order: appends the h of every node to `out`; returns the node's state (h or (h, c))."""
    state = inner([walk(child, leaf, inner, out) for child in tree]) if isinstance(tree, tuple) else leaf(tree)
    out.append(state[0] if isinstance(state, tuple) else state)
    return state


def tree_lstm(tree, w_leaf, b_leaf, weight, bias, gated):
    """Tai et al. 2015, eqs. 9-14, N = 2. w_leaf: [D, 2H or 3H]; weight: [2H, 5H], columns i, f1, f2, o, u."""
    n = weight.shape[0] // 2

    def leaf(x):
        a = x @ w_leaf + b_leaf
        if gated:
            i, o, u = sigm(a[:n]), sigm(a[n : 2 * n]), np.tanh(a[2 * n :])
            c = i * u
        else:
            c, o = a[:n], sigm(a[n:])
        return o * np.tanh(c), c

    def inner(children):
        (h1, c1), (h2, c2) = children
        u_1, u_2 = weight[:n], weight[n:]
        parts = []
        for k in range(5):
            columns = slice(k * n, (k + 1) * n)
            parts.append(h1 @ u_1[:, columns] + h2 @ u_2[:, columns] + bias[columns])
        i, f1, f2, o = (sigm(part) for part in parts[:4])
        c = i * np.tanh(parts[4]) + f1 * c1 + f2 * c2
        return o * np.tanh(c), c

    out = []
    walk(tree, leaf, inner, out)
    return np.stack(out)


def tree_gru(tree, w_leaf, b_leaf, gate_weight, gate_bias, weight, bias, per_child, share):
    """Tsakalos 2017, eqs. 3.34-3.37, N = 2; gate columns r1, r2, z (or r1, r2, z1, z2)."""
    n = len(bias)

    def leaf(x):
        a = x @ w_leaf + b_leaf
        return (1 - sigm(a[:n])) * np.tanh(a[n:])

    def inner(children):
        h1, h2 = children
        gates = sigm(np.concatenate([h1, h2]) @ gate_weight + gate_bias)
        r1, r2 = gates[:n], gates[n : 2 * n]
        g = np.tanh((h1 * r1) @ weight[:n] + (h2 * r2) @ weight[n:] + bias)
        if per_child:
            z1, z2 = gates[2 * n : 3 * n], gates[3 * n :]
            return ((1 - z1) / 2 + (1 - z2) / 2) * g + share * (z1 * h1 + z2 * h2)
        z = gates[2 * n :]
        return (1 - z) * g + z * share * h1 + z * share * h2

    out = []
    walk(tree, leaf, inner, out)
    return np.stack(out)
