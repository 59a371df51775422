"""Sparse gradients change nothing but the time: clipping and steps equal those with dense ones."""

import numpy as np
import pytest
import torch

from nntag.config.language_models import RMNConfig
from nntag.config.training import TrainConfig
from nntag.language_models.models.rmn import RecurrentMemory
from nntag.language_models.streams import make_batch
from nntag.training.optimisers import build_optimiser, clip_gradients, takes_sparse_gradients


def train_steps(sparse: bool, norm: float) -> dict[str, torch.Tensor]:
    torch.manual_seed(3)
    model = RecurrentMemory(RMNConfig(hidden=6, memory=3, init_range=0.5), 12).double()
    if sparse:
        model.use_sparse_gradients()
    optimiser = build_optimiser(model.parameters(), TrainConfig(optimiser="sgd", lr=1.0))
    for sentence in ([4, 5, 4, 0], [7, 8, 4, 4, 1, 0], [2, 0]):
        optimiser.zero_grad()
        model.loss(make_batch([np.array(sentence)])).nats.backward()
        assert model.embedding.weight.grad.is_sparse == sparse
        clip_gradients(model.parameters(), norm)
        optimiser.step()
    return model.state_dict()


@pytest.mark.parametrize("norm", [0.5, 1e6])
def test_steps_with_sparse_gradients_equal_dense_ones(norm):
    dense, sparse = train_steps(False, norm), train_steps(True, norm)
    for name, value in dense.items():
        torch.testing.assert_close(sparse[name], value, rtol=1e-10, atol=1e-13)


def test_clipping_equals_torchs_own():
    parameters = [torch.nn.Parameter(torch.randn(3, 4)) for _ in range(3)]
    for parameter in parameters:
        parameter.grad = torch.randn(3, 4)
    gradients = [parameter.grad.clone() for parameter in parameters]
    clip_gradients(parameters, 1.5)
    found = [parameter.grad.clone() for parameter in parameters]
    for parameter, gradient in zip(parameters, gradients, strict=True):
        parameter.grad = gradient
    torch.nn.utils.clip_grad_norm_(parameters, 1.5)
    for parameter, value in zip(parameters, found, strict=True):
        torch.testing.assert_close(value, parameter.grad)


@pytest.mark.parametrize(
    ("optimiser", "decay", "sparse"), [("sgd", 0.0, True), ("sgd", 0.1, False), ("adam", 0.0, False)]
)
def test_only_plain_sgd_takes_sparse_gradients(optimiser, decay, sparse):
    assert takes_sparse_gradients(TrainConfig(optimiser=optimiser, weight_decay=decay)) == sparse
