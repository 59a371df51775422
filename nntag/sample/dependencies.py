"""Derivations of the sample grammar in; universal tags, dependency heads and relations in the style of UD out.

Heads come from the derivation: a modifier depends on what it modifies and an argument on its functor. Function words go
the other way round, as in Universal Dependencies: an auxiliary, a copula, a preposition, a subordinator, a determiner
or a question word depends on the content word of its argument, and hands that word whatever already depended on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from nntag.sample.categories import Atom, Category, Functor, is_modifier, is_raised, parse_node_category
from nntag.sample.derivations import Derivation, Leaf, Node
from nntag.sample.labels import find_universal_tag, name_modifier

CLAUSE_RELATIONS = {"S[em]": "ccomp", "S[dcl]": "ccomp", "S[qem]": "ccomp", "PP": "obl", "PR": "compound:prt"}
VERB_PHRASES = frozenset((r"S[b]\NP", r"S[ng]\NP", r"S[pt]\NP", r"S[pss]\NP", r"S[b]\NP[thr]", r"S[pt]\NP[thr]"))
BE_COMPLEMENTS = frozenset((r"S[adj]\NP", "NP", "PP"))
AUXILIARIES = frozenset(("be", "have", "do"))
ADVERBIALS = frozenset((r"(S\NP)\(S\NP)", "S/S"))
DEGREES = frozenset(("how", "so", "too", "enough", "more", "less"))


@dataclass(frozen=True, slots=True)
class Analysis:
    """One entry a token: universal tag, head (1-based, 0 is the root) and relation to it."""

    universal_tags: tuple[str, ...]
    heads: tuple[int, ...]
    relations: tuple[str, ...]


class _Span(NamedTuple):
    """A constituent while the tree is read: the number of its head word, and what kind of dependent it can be."""

    head: int
    kind: str = ""  # word, pp, clause, relative, participle, gerund, time, owner, asked, asked-pp, cluster, there


def analyse(derivation: Derivation) -> Analysis:
    """Universal tags, heads and relations of one sentence."""
    reader = _Reader()
    reader.attach(reader.read(derivation), _Span(-1), "root")
    tags = tuple(map(find_universal_tag, reader.leaves, reader.relations))
    return Analysis(tags, tuple(head + 1 for head in reader.heads), tuple(reader.relations))


class _Reader:
    def __init__(self) -> None:
        self.leaves: list[Leaf] = []
        self.heads: list[int] = []
        self.relations: list[str] = []

    def attach(self, dependent: _Span, head: _Span, relation: str, kind: str = "") -> _Span:
        """Make one span depend on another; gives the whole, which has this kind from now on."""
        self.heads[dependent.head], self.relations[dependent.head] = head.head, relation
        return _Span(head.head, kind)

    def demote(self, function: _Span, content: _Span, relation: str, kind: str = "") -> _Span:
        """Make a function word depend on a content word, with all that hung on the function word."""
        for token, head in enumerate(self.heads):
            if head == function.head and token != function.head:
                self.heads[token] = content.head
                if relation == "aux:pass" and self.relations[token] == "nsubj":
                    self.relations[token] = "nsubj:pass"
        return self.attach(function, content, relation, kind)

    def read(self, item: Derivation) -> _Span:
        if isinstance(item, Leaf):
            self.leaves.append(item)
            self.heads.append(-2)
            self.relations.append("")
            return _Span(len(self.leaves) - 1, "word")
        spans = [self.read(child) for child in item.children]
        if len(spans) == 1:
            return _retype(item, spans[0])
        first, second = spans
        if item.rule in ("lp", "rp"):
            mark, rest = (first, second) if item.rule == "lp" else (second, first)
            return self.attach(mark, rest, "punct", rest.kind)
        if item.rule == "conj":
            relation = "cc" if self.leaves[first.head].tag == "CC" else "punct"
            return self.attach(first, second, relation, second.kind)
        if item.rule == "coord":
            return self._coordinate(item, first, second)
        functor = 0 if item.rule in ("fa", "fc") else 1
        return self._apply(item.children[functor].category, spans[functor], spans[1 - functor])

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
        return self.attach(second, first, relation, first.kind)

    def _apply(self, functor_category: str, functor: _Span, argument: _Span) -> _Span:
        """Join a functor with its argument, whichever comes first in the text."""
        category = parse_node_category(functor_category)
        assert isinstance(category, Functor)
        if functor_category == r"S[dcl]\S[dcl]":
            return self.attach(argument, functor, "ccomp", functor.kind)
        if functor.kind == "cluster":
            return self._apply_cluster(functor, argument)
        leaf = self.leaves[functor.head]
        if is_modifier(category):
            return self.attach(functor, argument, name_modifier(category, leaf, functor.kind), argument.kind)
        if is_raised(category) and category.slash == "/":
            return self.attach(functor, argument, self._name_subject(argument), argument.kind)
        if is_raised(category):
            return self.attach(functor, argument, "orphan", "cluster")
        whole = self._apply_function_word(category, leaf, functor, argument)
        if whole is not None:
            return whole
        wanted = str(category.argument)
        kind = "there" if wanted == "NP[thr]" else functor.kind
        relation = self._name_argument(category, leaf, functor._replace(kind=kind), argument)
        return self.attach(argument, functor, relation, kind if kind in ("there", "pp") else "")

    def _apply_cluster(self, objects: _Span, verb: _Span) -> _Span:
        """`gave` with `the cook a pan and the waiter a spoon`; the second pair stays as it is, without a verb."""
        for token, head in enumerate(self.heads):
            if head == objects.head and self.relations[token] == "orphan":
                self.heads[token], self.relations[token] = verb.head, "obj"
        return self.attach(objects, verb, "iobj")

    def _apply_function_word(self, category: Functor, leaf: Leaf, functor: _Span, argument: _Span) -> _Span | None:
        """Hang a function word, or one that asks for something, on its argument; None where the functor is neither."""
        wanted, result = str(category.argument), str(category.result)
        if leaf.tag in ("IN", "TO") and functor.kind == "word":
            return self.demote(functor, argument, *(("case", "pp") if wanted == "NP" else ("mark", "clause")))
        if (leaf.tag == "MD" or leaf.lemma in AUXILIARIES) and wanted in VERB_PHRASES:
            return self.demote(functor, argument, "aux:pass" if "[pss]" in wanted else "aux")
        is_existential = functor.kind == "there" or "[thr]" in str(category)
        is_predicate = wanted in BE_COMPLEMENTS and not result.startswith("S[q]/")  # in a question, the subject first
        if leaf.lemma == "be" and is_predicate and not is_existential:
            return self.demote(functor, argument, "cop")
        if leaf.tag == "POS" and wanted == "NP":
            return self.demote(functor, argument, "case", "owner")
        if wanted == "N":
            is_owner = functor.kind == "owner" or leaf.tag in ("PRP$", "WP$")
            is_number = leaf.tag == "CD" and result == "S/S"
            relation = "nmod:poss" if is_owner else "amod" if leaf.tag == "JJ" else "nummod" if is_number else "det"
            return self.attach(functor, argument, relation, "time" if result in ADVERBIALS else "asked")
        if wanted == r"(NP\NP)/NP" and leaf.tag == "WDT":
            return self.demote(argument, functor, "case", "asked-pp")
        if wanted == r"S[q]/(S[adj]\NP)":
            return self.demote(argument, functor, "cop")
        if leaf.lemma in DEGREES and wanted in (r"S[adj]\NP", "NP/N"):
            return self.attach(functor, argument, "advmod", "asked")
        is_question = (leaf.tag in ("WP", "WDT", "WRB") or functor.kind == "asked") and result in ("S[wq]", "S[qem]")
        if result == r"NP\NP" or is_question:
            relation = self._name_asked(leaf, category.argument, functor.kind, argument)
            return self.attach(functor, argument, relation, "clause" if is_question else "relative")
        return None

    def _name_asked(self, leaf: Leaf, wanted: Category, kind: str, clause: _Span) -> str:
        if leaf.tag == "WRB" and kind != "asked":
            return "advmod"
        if isinstance(wanted, Atom):
            return "obl"
        return "obj" if wanted.slash == "/" else self._name_subject(clause)

    def _name_subject(self, verb: _Span) -> str:
        return "nsubj:pass" if (verb.head, "aux:pass") in zip(self.heads, self.relations, strict=True) else "nsubj"

    def _name_argument(self, category: Functor, leaf: Leaf, functor: _Span, argument: _Span) -> str:
        wanted, result = str(category.argument), str(category.result)
        if wanted in ("NP[thr]", "NP[expl]"):
            return "expl"
        if leaf.tag == "RB":
            return "obl:npmod"
        if wanted == "N[num]":
            return "nummod"
        if wanted == "NP":
            is_inverted = "S[q]" in str(category) and leaf.tag != "VB"
            is_subject = category.slash == "\\" or is_inverted or result.endswith(("[thr]", r"\S[dcl]"))
            if is_subject or functor.kind == "there":
                return "csubj" if argument.kind == "gerund" else self._name_subject(functor)
            return "xcomp" if leaf.lemma in ("become", "remain") else "iobj" if result.endswith("/NP") else "obj"
        if functor.kind == "asked":
            return "advcl"
        if leaf.tag[0] in "NW":
            return {"PP": "nmod", "S[dcl]/NP": "acl:relcl"}.get(wanted, "acl")
        if leaf.tag == "JJ" and "expl" in result:
            return "csubj"
        return CLAUSE_RELATIONS.get(wanted, "xcomp")


def _retype(item: Node, span: _Span) -> _Span:
    child = item.children[0].category
    if item.rule != "tc" or child == "N":
        return span
    if child == r"S[ng]\NP" and item.category == "NP":
        return span._replace(kind="gerund")
    return span._replace(kind="relative" if child == "S[dcl]/NP" else "participle")
