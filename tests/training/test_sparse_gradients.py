"""Sparse gradients change nothing but the time: clipping and steps equal those with dense ones."""

import numpy as np
import pytest
import torch

from nntag.config.language_models import RMNConfig
from nntag.config.training import TrainConfig
from nntag.errors import UsageError
from nntag.language_models.models.rmn import RecurrentMemory
from nntag.language_models.streams import make_batch
from nntag.training.optimisers import WeightAverage, build_optimiser, clip_gradients, takes_sparse_gradients


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
    ("optimiser", "decay", "sparse"),
    [
        ("sgd", 0.0, True),
        ("sgd", 0.1, False),
        ("adam", 0.0, False),
        ("adagrad", 0.0, False),
        ("lazy-adam", 0.0, True),
    ],
)
def test_only_rules_that_leave_unused_rows_alone_take_sparse_gradients(optimiser, decay, sparse):
    assert takes_sparse_gradients(TrainConfig(optimiser=optimiser, weight_decay=decay)) == sparse


def test_lazy_adam_is_adam_but_for_rows_that_are_not_looked_up():
    """Against a loop over single numbers."""
    table = torch.nn.Embedding(5, 3, sparse=True, dtype=torch.double)
    dense = torch.nn.Parameter(torch.randn(3, dtype=torch.double))
    optimiser = build_optimiser([table.weight, dense], TrainConfig(optimiser="lazy-adam", lr=0.1))
    theirs = dense.detach().clone().requires_grad_()
    adam = torch.optim.Adam([theirs], lr=0.1)
    weight = table.weight.detach().numpy().copy()
    means, squares = np.zeros_like(weight), np.zeros_like(weight)
    for step, words in enumerate(([0, 2, 0], [2], [4, 0], [2, 2, 2]), start=1):
        optimiser.zero_grad()
        adam.zero_grad()
        (table(torch.tensor(words)) * dense).pow(2).sum().backward()
        gradient = table.weight.grad.to_dense().numpy()
        theirs.grad = dense.grad.clone()
        optimiser.step()
        adam.step()
        for row in set(words):
            means[row] = 0.9 * means[row] + 0.1 * gradient[row]
            squares[row] = 0.999 * squares[row] + 0.001 * gradient[row] ** 2
            scaled = np.sqrt(squares[row] / (1 - 0.999**step)) + 1e-8
            weight[row] -= 0.1 * means[row] / (1 - 0.9**step) / scaled
        np.testing.assert_allclose(table.weight.detach().numpy(), weight, rtol=1e-9)
        torch.testing.assert_close(dense, theirs, rtol=1e-9, atol=0)


def test_lazy_adam_takes_no_weight_decay():
    with pytest.raises(UsageError, match="lazy-adam takes no weight_decay"):
        TrainConfig(optimiser="lazy-adam", weight_decay=0.1)


def test_a_mean_that_steps_every_third_update():
    model = torch.nn.Linear(1, 1, bias=False)
    average = WeightAverage(model, 0.5, every=3)
    mean = model.weight.item()
    for step in range(1, 10):
        with torch.no_grad():
            model.weight.fill_(step)
        average.update(model, step)
        if step % 3 == 0:
            decay = min(0.5**3, (1 + step / 3) / (10 + step / 3))
            mean = decay * mean + (1 - decay) * step
        assert average.values["weight"].item() == pytest.approx(mean)
