"""Contextual vectors by plain loops: one sentence and one window at a time, word pieces cut greedily."""

from __future__ import annotations

from typing import Any

import torch


def cut_word(word: str, vocabulary: list[str]) -> list[int]:
    """The longest known beginning, then the longest known continuation, and so on; [UNK] where that fails."""
    pieces: list[int] = []
    rest = word
    while rest:
        for end in range(len(rest), 0, -1):
            piece = ("##" if pieces else "") + rest[:end]
            if piece in vocabulary:
                pieces.append(vocabulary.index(piece))
                rest = rest[end:]
                break
        else:
            return [vocabulary.index("[UNK]")]
    return pieces or [vocabulary.index("[UNK]")]


def word_vectors(
    model: Any, words: list[str], vocabulary: list[str], longest: int, pooling: str
) -> list[list[list[float]]]:
    """For each word and layer the vector: mean or first of the states of the word's pieces."""
    cut = [cut_word(word, vocabulary) for word in words]
    pieces = [piece for word in cut for piece in word]
    room = longest - 2
    starts = [0]
    while starts[-1] + room < len(pieces):
        starts.append(starts[-1] + room // 2)
    first, last = vocabulary.index("[CLS]"), vocabulary.index("[SEP]")
    windows = []
    for start in starts:
        ids = [first, *pieces[start : start + room], last]
        with torch.no_grad():
            windows.append(model(input_ids=torch.tensor([ids]), output_hidden_states=True).hidden_states)
    vectors, place = [], 0
    for word in cut:
        states = []
        for piece in range(place, place + len(word)):
            inside = [number for number, start in enumerate(starts) if start <= piece < start + room]
            # the window in whose middle the piece lies most nearly; of two, the later one
            best = min(inside, key=lambda number: (abs(piece + 0.5 - starts[number] - room / 2), -number))
            states.append([layer[0, 1 + piece - starts[best]].tolist() for layer in windows[best]])
        place += len(word)
        used = states if pooling == "mean" else states[:1]
        layers = range(len(states[0]))
        vectors.append(
            [[sum(column) / len(used) for column in zip(*(s[layer] for s in used), strict=True)] for layer in layers]
        )
    return vectors
