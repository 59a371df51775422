"""The tagger's input and output layers as plain loops over characters, words and numbers, for one sentence.

Every table is a numpy array whose row 0 is padding and row 1 the unknown entry; `ids` map strings to rows.
"""

from __future__ import annotations

import math

import numpy as np

PADDING, UNKNOWN = 0, 1


def normalise(word):
    return "".join("9" if character in "0123456789" else character for character in word.lower())


def word_vector(word, ids, table):
    return list(table[ids.get(normalise(word), UNKNOWN)])


def end_characters(word, length, ids, table):
    """Vectors of the first `length` characters and of the last; what a short word lacks is padding, at the far side."""
    vector = []
    for place in range(length):
        vector.extend(table[ids.get(word[place], UNKNOWN)] if place < len(word) else table[PADDING])
    for place in range(length):
        from_end = length - place  # the last character is 1 from the end
        vector.extend(table[ids.get(word[-from_end], UNKNOWN)] if from_end <= len(word) else table[PADDING])
    return vector


def capital(word, table):
    """Row 1: not capitalised, row 2: capitalised."""
    return list(table[2 if word != "" and word[0] != word[0].lower() else 1])


def affix_sum(word, ids, table):
    """The sum over prefixes and suffixes of one to four characters of the looked-up word."""
    word, total = normalise(word), np.zeros(table.shape[1])
    for length in (1, 2, 3, 4):
        if length <= len(word):
            total += table[ids.get("^" + word[:length], UNKNOWN)]
            total += table[ids.get(word[len(word) - length :] + "$", UNKNOWN)]
    return list(total)


def convolution(word, ids, table, weight, bias):
    """The greatest positive answer of each filter at any character; weight: [F][C][3], centred, zeros outside."""
    if len(word) > 24:
        word = word[:16] + word[-8:]
    best = np.zeros(len(bias))
    for place in range(len(word)):
        for number in range(len(bias)):
            total = bias[number]
            for offset in (-1, 0, 1):
                if 0 <= place + offset < len(word):
                    letter = table[ids.get(word[place + offset], UNKNOWN)]
                    for channel in range(len(letter)):
                        total += weight[number][channel][offset + 1] * letter[channel]
            best[number] = max(best[number], total)
    return list(best)


def windows(vectors, boundary, width, gate=None):
    """Each vector between its neighbours; gate: (weight [width][width * S], bias [width]), a logistic gate a slot."""
    half, found = width // 2, []
    for centre in range(len(vectors)):
        slots = []
        for place in range(centre - half, centre + half + 1):
            slots.append(list(vectors[place]) if 0 <= place < len(vectors) else list(boundary))
        if gate is not None:
            whole = [value for slot in slots for value in slot]
            for number in range(width):
                score = gate[1][number] + sum(w * x for w, x in zip(gate[0][number], whole, strict=True))
                slots[number] = [value / (1.0 + math.exp(-score)) for value in slots[number]]
        found.append([value for slot in slots for value in slot])
    return found


def tag_log_probabilities(states, weight, bias):
    """log softmax(W h + b) for each word; weight: [tags][2H]."""
    found = []
    for state in states:
        scores = [b + sum(w * x for w, x in zip(row, state, strict=True)) for row, b in zip(weight, bias, strict=True)]
        total = math.log(sum(math.exp(score) for score in scores))
        found.append([score - total for score in scores])
    return found
