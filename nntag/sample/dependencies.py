"""Derivations of the sample grammar in; universal tags, dependency heads and relations in the style of UD out.

Heads come from the derivation: a modifier depends on what it modifies and an argument on its functor. Function words go
the other way round, as in Universal Dependencies: an auxiliary, a copula, a preposition, a subordinator, a determiner
or a question word depends on the content word of its argument, and hands that word whatever already depended on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from nntag.sample.categories import Atom, Category, Functor, is_modifier, parse_category
from nntag.sample.derivations import Derivation, Leaf, Node

UNIVERSAL = {
    **dict.fromkeys(("NN", "NNS"), "NOUN"), "NNP": "PROPN",
    **dict.fromkeys(("JJ", "JJR", "JJS"), "ADJ"),
    **dict.fromkeys(("RB", "RBR"), "ADV"), "WRB": "ADV",
    **dict.fromkeys(("VB", "VBD", "VBG", "VBN", "VBP", "VBZ"), "VERB"), "MD": "AUX",
    **dict.fromkeys(("DT", "PDT"), "DET"), "WDT": "PRON",
    **dict.fromkeys(("PRP", "PRP$", "WP", "WP$", "EX"), "PRON"),
    **dict.fromkeys(("IN", "RP", "TO"), "ADP"), "POS": "PART",
    "CD": "NUM", "CC": "CCONJ", "UH": "INTJ", "$": "SYM",
    **dict.fromkeys((",", ".", ":", "-LRB-", "-RRB-"), "PUNCT"),
}  # fmt: skip
LEAF_RELATIONS = {
    **dict.fromkeys(("JJ", "JJR", "JJS", "VBN", "VBG"), "amod"),
    **dict.fromkeys(("NN", "NNP"), "compound"), "CD": "nummod", "CC": "cc", "UH": "discourse", "PDT": "det:predet",
}  # fmt: skip
CLAUSE_LABELS = {"S[em]": "ccomp", "S[dcl]": "ccomp", "S[qem]": "ccomp", "PP": "obl", "PR": "compound:prt"}
VERB_PHRASES = frozenset((r"S[b]\NP", r"S[ng]\NP", r"S[pt]\NP", r"S[pss]\NP", r"S[b]\NP[thr]", r"S[pt]\NP[thr]"))
BE_COMPLEMENTS = frozenset((r"S[adj]\NP", "NP", "PP"))
AUXILIARIES = frozenset(("be", "have", "do"))


@dataclass(frozen=True, slots=True)
class Analysis:
    """One entry a token: universal tag, head (1-based, 0 is the root) and relation to it."""

    universal_tags: tuple[str, ...]
    heads: tuple[int, ...]
    relations: tuple[str, ...]


@dataclass(slots=True)
class _Span:
    """A constituent while the tree is read: the number of its head word, and what kind of modifier it can be."""

    head: int
    kind: str = ""  # word, pp, clause, relative, participle, gerund, time, owner, asked, cluster, there


def analyse(derivation: Derivation) -> Analysis:
    """Universal tags, heads and relations of one sentence."""
    reader = _Reader()
    root = reader.read(derivation)
    reader.attach(root.head, -1, "root")
    relations = tuple(reader.relations)
    tags = tuple(_tag_leaf(leaf, relation) for leaf, relation in zip(reader.leaves, relations, strict=True))
    return Analysis(tags, tuple(head + 1 for head in reader.heads), relations)


def _tag_leaf(leaf: Leaf, relation: str) -> str:
    if relation in ("aux", "aux:pass", "cop"):
        return "AUX"
    if leaf.tag == "IN" and (relation == "mark" or leaf.category == "S[em]/S[dcl]"):
        return "SCONJ"
    if leaf.lemma == "not" or (leaf.tag == "TO" and relation == "mark"):
        return "PART"
    if leaf.category == "NP" and leaf.tag in ("NN", "DT"):
        return "PRON"
    return "DET" if leaf.tag == "WDT" and relation == "det" else UNIVERSAL[leaf.tag]


@cache
def _parse(text: str) -> Category:
    return parse_category(text.removesuffix("[conj]"))


class _Reader:
    def __init__(self) -> None:
        self.leaves: list[Leaf] = []
        self.heads: list[int] = []
        self.relations: list[str] = []

    def attach(self, dependent: int, head: int, relation: str) -> None:
        self.heads[dependent], self.relations[dependent] = head, relation

    def demote(self, function: _Span, content: _Span, relation: str) -> None:
        """Make a function word depend on a content word, with all that hung on the function word."""
        is_passive = relation == "aux:pass"
        for token in range(len(self.heads)):
            if self.heads[token] == function.head and token != function.head:
                self.heads[token] = content.head
                if is_passive and self.relations[token] == "nsubj":
                    self.relations[token] = "nsubj:pass"
        self.attach(function.head, content.head, relation)

    def read(self, item: Derivation) -> _Span:
        if isinstance(item, Leaf):
            self.leaves.append(item)
            self.heads.append(-2)
            self.relations.append("")
            return _Span(len(self.leaves) - 1, "word")
        if len(item.children) == 1:
            return self._read_unary(item)
        left, right = item.children
        first = self.read(left)
        second = self.read(right)
        if item.rule in ("lp", "rp"):
            mark, rest = (first, second) if item.rule == "lp" else (second, first)
            self.attach(mark.head, rest.head, "punct")
            return rest
        if item.rule == "conj":
            self.attach(first.head, second.head, "cc" if self.leaves[first.head].tag == "CC" else "punct")
            return second
        if item.rule == "coord":
            return self._coordinate(item, first, second)
        if item.rule in ("fa", "fc"):
            return self._apply(item, left, right, first, second)
        return self._apply(item, right, left, second, first)

    def _read_unary(self, item: Node) -> _Span:
        child = item.children[0]
        span = self.read(child)
        if child.category == r"S[ng]\NP" and item.category == "NP":
            return _Span(span.head, "gerund")
        if item.rule == "tc" and child.category != "N":
            return _Span(span.head, "relative" if child.category == "S[dcl]/NP" else "participle")
        return span

    def _coordinate(self, item: Node, first: _Span, second: _Span) -> _Span:
        """`A and B`; in a list `A , B and C` all depend on A; a comma alone makes an apposition or joins clauses."""
        conjunct = item.children[1]
        assert isinstance(conjunct, Node)
        mark, inner = conjunct.children
        is_list = isinstance(inner, Node) and inner.rule == "coord" and mark.category == ","
        if is_list:
            for token in range(second.head + 1, len(self.heads)):
                if self.heads[token] == second.head and self.relations[token] == "conj":
                    self.heads[token] = first.head
        is_apposition = mark.category == "," and not is_list and item.category == "NP"
        relation = "appos" if is_apposition else "parataxis" if mark.category == ";" else "conj"
        self.attach(second.head, first.head, relation)
        return first

    def _apply(self, item: Node, functor: Derivation, argument: Derivation, left: _Span, right: _Span) -> _Span:
        """Join the functor (span `left`) with its argument (span `right`), whichever comes first in the text."""
        category = _parse(functor.category)
        assert isinstance(category, Functor)
        if functor.category == r"S[dcl]\S[dcl]":
            self.attach(right.head, left.head, "ccomp")
            return left
        if left.kind == "cluster":
            return self._apply_cluster(left, right)
        if is_modifier(category):
            self.attach(left.head, right.head, self._name_modifier(category, left))
            return right
        if isinstance(category.argument, Functor) and category.argument.result == category.result:
            return self._apply_raised(category, left, right)
        content = self._find_content_argument(category, item, left, right)
        if content is not None:
            return content
        self.attach(right.head, left.head, self._name_argument(category, argument, left, right))
        return _Span(left.head, left.kind if left.kind in ("there", "pp") else "")

    def _apply_raised(self, category: Functor, noun: _Span, verb: _Span) -> _Span:
        """A type-raised noun phrase: the subject of a gapped clause or one of two objects."""
        if category.slash == "/":
            self.attach(noun.head, verb.head, self._name_subject(verb))
            return verb
        self.attach(noun.head, verb.head, "orphan")
        return _Span(verb.head, "cluster")

    def _apply_cluster(self, objects: _Span, verb: _Span) -> _Span:
        """`gave` with `the cook a pan and the waiter a spoon`; the second pair stays as it is, without a verb."""
        for token, head in enumerate(self.heads):
            if head == objects.head and self.relations[token] == "orphan":
                self.attach(token, verb.head, "obj")
        self.attach(objects.head, verb.head, "iobj")
        return _Span(verb.head)

    def _find_content_argument(self, category: Functor, item: Node, left: _Span, right: _Span) -> _Span | None:
        """Where the functor is a function word: hang it on its argument, and the span that results; else None."""
        leaf, wanted = self.leaves[left.head], str(category.argument)
        if leaf.tag in ("IN", "TO") and left.kind == "word":
            is_case = wanted == "NP"
            self.demote(left, right, "case" if is_case else "mark")
            return _Span(right.head, "pp" if is_case else "clause")
        if (leaf.tag == "MD" or leaf.lemma in AUXILIARIES) and wanted in VERB_PHRASES:
            self.demote(left, right, "aux:pass" if "[pss]" in wanted else "aux")
            return _Span(right.head)
        is_existential = left.kind == "there" or "[thr]" in str(category)
        if leaf.lemma == "be" and wanted in BE_COMPLEMENTS and not is_existential and _takes_predicate(category):
            self.demote(left, right, "cop")
            return _Span(right.head)
        return self._find_asked_content(category, leaf, left, right)

    def _find_asked_content(self, category: Functor, leaf: Leaf, left: _Span, right: _Span) -> _Span | None:
        """Determiners, possessives, relative and question words, times such as `last week`."""
        wanted, result = str(category.argument), str(category.result)
        if leaf.tag == "POS" and wanted == "NP":
            self.demote(left, right, "case")
            return _Span(right.head, "owner")
        if wanted == "N" and result != "S/S":
            is_owner = left.kind == "owner" or leaf.tag in ("PRP$", "WP$")
            named = "nmod:poss" if is_owner else "amod" if leaf.tag == "JJ" else "det"
            self.attach(left.head, right.head, named)
            return _Span(right.head, "time" if category.result == _parse(r"(S\NP)\(S\NP)") else "asked")
        if wanted == "N":
            self.attach(left.head, right.head, "amod" if leaf.tag == "JJ" else "nummod" if leaf.tag == "CD" else "det")
            return _Span(right.head, "time")
        if wanted == r"(NP\NP)/NP" and leaf.tag == "WDT":
            self.demote(right, left, "case")
            return _Span(left.head, "asked-pp")
        if wanted == "S[q]/(S[adj]\\NP)":
            self.demote(right, left, "cop")
            return _Span(left.head)
        if leaf.lemma in ("how", "so", "too", "enough", "more", "less") and wanted in (r"S[adj]\NP", "NP/N"):
            self.attach(left.head, right.head, "advmod")
            return _Span(right.head, "asked")
        is_relative = result in (r"NP\NP",)
        if is_relative or (leaf.tag in ("WP", "WDT", "WRB") or left.kind == "asked") and result in ("S[wq]", "S[qem]"):
            self.attach(left.head, right.head, self._name_asked(leaf, category.argument, left, right))
            return _Span(right.head, "relative" if is_relative else "clause")
        return None

    def _name_asked(self, leaf: Leaf, wanted: Category, left: _Span, right: _Span) -> str:
        if leaf.tag == "WRB" and left.kind != "asked":
            return "advmod"
        if isinstance(wanted, Atom):
            return "obl"
        return "obj" if wanted.slash == "/" else self._name_subject(right)

    def _name_subject(self, verb: _Span) -> str:
        is_passive = any(
            head == verb.head and relation == "aux:pass"
            for head, relation in zip(self.heads, self.relations, strict=True)
        )
        return "nsubj:pass" if is_passive else "nsubj"

    def _name_modifier(self, category: Functor, span: _Span) -> str:
        is_noun = str(category.argument) in ("NP", "N")
        if span.kind == "pp":
            return "nmod" if is_noun else "obl"
        if span.kind in ("clause", "participle"):
            return "acl" if is_noun else "advcl"
        if span.kind == "relative":
            return "acl:relcl"
        leaf = self.leaves[span.head]
        if span.kind == "time" or (leaf.tag == "NN" and not is_noun):
            return "obl:tmod"
        return LEAF_RELATIONS.get(leaf.tag, "advmod")

    def _name_argument(self, category: Functor, argument: Derivation, functor: _Span, span: _Span) -> str:
        leaf, wanted = self.leaves[functor.head], str(category.argument)
        if wanted in ("NP[thr]", "NP[expl]"):
            functor.kind = "there" if wanted == "NP[thr]" else functor.kind
            return "expl"
        if leaf.tag == "RB":
            return "obl:npmod"
        if wanted in ("NP", "N[num]"):
            return self._name_noun_argument(category, leaf, functor, span)
        if functor.kind == "asked":
            return "advcl"
        if leaf.tag[0] in "NW":
            return {"PP": "nmod", "S[dcl]/NP": "acl:relcl"}.get(wanted, "acl")
        if leaf.tag[0] == "J" and wanted == "S[em]" and "expl" in str(category.result):
            return "csubj"
        return CLAUSE_LABELS.get(wanted, "csubj" if "expl" in str(category.result) and leaf.tag == "JJ" else "xcomp")

    def _name_noun_argument(self, category: Functor, leaf: Leaf, functor: _Span, span: _Span) -> str:
        if str(category.argument) == "N[num]":
            return "nummod"
        is_inverted = "S[q]" in str(category) and leaf.tag != "VB" and functor.kind != "there"
        result = str(category.result)
        if category.slash == "\\" or is_inverted or functor.kind == "there" or result.endswith(("[thr]", r"\S[dcl]")):
            return "csubj" if span.kind == "gerund" else self._name_subject(functor)
        if leaf.lemma in ("become", "remain"):
            return "xcomp"
        following = category.result.argument if isinstance(category.result, Functor) else None
        is_first = str(following) == "NP" and isinstance(category.result, Functor) and category.result.slash == "/"
        return "iobj" if is_first else "obj"


def _takes_predicate(category: Functor) -> bool:
    """Is the next argument of this form of `be` its predicate (and not, in a question, its subject)?"""
    result: Category = category.result
    while isinstance(result, Functor) and isinstance(result.result, Functor):
        result = result.result
    innermost = result.result if isinstance(result, Functor) else result
    return str(innermost) != "S[q]" or result is innermost
