"""The whole tagger against plain loops; what batches, padding and missing tags may and may not do."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import torch

from nntag.config.registry import MODELS
from nntag.config.settings import Settings, resolve_settings
from nntag.config.tagging import TaggerInput
from nntag.tagging.batches import NO_TAG, TaggingBatch, make_batch
from nntag.tagging.features import FormTable, TaggerVocabularies, build_vocabularies
from nntag.tagging.network import TaggerNetwork
from tests.reference.skip_lstm import run_stack
from tests.reference.tagger import tag_log_probabilities
from tests.tagging.encoders.test_skip_lstm import take_layers
from tests.tagging.test_input_layer import SENTENCES, TRAINING_WORDS, expect

TAGS = {"N": 5, "D": 4, "V": 3}
GOLD = [[1, 0, NO_TAG, 0], [NO_TAG], [2, 0, 0, 1, NO_TAG, 1]]
TAGGERS = [row for row in MODELS if row.task == "tagging" and not row.counted]
EVERYTHING = {
    "word_size": 4,
    "window": 3,
    "affix_length": 2,
    "character_size": 2,
    "capital_size": 2,
    "shapes": True,
    "filters": 3,
    "filter_character_size": 2,
    "affix_size": 2,
}


def build(name: str, recipe: str = "default", **values: object) -> tuple[TaggerNetwork, FormTable]:
    row = next(row for row in MODELS if row.name == name)
    names = {f.name for cls in (row.config, TaggerInput) for f in dataclasses.fields(cls)}
    small = {"hidden": 4, "layers": 4, "depth": 2, **EVERYTHING, **values}
    settings = resolve_settings(name, recipe, {key: value for key, value in small.items() if key in names})
    vocabularies = build_vocabularies(TRAINING_WORDS, TAGS, settings.input)
    torch.manual_seed(1)
    tagger = TaggerNetwork(settings, vocabularies).double()
    with torch.no_grad():
        for parameter in tagger.parameters():
            parameter.add_(0.5 * torch.randn_like(parameter))
    return tagger.eval(), FormTable(vocabularies, settings.input)


def batch_of(table: FormTable, order: list[int]) -> TaggingBatch:
    tags = [np.array(GOLD[number]) for number in order]
    return make_batch(table, table.number([SENTENCES[number] for number in order]), tags)


def test_tagger_equals_plain_loops() -> None:
    """Section 5 of Wu 2016 from the characters of a word to the tag's probability and the loss."""
    values = {"window_gate": True, "shapes": False, "affix_length": 5, "filters": 0, "affix_size": 0, "capital_size": 3}
    tagger, table = build("skip-gated", "wu2016", **values)
    batch = batch_of(table, [0, 1, 2])
    found, loss = tagger.log_probabilities(batch).numpy(), tagger.loss(batch)
    output = tagger.output.weight.detach().numpy(), tagger.output.bias.detach().numpy()
    nats = 0.0
    for column, words in enumerate(SENTENCES):
        x = np.array(expect(tagger.input, table, words))
        forward = run_stack("output-gated", take_layers(tagger.encoder, 0), x)
        backward = run_stack("output-gated", take_layers(tagger.encoder, 1), x[::-1])[::-1]
        expected = tag_log_probabilities(np.concatenate((forward, backward), 1), *output)
        np.testing.assert_allclose(found[: len(words), column], expected, rtol=1e-9)
        nats -= sum(row[tag] for row, tag in zip(expected, GOLD[column], strict=True) if tag != NO_TAG)
    assert float(loss.nats.detach()) == pytest.approx(nats, rel=1e-9)
    assert (loss.count, loss.items) == (8, 3)


@pytest.mark.parametrize("window_over", ["words", "all"])
@pytest.mark.parametrize("row", TAGGERS, ids=lambda row: row.name)
def test_a_sentence_alone_equals_itself_in_any_batch(row, window_over: str) -> None:
    tagger, table = build(row.name, window_over=window_over)
    together = tagger.log_probabilities(batch_of(table, [0, 1, 2]))
    turned = tagger.log_probabilities(batch_of(table, [2, 0, 1]))
    losses = []
    for column, words in enumerate(SENTENCES):
        batch = batch_of(table, [column])
        alone = tagger.log_probabilities(batch)
        losses.append(tagger.loss(batch))
        other = [2, 0, 1].index(column)
        torch.testing.assert_close(alone[:, 0], together[: len(words), column], rtol=1e-9, atol=1e-12)
        torch.testing.assert_close(alone[:, 0], turned[: len(words), other], rtol=1e-9, atol=1e-12)
    whole = tagger.loss(batch_of(table, [0, 1, 2]))
    torch.testing.assert_close(sum(loss.nats for loss in losses), whole.nats)
    assert [sum(loss[number] for loss in losses) for number in (1, 2)] == [whole.count, whole.items] == [8, 3]


@pytest.mark.parametrize("row", TAGGERS, ids=lambda row: row.name)
def test_probabilities_sum_to_one(row) -> None:
    tagger, table = build(row.name)
    sums = tagger.log_probabilities(batch_of(table, [0, 1, 2])).exp().sum(2)
    torch.testing.assert_close(sums, torch.ones_like(sums))


def test_a_batch_without_any_gold_tag_loses_nothing() -> None:
    tagger, table = build("skip-none")
    loss = tagger.loss(batch_of(table, [1]))
    assert float(loss.nats.detach()) == 0 and loss.count == 0 and loss.items == 1
    with pytest.raises(ValueError, match="without tags"):
        tagger.loss(make_batch(table, table.number([["a"]])))


def initial(settings: Settings, vocabularies: TaggerVocabularies) -> TaggerNetwork:
    torch.manual_seed(2)
    return TaggerNetwork(settings, vocabularies)


def test_the_papers_output_layer_starts_small() -> None:
    """Section 6.1.2: N(0, 1 / sqrt(fan-in)) times 0.1."""
    settings = resolve_settings("skip-gated", "wu2016", {"hidden": 200, "layers": 1})
    tags = {f"T{number}": 1 for number in range(100)}
    tagger = initial(settings, build_vocabularies(TRAINING_WORDS, tags, settings.input))
    assert float(tagger.output.weight.detach().std()) == pytest.approx(0.1 / 400**0.5, rel=0.03)
    assert tagger.output.bias.abs().sum() == 0


def test_an_untrained_tagger_is_near_the_uniform_one() -> None:
    settings = resolve_settings("skip-gated", "wu2016", {"hidden": 30, "layers": 2})
    tagger = initial(settings, build_vocabularies(TRAINING_WORDS, TAGS, settings.input)).eval()
    table = FormTable(build_vocabularies(TRAINING_WORDS, TAGS, settings.input), settings.input)
    loss = tagger.loss(batch_of(table, [0, 2]))
    assert float(loss.nats.detach()) / loss.count == pytest.approx(np.log(3), abs=0.05)
