"""Lines: decoding, line ends, byte order marks, compressed files, and lines that arrive one by one."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nntag.corpora.lines import Lines, is_blank, open_lines, split_spaces
from nntag.errors import DataError
from tests.corpora.reading import toy_lines


@pytest.mark.parametrize(
    ("data", "texts"),
    [
        (b"", []),
        (b"\n", [""]),
        (b"a\nb", ["a", "b"]),
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"a\r\n\r\nb\n", ["a", "", "b"]),
        (b"a\rb\n", ["a\rb"]),
        (b"a\r", ["a\r"]),
        (b"a\r\r\n", ["a\r"]),
        (b"a\x0bb\x0cc\x1cd\x1de\x1ef\x1fg\n", ["a\x0bb\x0cc\x1cd\x1de\x1ef\x1fg"]),
        ("a\x85b\u2028c\u2029d\n".encode(), ["a\x85b\u2028c\u2029d"]),
        (b"\x00a\x00\n", ["\x00a\x00"]),
        (b"\x1a\n", ["\x1a"]),
        (b"\xef\xbb\xbfa\n\xef\xbb\xbfb\n", ["a", "\ufeffb"]),
        (b"\xef\xbb\xbf\xef\xbb\xbfa\n", ["\ufeffa"]),
        (b"\xef\xbb\xbf", [""]),
    ],
)
def test_lines_end_at_lf_and_crlf_alone(data: bytes, texts: list[str]) -> None:
    assert list(toy_lines(data)) == list(enumerate(texts, start=1))


@given(st.lists(st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]))))
def test_any_text_comes_back(texts: list[str]) -> None:
    data = "".join(text + "\n" for text in texts)
    expected = [text.removesuffix("\r") for text in texts]
    if expected and expected[0].startswith("\ufeff"):
        expected[0] = expected[0][1:]
    assert [text for _, text in toy_lines(data)] == expected


@pytest.mark.parametrize(
    ("line", "column", "byte"),
    [
        (b"ab\xff", 3, "0xff"),
        (b"\xc3", 1, "0xc3"),
        ("né".encode() + b"\x80", 3, "0x80"),
        (b"\xed\xa0\x80", 1, "0xed"),  # a surrogate
        (b"\xc0\xaf", 1, "0xc0"),  # an overlong form
        (b"\xf4\x90\x80\x80", 1, "0xf4"),  # beyond U+10FFFF
    ],
)
def test_invalid_utf8_names_line_column_and_byte(line: bytes, column: int, byte: str) -> None:
    with pytest.raises(DataError) as caught:
        list(toy_lines(b"good\n\n" + line + b"\ngood\n"))
    assert (caught.value.line, caught.value.column) == (3, column)
    assert byte in caught.value.reason


def test_utf16_is_an_error_on_line_1() -> None:
    with pytest.raises(DataError, match="^toy:1:1: expected UTF-8"):
        list(toy_lines("a b\n".encode("utf-16")))


def test_compressed_files_are_unpacked(tmp_path: Path) -> None:
    data = "\ufeffnaïve\r\nline\n".encode()
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(data))
    (tmp_path / "a.txt.XZ").write_bytes(lzma.compress(data))
    (tmp_path / "a.txt.bz2").write_bytes(bz2.compress(data))
    for name in ("a.txt.gz", "a.txt.XZ", "a.txt.bz2"):
        assert list(open_lines(tmp_path / name)) == [(1, "naïve"), (2, "line")]


def test_damaged_compressed_files_are_data_errors(tmp_path: Path) -> None:
    noise = bytes(range(256)) * 4
    packed_gz, packed_xz = gzip.compress(noise * 50), lzma.compress(noise * 50)
    damaged = {"cut.gz": packed_gz[:-9], "no.gz": noise, "cut.xz": packed_xz[:-20], "no.xz": noise}
    damaged |= {"cut.bz2": bz2.compress(noise * 50)[:-20], "no.bz2": noise}
    damaged["flip.gz"] = packed_gz[:40] + bytes([packed_gz[40] ^ 255]) + packed_gz[41:]
    for name, data in damaged.items():
        (tmp_path / name).write_bytes(data)
        with pytest.raises(DataError, match=name) as error:
            list(open_lines(tmp_path / name).raw())
        assert ":0:" not in str(error.value)


def test_unreadable_paths_are_data_errors(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="No such file"):
        list(open_lines(tmp_path / "absent"))
    with pytest.raises(DataError, match="directory"):
        list(open_lines(tmp_path))


def test_a_file_can_be_read_twice(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x\n")
    lines = open_lines(tmp_path / "a")
    assert list(lines) == list(lines) == [(1, "x")]


def test_blocks_hold_every_line() -> None:
    data = b"\n \t\r\na\nb\n\n\n\nc\n\t\n"
    blocks = list(toy_lines(data).blocks())
    assert b"".join(raw for block in blocks for _, raw in block) == data
    assert [[number for number, _ in block] for block in blocks] == [[1, 2, 3, 4, 5], [6, 7, 8, 9]]
    assert [number for block in toy_lines(b"a\n\n \n").blocks() for number, _ in block] == [1, 2, 3]
    assert list(toy_lines(b"").blocks()) == []


@pytest.mark.parametrize("raw", [b"", b"\n", b"\r\n", b" \t \r\n", b"\t"])
def test_blank(raw: bytes) -> None:
    assert is_blank(raw)


@pytest.mark.parametrize(
    "raw", [b"\r", b"\x0c\n", b"\x0b", "\u00a0\n".encode(), "\u2003\n".encode(), b"\x00\n", b"\r\r\n"]
)
def test_other_white_space_is_not_blank(raw: bytes) -> None:
    assert not is_blank(raw)


def test_only_spaces_and_tabs_separate() -> None:
    assert split_spaces("  a \t b\u00a0c\u3000d\x0ce\x1cf  ") == ["a", "b\u00a0c\u3000d\x0ce\x1cf"]


def test_standard_input_answers_line_by_line() -> None:
    program = (
        "from nntag.corpora.lines import open_lines\n"
        "for number, text in open_lines('-'): print(number, ascii(text), flush=True)"
    )
    command = [sys.executable, "-c", program]
    environment = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONPATH": "."}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdin and process.stdout
        for number, word in enumerate(("naïve", "", "x y"), start=1):
            process.stdin.write(f"{word}\n".encode())
            process.stdin.flush()
            assert process.stdout.readline() == f"{number} {ascii(word)}\n".encode()  # while the input is still open
        process.stdin.write(b"last")
        process.stdin.close()
        assert process.stdout.read() == b"4 'last'\n"


class _Repeated(io.RawIOBase):
    """A stream of many equal lines that is never in memory."""

    def __init__(self, line: bytes, count: int):
        self._line, self._count = line, count

    def __iter__(self):  # type: ignore[override]
        return (bytes(bytearray(self._line)) for _ in range(self._count))


def test_memory_does_not_grow_with_the_file() -> None:
    lines = Lines("big", lambda: _Repeated(b"word " * 200 + b"\n", 20_000))  # 20 MB
    tracemalloc.start()
    try:
        assert sum(len(text) for _, text in lines) == 20_000_000
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
