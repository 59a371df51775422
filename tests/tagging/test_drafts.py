"""Drafts of tagged sentences: whatever is taken up comes back, in order, as often as it is asked for."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from nntag.encoding import spilled
from nntag.tagging import drafts
from nntag.tagging.drafts import TaggedDraft


def test_sentences_come_back_and_are_divided(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spilled, "BLOCK", 5)
    monkeypatch.setattr(drafts, "BLOCK_SENTENCES", 3)
    rng = random.Random(1)
    sentences = []
    for _ in range(50):
        length = rng.randint(1, 7)
        fields = (rng.choices("abc d\u2028\u00e9", k=length), rng.choices("XY", k=length), rng.choices("PQR", k=length))
        sentences.append(tuple(map(tuple, fields)))
    with TaggedDraft(tmp_path, 2) as draft:
        for sentence in sentences:
            draft.add(sentence)
        assert list(draft) == list(draft) == sentences and len(draft) == 50
        assert draft.longest == max(len(tokens) for tokens, _, _ in sentences)
        assert list(draft.column(2)) == [tags for _, _, tags in sentences]
        chosen = [number % 4 == 1 for number in range(50)]
        kept, taken = draft.divide(chosen)
        with kept, taken:
            assert list(kept) == [sentences[number] for number in range(50) if number % 4 != 1]
            assert list(taken) == sentences[1::4] and len(taken) == 13
            assert kept.longest == max(len(tokens) for tokens, _, _ in kept)
        with pytest.raises(ValueError, match="zip"):
            draft.add((("a",), ("X",)))
