"""The bytes that the generator makes are fixed: data folders and published figures of the samples depend on them.

A change of these sums is a change of every sample corpus. It belongs into the changelog, and the figures have to be
measured anew.
"""

from __future__ import annotations

import hashlib
from itertools import islice

import pytest

from nntag.sample import SAMPLE_FORMATS, generate_sentences, write_sample
from nntag.sample.sentiment import generate_reviews

PINNED = {
    "ccgbank": "fc6c85dfe73cdc27",
    "ptb": "ac824c36f38b85ec",
    "conllu": "4693a15f13ac78bc",
    "columns": "0072315f9d620fac",
    "piped": "80d97fb835ab8c6c",
    "pmb": "6f5d720da035cebe",
    "text": "59a19b7eb8ef64a3",
    "sst": "b87b92bcf23c6b6a",
    "sherlock": "85b5414e99b05062",
}
SENTENCES, REVIEWS = "2102e3e487b6d505", "5444cf3d116c9c8d"


def shorten(digest: hashlib._Hash) -> str:
    return digest.hexdigest()[:16]


@pytest.mark.parametrize("format", SAMPLE_FORMATS)
def test_files_of_a_small_sample(tmp_path, format):
    write_sample(format, tmp_path, 120, seed=5)
    digest = hashlib.sha256()
    for path in sorted(path for path in tmp_path.rglob("*") if path.is_file()):
        digest.update(path.relative_to(tmp_path).as_posix().encode() + b"\0" + path.read_bytes())
    assert shorten(digest) == PINNED[format]


def test_derivations():
    """With what no file holds: rules, heads, lemmas, topics. So many use nearly every alternative of the grammar."""
    digest = hashlib.sha256()
    for generated in generate_sentences(3000, seed=6):
        digest.update(repr((generated.topic, generated.derivation)).encode())
    assert shorten(digest) == SENTENCES


def test_reviews():
    digest = hashlib.sha256("\n".join(islice(generate_reviews(7), 2000)).encode())
    assert shorten(digest) == REVIEWS
