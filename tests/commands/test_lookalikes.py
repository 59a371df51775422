"""Text that is of another kind is refused where it is tagged, parsed or scored, also from a pipe."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nntag.errors import DataError
from nntag.language_models.score import score_lines
from nntag.tagging.stream.input import read_items
from tests.command_line import fails, run_nntag
from tests.corpora.reading import toy_lines
from tests.corpora.test_lookalikes import EXAMPLES

RUNS = Path(__file__).parents[1] / "data" / "v0.1.0" / "runs"
OF_TEXT = [name for name in EXAMPLES if "another order" not in name and ", not" not in name]
BARS = "word|POS|supertag or"  # a word may hold bars: the tagger warns


class AnyModel:
    """A language model that knows no word."""

    vocabulary: Any
    runs = ()

    def __init__(self) -> None:
        self.vocabulary = self

    def encode(self, tokens: list[str]) -> np.ndarray:
        return np.zeros(len(tokens), np.int64)

    def score_sentences(self, sentences: list[list[str]]) -> list[np.ndarray]:
        return [np.full(len(tokens) + 1, -1.0) for tokens in sentences]


@pytest.mark.parametrize("example", OF_TEXT)
def test_no_kind_is_taken_for_text(example: str, caplog: pytest.LogCaptureFixture) -> None:
    lines = toy_lines(EXAMPLES[example])
    with pytest.raises(DataError, match="expected a file in the format text, found what looks like"):
        score_lines(AnyModel(), lines, lambda data: None)  # type: ignore[arg-type]
    if example == BARS:
        assert list(read_items(toy_lines(EXAMPLES[example]), "text"))
        assert "every token of the first sentence holds a bar" in caplog.text
        return
    with pytest.raises(DataError, match="expected a file in the format text, found what looks like"):
        list(read_items(toy_lines(EXAMPLES[example]), "text"))


@pytest.mark.parametrize("example", ["CoNLL-U", "CCGbank derivations", "sentiment trees", "columns"])
def test_the_commands_refuse_it(example: str, tmp_path: Path) -> None:
    (tmp_path / "file.txt").write_bytes(EXAMPLES[example])
    reason = f"expected a file in the format text, found what looks like {example}"
    for words in (("tag", "--model", RUNS / "tagger"), ("score", "--model", RUNS / "ngram")):
        assert reason in fails(*words, stdin=EXAMPLES[example])
        assert reason in fails(*words, tmp_path / "file.txt")


def test_ordinary_text_is_taken() -> None:
    text = b"A|B is a word\nthe old dog saw it .\n\n1 2 3\n"
    assert run_nntag("tag", "--model", RUNS / "tagger", "--format", "columns", stdin=text).code == 0
    assert len(run_nntag("score", "--model", RUNS / "ngram", stdin=text).out.splitlines()) == 4
