"""The one-hop memory network of the comparison as plain loops, for one sentence."""

import numpy as np

from tests.reference.lstm import softmax


def run_memory_network(words, m, c, t, t_c, h, query):
    """words: T ids; m, c: [V][d]; t, t_c: [n][d]; h: [d][d]. Returns the states u' of all steps: [T][d]."""
    n, size = len(t), len(h)
    states = []
    for step in range(len(words)):
        history = [words[step - back] for back in range(min(n, step + 1))]  # newest first
        scores = [sum((m[w][k] + t[n - 1 - back][k]) * query for k in range(size)) for back, w in enumerate(history)]
        p = softmax(scores)
        state = [sum(h[k][j] * query for j in range(size)) for k in range(size)]
        for back, word in enumerate(history):
            for k in range(size):
                state[k] += p[back] * (c[word][k] + t_c[n - 1 - back][k])
        states.append(state)
    return np.array(states)
