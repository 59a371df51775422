"""The two-sided memory block of section 6, Tran, Bisazza & Monz 2016, as plain loops over one sentence."""

import numpy as np

from tests.reference.lstm import softmax


def attend_both_sides(h, words, m, c, n, t, t_c):
    """h: [T][d]; words: the T inputs, `<s>` first; m, c: [V][d]; t, t_c: [2n][d], oldest first. Gives contexts [T][d]
    and T dictionaries from a position to its weight."""
    contexts, weights = [], []
    for step in range(len(words)):
        before = [(step - back, n - 1 - back) for back in range(n) if step - back >= 0]
        behind = [(step + 2 + ahead, n + ahead) for ahead in range(n) if step + 2 + ahead < len(words)]
        places = before + behind  # position of the word, row of T
        p = softmax([sum((m[words[i]][k] + t[row][k]) * h[step][k] for k in range(len(h[step]))) for i, row in places])
        s = np.zeros(len(h[step]))
        for weight, (i, row) in zip(p, places, strict=True):
            for k in range(len(s)):
                s[k] += weight * (c[words[i]][k] + t_c[row][k])
        contexts.append(s)
        weights.append({i: weight for weight, (i, _) in zip(p, places, strict=True)})
    return np.array(contexts), weights
