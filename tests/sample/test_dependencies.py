"""Heads and relations: trees in every generated sentence, and what a person would draw for sentences built by hand."""

from __future__ import annotations

import pytest

from nntag.sample import generate_sentences
from nntag.sample.constituents import bracket
from nntag.sample.dependencies import analyse
from nntag.sample.derivations import Leaf, join, retype

UPOS = {
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT", "SCONJ", "SYM",
    "VERB",
}  # fmt: skip
RELATIONS = {
    "acl", "acl:relcl", "advcl", "advmod", "amod", "appos", "aux", "aux:pass", "case", "cc", "ccomp", "compound",
    "compound:prt", "conj", "cop", "csubj", "det", "det:predet", "discourse", "expl", "iobj", "mark", "nmod",
    "nmod:poss", "nsubj", "nsubj:pass", "nummod", "obj", "obl", "obl:npmod", "obl:tmod", "orphan", "parataxis",
    "punct", "root", "xcomp",
}  # fmt: skip


def leaf(text: str) -> Leaf:
    word, tag, category, *lemma = text.split()
    return Leaf(category, tag, word, lemma[0] if lemma else word)


DOT = leaf(". . .")
THE = leaf("the DT NP[nb]/N")


def noun_phrase(word: str):
    return join(THE, leaf(f"{word} NN N"))


def passive():
    """The ship was n't sunk by the captain ."""
    was = join(leaf(r"was VBD (S[dcl]\NP)/(S[pss]\NP) be"), leaf(r"n't RB (S\NP)\(S\NP) not"))
    by_captain = join(leaf(r"by IN ((S\NP)\(S\NP))/NP"), noun_phrase("captain"))
    sunk = join(leaf(r"sunk VBN S[pss]\NP sink"), by_captain)
    return join(join(noun_phrase("ship"), join(was, sunk)), DOT)


def question():
    """What did she sell ?"""
    did = join(leaf(r"did VBD (S[q]/(S[b]\NP))/NP do"), leaf("she PRP NP"))
    rest = join(did, leaf(r"sell VB (S[b]\NP)/NP"))
    return join(join(leaf("what WP S[wq]/(S[q]/NP)"), rest), leaf("? . ."))


def relative():
    """the boat that she has wanted to buy sank ."""
    buy = join(leaf(r"to TO (S[to]\NP)/(S[b]\NP)"), leaf(r"buy VB (S[b]\NP)/NP"))
    wanted = join(leaf(r"wanted VBN (S[pt]\NP)/(S[to]\NP) want"), buy)
    phrase = join(leaf(r"has VBZ (S[dcl]\NP)/(S[pt]\NP) have"), wanted)
    clause = join(retype(leaf("she PRP NP"), r"S/(S\NP)"), phrase)
    boat = join(noun_phrase("boat"), join(leaf(r"that WDT (NP\NP)/(S[dcl]/NP)"), clause))
    return join(join(boat, leaf(r"sank VBD S[dcl]\NP sink")), DOT)


def listing():
    """she , the cook and the nurse were old ."""
    rest = join(noun_phrase("cook"), join(leaf("and CC conj"), noun_phrase("nurse")))
    people = join(leaf("she PRP NP"), join(leaf(", , ,"), rest, "conj"))
    were = leaf(r"were VBD (S[dcl]\NP)/(S[adj]\NP) be")
    return join(join(people, join(were, leaf(r"old JJ S[adj]\NP"))), DOT)


def two_objects():
    """she gave the cook the captain 's ship ."""
    owner = join(noun_phrase("captain"), leaf(r"'s POS (NP[nb]/N)\NP"))
    gave = join(leaf(r"gave VBD ((S[dcl]\NP)/NP)/NP give"), noun_phrase("cook"))
    phrase = join(gave, join(owner, leaf("ship NN N")))
    return join(join(leaf("she PRP NP"), phrase), DOT)


def existential():
    """there may be the cook in the ship ."""
    cook = join(noun_phrase("cook"), join(leaf(r"in IN (NP\NP)/NP"), noun_phrase("ship")))
    phrase = join(leaf(r"may MD (S[dcl]\NP[thr])/(S[b]\NP[thr])"), join(leaf(r"be VB (S[b]\NP[thr])/NP"), cook))
    return join(join(leaf("there EX NP[thr]"), phrase), DOT)


CASES = [
    (passive, "2 5 5 5 0 8 8 5 5", "det nsubj:pass aux:pass advmod root case det obl punct"),
    (question, "4 4 4 0 4", "obj aux nsubj root punct"),
    (relative, "2 9 6 6 6 2 8 6 0 9", "det nsubj obj nsubj aux acl:relcl mark xcomp root punct"),
    (listing, "9 4 4 1 7 7 1 9 0 9", "nsubj punct det conj cc det conj cop root punct"),
    (two_objects, "2 0 4 2 6 8 6 2 2", "nsubj root det iobj det nmod:poss case obj punct"),
    (existential, "3 3 0 5 3 8 8 5 3", "expl aux root det nsubj case det nmod punct"),
]


@pytest.mark.parametrize(("build", "heads", "relations"), CASES)
def test_sentences_by_hand(build, heads, relations):
    analysis = analyse(build())
    assert analysis.heads == tuple(map(int, heads.split()))
    assert analysis.relations == tuple(relations.split())


def split(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def test_tags_by_hand():
    assert analyse(passive()).universal_tags == split("DET NOUN AUX PART VERB ADP DET NOUN PUNCT")
    assert analyse(relative()).universal_tags == split("DET NOUN PRON PRON AUX VERB PART VERB VERB PUNCT")
    assert analyse(existential()).universal_tags == split("PRON AUX VERB DET NOUN ADP DET NOUN PUNCT")


@pytest.mark.parametrize(
    ("build", "tree"),
    [
        (
            passive,
            "( (S (NP (DT the) (NN ship)) (VP (VBD was) (RB n't) "
            "(VP (VBN sunk) (PP (IN by) (NP (DT the) (NN captain))))) (. .)) )",
        ),
        (question, "( (SBARQ (WHNP (WP what)) (SQ (VBD did) (NP (PRP she)) (VB sell)) (. ?)) )"),
        (
            two_objects,
            "( (S (NP (PRP she)) (VP (VBD gave) (NP (DT the) (NN cook)) "
            "(NP (NP (DT the) (NN captain) (POS 's)) (NN ship))) (. .)) )",
        ),
    ],
)
def test_brackets_by_hand(build, tree):
    assert bracket(build()) == tree


def test_every_analysis_is_a_tree_of_known_relations():
    relations, tags = set(), set()
    for generated in generate_sentences(3000, seed=7):
        analysis = analyse(generated.derivation)
        relations.update(analysis.relations)
        tags.update(analysis.universal_tags)
        assert analysis.relations.count("root") == analysis.heads.count(0) == 1
        for start in range(1, len(analysis.heads) + 1):
            place, steps = start, 0
            while place:
                place, steps = analysis.heads[place - 1], steps + 1
                assert steps <= len(analysis.heads)
    assert relations == RELATIONS
    assert tags == UPOS


def test_function_words_have_no_subjects():
    """Subjects, objects and clauses depend on content words, never on an auxiliary, a copula or a marker."""
    for generated in generate_sentences(1500, seed=8):
        analysis = analyse(generated.derivation)
        for head, relation in zip(analysis.heads, analysis.relations, strict=True):
            if head and relation in ("nsubj", "nsubj:pass", "obj", "iobj", "ccomp", "advcl", "expl"):
                assert analysis.relations[head - 1] not in ("aux", "aux:pass", "cop", "mark", "case", "det", "punct")
