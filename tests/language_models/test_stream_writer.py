"""Token streams as they are written: many numberings of words give the bytes of one; counts are a plain count's."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from nntag.encoding import spilled
from nntag.errors import DataError
from nntag.language_models import stream_writer
from nntag.language_models.preprocessing.text import choose_words
from nntag.language_models.stream_writer import StreamWriter
from nntag.language_models.streams import StreamVocabulary

LETTERS = ["a", "b", "\u00e9", "\U0001f600", "\ufffd", "z\tz", "\x85", "<unk>"]


def draw_sentences(count: int) -> list[list[str]]:
    rng = random.Random(1)
    return [
        [rng.choice(LETTERS) + str(int(rng.paretovariate(0.7))) for _ in range(rng.randint(0, 6))] for _ in range(count)
    ]


def write(folder: Path, sentences: list[list[str]]) -> tuple[StreamWriter, int]:
    folder.mkdir()
    words = StreamVocabulary(sorted({word for sentence in sentences for word in sentence})[::2])
    with StreamWriter(folder, "train") as writer:
        for number, sentence in enumerate(sentences):
            writer.add(sentence)
            if number == len(sentences) // 2:
                writer.count_words()  # which ends a numbering
        assert writer.count_words() == Counter(word for sentence in sentences for word in sentence)
        return writer, writer.finish(words)


def test_many_numberings_give_the_bytes_of_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sentences = draw_sentences(300)
    one, unknown = write(tmp_path / "one", sentences)
    monkeypatch.setattr(stream_writer, "MOST_TYPES", 5)
    monkeypatch.setattr(spilled, "BLOCK", 16)
    many, also_unknown = write(tmp_path / "many", sentences)
    assert len(many._parts) > 20 > len(one._parts) and unknown == also_unknown > 0
    for name in ("train.ids.npy", "train.starts.npy"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "many" / name).read_bytes()
        np.save(tmp_path / "again.npy", np.load(tmp_path / "one" / name))
        assert (tmp_path / "again.npy").read_bytes() == (tmp_path / "one" / name).read_bytes()


@pytest.mark.parametrize("vocab_size", [None, 3, 7, 10_000])
@pytest.mark.parametrize("min_count", [1, 2, 5])
def test_the_vocabulary_is_that_of_a_plain_count(tmp_path: Path, vocab_size: int | None, min_count: int) -> None:
    sentences = [*draw_sentences(200), ["<unk>", "<unk>"]]
    counts = Counter(word for sentence in sentences for word in sentence if word != "<unk>")
    ranked = sorted(counts, key=lambda word: (-counts[word], word))
    kept = [word for word in ranked if counts[word] >= min_count][: None if vocab_size is None else vocab_size - 2]
    with StreamWriter(tmp_path, "train") as writer:
        assert not writer.has_unknown
        for sentence in sentences:
            writer.add(sentence)
        found = choose_words(writer, vocab_size, min_count, "text")
        assert found.words == kept and found.counts == [counts[word] for word in kept]
        assert found.types == len(counts) and writer.has_unknown
        with pytest.raises(DataError, match="no training word occurs 9999 times"):
            choose_words(writer, vocab_size, 9999, "text")
