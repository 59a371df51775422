"""Derivations of the sample grammar in; bracketed trees in the style of the Penn Treebank out.

Labels come from the categories (`S[dcl]\\NP` is a VP, `S[em]` an SBAR; a modifier is named by its first word). Nodes
that the Treebank does not have are left out: nouns within a noun phrase, verbs with only some of their arguments, a
verb phrase or clause below its own modifier or punctuation.
"""

from __future__ import annotations

from functools import cache

from nntag.corpora.escapes import escape_word
from nntag.sample.categories import Functor, is_modifier, parse_node_category
from nntag.sample.derivations import Derivation, Leaf, Node, find_first_leaf

CLAUSES = {"S[dcl]": "S", "S[b]": "S", "S[q]": "SQ", "S[wq]": "SBARQ", "S[em]": "SBAR", "S[qem]": "SBAR"}
PHRASES = {
    **dict.fromkeys(("NP", "NP[nb]", "NP[thr]", "NP[expl]", "NP[nb]/N"), "NP"),
    "PP": "PP", "PR": "PRT", r"S[adj]\NP": "ADJP",
}  # fmt: skip
FIRST_TAGS = {
    "IN": "PP", "TO": "PP", "RB": "ADVP", "JJ": "ADJP", "JJR": "ADJP",
    "VBG": "VP", "VBN": "VP", "WP": "SBAR", "WDT": "SBAR", "WP$": "SBAR", "WRB": "SBAR", "-LRB-": "PRN",
}  # fmt: skip
VERBAL = frozenset(("S[dcl]", "S[b]", "S[to]", "S[ng]", "S[pt]", "S[pss]"))
ABSORBING = frozenset(("S", "VP", "SQ", "ADJP"))  # a node with this label takes in the same label of its head child


def bracket(derivation: Derivation) -> str:
    """One tree on one line, within an outer bracket without a label, as in the Treebank's own files."""
    label, parts = _read(derivation)
    if label == "VP":  # a command is a clause without a subject
        label, parts = "S", [f"(VP {' '.join(parts[:-1])})", parts[-1]]
    return f"( ({label} {' '.join(parts)}) )"


def _read(item: Derivation) -> tuple[str, list[str]]:
    """The label of a constituent, "" if it is no constituent of a treebank, and its parts, each a bracketed tree."""
    if isinstance(item, Leaf):
        return _name_leaf(item), [f"({item.tag} {escape_word(item.word)})"]
    label = _name_node(item)
    parts: list[str] = []
    for number, child in enumerate(item.children):
        inner, below = _read(child)
        is_same = inner == label and number == item.head and item.rule != "coord"
        is_absorbed = is_same and (label in ABSORBING or item.rule in ("lp", "rp"))
        if not inner or is_absorbed or len(item.children) == 1 or item.category == "NP[nb]/N":
            parts.extend(below)
        else:
            parts.append(f"({inner} {' '.join(below)})")
    return label, parts


def _name_leaf(leaf: Leaf) -> str:
    """The phrase that a word makes alone: a pronoun is an NP, an intransitive verb a VP, an adverb an ADVP."""
    category = leaf.category
    if category in ("NP[nb]/N", "S/S") or leaf.lemma == "not":
        return "ADVP" if category == "S/S" and leaf.tag == "RB" else ""
    if leaf.tag[0] == "W" and _is_clause_functor(category):
        return "WHADVP" if leaf.tag == "WRB" else "WHNP"
    if leaf.tag == "RB":
        return "ADVP" if _is_adverb(category) else ""
    if leaf.tag in ("NN", "NNP") and category.endswith(r"(S\NP)"):
        return "NP"
    return _name_category(category)


def _name_node(node: Node) -> str:
    if node.rule == "conj":
        return ""
    if len(node.children) == 1 and node.rule == "tr":
        return "NP"
    if node.category == "N/N":
        return "QP" if _find_head_leaf(node).tag == "CD" else "ADJP"
    category = parse_node_category(node.category)
    if node.category == "S/S" or _is_adverb(node.category) or node.category == r"NP\NP":
        return _name_modifier(node)
    if isinstance(category, Functor) and find_first_leaf(node).tag[0] == "W" and _is_clause_functor(node.category):
        return "WHADJP" if node.category.endswith(r"(S[adj]\NP))") else "WHNP"
    while isinstance(category, Functor) and category.slash == "/" and isinstance(category.result, Functor):
        category = category.result
    return _name_category(str(category))


def _find_head_leaf(item: Derivation) -> Leaf:
    while isinstance(item, Node):
        item = item.children[item.head]
    return item


def _name_modifier(node: Node) -> str:
    """Called after the child if only a comma came to it or its type was changed, else by the first word."""
    for child in node.children:
        if len(node.children) == 1 or node.rule in ("lp", "rp", "coord") and child.category == node.category:
            return _name_node(child) if isinstance(child, Node) else _name_leaf(child) or "ADJP"
    first = find_first_leaf(node)
    if first.tag in ("IN", "WRB") and not first.category.endswith("/NP"):
        return "SBAR" if first.category.endswith("S[dcl]") else "PP"
    if node.children[0].category.endswith("/N"):
        return "NP"
    return FIRST_TAGS.get(first.tag, "NP")


@cache
def _name_category(text: str) -> str:
    if text in PHRASES:
        return PHRASES[text]
    if text in CLAUSES:
        return CLAUSES[text]
    category = parse_node_category(text)
    if isinstance(category, Functor) and str(category.result) == "S[q]":
        return "SQ"
    if isinstance(category, Functor) and str(category.result) in VERBAL:
        return "VP" if category.slash == "\\" else "S"
    return ""


@cache
def _is_adverb(text: str) -> bool:
    """Is it a modifier of a verb phrase?"""
    category = parse_node_category(text)
    return isinstance(category, Functor) and is_modifier(category) and str(category.result) == r"S\NP"


@cache
def _is_clause_functor(text: str) -> bool:
    """Does it take a clause or what is left of one, as a relative or question word does?"""
    category = parse_node_category(text)
    return isinstance(category, Functor) and "S[" in str(category.argument)
