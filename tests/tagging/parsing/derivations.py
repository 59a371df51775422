"""Small derivations for the tests of this folder."""

from __future__ import annotations

from nntag.corpora.ccgbank import read_derivations
from nntag.corpora.lines import lines_from_bytes
from nntag.corpora.records import Tree


def derivations(*lines: str) -> list[Tree]:
    """AUTO lines as trees."""
    return list(read_derivations(lines_from_bytes("\n".join(lines).encode())))


DOGS_BARK = r"(<T S 1 2> (<L NP NNS NNS dogs NP>) (<T S\NP 0 2> (<L S\NP VBP VBP bark S\NP>) (<L . . . . .>) ) )"
DOGS_BARK_HIGH = r"(<T S 0 2> (<T S 1 2> (<L NP NNS NNS dogs NP>) (<L S\NP VBP VBP bark S\NP>) ) (<L . . . . .>) )"
SHE_SAW_IT = (
    r"(<T S 1 2> (<L NP PRP PRP She NP>) (<T S\NP 0 2> (<L (S\NP)/NP VBD VBD saw (S\NP)/NP>) (<L NP PRP PRP it NP>) ) )"
)
MEN = r"(<T NP 0 1> (<T N 1 2> (<L N/N JJ JJ tall N/N>) (<L N NNS NNS men N>) ) )"
