"""The adaptive softmax against plain loops, torch's own module, and what every distribution must fulfil."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from nntag.config.language_models import LSTMLMConfig, RMNConfig
from nntag.config.settings import resolve_settings
from nntag.errors import UsageError
from nntag.language_models.models.adaptive_softmax import AdaptiveSoftmax, fit_cutoffs
from nntag.language_models.models.lstm_lm import LSTMLM
from nntag.language_models.models.rmn import RecurrentMemory
from nntag.language_models.next_words import next_word_probabilities
from nntag.language_models.streams import make_batch
from tests.reference.adaptive_softmax import predict_adaptive

V, D = 23, 9
CUTOFFS = (4, 10, 16)
SENTENCES = [[3, 7, 22, 2, 9, 10, 1], [4, 15], [], [16, 21, 5, 9, 3, 2, 1, 11, 3]]


def build(cutoffs: tuple[int, ...] = CUTOFFS, shrink: float = 2.0) -> AdaptiveSoftmax:
    torch.manual_seed(1)
    layer = AdaptiveSoftmax(D, V, cutoffs, shrink).double()
    for parameter in layer.parameters():
        nn.init.normal_(parameter)
    return layer


def expected_logs(layer: AdaptiveSoftmax, state: torch.Tensor) -> list[float]:
    clusters = [
        (projection.weight.tolist(), weight.tolist(), bias.tolist())
        for projection, weight, bias in zip(layer.projections, layer.cluster_weights, layer.cluster_biases, strict=True)
    ]
    return predict_adaptive(state.tolist(), (layer.head_weight.tolist(), layer.head_bias.tolist()), clusters)


@pytest.mark.parametrize("cutoffs", [CUTOFFS, (1,), (5, 6)], ids=str)
def test_log_probabilities_equal_plain_loops_and_sum_to_one(cutoffs: tuple[int, ...]) -> None:
    layer, states = build(cutoffs), torch.randn(6, D, dtype=torch.double)
    found = layer.log_probabilities(states)
    np.testing.assert_allclose(found.detach().numpy(), [expected_logs(layer, state) for state in states], rtol=1e-10)
    torch.testing.assert_close(found.exp().sum(1), torch.ones(6, dtype=torch.double), rtol=1e-12, atol=0)
    torch.testing.assert_close(layer.log_probabilities(states[2]), found[2])  # one state alone
    targets = torch.tensor([0, 3, 4, 9, 16, 22])
    chosen = found.gather(1, targets[:, None])[:, 0]
    torch.testing.assert_close(-layer.token_nats(states, targets), chosen.detach(), rtol=1e-10, atol=0)
    torch.testing.assert_close(-layer.sum_nats(states, targets), chosen.sum(), rtol=1e-10, atol=0)


def test_gradients_are_those_of_the_log_probabilities() -> None:
    layer, states = build(), torch.randn(12, D, dtype=torch.double, requires_grad=True)
    targets = torch.tensor([0, 1, 4, 8, 5, 11, 16, 22, 22, 3, 15, 9])
    wanted = -layer.log_probabilities(states).gather(1, targets[:, None]).sum()
    arguments = [states, *layer.parameters()]
    expected = torch.autograd.grad(wanted * 0.3, arguments)
    found = torch.autograd.grad(layer.sum_nats(states, targets) * 0.3, arguments)
    torch.testing.assert_close(found, expected, rtol=1e-9, atol=1e-12)


def test_it_equals_torchs_module_where_the_clusters_have_no_biases() -> None:
    layer = build((4, 10, 16), 2.0)
    theirs = nn.AdaptiveLogSoftmaxWithLoss(D, V, [4, 10, 16], 2.0, head_bias=True).double()
    with torch.no_grad():
        for bias in layer.cluster_biases:
            bias.zero_()
        theirs.head.weight.copy_(layer.head_weight)
        theirs.head.bias.copy_(layer.head_bias)
        theirs.tail[0][0].weight.copy_(layer.projections[0].weight)
        theirs.tail[0][1].weight.copy_(layer.cluster_weights[0])  # later clusters are narrower than ours may be
    states = torch.randn(5, D, dtype=torch.double)
    found, expected = layer.log_probabilities(states), theirs.log_prob(states)
    torch.testing.assert_close(found[:, :10], expected[:, :10], rtol=1e-10, atol=0)


def test_a_batch_without_rare_words_gives_their_weights_no_gradient() -> None:
    layer, states = build(), torch.randn(3, D, dtype=torch.double)
    layer.sum_nats(states, torch.tensor([0, 1, 2])).backward()
    assert all(weight.grad is not None and not weight.grad.any() for weight in layer.cluster_weights)
    assert layer.head_weight.grad is not None and layer.head_weight.grad.any()
    assert layer.sum_nats(states[:0], torch.tensor([], dtype=torch.int64)).item() == 0


@pytest.mark.parametrize(
    ("vocabulary", "fitted"),
    [(64_000, [2000, 10_000, 30_000]), (36_000, [2000, 10_000]), (2500, [2000]), (2499, [499]), (3, [1])],
)
def test_cutoffs_are_fitted_to_the_vocabulary(vocabulary: int, fitted: list[int]) -> None:
    assert fit_cutoffs((2000, 10_000, 30_000), vocabulary) == fitted


@pytest.mark.parametrize("cls", [LSTMLM, RecurrentMemory])
def test_a_model_scores_and_completes_with_it(cls: type) -> None:
    config = LSTMLMConfig if cls is LSTMLM else RMNConfig
    torch.manual_seed(2)
    model = cls(config(hidden=D, softmax="adaptive", cutoffs=CUTOFFS, shrink=1.5, init_range=0.9), V).double().eval()
    batch = make_batch([np.array([*sentence, 0], np.int32) for sentence in SENTENCES])
    nats = model.token_nats(batch)
    for column, sentence in enumerate(SENTENCES):
        states = model.states(torch.tensor([0, *sentence])[:, None])[:, 0]
        for step, word in enumerate([*sentence, 0]):
            logs = expected_logs(model.output, states[step])
            assert -nats[step, column].item() == pytest.approx(logs[word], rel=1e-9)
    assert model.loss(batch).nats.item() == pytest.approx(nats.sum().item(), rel=1e-9)
    following = next_word_probabilities(model, np.array(SENTENCES[0]))
    assert following.sum() == pytest.approx(1, rel=1e-12)
    last = model.states(torch.tensor([0, *SENTENCES[0]])[:, None])[-1, 0]
    assert following == pytest.approx(np.exp(expected_logs(model.output, last)), rel=1e-9)


@pytest.mark.parametrize("cutoffs", ["", "0,5", "5,5", "9,3"])
def test_cutoffs_must_rise(cutoffs: str) -> None:
    with pytest.raises(UsageError, match="cutoffs must be whole numbers from 1 on, each greater than the one before"):
        resolve_settings("rm", "default", {"softmax": "adaptive", "cutoffs": cutoffs})


def test_a_tied_matrix_needs_the_full_softmax() -> None:
    with pytest.raises(UsageError, match="tie: the adaptive softmax has no matrix over all words"):
        resolve_settings("lstm-lm", "default", {"softmax": "adaptive", "tie": True})
