"""Files of another kind than their reader's are refused, whichever reader it is; ordinary files never are."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import time
from pathlib import Path

import numpy as np
import pytest

from nntag.corpora.formats import FORMATS
from nntag.corpora.lines import open_lines
from nntag.corpora.lookalikes import CHECKED_LINES, KINDS, Check
from nntag.corpora.piped import read_piped
from nntag.corpora.text import read_text
from nntag.errors import DataError
from nntag.language_models.ngram.arpa_reader import read_arpa
from nntag.sample import SAMPLE_FORMATS, write_sample
from tests.corpora.reading import fault, read, read_on, toy_lines

ANOTHER_READER = {("text", "gutenberg"), ("novels", "text"), ("novels", "gutenberg")}  # running text, and rightly read


def array_bytes() -> bytes:
    file = io.BytesIO()
    np.save(file, np.zeros(3))
    return file.getvalue()


ROW = "{0}\tw{0}\t{1}\t{2}\tT\t_\t0\troot\t_\t_\n"
EXAMPLES: dict[str, bytes] = {
    "a gzip file": gzip.compress(b"a b\n"),
    "an xz file": lzma.compress(b"a b\n"),
    "a bzip2 file": bz2.compress(b"a b\n"),
    "a packed file": b"PK\x03\x04abc\n",
    "text in UTF-16": "a b\n".encode("utf-16"),
    "a PDF or RTF": b"%PDF-1.4\nx y\n",
    "a NumPy array": array_bytes(),
    "a binary model": b"mmap lm http://kheafield.com/code format version 5\n\x00",
    "a pointer of Git LFS": b"version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 12\n",
    "a pointer of git-annex": b"../.git/annex/objects/Zx/9f/SHA256E-s12--ab.txt/SHA256E-s12--ab.txt",
    "a web page or XML": b'\n<!DOCTYPE html>\n<html lang="en">\n<title>404</title>\n',
    "JSON": b'{"text": "a b c", "label": 1}\n',
    "sentences with labels": b"a fine film\t1\nit is dull\t0\nnot so bad as it sounds\t1\n",
    "text with a tag at each word": b"The/DT cat/NN sat/VBD on/IN it/PRP ./.\n",
    "word|POS|entity": b"Ann|NNP|I-PER left|VBD|O Oslo|NNP|I-LOC .|.|O\n",
    "word|supertag|POS": b"Ann|NP|NNP left|(S[dcl]\\NP)/NP|VBD Oslo|NP|NNP\n",
    "an intermediate or quantised": b"iARPA\n\n\\data\\\nngram 1=1\n\n\\1-grams:\n-1\ta\n\\end\\\n",
    "CoNLL-U with its columns in another order": "".join(ROW.format(n, "NOUN", "wolf") for n in (1, 2, 3)).encode(),
    "CoNLL-U": ("# sent_id = 1\n" + ROW.format(1, "w", "NOUN")).encode(),
    "rows that begin": b"1\tThe\tthe\tDT\n2\tcat\tcat\tNN\n\n1\tIt\tit\tPRP\n",
    "layers of the Parallel": b"# tok:gold\ttok:gold\tcat:gold\na\ta\tn\n",
    "CCGbank derivations": b"(<L NP NNP NNP Ann NP>)\n",
    "sentiment trees": b"(3 (2 a) (4 good))\n",
    "bracketed trees": b"( (S (NP (NNP Ann)) (VP (VBD left))) )\n",
    "word|POS|supertag, not": b"Ann|NNP|NP left|VBD|S\\NP .|.|.\n",
    "word|POS|supertag or": b"Ann|NNP|NP left|VBD|S\\NP .|.|.\n",
    "questions of the": b"1a) it was a [fine] day\n",
    "an ARPA file": b"\\data\\\nngram 1=1\n\n\\1-grams:\n-1\ta\n\\end\\\n",
    "word vectors": b"the 0.1 -0.2 .3e-1\ncat 0.3 0.25 -1.5\non 0.0 0.1 0.2\n",
    "columns": b"The\tDT\ncat\tNN\n\nIt\tPRP\n",
    "columns between single spaces": b"Ann NNP\nrejects VBZ\n\nit PRP\n. .\n",
    "columns between spaces": b"EU NNP B-NP I-PER\nleft VBD B-VP O\n. . O O\n\nOslo NNP B-NP I-LOC\n",
}


def kind_of(example: str) -> list[str]:
    return [kind.name for kind in KINDS if kind.name.startswith(example.partition(" between ")[0])]


def test_every_kind_has_an_example() -> None:
    assert {name for example in EXAMPLES for name in kind_of(example)} == {kind.name for kind in KINDS}


@pytest.mark.parametrize("example", EXAMPLES)
def test_no_reader_takes_a_file_of_another_kind(example: str) -> None:
    names = kind_of(example)
    owners = {reader for kind in KINDS if kind.name in names for reader in kind.readers}
    wanting = {reader for kind in KINDS if kind.name in names for reader in kind.only}
    for name, row in FORMATS.items():
        if name not in owners and (not wanting or name in wanting):
            with pytest.raises(DataError):
                list(row.load_reader()(toy_lines(EXAMPLES[example])))


@pytest.mark.parametrize("example", [name for name in EXAMPLES if "another order" not in name and ", not" not in name])
def test_plain_text_says_what_the_file_looks_like(example: str) -> None:
    message = fault(read_text, EXAMPLES[example])
    assert message.startswith("toy:") and f"found what looks like {example.partition(' between ')[0]}" in message
    assert "expected a file in the format text, " in message
    assert read_on(read_text, b"a\n" * CHECKED_LINES + EXAMPLES[example])[0]  # what comes later is somebody's text


def test_columns_of_ten_kinds_are_told_from_each_other() -> None:
    swapped = EXAMPLES["CoNLL-U with its columns in another order"].decode()
    reader = FORMATS["conllu"].load_reader()
    assert "name them in the first line: # global.columns" in fault(reader, swapped)
    header = "# global.columns = ID FORM UPOS LEMMA XPOS FEATS HEAD DEPREL DEPS MISC\n"
    assert read(reader, header + swapped)[0].tags == ("NOUN", "NOUN", "NOUN")
    assert read(reader, swapped.replace("wolf", "NOUN"))[0].tags == ("NOUN", "NOUN", "NOUN")
    assert "leave out the column tag" in fault(read_piped, EXAMPLES["word|POS|supertag, not"], fields=2)


@pytest.mark.parametrize("format", SAMPLE_FORMATS)
def test_the_sample_of_each_format_is_read_by_its_own_reader_alone(tmp_path: Path, format: str) -> None:
    paths = write_sample(format, tmp_path, 50, 1)
    files = {format: paths.get("dev"), "novels": None}
    if format == "sherlock":
        files = {"sherlock": paths["questions"], "novels": next(paths["train"].iterdir())}
    for kind, path in files.items():
        for name, row in FORMATS.items():
            if path is None:
                continue
            if name == kind or (kind, name) in ANOTHER_READER:
                assert list(row.load_reader()(open_lines(path)))
            else:
                with pytest.raises(DataError):
                    list(row.load_reader()(open_lines(path)))


@pytest.mark.parametrize("column", [2, 4, -1])
@pytest.mark.parametrize("format", sorted({*SAMPLE_FORMATS} - {"sherlock", "columns"}))
def test_naming_a_column_does_not_let_other_formats_in(tmp_path: Path, format: str, column: int) -> None:
    path = write_sample(format, tmp_path, 50, 1)["dev"]
    with pytest.raises(DataError):
        list(FORMATS["columns"].load_reader()(open_lines(path), column=column))


@pytest.mark.parametrize(
    "text",
    [
        "( A ) the first of them\n( B ) the second\n( C ) x\n",
        "1 2 3 4\n5 6 7 8\n9 10 11 12\n",
        "it rose 0.1 0.2 0.3 points\nthe rate 0.5\nit fell 0.1\n",
        "GO NOW\nSTOP IT AT ONCE\nRUN\n",
        "a b .\nc d .\ne f .\n",
        "- Yes .\n- No .\n- Ha .\n",
        "CALL MOM\nPLAY JAZZ\nSTOP IT\n",
        "PLAY SOME JAZZ\nCALL MY MOM\nSTOP IT NOW\n",
        "TCP/IP and AC/DC or I/O and/or both\nx\ny\n",
        "< b > and < i >\n[ 1 ] Smith\n{ x }\n",
        "a|b is a pipe\nversion 1 of it\nID card\n",
        "a\tb\nc d\te f\ng\n",
        "id , question and answer\nNo. 1 a ) b\nid,\n",
        "# hash\n# text\n# a = b\n",
    ],
)
def test_ordinary_text_is_read(text: str) -> None:
    assert len(read(read_text, text)) == 3


def test_arpa_files_of_another_kind(tmp_path: Path) -> None:
    for name in ("an intermediate or quantised", "JSON", "a web page or XML", "a pointer of Git LFS"):
        (tmp_path / "f.arpa").write_bytes(EXAMPLES[name])
        with pytest.raises(DataError, match="expected a file in the format arpa, found what looks like"):
            read_arpa(tmp_path / "f.arpa")


@pytest.mark.parametrize(
    "line", ["(A" + "(" * 200_000, "a " * 200_000, "1a) " + "[" * 200_000, "a_X " * 99_999 + "b", "a|b " * 99_999 + "c"]
)
def test_a_long_first_line_takes_no_longer_than_its_length(line: str) -> None:
    start = time.process_time()
    for reader in ("text", "columns", "gutenberg", "sst"):
        Check(reader).see(1, line.encode())
    assert time.process_time() - start < 2  # hundredths of a second; minutes where a pattern tries again and again
