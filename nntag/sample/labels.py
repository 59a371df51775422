"""Labels of Universal Dependencies: a word and what is known of its place in; its universal tag or its relation out."""

from __future__ import annotations

from nntag.sample.categories import Functor
from nntag.sample.derivations import Leaf

PENN_TAGS = {
    "NOUN": "NN NNS", "PROPN": "NNP", "ADJ": "JJ JJR JJS", "ADV": "RB RBR WRB", "VERB": "VB VBD VBG VBN VBP VBZ",
    "AUX": "MD", "DET": "DT PDT", "PRON": "PRP PRP$ WP WP$ WDT EX", "ADP": "IN RP TO", "PART": "POS", "NUM": "CD",
    "CCONJ": "CC", "INTJ": "UH", "SYM": "$", "PUNCT": ", . : -LRB- -RRB-",
}  # fmt: skip
UNIVERSAL = {tag: universal for universal, tags in PENN_TAGS.items() for tag in tags.split()}
LEAF_RELATIONS = {
    **dict.fromkeys(("JJ", "JJR", "JJS", "VBN", "VBG"), "amod"),
    **dict.fromkeys(("NN", "NNP"), "compound"), "CD": "nummod", "CC": "cc", "UH": "discourse", "PDT": "det:predet",
}  # fmt: skip


def find_universal_tag(leaf: Leaf, relation: str) -> str:
    """The tag that Universal Dependencies gives this word in this relation."""
    if relation in ("aux", "aux:pass", "cop"):
        return "AUX"
    if leaf.tag == "IN" and (relation == "mark" or leaf.category == "S[em]/S[dcl]"):
        return "SCONJ"
    if leaf.lemma == "not" or (leaf.tag == "TO" and relation == "mark"):
        return "PART"
    if leaf.category == "NP" and leaf.tag in ("NN", "DT"):
        return "PRON"
    return "DET" if leaf.tag == "WDT" and relation == "det" else UNIVERSAL[leaf.tag]


def name_modifier(category: Functor, leaf: Leaf, kind: str) -> str:
    """The relation of a modifier of this category and kind (see `dependencies.py`), whose head word is the leaf."""
    is_noun = str(category.argument) in ("NP", "N")
    if kind == "pp":
        return "nmod" if is_noun else "obl"
    if kind in ("clause", "participle"):
        return "acl" if is_noun else "advcl"
    if kind == "relative":
        return "acl:relcl"
    if kind == "time" or (leaf.tag == "NN" and not is_noun):
        return "obl:tmod"
    return LEAF_RELATIONS.get(leaf.tag, "advmod")
