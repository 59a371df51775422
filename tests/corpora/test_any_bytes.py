"""Any bytes give records or data errors, nothing else; records before a fault are those that leaving it out gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nntag.corpora.ccgbank import read_ccgbank, read_derivations
from nntag.corpora.columns import read_columns
from nntag.corpora.conllu import read_conllu, read_conllu_blocks
from nntag.corpora.gutenberg import read_gutenberg
from nntag.corpora.lines import Lines, lines_from_bytes
from nntag.corpora.piped import read_piped
from nntag.corpora.pmb import read_pmb
from nntag.corpora.ptb import read_ptb, read_ptb_trees
from nntag.corpora.sherlock import read_sherlock
from nntag.corpora.sst import read_sst
from nntag.corpora.text import read_text
from nntag.corpora.trees import binarise_tree, format_tree
from nntag.corpora.vectors import read_vectors
from nntag.errors import DataError

ANSWERS = b"1a) x [b] .\n2c) [d]\n"
MACHINE = b"".join(b"%d%c) x [%c] .\r\n" % (number, letter, letter + 1) for number in (1, 2) for letter in b"abcde")
CSV = b'id,question,a),b),c),d),e)\n1,"a ""b"", _____ c",d,e,f,g,h\n2,_____,a,b,c,d,e\n'
CONLLU = b"# c\n1-2\tab\t_\t_\t_\t_\t_\t_\t_\t_\n" + b"".join(
    b"%d\t%c\t_\tX\tY\tA=B\t0\tr\t_\t_\n%s" % (n, n + 96, b"\r\n" if n == 2 else b"") for n in (1, 2)
)
AUTO = b"ID=1.1 PARSER=GOLD\n(<T N 1 2> (<L N/N JJ JJ -LRB- N_1/N_1>) (<L N NN NN b N {r.01:rel} [ARG0]>) )\n"
PMB = b"### a\n# raw sent = a\na\ta\tA\tNIL\tn\tO\t[]\n\n# tok:gold\tcat:gold\n# raw sent = # b\n#\tn/n\r\nb\tn\n"

READERS: dict[str, tuple[Callable[..., Iterator[Any]], bytes]] = {
    "text": (partial(read_text, keep_blank=True), "a b\n\n\u2028 é\r\n".encode()),
    "columns": (read_columns, b"a N\nb\tV\n\nc d\n"),
    "columns by number": (partial(read_columns, column=-1), b"a N x\nb\tV\ty\n\nc d z\n"),
    "piped": (read_piped, b"a|N|N/N b|V|S\n\nc|d|e\n"),
    "pmb": (read_pmb, PMB),
    "conllu": (partial(read_conllu, need_heads=True), CONLLU),
    "conllu blocks": (read_conllu_blocks, CONLLU),
    "ptb": (read_ptb, b"( (S (NP (A a) (-NONE- *)) (B\n b)) )\n(C c)\n"),
    "ptb trees": (read_ptb_trees, b"((S (A a)(B b)))\n( (C c) (D -RRB-) )"),
    "sst": (read_sst, b"(2 (1 a) (3 b))\n(4 c)\n"),
    "sst of any shape": (partial(read_sst, binarise=True), b"(2 (1 a) (3 b) (0 d))\n(4 (1 c))\n"),
    "ccgbank": (read_ccgbank, AUTO),
    "derivations": (read_derivations, AUTO),
    "sherlock machine": (read_sherlock, MACHINE),
    "sherlock csv": (read_sherlock, CSV),
    "sherlock answers": (
        lambda lines, **o: read_sherlock(lines_from_bytes(MACHINE, "toy"), answers=lines, **o),
        ANSWERS,
    ),
    "gutenberg": (
        read_gutenberg,
        b"*** START OF THE PROJECT GUTENBERG EBOOK A ***\r\nx\r\n\r\ny\r\n*END*THE SMALL PRINT! z\n"
        b"\nEnd of the Project Gutenberg Etext\n*** END OF THE PROJECT GUTENBERG EBOOK A ***\n",
    ),
    "vectors": (read_vectors, b"2 3\na 1 2 3\nb c 4 5 6\n"),
}
PIECES = [
    b"",
    b"\n",
    b"\r\n",
    b"\r",
    b" ",
    b"\t",
    b"(",
    b")",
    b"(<",
    b"<L ",
    b">",
    b">)",
    b"|",
    b"_",
    b"-NONE-",
    b"-LRB-",
]
PIECES += [
    b"\xff",
    b"\xef\xbb\xbf",
    b"\x00",
    b"\x0c",
    b"\x85",
    "\u2028\u00a0".encode(),
    b"#",
    b"1",
    b"9" * 30,
    b"[",
    b"]",
    b'"',
]
PIECES += [
    b"ID=",
    b"nan",
    b"1 1\n",
    b"\n\n",
    b"*** END OF THE PROJECT GUTENBERG",
    b"*END*THE SMALL PRINT!",
    b"a)",
    b"x" * 300,
]


@st.composite
def damaged(draw: st.DrawFn, data: bytes) -> bytes:
    """A well-formed file with some places cut out and odd pieces put in."""
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.integers(0, 8)))
        data = data[:start] + draw(st.sampled_from(PIECES)) + data[end:]
    return data


def check(reader: Callable[..., Iterator[Any]], data: bytes) -> None:
    faults: list[DataError] = []
    lines: Lines = lines_from_bytes(data, "toy")
    try:
        records = list(reader(lines, on_bad=faults.append))
    except DataError as error:  # of the whole file: another kind of file, or one that cannot be unpacked
        with pytest.raises(DataError) as again:
            list(reader(lines))
        assert str(again.value) == str(faults[0] if faults else error)
        return
    before: list[Any] = []
    stopped = None
    try:
        before.extend(reader(lines))
    except DataError as error:
        stopped = str(error)
    assert stopped == (str(faults[0]) if faults else None)
    assert repr(before) == repr(records[: len(before)])
    assert faults or len(before) == len(records)
    for error in faults:
        assert (
            error.line is None or 1 <= error.line <= data.count(b"\n") + data.count(b"\r") + 1 or "answer" in str(error)
        )
        assert str(error).isprintable()
    for record in records:
        if hasattr(record, "labels"):
            format_tree(record)
            assert binarise_tree(record).tokens == record.tokens
        elif hasattr(record, "tokens") and record.tags is not None:
            assert len(record.tokens) == len(record.tags) > 0
            assert "" not in record.tokens and "" not in record.tags


@pytest.mark.parametrize("name", READERS)
def test_the_well_formed_file_is_read(name: str) -> None:
    reader, data = READERS[name]
    assert len(list(reader(lines_from_bytes(data, "toy")))) >= 1


@pytest.mark.parametrize("name", READERS)
@settings(max_examples=40, deadline=None)
@given(st.data())
def test_damaged_files(name: str, data: st.DataObject) -> None:
    reader, whole = READERS[name]
    check(reader, data.draw(damaged(whole)))


@pytest.mark.parametrize("name", READERS)
@settings(max_examples=15, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes(name: str, data: bytes) -> None:
    check(READERS[name][0], data)


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("data", [b"", b"\n", b" \t\r\n\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n\n"])
def test_files_without_items_are_empty(name: str, data: bytes) -> None:
    reader, _ = READERS[name]
    if name not in ("text", "conllu blocks", "sherlock answers"):
        assert list(reader(lines_from_bytes(data, "toy"))) == []
