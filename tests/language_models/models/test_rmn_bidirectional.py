"""The two-sided memory block against plain loops, and what each prediction may depend on."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from nntag.config.language_models import BidirectionalRMNConfig
from nntag.errors import UsageError
from nntag.language_models.models import rmn_bidirectional
from nntag.language_models.models.rmn_bidirectional import BidirectionalRecurrentMemory, TwoSidedMemoryBlock
from nntag.language_models.streams import make_batch
from tests.reference.rmn_bidirectional import attend_both_sides

V, D, N = 11, 5, 3
SENTENCES = [[3, 7, 2, 2, 9, 10, 1, 4], [4, 3], [], [8, 6, 5, 4, 3, 2, 1, 2, 3]]


@pytest.fixture
def block() -> TwoSidedMemoryBlock:
    torch.manual_seed(1)
    made = TwoSidedMemoryBlock(V, D, N, True, True, 0.0).double()
    for parameter in made.parameters():
        torch.nn.init.uniform_(parameter, -1, 1)
    return made


def make_model(**changes: object) -> BidirectionalRecurrentMemory:
    torch.manual_seed(2)
    config = BidirectionalRMNConfig(hidden=D, memory=N, layers=2, init_range=0.8, **changes)
    return BidirectionalRecurrentMemory(config, V).double().eval()


@pytest.mark.parametrize("size", [2, 128])
@pytest.mark.parametrize("sentence", SENTENCES)
def test_block_equals_plain_loops(block, sentence, size, monkeypatch):
    monkeypatch.setattr(rmn_bidirectional, "BLOCK", size)
    words = np.array([0, *sentence])
    states = np.random.default_rng(0).normal(size=(len(words), D))
    with torch.no_grad():
        contexts, weights = block(torch.from_numpy(states)[:, None], torch.from_numpy(words)[:, None])
        tables = [p.numpy() for p in (block.memory_input.weight, block.memory_output.weight)]
        temporal = block.temporal.numpy(), block.temporal_output.numpy()
    expected, attention = attend_both_sides(states, words, *tables, N, *temporal)
    np.testing.assert_allclose(contexts[:, 0].numpy(), expected, rtol=1e-9)
    for step, places in enumerate(attention):
        row = np.zeros(2 * N + 1)
        for place, weight in places.items():
            row[place - step + N - 1] = weight
        np.testing.assert_allclose(weights[step, 0].numpy(), row, rtol=1e-9)


def test_a_sentence_alone_and_in_a_padded_batch():
    model = make_model()
    sentences = [np.array([*sentence, 0]) for sentence in SENTENCES]
    together = model.token_nats(make_batch(sentences))
    for column, sentence in enumerate(sentences):
        alone = model.token_nats(make_batch([sentence]))[:, 0]
        torch.testing.assert_close(together[: len(sentence), column], alone, rtol=1e-9, atol=0)
        assert not together[len(sentence) :, column].any()


def test_a_prediction_depends_on_the_words_around_it_but_not_on_the_word():
    model, sentence = make_model(), SENTENCES[3]
    inputs = torch.tensor([0, *sentence])[:, None]
    before = model.log_probabilities(inputs)
    for place in range(1, len(inputs)):
        changed = inputs.clone()
        changed[place] = 10
        moved = (model.log_probabilities(changed) - before).abs().amax(dim=(1, 2)) > 1e-12
        behind = [step for step in range(len(inputs)) if step >= place]  # through the LSTM and the memory
        ahead = [step for step in range(len(inputs)) if 2 <= place - step <= N + 1]
        assert moved.nonzero()[:, 0].tolist() == sorted(ahead + behind)


def test_gradients_are_finite_where_padding_sees_nothing():
    model = make_model().train()
    batch = make_batch([np.array([*range(1, 10), *range(1, 10), 0]), np.array([5, 0])])
    model.loss(batch).nats.backward()
    assert all(torch.isfinite(parameter.grad).all() for parameter in model.parameters())


def test_no_layer_on_top():
    with pytest.raises(UsageError, match="recurrent_top"):
        BidirectionalRMNConfig(recurrent_top=True)
