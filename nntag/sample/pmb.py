"""A derivation of the sample grammar in; its sentence as in the layer files of the Parallel Meaning Bank out.

Categories are written as there (`(s:dcl\\np)/np`); semantic tags, senses and roles are made from Penn tags and
categories by the short tables below, so that they look like the Bank's without claiming its analysis.
"""

from __future__ import annotations

import re

from nntag.sample.derivations import Derivation, Leaf, iterate_leaves

SEMANTIC_TAGS = {  # Penn tag -> semantic tag; NIL for any other
    "CC": "GRP", "CD": "QUC", "DT": "DEF", "EX": "NIL", "IN": "REL", "JJ": "IST", "JJR": "MOR", "JJS": "TOP",
    "MD": "POS", "NN": "CON", "NNP": "PER", "NNS": "CON", "POS": "HAS", "PRP": "PRO", "PRP$": "HAS", "RB": "INT",
    "RBR": "MOR", "UH": "ITJ", "VB": "EXS", "VBD": "EPS", "VBG": "EXG", "VBN": "EXT", "VBP": "ENS", "VBZ": "ENS",
    "WDT": "QUE", "WP": "QUE", "WP$": "QUE", "WRB": "QUE",
}  # fmt: skip
PARTS = {"NN": "n", "VB": "v", "JJ": "a", "RB": "r"}  # beginning of a Penn tag -> part of speech in a sense
ROLES = {"n": "[]", "v": "[Agent]", "a": "[Attribute]", "r": "[Manner]"}
HEADER = "\t".join(f"{layer}:gold" for layer in ("tok", "tok", "sym", "sem", "cat", "sns", "rol"))


def write_pmb(split: str, number: int, derivation: Derivation) -> str:
    """The comments of a document of one sentence, seven columns a word, and a blank line."""
    leaves = list(iterate_leaves(derivation))
    comments = f"# newdoc id = sample/{split}{number}\n# layer:statuses =\n# {HEADER}\n"
    raw = f"# raw sent = {' '.join(leaf.word for leaf in leaves)}\n"
    return comments + raw + "".join("\t".join(_find_layers(leaf)) + "\n" for leaf in leaves) + "\n"


def _find_layers(leaf: Leaf) -> tuple[str, ...]:
    symbol, part = leaf.lemma.lower(), PARTS.get(leaf.tag[:2])
    sense = f"{symbol}.{part}.01" if part else "O"
    category = re.sub(r"\[(\w+)\]", r":\1", leaf.category.replace("[nb]", "")).lower()
    return leaf.word, leaf.word, symbol, SEMANTIC_TAGS.get(leaf.tag, "NIL"), category, sense, ROLES.get(part or "n", "")
