"""`TrainConfig` -> update rules: optimiser, learning-rate schedule and the running mean of the weights."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor, nn

from nntag.config.training import TrainConfig
from nntag.training.update_rules import SGD, Adagrad, Adam, LazyAdam, UpdateRule

SPARSE = ("sgd", "lazy-adam")  # torch's fused AdaGrad takes no sparse gradients; Adam moves every row
ADAMS = {"adam": Adam, "lazy-adam": LazyAdam}
AVERAGE_START = 10  # ours: early on the mean forgets faster, decay = (1 + step) / (10 + step) at most


def build_optimiser(parameters: Iterable[nn.Parameter], config: TrainConfig) -> UpdateRule:
    """The optimiser that `config` names over the parameters that are trained."""
    trained = [parameter for parameter in parameters if parameter.requires_grad]
    if config.optimiser in ADAMS:
        betas = (0.9, config.adam_beta2)
        return ADAMS[config.optimiser](trained, config.lr, betas=betas, weight_decay=config.weight_decay)
    return (Adagrad if config.optimiser == "adagrad" else SGD)(trained, config.lr, weight_decay=config.weight_decay)


def learning_rate(config: TrainConfig, epoch: int, step: int) -> float:
    """The rate of update `step` in `epoch` (both from 1): a rise over the warm-up, then a fall by epochs or by updates.

    By updates, a small corpus gets as many of them at a high rate as a large one.
    """
    rate = config.lr * config.lr_decay ** max(0, epoch - config.lr_decay_after)
    if config.lr_half_life:
        rate *= 0.5 ** max(0.0, step / config.lr_half_life - 1)
    return rate * min(1.0, step / config.warmup_steps) if config.warmup_steps else rate


def takes_sparse_gradients(config: TrainConfig) -> bool:
    """Whether an update leaves a row of a table alone that no item of the batch has looked up."""
    return config.optimiser in SPARSE and not config.weight_decay


@torch.no_grad()
def clip_gradients(parameters: Iterable[nn.Parameter], norm: float) -> None:
    """Rescales all gradients together to `norm` where theirs is greater; sparse ones too, which torch's own cannot."""
    gradients: list[Tensor] = []
    for parameter in parameters:
        if parameter.grad is not None:
            if parameter.grad.is_sparse:
                parameter.grad = parameter.grad.coalesce()
            gradients.append(parameter.grad.values() if parameter.grad.is_sparse else parameter.grad)
    total = nn.utils.get_total_norm(gradients)
    torch._foreach_mul_(gradients, torch.clamp(norm / (total + 1e-6), max=1.0))


class WeightAverage:
    """The exponential moving average of a model's weights (Polyak & Juditsky 1992), kept beside it."""

    def __init__(self, model: nn.Module, decay: float, every: int = 1):
        """`every`: how many updates go by between two steps of the mean, each of which counts for all of them."""
        self.decay, self.every = decay**every, every
        self.values = {name: value.detach().clone() for name, value in model.state_dict().items()}

    @torch.no_grad()
    def update(self, model: nn.Module, step: int) -> None:
        """Takes the model's weights after update `step` (from 1) into the mean."""
        if step % self.every:
            return
        steps = step // self.every
        weight = 1.0 - min(self.decay, (1.0 + steps) / (AVERAGE_START + steps))
        current = model.state_dict()
        means: list[Tensor] = list(self.values.values())
        torch._foreach_lerp_(means, [current[name] for name in self.values], weight)
