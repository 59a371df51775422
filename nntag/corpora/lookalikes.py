"""The first lines of a file in; whether it is really another kind of file than the reader that opens it expects.

Most readers take lines of many shapes, so that a file of another kind would be read without a word: rows of CoNLL-U as
plain text, with numbers as words; a pointer of Git LFS as three sentences. `KINDS` says how each kind of file is known,
and which readers it is right for; every reader names itself to `Lines.expect`, and every other one refuses the file.
A kind must be known beyond doubt: the patterns are such as ordinary text and other corpora do not have.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

CHECKED_LINES = 12  # from the top of a file; blank ones count
FEWEST_ROWS = 3  # lines that must agree where one alone proves nothing

_TAG = rb"(?:[A-Z]{1,5}\$?|-[LR][A-Z]B-|[.,:;'`\"$#()!?-]+)"  # a part of speech, in English letters or punctuation
_UPOS = rb"(?:ADJ|ADP|ADV|AUX|CCONJ|DET|INTJ|NOUN|NUM|PART|PRON|PROPN|PUNCT|SCONJ|SYM|VERB|X)"
_DECIMAL = rb" -?[0-9]*[.][0-9]+(?:[eE][-+]?[0-9]+)?"
_PIPED = rb"[^\s|]+\|[^\s|]+(?:\|[^\s|]+)?"
_TREE = rb"\s*\((?:[A-Z][^()\s]*)? ?\(.*\((?:[A-Z][^()\s]*|[.,:;'`\"$#!?-]+) [^()\s]+\)"
_SPACED = (  # word and tag; words in capitals alone may be text, unless tags of spans follow
    rb"(?:[A-Z]|[A-Z]*[^A-Z\s]\S*) [A-Z]{1,5}\$?$|\S+(?: \S+){0,3} (?:O|[BIES]-\S+)$"
    rb"|[.,:;?!'`()\"-]+(?: (?:[.,:;?!'`()\"-]+|[A-Z]{1,5}\$?|[BIES]-\S+)){1,4}$"
)
_PROSE = ("text", "gutenberg")  # they take any line
_NUMBERED = "rows that begin with their number"
_TAGGED, _SPLIT = "text with a tag at each word", "write a word and its tag a line, and read that as columns"
_UNPACK, _TEXT = "unpack it first", "take the text out of it first"
_VECTORS, _GIVE = "word vectors", "give it as --word-vectors"
_COLUMNS, _READ = "columns", "read it as columns"


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of file: what it is, what to do with it, how its lines look, and the readers that it is right for.

    `tells` says which of the first lines must match: the very first, any one, all (blank lines and comments aside), or
    all of them with as many fields each.
    """

    name: str
    advice: str
    line: bytes  # a regular expression that a line without its end matches, from its start on
    readers: tuple[str, ...] = ()
    tells: Literal["first", "one", "all", "aligned"] = "one"  # see below
    only: tuple[str, ...] = ()  # the readers that would take it; all, where empty
    unless: bytes = b"(?!)"  # a line before that explains it


KINDS = (
    # Files that no reader takes.
    Kind("a gzip file", "name it .gz", rb"\x1f\x8b", tells="first"),
    Kind("an xz file", "name it .xz", rb"\xfd7zXZ", tells="first"),
    Kind("a bzip2 file", "name it .bz2", rb"BZh[1-9]1AY", tells="first"),
    Kind("a packed file (zip, zstd)", _UNPACK, rb"PK\x03\x04|\x28\xb5\x2f\xfd", tells="first"),
    Kind("text in UTF-16", "convert it to UTF-8", rb"\xff\xfe|\xfe\xff", tells="first"),
    Kind("a PDF or RTF document", "save it as plain text", rb"%PDF-|\{\\rtf", tells="first"),
    Kind("a NumPy array", "write it as text", rb"\x93NUMPY", tells="first"),
    Kind("a binary model of kenlm", "write it as ARPA text", rb"mmap lm ", tells="first"),
    Kind("a pointer of Git LFS", "fetch the file itself: git lfs pull", rb"version https://git-lfs[.]github[.]com/"),
    Kind(
        "a pointer of git-annex", "fetch the file itself: git annex get", rb"(?:\S*/)?annex/objects/\S+$", tells="first"
    ),
    Kind("a web page or XML", _TEXT, rb"(?i)\s*<(?:!doctype |html[ >]|\?xml )"),
    Kind("JSON", _TEXT, rb"\{ ?\"[^\"]*\" ?:|\[ ?\{ ?\""),
    Kind(
        "sentences with labels",
        "cut off the labels",
        rb"[^\t ]+ [^\t]*\t-?[0-9]$|__label__\S+ ",
        only=_PROSE,
        tells="all",
    ),
    Kind(_TAGGED, _SPLIT, rb"\s*\S+([/_])" + _TAG + rb"(?:\s+\S+\1" + _TAG + rb"){4,}\s*$", only=_PROSE),
    Kind(_TAGGED, _SPLIT, rb"\[ \S+/" + _TAG + rb"(?: \S+/" + _TAG + rb")* \]", only=_PROSE),
    Kind(
        "word|POS|entity, not word|POS|supertag",
        "give a file with supertags, or read the entities as columns",
        rb"(?:[^\s|]+\|[^\s|]+\|(?:O|[BIES]-[A-Z]+)(?: +|$)){3,}$",
    ),
    Kind(
        "word|supertag|POS, not word|POS|supertag",
        "exchange the second and the third field",
        rb"(?:\S+ +)*[^\s|]+\|\(*[A-Z][^\s|\\]*\\[(A-Z][^\s|]*\|[A-Z]{2,5}\$?(?: |$)",
    ),
    Kind(
        "an intermediate or quantised file of IRSTLM (iARPA, qARPA), whose numbers are not log probabilities",
        "convert it to ARPA first: compile-lm --text=yes",
        rb"\s*[iq]ARPA\b",
    ),
    Kind(
        "CoNLL-U with its columns in another order",
        "name them in the first line: # global.columns = ID FORM UPOS LEMMA ...",
        rb"[0-9][-.0-9]*\t[^\t]+\t" + _UPOS + rb"\t(?!" + _UPOS + rb"\t)",
        tells="all",
        only=("conllu",),
        unless=rb"# *global[.]columns",
    ),
    # Files that one reader or a few take.
    Kind(
        "CoNLL-U",
        "read it as conllu",
        rb"[0-9]+(?:[-.][0-9]+)?(?:\t[^\t]+){9}$|# (?:sent_id|text|global[.]columns) = ",
        ("conllu",),
    ),
    Kind(_NUMBERED, "cut the numbers off", rb"[0-9]+\t\S+(?:\t\S+){2,}$", only=(*_PROSE, "columns"), tells="aligned"),
    Kind(_NUMBERED, "cut the numbers off", rb"[0-9]+ +\S+(?: +\S+){2,}$", only=("columns",), tells="aligned"),
    Kind("layers of the Parallel Meaning Bank", "read it as pmb", rb"# (?:tok:[a-z]+\t|newdoc id = p\d+/d)", ("pmb",)),
    Kind("CCGbank derivations", "read it as ccgbank", rb"\(<[TL] |ID=\S+ PARSER=", ("ccgbank",)),
    Kind("sentiment trees", "read it as sst", rb"\([0-4] (?:\([0-4] )+", ("sst", "trees")),
    Kind("bracketed trees", "read it as ptb", _TREE, ("ptb", "trees")),
    Kind(
        "word|POS|supertag, not word|tag",
        "leave out the column tag",
        rb"(?:[^\s|]+\|[^\s|]+\|[^\s|]+(?: +|$)){3,}$",
        only=("word|tag",),
    ),
    Kind(
        "word|POS|supertag or word|tag",
        "read it as piped",
        rb"\s*(?!\()" + _PIPED + rb"(?: +" + _PIPED + rb"){2,}\s*$",  # a tree may hold words with bars
        ("piped", "word|tag"),
    ),
    Kind(
        "questions of the completion challenge",
        "read it as sherlock",
        rb"\s*[0-9]+[a-e]\) [^\[]*\[[^\]]+\]|id,(?:question|answer)\b",
        ("sherlock",),
    ),
    Kind("an ARPA file", "make a run of it: nntag arpa import", rb"\\data\\\s*$|\\[1-9]-grams:", ("arpa",)),
    Kind(_VECTORS, _GIVE, rb"\S+(?:" + _DECIMAL + rb"){10,} ?$", ("vectors",)),
    Kind(_VECTORS, _GIVE, rb"\S+(?:" + _DECIMAL + rb"){2,} ?$", only=(*_PROSE, "columns"), tells="aligned"),
    Kind(_COLUMNS, _READ, rb"\S+(?:\t\S+)+$", only=_PROSE, tells="aligned"),
    Kind(_COLUMNS, _READ, _SPACED, only=_PROSE, tells="aligned"),
)


class Check:
    """Takes the lines from the top of a file one by one, for the reader named; `also`: whose files it takes too."""

    def __init__(self, reader: str, *also: str):
        self._reader = reader
        others = [kind for kind in KINDS if {reader, *also}.isdisjoint(kind.readers)]
        self._kinds = [kind for kind in others if reader in (kind.only or (reader,))]
        self._agreed = [kind for kind in self._kinds if kind.tells in ("all", "aligned")]  # what all rows so far match
        self._widths: list[int] = []  # of the rows so far

    def see(self, number: int, raw: bytes) -> str | None:
        """What is wrong with the file, as far as this line tells."""
        line = raw.rstrip(b"\r\n")
        for kind in self._kinds:
            if kind.tells in ("one", "first" if number == 1 else "one") and re.match(kind.line, line):
                return self._describe(kind)
        self._agreed = [kind for kind in self._agreed if not re.match(kind.unless, line)]
        if line.strip() and not line.startswith(b"# "):
            self._widths.append(len(line.split()))
            self._agreed = [kind for kind in self._agreed if re.match(kind.line, line)]
        return None

    def conclude(self) -> str | None:
        """What is wrong with the file, all its first lines taken together."""
        if len(self._widths) < FEWEST_ROWS:
            return None
        aligned = len(set(self._widths)) == 1
        found = next((kind for kind in self._agreed if aligned or kind.tells == "all"), None)
        return None if found is None else self._describe(found)

    def _describe(self, kind: Kind) -> str:
        return f"expected a file in the format {self._reader}, found what looks like {kind.name}; {kind.advice}"
