"""The neural language models against plain loops, and what must hold for all of them."""

import dataclasses

import numpy as np
import pytest
import torch

from nntag.config.language_models import LSTMLMConfig, MemNConfig, RMNConfig
from nntag.language_models.models import rmn
from nntag.language_models.models.lstm_lm import LSTMLM
from nntag.language_models.models.memory_network import MemoryNetwork
from nntag.language_models.models.rmn import RecurrentMemory
from nntag.language_models.streams import make_batch
from tests.reference.lstm import predict, run_lstm
from tests.reference.memory_network import run_memory_network
from tests.reference.rmn import attend, compose_gating, compose_linear

V, D = 11, 5
SENTENCES = [[3, 7, 2, 2, 9, 10, 1], [4, 3], [], [8, 6, 5, 4, 3, 2, 1, 2, 3]]

CONFIGS = {
    "lstm-1": (LSTMLM, LSTMLMConfig(hidden=D)),
    "lstm-3": (LSTMLM, LSTMLMConfig(hidden=D, layers=3)),
    "lstm-tied": (LSTMLM, LSTMLMConfig(hidden=D, tie=True)),
    "memn": (MemoryNetwork, MemNConfig(hidden=D, memory=4)),
} | {
    f"{'rmr' if top else 'rm'}{'+' if temporal else '-'}tM-{composition[0]}": (
        RecurrentMemory,
        RMNConfig(hidden=D, memory=4, temporal=temporal, composition=composition, recurrent_top=top),
    )
    for top in (False, True)
    for temporal in (False, True)
    for composition in ("gating", "linear", "sum")
}


def build(name, **changes):
    """The model in float64 with weights large enough for every term to matter."""
    cls, config = CONFIGS[name]
    torch.manual_seed(len(name))
    return cls(dataclasses.replace(config, init_range=0.9, **changes), V).double().eval()


def weights_of(model):
    return {name: value.numpy() for name, value in model.state_dict().items()}


def reference_lstm(prefix, weights, x):
    w, u, b = {}, {}, {}
    for number, gate in enumerate("ifjo"):  # the order in which nn.LSTM keeps its gates
        rows = slice(number * D, (number + 1) * D)
        w[gate], u[gate] = weights[prefix + "weight_ih_l0"][rows], weights[prefix + "weight_hh_l0"][rows]
        b[gate] = weights[prefix + "bias_ih_l0"][rows] + weights[prefix + "bias_hh_l0"][rows]
    return run_lstm(x, w, u, b)


def reference(model, config, inputs):
    """Log-probabilities [T][V] after each of `inputs`, and the attention weights."""
    weights = weights_of(model)
    attention = None
    if isinstance(model, MemoryNetwork):
        names = ("memory_input.weight", "memory_output.weight", "temporal", "temporal_output")
        block = [weights[f"block.{name}"] for name in names]
        states = run_memory_network(inputs, *block, weights["composer.linear.weight"], config.query)
        return predict(states, weights["output_weight"], weights["output_bias"]), None
    table = weights["output_weight" if config.tie else "embedding.weight"]
    states = np.array([table[word] for word in inputs])
    for layer in range(config.layers):
        states = reference_lstm(f"stack.layers.{layer}.", weights, states)
    if isinstance(model, RecurrentMemory):
        contexts, attention = attend(
            states,
            inputs,
            weights["block.memory_input.weight"],
            weights["block.memory_output.weight"],
            config.memory,
            weights.get("block.temporal"),
            weights.get("block.temporal_output"),
        )
        pairs = zip(contexts, states, strict=True)
        states = np.array([reference_compose(config.composition, weights, s, h) for s, h in pairs])
        if config.recurrent_top:
            states = reference_lstm("top.layers.0.", weights, states)
    return predict(states, weights["output_weight"], weights["output_bias"]), attention


def reference_compose(kind, weights, s, h):
    if kind == "sum":
        return s + h
    if kind == "linear":
        return compose_linear(s, h, weights["composer.linear.weight"])
    w_sz, w_sr, w = np.split(weights["composer.context_gates.weight"], 3)
    u_hz, u_hr = np.split(weights["composer.state_gates.weight"], 2)
    return compose_gating(s, h, w_sz, u_hz, w_sr, u_hr, w, weights["composer.candidate.weight"])


def batch_of(sentences):
    return make_batch([np.array([*sentence, 0], np.int32) for sentence in sentences])


@pytest.mark.parametrize("name", CONFIGS)
def test_equals_plain_loops(name):
    model = build(name)
    for sentence in SENTENCES:
        inputs = [0, *sentence]
        found = model.log_probabilities(torch.tensor(inputs)[:, None])[:, 0].numpy()
        expected, attention = reference(model, CONFIGS[name][1], inputs)
        np.testing.assert_allclose(found, expected, rtol=1e-9)
        if attention is not None:
            weights = model.attention(torch.tensor(inputs)[:, None])[:, 0].numpy()
            for row, p in zip(weights, attention, strict=True):
                np.testing.assert_allclose(row[len(row) - len(p) :], p, rtol=1e-9)
                assert (row[: len(row) - len(p)] == 0).all()


@pytest.mark.parametrize("name", CONFIGS)
def test_probabilities_sum_to_one(name):
    logs = build(name).log_probabilities(batch_of(SENTENCES).inputs)
    np.testing.assert_allclose(logs.exp().sum(-1).numpy(), 1.0, rtol=1e-12)


@pytest.mark.parametrize("name", CONFIGS)
def test_sentence_alone_equals_sentence_in_padded_batch(name):
    model = build(name)
    together = model.token_nats(batch_of(SENTENCES)).numpy()
    for column, sentence in enumerate(SENTENCES):
        alone = model.token_nats(batch_of([sentence]))[:, 0].numpy()
        steps = len(sentence) + 1
        np.testing.assert_allclose(together[:steps, column], alone, rtol=1e-9)
        assert (together[steps:, column] == 0).all()
        logs = model.log_probabilities(torch.tensor([0, *sentence])[:, None])[:, 0].numpy()
        expected = [-row[word] for row, word in zip(logs, [*sentence, 0], strict=True)]
        np.testing.assert_allclose(alone, expected, rtol=1e-9)


@pytest.mark.parametrize("name", CONFIGS)
def test_loss_is_the_sum_of_token_nats_and_reaches_every_parameter(name):
    model = build(name)
    batch = batch_of(SENTENCES)
    loss = model.loss(batch)
    assert loss.count == sum(len(sentence) + 1 for sentence in SENTENCES)
    assert loss.items == len(SENTENCES)
    np.testing.assert_allclose(loss.nats.item(), float(model.token_nats(batch).sum()), rtol=1e-9)
    loss.nats.backward()
    for parameter_name, parameter in model.named_parameters():
        assert parameter.grad is not None and parameter.grad.abs().sum() > 0, parameter_name


@pytest.mark.parametrize("name", ["lstm-3", "lstm-tied", "memn", "rm+tM-g", "rmr+tM-l"])
def test_gradients_are_those_of_finite_differences(name):
    model = build(name)
    batch = batch_of(SENTENCES)
    model.loss(batch).nats.backward()
    generator = np.random.default_rng(0)
    for parameter in model.parameters():
        flat, gradient = parameter.data.view(-1), parameter.grad.view(-1)
        for place in generator.choice(len(flat), min(4, len(flat)), replace=False):
            before = flat[place].item()
            losses = []
            for step in (1e-6, -1e-6):
                flat[place] = before + step
                losses.append(float(model.loss(batch).nats.detach()))
            flat[place] = before
            assert (losses[0] - losses[1]) / 2e-6 == pytest.approx(gradient[place].item(), rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("memory", [1, 3, 20])
def test_long_sentences_in_blocks_equal_one_block(memory, monkeypatch):
    model = build("rm+tM-g", memory=memory)
    inputs = torch.randint(V, (17, 3), generator=torch.Generator().manual_seed(1))
    whole, weights = model.states(inputs), model.attention(inputs)
    monkeypatch.setattr(rmn, "BLOCK", 4)
    np.testing.assert_allclose(model.states(inputs).detach().numpy(), whole.detach().numpy(), rtol=1e-12)
    np.testing.assert_allclose(model.attention(inputs).numpy(), weights.numpy(), rtol=1e-12)


def test_initialisation_is_the_papers():
    model = RecurrentMemory(RMNConfig(hidden=64, layers=2, recurrent_top=True), 100)
    for name, parameter in model.named_parameters():
        if name.endswith("bias_ih_l0"):
            assert (parameter[64:128] == 1).all()
            parameter = torch.cat([parameter[:64], parameter[128:]])
        assert parameter.abs().max() <= 0.05 and parameter.abs().max() > 0.045, name


def test_window_reaches_back_exactly_n_words():
    model = build("rm-tM-g", memory=4)
    inputs = torch.tensor([[1, 2, 3, 4, 5, 6, 7, 8]]).t()
    with torch.no_grad():
        before = model.block(torch.ones(8, 1, D, dtype=torch.double), inputs)[0]
        inputs[3] = 9  # seen by steps 3 to 6
        after = model.block(torch.ones(8, 1, D, dtype=torch.double), inputs)[0]
    changed = (before != after).any(-1)[:, 0].tolist()
    assert changed == [False, False, False, True, True, True, True, False]
