"""Novels: both kinds of header and footer, encodings, paragraphs."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from nntag.corpora.gutenberg import read_gutenberg
from tests.corpora.reading import read

BODY = "CHAPTER I\n\nIt was late.\nThe lamp\n  was out.\n \t\nNobody came."
PARAGRAPHS = ["CHAPTER I", "It was late. The lamp was out.", "Nobody came."]
SMALL_PRINT = (
    "**The Project Gutenberg Etext of A Toy**\n\nInformation about it\n\n"
    "***START**THE SMALL PRINT!**FOR PUBLIC DOMAIN ETEXTS**START***\nWhy is this here?\n"
    "*END*THE SMALL PRINT! FOR PUBLIC DOMAIN ETEXTS*Ver.04.29.93*END*\n\n"
)


def paragraphs(data: str | bytes) -> list[str]:
    return [paragraph.text for paragraph in read(read_gutenberg, data)]


@pytest.mark.parametrize(
    "start",
    [
        "*** START OF THE PROJECT GUTENBERG EBOOK A TOY ***",
        "***START OF THIS PROJECT GUTENBERG EBOOK A TOY***",
        "  *** Start of this Project Gutenberg eBook A Toy ***",
        "*** START OF THE PROJECT GUTENBERG EBOOK A TOY\nWITH A LONG\nTITLE ***",
        "*** START OF THE PROJECT GUTENBERG EBOOK A TOY ***\n\nProduced by Ann Example and others",
        "*** START OF THE PROJECT GUTENBERG EBOOK A TOY ***\n\n" + SMALL_PRINT,
        SMALL_PRINT,
        SMALL_PRINT.replace("*END*THE", "ENDTHE"),
        SMALL_PRINT.replace("ETEXTS*Ver", "\nETEXTS*Ver"),
        SMALL_PRINT + "\nScanned and proofed by Ann Example\n",
        SMALL_PRINT + "\nThe Project Gutenberg Etext of A Toy\n",
        SMALL_PRINT + "\nThis etext was prepared by Ann\nExample.\n",
    ],
)
@pytest.mark.parametrize(
    "end",
    [
        "*** END OF THE PROJECT GUTENBERG EBOOK A TOY ***\n\nLicence text.",
        "***END OF THIS PROJECT GUTENBERG EBOOK A TOY***",
        "End of Project Gutenberg's A Toy, by Nobody\n\n*** END OF THE PROJECT GUTENBERG EBOOK A TOY ***\nLicence",
        "End of the Project Gutenberg Etext of A Toy",
        "End of this Project Gutenberg Etext\n\nErrata:\n\npage 2: for lamp read lamps",
        "This is the end of the Project Gutenberg Edition of A Toy",
        "End of\nThe Project Gutenberg Etext of A Toy",
        "The end of the\nProject Gutenberg Etext of A Toy\n\n\n",
        "*The Project Gutenberg Etext of A Toy*",
        "End if Project Gutenberg's Etext of A Toy",
        "Project Gutenberg's Etext of A Toy, by Nobody",
    ],
)
def test_header_and_footer_go(start: str, end: str) -> None:
    data = f"Title: A Toy\n\n{start}\n\n\n{BODY}\n\n{end}\n"
    assert paragraphs(data) == PARAGRAPHS
    assert paragraphs("\ufeff" + data.replace("\n", "\r\n")) == PARAGRAPHS


def test_a_file_without_markers_is_all_text() -> None:
    assert paragraphs(BODY) == PARAGRAPHS
    assert paragraphs("") == paragraphs("\n \n") == []


def test_markers_inside_the_text_end_nothing() -> None:
    filler = "".join(f"Line {number}.\n\n" for number in range(500))
    inside = [
        "He read: *** START OF THE PROJECT GUTENBERG EBOOK ***",
        "<<quoted: *END*THE SMALL PRINT! FOR ALL>>",
        "End of the Project Gutenberg Etext, said the first volume.",
        "The Project Gutenberg Etext is a title too.",
        "Scanned by Ann, said the fifth paragraph of the second part.",
    ]
    for start in (SMALL_PRINT, "*** START OF THE PROJECT GUTENBERG EBOOK A ***\n"):
        data = f"{start}\n{filler}" + "\n\n".join(inside) + f"\n\n{filler}End of the Project Gutenberg Etext of A\n"
        found = paragraphs(data)
        assert found[500:505] == inside
        assert len(found) == 1005


def test_places_are_the_lines_where_paragraphs_start() -> None:
    found = read(read_gutenberg, f"*** START OF THE PROJECT GUTENBERG EBOOK A ***\n\n{BODY}")
    assert [paragraph.place.line for paragraph in found] == [3, 5, 9]


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        (b"first\ncaf\xe9 \xa35", "first café £5", "cp1252"),
        (b"first\n\x93so\x94 \x96 \x85", "first “so” – …", "cp1252"),
        (b"first\n\x81\xe9", "first \x81é", "latin-1"),
        (b"first\n\xc3\xa9 \xe9", "first Ã© é", "cp1252"),
    ],
)
def test_files_that_are_no_utf8(data: bytes, text: str, encoding: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert paragraphs(data) == paragraphs(data.replace(b"\n", b"\r\n")) == [text]
    assert {record.getMessage() for record in caplog.records} == {f"toy:2: not UTF-8; the file is read as {encoding}"}


def test_utf8_wins_over_what_the_header_says(caplog: pytest.LogCaptureFixture) -> None:
    data = (
        "Character set encoding: ISO-8859-1\n\n*** START OF THE PROJECT GUTENBERG EBOOK A ***\ncafé\u2028\x0c\x85 x\n"
    )
    with caplog.at_level(logging.WARNING):
        assert paragraphs(data) == ["café\u2028\x0c\x85 x"]
    assert not caplog.records


@pytest.mark.corpus
def test_real_novels_keep_nothing_of_the_licence(shared_data: Path) -> None:
    words = 0
    for path in sorted((shared_data / "msr/Holmes_Training_Data").glob("*.TXT")):
        found = paragraphs(path.read_bytes())
        words += sum(len(paragraph.split()) for paragraph in found)
        assert not any("SMALL PRINT" in paragraph or "Etext" in paragraph for paragraph in found), path.name
    assert 1_800_000 < words < 1_928_997  # all words of the files, licences included
