"""Sentences with likely tags -> derivations, by depccg's A* search (Yoshikawa, Noji & Matsumoto 2017).

The tags' log-probabilities are what counts. They leave many derivations equal: depccg's head scores decide between
those, by a tiny reward for each word that lies far from its head (the head word of a pair being the left one, as in
depccg's grammar). EasyCCG breaks ties so too (Lewis & Steedman 2014).

Three of depccg 3.0.0's ways are met here: its own beta compares log-probabilities with probabilities and so cuts
nothing, except where the best tag has log-probability 0, which is why each word's best is taken to be 0; it draws a
progress bar on stderr; and a sentence without a derivation comes back as one called FAILED.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log
from typing import Any

import numpy as np

from nntag.config.options.parse import ParseOptions
from nntag.corpora.records import Tree
from nntag.tagging.parsing.grammar import Grammar
from nntag.tagging.parsing.parse import LikelyTags, Parse
from nntag.tagging.parsing.rules import TREEBANK_RULE, UNARY_RULE, Categories, RuleKind, Rules, plan_tries
from nntag.training.device import bound_kept_memory

EXCLUDED = -1e3  # log-probability of the tags that are not likely; depccg takes its exponential, which is 0
DEPCCG_BETA = 1e-30  # below any probability that is given, above 0
UNARY_PENALTY = 0.1  # depccg's, for each unary rule
TIE_BREAK = 1e-4  # added to the score for each word between a word and its head; hundreds weigh less than one tag


class Parser:
    """Parses sentences; holds the grammar, and the rules found so far."""

    def __init__(self, grammar: Grammar | None = None, options: ParseOptions | None = None):
        """`grammar` None: CCGbank's, which depccg brings. Raises UsageError where depccg is not installed."""
        self.options = options or ParseOptions()
        self._categories = Categories()
        import depccg._parsing
        import depccg.parsing

        depccg._parsing.tqdm = _no_progress_bar  # it would write to stderr for every group of sentences
        self._run = depccg.parsing.run
        bound_kept_memory()  # a hard sentence's chart and agenda are large
        self._tries = plan_tries(self.options, grammar)
        self._grammar = grammar
        self._rules: dict[RuleKind, Rules] = {}  # made when they are tried

    def parse(self, sentences: Sequence[Sequence[str]], likely: Sequence[LikelyTags]) -> list[list[Parse]]:
        """For each sentence its best derivations, best first; [] for one that has none, is empty or is too long.

        `likely` holds for each word all tags down to the smallest beta, with their probabilities, best first.
        """
        found: list[list[Parse]] = [[] for _ in sentences]
        open_ones = [n for n, words in enumerate(sentences) if 0 < len(words) <= self.options.max_words]
        tried: dict[tuple[RuleKind, int], LikelyTags] = {}
        for kind, beta in self._tries:
            tags = {n: [_above(word, beta) for word in likely[n]] for n in open_ones}
            new = [n for n in open_ones if tags[n] != tried.get((kind, n))]
            if not new:
                continue
            if kind not in self._rules:
                self._rules[kind] = Rules(self._grammar, self.options, self._categories, kind)
            rules = self._rules[kind]
            self._parse_some(new, sentences, tags, rules, [*rules.roots, *rules.unary_roots], found)
            open_ones = [n for n in open_ones if not found[n]]
            tried.update(((kind, n), tags[n]) for n in open_ones)
        if self.options.fragments and open_ones:
            used = [self._categories.of(tag) for n in open_ones for word in tags[n] for tag, _ in word]
            roots = list(dict.fromkeys([*used, *rules.categories()]))
            self._parse_some(open_ones, sentences, tags, rules, roots, found)
        return found

    def _parse_some(
        self,
        numbers: Sequence[int],
        sentences: Sequence[Sequence[str]],
        tags: Mapping[int, LikelyTags],
        rules: Rules,
        roots: Sequence[Any],
        found: list[list[Parse]],
    ) -> None:
        """One call of depccg's parser for the sentences in `numbers`; what it finds goes into `found`."""
        from depccg.types import ScoringResult, Token

        of = self._categories.of
        columns: dict[Any, int] = {}
        for number in numbers:
            for word in tags[number]:
                for tag, _ in word:
                    columns.setdefault(of(tag), len(columns))
        results = self._run(
            [[Token(word=word) for word in sentences[n]] for n in numbers],
            [ScoringResult(self._score_tags(tags[n], columns), _score_heads(len(tags[n]))) for n in numbers],
            list(columns),
            roots,
            rules.binary,
            rules.unary,
            unary_penalty=UNARY_PENALTY,
            beta=DEPCCG_BETA,
            pruning_size=len(columns),
            nbest=self.options.nbest,
            max_step=self.options.max_steps,
            max_length=self.options.max_words,
            processes=1,
            max_chunk_size=len(numbers),
        )
        for number, trees in zip(numbers, results, strict=True):
            if np.isfinite(trees[0].score):
                found[number] = [self._convert(scored.tree, sentences[number], tags[number], rules) for scored in trees]

    def _score_tags(self, words: LikelyTags, columns: dict[Any, int]) -> np.ndarray:
        """float32[T, N] for depccg: log-probabilities less that of each word's best; EXCLUDED for unlikely tags."""
        table = np.full((len(words), len(columns)), EXCLUDED, np.float32)
        for row, tags in zip(table, words, strict=True):
            for tag, probability in reversed(tags):  # of two spellings of a category the likelier one counts
                row[columns[self._categories.of(tag)]] = log(probability) - log(tags[0][1])
        return table

    def _convert(self, root: Any, words: Sequence[str], tags: LikelyTags, rules: Rules) -> Parse:
        """depccg's tree as arrays; a root from which a unary rule makes an allowed one gets that rule."""
        labels: list[str] = []
        children: list[tuple[int, ...]] = []
        leaves: list[str | None] = []
        names: list[str] = []
        heads: list[int] = []
        without_parent: list[int] = []
        score = 0.0
        remaining = iter(zip(words, tags, strict=True))

        def add(label: str, below: tuple[int, ...], word: str | None, name: str) -> None:
            joined = (labels[below[0]], labels[below[1]], label) if len(below) == 2 else None
            heads.append(rules.head_of(*joined) if joined else 0)
            names.append(rules.name_rule(*joined) if joined and name == TREEBANK_RULE else name)
            labels.append(label)
            children.append(below)
            leaves.append(word)

        for node in _in_post_order(root):
            label = self._categories.name(node.cat)
            if node.is_leaf:
                word, likely = next(remaining)
                score += max(log(p) for tag, p in likely if self._categories.of(tag) == node.cat)
                add(label, (), word, "")
            else:
                below = tuple(without_parent[-len(node.children) :])
                del without_parent[-len(node.children) :]
                add(label, below, None, node.op_string)
            without_parent.append(len(labels) - 1)
        if root.cat in rules.unary_roots:
            add(rules.unary_roots[root.cat], (len(labels) - 1,), None, UNARY_RULE)
        score -= UNARY_PENALTY * sum(len(below) == 1 for below in children)
        return Parse(Tree(tuple(labels), tuple(children), tuple(leaves), None, tuple(heads)), tuple(names), score)


def _in_post_order(root: Any) -> list[Any]:
    """depccg's nodes, children before parents, from left to right."""
    nodes, stack = [], [root]
    while stack:
        node = stack.pop()
        nodes.append(node)
        if not node.is_leaf:
            stack.extend(node.children)
    return nodes[::-1]


def _score_heads(length: int) -> np.ndarray:
    """float32[T, T + 1] for depccg: TIE_BREAK times the distance of word t from each head; column 0 is the root."""
    words = np.arange(length, dtype=np.float32)
    table = np.zeros((length, length + 1), np.float32)
    table[:, 1:] = TIE_BREAK * np.abs(words[:, None] - words[None, :])
    return table


def _above(tags: Sequence[tuple[str, float]], beta: float) -> Sequence[tuple[str, float]]:
    return [(tag, probability) for tag, probability in tags if probability >= beta * tags[0][1]]


def _no_progress_bar(items: Any, **_: Any) -> Any:
    return items
