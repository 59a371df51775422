"""The memory block of Tran, Bisazza & Monz 2016 as plain loops, for one sentence: every step slices its own window."""

import math

import numpy as np

from tests.reference.lstm import product, sigm, softmax


def attend(h, words, m, c, n, t=None, t_c=None):
    """h: [T][d]; words: T ids; m, c: [V][d]; t, t_c: [n][d] or None. Returns contexts [T][d] and T lists of weights."""
    contexts, weights = [], []
    for step in range(len(words)):
        window = words[max(0, step + 1 - n) : step + 1]
        first = n - len(window)  # the newest word meets row n of T
        scores = []
        for place, word in enumerate(window):
            score = 0.0
            for k in range(len(h[step])):
                row = m[word][k] + (t[first + place][k] if t is not None else 0.0)
                score += row * h[step][k]
            scores.append(score)
        p = softmax(scores)
        s = np.zeros(len(h[step]))
        for place, word in enumerate(window):
            for k in range(len(s)):
                s[k] += p[place] * (c[word][k] + (t_c[first + place][k] if t_c is not None else 0.0))
        contexts.append(s)
        weights.append(p)
    return np.array(contexts), weights


def compose_gating(s, h, w_sz, u_hz, w_sr, u_hr, w, u):
    """Eqs. 4-7 for one step."""
    size = len(h)
    z = [sigm(a + b) for a, b in zip(product(w_sz, s), product(u_hz, h), strict=True)]
    r = [sigm(a + b) for a, b in zip(product(w_sr, s), product(u_hr, h), strict=True)]
    reset = [r[k] * h[k] for k in range(size)]
    candidate = [math.tanh(a + b) for a, b in zip(product(w, s), product(u, reset), strict=True)]
    return np.array([(1 - z[k]) * h[k] + z[k] * candidate[k] for k in range(size)])


def compose_linear(s, h, a):
    return np.array([p + q for p, q in zip(product(a, h), s, strict=True)])
