"""Files cut into parts: together they are the file, cuts fall between sentences, lines keep their numbers."""

from __future__ import annotations

import gzip
import hashlib
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nntag.corpora.conllu import read_conllu_blocks
from nntag.corpora.lines import is_blank
from nntag.corpora.parts import cut_file, open_part
from nntag.errors import DataError

LINES = st.lists(st.sampled_from([b"", b" ", b"a", b"b c", b"\xc3\xa9" * 9, b"\r"]), max_size=40)


def write(folder: Path, data: bytes, name: str = "x.txt") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


@given(lines=LINES, size=st.integers(1, 60), ended=st.booleans(), cut=st.sampled_from(["lines", "blocks"]))
def test_parts_are_the_file(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], size: int, ended: bool, cut: str
) -> None:
    data = b"\n".join(lines) + b"\n" * ended
    path = write(tmp_path_factory.mktemp("x"), data)
    parts, digest = cut_file(path, size, cut)
    assert digest == hashlib.sha256(data).hexdigest()
    texts = [b"".join(raw for _, raw in open_part(part).raw()) for part in parts]
    assert b"".join(texts) == data
    assert [part.first_line for part in parts] == [
        1 + b"".join(texts[:number]).count(b"\n") for number in range(len(parts))
    ]
    for before, after in zip(texts, texts[1:], strict=False):
        assert before.endswith(b"\n") and len(before) >= size
        if cut == "blocks":
            last, first = io.BytesIO(before).readlines()[-1], io.BytesIO(after).readline()
            assert is_blank(last) and not is_blank(first)


def test_sentences_of_conllu_stay_whole(tmp_path: Path) -> None:
    block = "# newdoc\n1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n2\tb\t_\t_\t_\t_\t1\tx\t_\t_\n\n"
    path = write(tmp_path, (block * 50).encode(), "x.conllu")
    for size in (1, 30, len(block) - 1, len(block), 1000):
        parts, _ = cut_file(path, size, "blocks")
        found = [block for part in parts for block in read_conllu_blocks(open_part(part))]
        assert sum(block.sentence is not None for block in found) == 50
        assert b"".join(raw for block in found for raw in block.raw) == path.read_bytes()
    assert len(cut_file(path, 1, "blocks")[0]) == 50


def test_what_cannot_be_cut_is_one_part(tmp_path: Path) -> None:
    packed = write(tmp_path, gzip.compress(b"a\nb\n"), "x.txt.gz")
    for path, cut in ((packed, "lines"), (write(tmp_path, b"a\nb\n"), None), (write(tmp_path, b"", "e"), "lines")):
        (part,), _ = cut_file(path, 1, cut)
        assert part.end is None and part.first_line == 1
    assert [text for _, text in open_part(cut_file(packed, 1, "lines")[0][0])] == ["a", "b"]
    with pytest.raises(DataError, match="cannot be read: No such file"):
        cut_file(tmp_path / "none", 1, "lines")


def test_an_error_names_the_line_of_the_file(tmp_path: Path) -> None:
    path = write(tmp_path, b"a\nb\n\xff\n")
    *_, last = cut_file(path, 1, "lines")[0]
    with pytest.raises(DataError, match=r"x.txt:3:1: expected UTF-8"):
        list(open_part(last))
