"""One small hand-made corpus of our own in every tagging format, and a learnable one of any size."""

from __future__ import annotations

import random
from pathlib import Path

TRAIN = [
    (("The", "cat", "(", "grey", ")", "saw", "it", "."), ("DT", "NN", "-LRB-", "JJ", "-RRB-", "VBD", "PRP", ".")),
    (("It", "ran"), ("PRP", "VBD")),
    (("A", "dog", "ran", "."), ("DT", "NN", "VBD", ".")),
]
DEV = [(("The", "dog", "saw", "owls", "."), ("DT", "NN", "VBD", "NNS", "."))]
CATEGORIES = {
    "DT": "NP[nb]/N",
    "NN": "N",
    "JJ": "N/N",
    "VBD": "(S[dcl]\\NP)/NP",
    "PRP": "NP",
    "NNS": "N",
    ".": ".",
    "-LRB-": "LRB",
    "-RRB-": "RRB",
}
ESCAPES = {"(": "-LRB-", ")": "-RRB-"}
FORMATS = ("ccgbank", "ptb", "conllu", "columns", "piped", "pmb")

Tagged = list[tuple[tuple[str, ...], tuple[str, ...]]]


def gold(sentences: Tagged, format: str) -> Tagged:
    """The tags that are read from each format by default: supertags where it has them."""
    if format not in ("ccgbank", "piped", "pmb"):
        return sentences
    return [(tokens, tuple(CATEGORIES[tag] for tag in tags)) for tokens, tags in sentences]


def write_corpus(path: Path, sentences: Tagged, format: str) -> Path:
    """Writes the sentences in a format; trees and derivations are flat ones, good enough to read tags from."""
    lines: list[str] = []
    for number, (tokens, tags) in enumerate(sentences, 1):
        pairs = list(zip(tokens, tags, strict=True))
        escaped = [(ESCAPES.get(token, token), tag) for token, tag in pairs]
        if format == "ptb":
            lines.append(f"( (S {' '.join(f'({tag} {token})' for token, tag in escaped)}) )")
        elif format == "ccgbank":
            lines.append(f"ID=own_{number:04}.1 PARSER=GOLD NUMPARSE=1")
            lines.append(
                _chain([f"(<L {CATEGORIES[tag]} {tag} {tag} {token} {CATEGORIES[tag]}>)" for token, tag in escaped])
            )
        elif format == "piped":
            lines.append(" ".join(f"{token}|{tag}|{CATEGORIES[tag]}" for token, tag in pairs))
        elif format == "pmb":
            lines += [f"# raw sent = {' '.join(tokens)}"]
            lines += [*(f"{word}\t{word}\t{word}\tNIL\t{CATEGORIES[tag]}\tO\t[]" for word, tag in pairs), ""]
        elif format == "columns":
            lines += [*(f"{token}\t{tag}" for token, tag in pairs), ""]
        else:
            rows = enumerate(pairs, 1)
            lines += [*(f"{n}\t{token}\t_\t{tag}\tX{tag}\t_\t_\t_\t_\t_" for n, (token, tag) in rows), ""]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _chain(leaves: list[str]) -> str:
    """A right-branching derivation over the leaves."""
    tree = leaves[-1]
    for leaf in reversed(leaves[:-1]):
        tree = f"(<T S 0 2> {leaf} {tree} )"
    return tree


NOUNS, VERBS = ("dog", "walk", "run", "play"), ("walk", "run", "play", "sees")
NAMES = ("Ann", "Bob", "Eve")


def learnable(count: int, seed: int) -> Tagged:
    """Sentences in which `walk`, `run` and `play` are nouns behind a determiner and verbs behind a name."""
    rng = random.Random(seed)
    sentences: Tagged = []
    for _ in range(count):
        if rng.random() < 0.5:
            sentences.append((("the", rng.choice(NOUNS), "ends"), ("DT", "NN", "VB")))
        else:
            sentences.append(((rng.choice(NAMES), rng.choice(VERBS), "now"), ("NP", "VB", "RB")))
    return sentences
