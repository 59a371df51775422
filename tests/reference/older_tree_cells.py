"""The older cells and the child-sum cells node by node in plain float64 numpy.

A node is a pair (word vector or None, list of children); the weights are a dict of arrays by the product's names.
"""

from __future__ import annotations

import numpy as np


def sigm(x):
    return 1.0 / (1.0 + np.exp(-x))


def all_states(node, step, out):
    """Post-order: step(x, states of the children) -> (h, rest); appends every h to `out`."""
    x, children = node
    state = step(x, [all_states(child, step, out) for child in children])
    out.append(state[0])
    return state


def tree_rnn(w):
    def step(x, children):
        if not children:
            return np.tanh(w["leaf.weight"] @ x + w["leaf.bias"]), False
        (h1, phrase1), (h2, phrase2) = children
        matrix = w["weight"][2 * phrase1 + phrase2 if len(w["weight"]) > 1 else 0]
        return np.tanh(np.concatenate([h1, h2]) @ matrix + w["bias"]), True

    return step


def rntn(w):
    def step(x, children):
        if not children:
            return np.tanh(w["leaf.weight"] @ x + w["leaf.bias"]), None
        both = np.concatenate([children[0][0], children[1][0]])
        n = len(both) // 2
        out = np.empty(n)
        for k in range(n):
            v_k = w["tensor"][:, k * 2 * n : (k + 1) * 2 * n]
            total = w["bias"][k]
            for a in range(2 * n):
                total += both[a] * w["weight"][a, k]
                for b in range(2 * n):
                    total += both[a] * v_k[a, b] * both[b]
            out[k] = np.tanh(total)
        return out, None

    return step


def matrix_vector(w, rank):
    """`x` of a leaf is a pair: its vector, and its row of `matrices.table`."""
    n = len(w["bias"])

    def step(x, children):
        if not children:
            vector, row = x
            left = row[: n * rank].reshape(n, rank)
            right = row[n * rank : 2 * n * rank].reshape(rank, n)
            return np.tanh(w["leaf.weight"] @ vector + w["leaf.bias"]), left @ right + np.diag(row[2 * n * rank :])
        (c1, m1), (c2, m2) = children
        h = np.tanh(np.concatenate([m2 @ c1, m1 @ c2]) @ w["weight"] + w["bias"])
        return h, w["matrix_weight"] @ np.concatenate([m1, m2])

    return step


def child_sum_lstm(w):
    n = w["child_weight"].shape[0]

    def step(x, children):
        own = w["word.bias"] + (0 if x is None else w["word.weight"] @ x)
        total = sum((h for h, _ in children), np.zeros(n))
        a = [own[k * n : (k + 1) * n] + total @ w["weight"][:, k * n : (k + 1) * n] for k in range(3)]
        c = sigm(a[0]) * np.tanh(a[2])
        for h_k, c_k in children:
            c = c + sigm(own[3 * n :] + h_k @ w["child_weight"]) * c_k
        return sigm(a[1]) * np.tanh(c), c

    return step


def child_sum_gru(w, mean):
    n = w["child_weight"].shape[0]

    def step(x, children):
        own = w["word.bias"] + (0 if x is None else w["word.weight"] @ x)
        total = sum((h for h, _ in children), np.zeros(n))
        reset = np.zeros(n)
        for h_k, _ in children:
            reset = reset + sigm(own[2 * n :] + h_k @ w["child_weight"]) * h_k
        z = sigm(own[:n] + total @ w["weight"][:, :n])
        g = np.tanh(own[n : 2 * n] + reset @ w["weight"][:, n:])
        kept = total / len(children) if mean and children else total
        return (1 - z) * g + z * kept, None

    return step
