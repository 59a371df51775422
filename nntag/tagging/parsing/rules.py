"""A grammar -> the binary and unary rules that depccg's parser asks for: CCGbank's, or those of one's own treebank.

CCGbank's come with depccg: its combinators, fifteen unary rules and the pairs of categories seen in CCGbank. A
treebank's own rules are the instances in its training derivations, whatever their parents are, and with
`seen_rules=False` what depccg's combinators make of any pair besides.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal

from nntag.config.options.parse import ParseOptions
from nntag.errors import UsageError
from nntag.tagging.parsing.grammar import Grammar, unmarked

ENGLISH_ROOTS = ("S[dcl]", "S[wq]", "S[q]", "S[qem]", "NP")  # depccg's, for CCGbank
MISSING = "parsing needs the package depccg, which is not installed; install it with: pip install 'nntag[parse]'"
TREEBANK_RULE = "tb"  # the name of a binary rule that only the treebank knows
UNARY_RULE = "un"
RuleKind = Literal["marked", "seen", "all"]  # a treebank's marked instances, rules seen in a treebank, any rule
MOST_CACHED = 50_000  # pairs of categories whose results, and rules whose names, are kept


def plan_tries(options: ParseOptions, grammar: Grammar | None) -> list[tuple[RuleKind, float]]:
    """The kinds of rules and the betas that are tried one after the other until a sentence has a parse.

    Narrow rules come before wide ones, and both before a smaller beta. Where a treebank's own rules are not enough, all
    rules are tried once, at the end: they take long, and seldom find what the treebank's did not.
    """
    seen: list[RuleKind] = ["seen"] if grammar is None else ["marked", "seen"]
    kinds: list[RuleKind] = seen if options.seen_rules in (True, None) else ["all"]
    if options.seen_rules is None and grammar is None:
        kinds = [*seen, "all"]
    tries = [(kind, beta) for beta in options.betas for kind in kinds]
    return [*tries, ("all", options.betas[-1])] if options.seen_rules is None and grammar is not None else tries


class Categories:
    """Category strings <-> depccg's categories, each string made into one once.

    What depccg cannot take apart, such as CCGbank's categories with [conj] behind a bracket, is an atom, and so is a
    label with a mark.
    """

    def __init__(self) -> None:
        try:
            from depccg.cat import Atom, Category
        except ImportError:
            raise UsageError(MISSING) from None
        self._parse, self._atom = Category.parse, Atom
        self._categories: dict[str, Any] = {}
        self._names: dict[Any, str] = {}

    def of(self, name: str) -> Any:
        """The depccg category of a string."""
        if name not in self._categories:
            category = self._categories[name] = self._make(name)
            self._names.setdefault(category, name)
        return self._categories[name]

    def name(self, category: Any) -> str:
        """The string as the tags or the grammar write it, else as depccg does; without a mark."""
        return unmarked(self._names.get(category) or str(category))

    def _make(self, name: str) -> Any:
        opaque = self._atom(f"opaque {name}")  # begins with a letter: other atoms are punctuation to depccg
        if unmarked(name) != name:
            return opaque
        try:
            return self._parse(name)
        except (RuntimeError, AssertionError, IndexError, ValueError, AttributeError, TypeError):
            return opaque


class Rules:
    """The grammar in depccg's terms; what combinators make of a pair of categories is kept."""

    def __init__(self, grammar: Grammar | None, options: ParseOptions, categories: Categories, kind: RuleKind):
        """`grammar` None: CCGbank's, as depccg ships it."""
        from depccg.grammar.en import apply_binary_rules

        self._grammar = grammar
        self._categories = categories
        self._binary: dict[tuple[Any, Any], list[Any]] = {}
        self._unary: dict[Any, list[Any]] = {}
        self._instances: dict[tuple[Any, Any], list[Any]] = defaultdict(list)
        self._rule_names: dict[tuple[str, str, str], str] = {}
        if grammar is None:
            self._combine = self._load_shipped(kind)
        else:
            self._combine = apply_binary_rules
            self._load(grammar, kind == "marked")
        self._combines_all = grammar is None or kind == "all"
        names = options.root_categories or (tuple(grammar.roots) if grammar else ENGLISH_ROOTS)
        known = {categories.of(name): name for name in names}
        self.roots = [*known, *(category for category in self.categories() if categories.name(category) in names)]
        self.unary_roots = self._find_unary_roots()

    def binary(self, left: Any, right: Any) -> list[Any]:
        """depccg's callback: what a pair of categories gives."""
        pair = (left, right)
        if not self._combines_all:
            return self._instances.get(pair, [])
        found = self._binary.get(pair)
        if found is None:
            if len(self._binary) >= MOST_CACHED:
                self._binary.clear()
            own = self._instances.get(pair, [])
            known = {result.cat for result in own}
            made = [result for result in self._combine(left, right) if result.cat not in known]
            found = self._binary[pair] = own + made
        return found

    def unary(self, child: Any) -> list[Any]:
        """depccg's callback: what one category gives."""
        return self._unary.get(child, [])

    def name_rule(self, left: str, right: str, parent: str) -> str:
        """The combinator that makes a treebank's instance (fa, ba, ...), or `tb` where only the treebank has it."""
        rule = (left, right, parent)
        if rule not in self._rule_names:
            if len(self._rule_names) >= MOST_CACHED:
                self._rule_names.clear()
            of = self._categories.of
            made = self._combine(of(left), of(right))
            wanted = (of(parent), of(parent).clear_features("nb"))  # depccg's combinators leave NP[nb]'s feature out
            names = (result.op_string for result in made if result.cat in wanted)
            self._rule_names[rule] = next(names, TREEBANK_RULE)
        return self._rule_names[rule]

    def head_of(self, left: str, right: str, parent: str) -> int:
        """The child that holds the head word; depccg's combinators all take the left one."""
        return self._grammar.head_of((left, right, parent)) if self._grammar else 0

    def categories(self) -> list[Any]:
        """The categories in the grammar's rules."""
        below = [*self._unary, *(category for pair in self._instances for category in pair)]
        results = (*self._unary.values(), *self._instances.values())
        return list(dict.fromkeys([*below, *(result.cat for found in results for result in found)]))

    def _find_unary_roots(self) -> dict[Any, str]:
        """Categories from which a unary rule makes a root, and that root.

        depccg applies no unary rule to a whole sentence of several words.
        """
        roots = set(self.roots)
        found: dict[Any, str] = {}
        for child, results in self._unary.items():
            for result in results:
                if result.cat in roots and child not in roots:
                    found.setdefault(child, self._categories.name(result.cat))
        return found

    def _load(self, grammar: Grammar, marked: bool) -> None:
        from depccg.types import CombinatorResult

        of = self._categories.of
        unary: dict[Any, list[Any]] = defaultdict(list)
        for child, parent in grammar.marked_unary if marked else grammar.unary:
            unary[of(child)].append(CombinatorResult(of(parent), UNARY_RULE, "<un>", True))
        self._unary = dict(unary)
        for left, right, parent in grammar.marked_binary if marked else grammar.binary:
            self._instances[of(left), of(right)].append(CombinatorResult(of(parent), TREEBANK_RULE, "<tb>", True))

    def _load_shipped(self, kind: RuleKind) -> Callable[..., list[Any]]:
        """Takes up CCGbank's unary rules; gives the function that joins two categories."""
        from depccg.config import read_params

        flags = SimpleNamespace(disable_category_dictionary=True, disable_seen_rules=kind == "all")
        combine, unary, _, _ = read_params(Path(str(files("depccg") / "models" / "grammar_en.json")), flags)
        self._unary = {child: unary(child) for child in unary.keywords["unary_rules"]}
        return combine
