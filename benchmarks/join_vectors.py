"""Vector files in, one file out: each word's vectors of all files, scaled to length 1 and put side by side.

    python benchmarks/join_vectors.py a.300d.txt.gz b.50d.txt > joined.350d.txt

Words of the first file that another file lacks get zeros there, and the other way round.
"""

from __future__ import annotations

import sys

import numpy as np

from nntag.corpora.vectors import load_vectors


def main(paths: list[str]) -> None:
    files = [load_vectors(path) for path in paths]
    rows = [dict(zip(file.words, file.matrix, strict=True)) for file in files]
    zeros = [np.zeros(file.matrix.shape[1], np.float32) for file in files]
    for word in dict.fromkeys(word for file in files for word in file.words):
        parts = [row.get(word, zero) for row, zero in zip(rows, zeros, strict=True)]
        scaled = [part / max(float(np.linalg.norm(part)), 1e-12) for part in parts]
        print(word, *(f"{value:.6g}" for value in np.concatenate(scaled).tolist()))


if __name__ == "__main__":
    main(sys.argv[1:])
