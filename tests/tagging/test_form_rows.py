"""Rows kept for word forms against the network itself: same scores, whatever is kept, forgotten or changed between."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pytest
import torch
from torch import Tensor

from nntag.tagging import form_rows
from nntag.tagging.batches import make_batch
from nntag.tagging.features import FormTable
from nntag.tagging.form_rows import FormRows
from nntag.tagging.network import TaggerNetwork
from tests.tagging.test_input_layer import SENTENCES
from tests.tagging.test_network import TAGGERS, build

WINDOWS = {
    "all features, no gate": {},
    "all features under a gate": {"window_gate": True},
    "words under a gate": {"window_gate": True, "window_over": "words"},
    "words of five, no gate": {"window": 5, "window_over": "words"},
    "features alone": {"word_size": 0, "window_over": "words"},
    "words alone": {"filters": 0, "affix_length": 0, "affix_size": 0, "capital_size": 0},
    "no window": {"window": 1},
}
KEEPS_ROWS = [row.name for row in TAGGERS if row.name != "rhn"]
TEXTS = [SENTENCES, SENTENCES[::-1], SENTENCES[1:2], [["the", "new", "words", "the", "owl"], *SENTENCES]]


def score(rows: FormRows, network: TaggerNetwork, sentences: Sequence[np.ndarray]) -> Tensor:
    with torch.inference_mode():
        found = rows.look_up(network, sentences)
        assert found is not None
        return network.score(*found)


def check(rows: FormRows, network: TaggerNetwork, table: FormTable, texts: Iterable[Sequence[Sequence[str]]]) -> None:
    for text in texts:
        sentences = table.number(text)
        with torch.no_grad():
            expected = network(make_batch(table, sentences))
        found = score(rows, network, sentences)
        for column, sentence in enumerate(sentences):
            torch.testing.assert_close(
                found[: len(sentence), column], expected[: len(sentence), column], rtol=1e-9, atol=1e-12
            )


@pytest.mark.parametrize("name", KEEPS_ROWS)
def test_scores_are_those_of_the_network(name: str) -> None:
    network, table = build(name)
    check(FormRows(table), network, table, TEXTS)


@pytest.mark.parametrize("values", WINDOWS.values(), ids=WINDOWS)
@pytest.mark.parametrize("kept", [0, 5, 10**6])
def test_every_window_with_all_or_some_or_no_rows_kept(
    values: dict[str, object], kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    network, table = build("skip-gated", "default", **values)
    slots = network.input.slots
    row_bytes = len(slots.offsets) * (network.encoder.input_weight[:, 0].numel() + slots.gated) * 8
    monkeypatch.setattr(form_rows, "KEPT_BYTES", kept * row_bytes)
    monkeypatch.setattr(form_rows, "MORE_ROWS", 1)
    check(FormRows(table), network, table, TEXTS + TEXTS)


def test_rows_are_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    network, table = build("skip-gated")
    rows, computed = FormRows(table), []
    monkeypatch.setattr(rows, "_fill_some", lambda network, forms, places: computed.append(len(places)))
    numbered = table.number(SENTENCES)
    for _ in range(2):
        rows.look_up(network, numbered)
    assert computed == [1 + len({form for sentence in SENTENCES for form in sentence})]


@pytest.mark.parametrize("most", [1, 3, 256])
def test_rows_that_are_filled_beforehand_are_those_of_a_batch(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr(form_rows, "FORMS", most)
    network, table = build("skip-gated")
    rows, numbered = FormRows(table), table.number(SENTENCES)
    rows.fill(network, np.concatenate(numbered))
    computed, fill = [], rows._fill_some
    monkeypatch.setattr(rows, "_fill_some", lambda network, forms, places: computed.append(len(places)))
    rows.look_up(network, numbered)
    assert computed == [1]  # the padding
    monkeypatch.setattr(rows, "_fill_some", fill)
    rows = FormRows(table)
    rows.fill(network, np.concatenate(numbered))
    check(rows, network, table, TEXTS)


def test_rows_are_dropped_when_weights_or_numbers_change() -> None:
    network, table = build("skip-gated")
    limited = FormTable(table._vocabularies, table._settings, limit=3)
    rows = FormRows(limited)
    check(rows, network, limited, TEXTS)
    for parameter in (network.input.words.weight, network.encoder.input_weight):
        with torch.no_grad():
            parameter.add_(torch.randn_like(parameter))
        check(rows, network, limited, TEXTS)
    limited.make_room()
    check(rows, network, limited, TEXTS[::-1])
    check(rows, build("skip-none")[0], limited, TEXTS)


def test_rows_are_dropped_when_the_network_was_trained() -> None:
    network, table = build("skip-gated")
    rows = FormRows(table)
    check(rows, network, table, TEXTS)
    batch = make_batch(table, table.number(SENTENCES), [np.zeros(len(sentence), np.int64) for sentence in SENTENCES])
    optimiser = torch.optim.Adam(network.parameters(), lr=0.1, fused=True)
    network.train().loss(batch).nats.backward()
    optimiser.step()
    assert rows.look_up(network, table.number(SENTENCES)) is None
    check(rows, network.eval(), table, TEXTS)


def test_what_reads_more_than_word_forms_or_multiplies_otherwise_is_left_alone() -> None:
    network, table = build("rhn")
    assert FormRows(table).look_up(network, table.number(SENTENCES)) is None


def test_an_input_that_is_multiplied_already_has_no_gradient() -> None:
    network, table = build("skip-gated")
    found = FormRows(table).look_up(network, table.number(SENTENCES))
    with pytest.raises(ValueError, match="for prediction"):
        network.score(*found)
