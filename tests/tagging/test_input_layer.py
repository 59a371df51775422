"""The tagger's input layer against plain loops over characters and words; every part of it on and off."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import torch

from nntag.config.tagging import TaggerInput
from nntag.tagging.batches import TaggingBatch, make_batch
from nntag.tagging.features import FormTable, build_vocabularies
from nntag.tagging.input_layer import TaggerInputLayer
from nntag.training.precision import products_in
from tests.reference import tagger as reference

TRAINING_WORDS = {"The": 3, "the": 2, "cat": 4, "cats": 1, "Cat": 1, "1984": 1, "walking": 2, "catalogue": 1, "a": 1}
SENTENCES = [
    ["The", "cats", "of", "1984"],  # "of": nothing known
    ["a"],
    ["Walking", "cat-" * 7 + "walk", "x", "Catalogue", "1066", "the"],
]
PAPER = {"word_size": 4, "character_size": 3, "capital_size": 2}
OURS = {
    "word_size": 3,
    "window": 1,
    "window_gate": False,
    "affix_length": 0,
    "capital_size": 2,
    "filters": 4,
    "filter_character_size": 3,
    "affix_size": 5,
}
VARIANTS = [
    PAPER,
    {**PAPER, "window": 5},
    {**PAPER, "window": 1},
    {**PAPER, "window_gate": False},
    {**PAPER, "window_over": "all"},
    {**PAPER, "window_over": "all", "window_gate": False},
    {**PAPER, "capital_size": 0},
    {**PAPER, "affix_length": 0},
    {**PAPER, "affix_length": 2},
    {**PAPER, "affix_length": 0, "capital_size": 0},
    {**PAPER, "affix_length": 0, "capital_size": 0, "window_over": "all"},
    {**PAPER, "word_size": 0},
    {**PAPER, "word_size": 0, "window_over": "all"},
    OURS,
    {**OURS, "word_size": 0, "capital_size": 0, "affix_size": 0},
    {**OURS, "word_size": 0, "capital_size": 0, "filters": 0},
    {**OURS, "window": 3, "window_gate": True, "affix_length": 5, "character_size": 2},
    {**OURS, "window": 3, "window_gate": True, "affix_length": 5, "character_size": 2, "window_over": "all"},
]


def build(values: dict, seed: int = 1) -> tuple[TaggerInputLayer, FormTable]:
    settings = TaggerInput(**values)
    vocabularies = build_vocabularies(TRAINING_WORDS, {"X": 1}, settings)
    torch.manual_seed(seed)
    layer = TaggerInputLayer(settings, vocabularies).double()
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.copy_(torch.randn_like(parameter))
    return layer.eval(), FormTable(vocabularies, settings)


def batch_of(table: FormTable, sentences: list[list[str]]) -> TaggingBatch:
    return make_batch(table, table.number(sentences))


def expect(layer: TaggerInputLayer, table: FormTable, words: list[str]) -> list[list[float]]:
    """The input of one sentence, by the loops of tests/reference/tagger.py."""
    settings, vocabularies = layer.settings, table._vocabularies
    weights = {name: value.detach().numpy() for name, value in layer.named_parameters()}

    def ids(vocabulary) -> dict[str, int]:
        return {entry: number for number, entry in enumerate(vocabulary.entries) if number > 1}

    letters = ids(vocabularies.characters)
    vectors: list[list[float]] = [[] for _ in words]
    boundary: list[float] = []
    if settings.word_size:
        known = ids(vocabularies.words)
        vectors = [reference.word_vector(word, known, weights["words.weight"]) for word in words]
        boundary = list(weights["words.weight"][0])
    forms: list[list[float]] = [[] for _ in words]
    empty: list[float] = []
    for word, form in zip(words, forms, strict=True):
        if settings.affix_length:
            form += reference.end_characters(word, settings.affix_length, letters, weights["characters.weight"])
        if settings.capital_size:
            form += reference.capital(word, weights["capitals.weight"])
        if settings.affix_size:
            form += reference.affix_sum(word, ids(vocabularies.affixes), weights["affixes.weight"])
        if settings.filters:
            convolution = weights["convolution.weight"], weights["convolution.bias"]
            form += reference.convolution(word, letters, weights["filter_characters.weight"], *convolution)
    if settings.affix_length:
        empty += list(weights["characters.weight"][0]) * (2 * settings.affix_length)
    if settings.capital_size:
        empty += list(weights["capitals.weight"][0])
    empty += [0.0] * (settings.affix_size + settings.filters)
    gate = None
    if settings.window > 1 and settings.window_gate and "window_gate.weight" in weights:
        gate = weights["window_gate.weight"], weights["window_gate.bias"]
    if settings.window_over == "all":
        wide = [vector + form for vector, form in zip(vectors, forms, strict=True)]
        return reference.windows(wide, boundary + empty, settings.window, gate)
    if settings.word_size:
        vectors = reference.windows(vectors, boundary, settings.window, gate)
    return [vector + form for vector, form in zip(vectors, forms, strict=True)]


@pytest.mark.parametrize("gradient", [True, False])
@pytest.mark.parametrize("values", VARIANTS, ids=str)
def test_input_equals_plain_loops(values: dict, gradient: bool) -> None:
    layer, table = build(values)
    with torch.set_grad_enabled(gradient):
        found = layer(batch_of(table, SENTENCES)).detach().numpy()
    assert found.shape == (6, 3, layer.output_size)
    for column, words in enumerate(SENTENCES):
        np.testing.assert_allclose(found[: len(words), column], expect(layer, table, words), rtol=1e-9, atol=1e-12)


@torch.no_grad()
def test_characters_are_looked_up_in_bf16_too() -> None:
    layer, table = build({**OURS, "filters": 40, "filter_character_size": 30})
    batch = batch_of(table, SENTENCES)
    exact = layer.float()(batch)
    with products_in("bf16", torch.device("cpu")):
        found = layer(batch)
    assert not torch.equal(found.float(), exact)
    torch.testing.assert_close(found.float(), exact, rtol=0.05, atol=0.2)


@pytest.mark.parametrize("values", VARIANTS, ids=str)
def test_a_sentence_alone_equals_itself_in_any_batch(values: dict) -> None:
    layer, table = build(values)
    together = layer(batch_of(table, SENTENCES))
    turned = layer(batch_of(table, SENTENCES[::-1]))
    for column, words in enumerate(SENTENCES):
        alone = layer(batch_of(table, [words]))
        torch.testing.assert_close(alone[:, 0], together[: len(words), column], rtol=1e-12, atol=0)
        torch.testing.assert_close(alone[:, 0], turned[: len(words), 2 - column], rtol=1e-12, atol=0)


@pytest.mark.parametrize("values", VARIANTS, ids=str)
def test_every_parameter_is_used(values: dict) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # no parameter of no size
        layer, table = build(values)
    layer(batch_of(table, SENTENCES)).square().sum().backward()
    for name, parameter in layer.named_parameters():
        assert parameter.grad is not None and parameter.grad.abs().sum() > 0, name


def test_the_papers_width() -> None:
    """Section 5.1: a window of 3 x 200, 2 x 5 characters of 5, 5 for the capital."""
    layer = TaggerInputLayer(TaggerInput(), build_vocabularies(TRAINING_WORDS, {"X": 1}, TaggerInput()))
    assert layer.output_size == 600 + 50 + 5


def test_dropout_of_the_paper_is_on_the_window_alone() -> None:
    layer, table = build({**PAPER, "dropout": 0.5})
    batch = batch_of(table, SENTENCES)
    plain, width = layer(batch), 3 * PAPER["word_size"]
    layer.train()
    dropped = layer(batch)
    assert torch.equal(dropped[..., width:], plain[..., width:])
    kept = dropped[..., :width] != 0
    assert 0.3 < kept.double().mean() < 0.7
    torch.testing.assert_close(dropped[..., :width][kept], 2 * plain[..., :width][kept])


@pytest.mark.parametrize("values", [{**OURS, "dropout": 0.5}, {**PAPER, "window_over": "all", "dropout": 0.5}])
def test_dropout_elsewhere_is_on_everything(values: dict) -> None:
    layer, table = build(values)
    batch = batch_of(table, SENTENCES * 10)
    plain = layer(batch)
    layer.train()
    dropped = layer(batch)
    kept = (dropped != 0).double().sum((0, 1)) / (plain != 0).double().sum((0, 1))
    assert (kept > 0.2).all() and (kept < 0.8).all()


def test_word_dropout_reads_words_as_unknown_in_training_only() -> None:
    words_alone = {"word_size": 2, "affix_length": 0, "capital_size": 0, "window": 1}
    layer, table = build({**words_alone, "word_dropout": 0.3, "dropout": 0.0})
    batch = batch_of(table, [["the", "cat"] * 500, ["the"] * 400])
    known = layer(batch)
    layer.train()
    found = layer(batch)
    assert layer.words is not None
    unknown = (found == layer.words.weight[1]).all(2)
    real = torch.arange(1000)[:, None] < batch.lengths
    assert 0.25 < unknown[real].double().mean() < 0.35
    assert not unknown[~real].any()  # padding stays padding
    assert torch.equal(found[~unknown], known[~unknown])


@pytest.mark.parametrize("window_over", ["words", "all"])
def test_form_dropout_hides_whole_words_forms_in_training_only(window_over: str) -> None:
    values = {**OURS, "window_over": window_over, "form_dropout": 0.3, "dropout": 0.0}
    layer, table = build(values)
    batch = batch_of(table, [["the", "cat"] * 500])
    forms = layer(batch)[:, 0, OURS["word_size"] :]
    layer.train()
    found = layer(batch)[:, 0, OURS["word_size"] :]
    hidden = (found == 0).all(1)
    assert 0.25 < hidden.double().mean() < 0.35
    assert torch.equal(found[~hidden], forms[~hidden]) and not (forms == 0).all(1).any()


def test_given_vectors_stand_in_the_table_and_may_be_kept() -> None:
    for tune in (True, False):
        settings = TaggerInput(**PAPER, tune_vectors=tune)
        vocabularies = build_vocabularies(TRAINING_WORDS, {"X": 1}, settings)
        vectors = torch.randn(len(vocabularies.words), 4)
        layer = TaggerInputLayer(settings, vocabularies, vectors)
        assert layer.words is not None and torch.equal(layer.words.weight, vectors)
        assert layer.words.weight.data_ptr() != vectors.data_ptr()
        assert layer.words.weight.requires_grad is tune
