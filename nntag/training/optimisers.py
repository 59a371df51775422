"""`TrainConfig` -> update rules: optimiser, learning-rate schedule and the running mean of the weights."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn

from nntag.config.training import TrainConfig

SPARSE = ("sgd", "lazy-adam")  # torch's fused AdaGrad takes no sparse gradients; Adam moves every row
AVERAGE_START = 10  # ours: early on the mean forgets faster, decay = (1 + step) / (10 + step) at most


class LazyAdam(torch.optim.Optimizer):
    """Adam (Kingma & Ba 2015) that moves only the rows of a table that the batch has looked up, and their moments.

    Adam itself moves every row at every update, as its moments decay; with tables of many thousand rows that takes more
    time than all the rest. Rows whose gradient is sparse keep their moments until they are looked up again; what has a
    dense gradient is moved as by Adam.
    """

    def __init__(self, parameters: Iterable[nn.Parameter], lr: float, betas: tuple[float, float], eps: float = 1e-8):
        super().__init__(parameters, {"lr": lr, "betas": betas, "eps": eps})

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # type: ignore[override]
        """One update by the gradients that the parameters have."""
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    self._move(parameter, parameter.grad, group)

    def _move(self, parameter: Tensor, gradient: Tensor, group: dict[str, Any]) -> None:
        state, (beta1, beta2) = self.state[parameter], group["betas"]
        if not state:
            state["step"] = torch.zeros(())
            state["exp_avg"], state["exp_avg_sq"] = torch.zeros_like(parameter), torch.zeros_like(parameter)
        state["step"] += 1
        step, mean, square = int(state["step"]), state["exp_avg"], state["exp_avg_sq"]
        if gradient.is_sparse:
            gradient = gradient.coalesce()
            rows, gradient = gradient.indices()[0], gradient.values()
            mean, square = mean[rows], square[rows]
        mean.lerp_(gradient, 1 - beta1)
        square.mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
        size = group["lr"] / (1 - beta1**step)
        change = mean / (square.sqrt().div_((1 - beta2**step) ** 0.5).add_(group["eps"]))
        if parameter.grad is not None and parameter.grad.is_sparse:
            state["exp_avg"][rows], state["exp_avg_sq"][rows] = mean, square
            parameter.index_add_(0, rows, change, alpha=-size)
        else:
            parameter.add_(change, alpha=-size)


def build_optimiser(parameters: Iterable[nn.Parameter], config: TrainConfig) -> torch.optim.Optimizer:
    """The optimiser that `config` names over the parameters that are trained."""
    trained = [parameter for parameter in parameters if parameter.requires_grad]
    common: dict[str, Any] = {"lr": config.lr, "weight_decay": config.weight_decay}
    if config.optimiser == "adam":
        return torch.optim.Adam(trained, betas=(0.9, config.adam_beta2), fused=True, **common)
    if config.optimiser == "lazy-adam":
        return LazyAdam(trained, config.lr, (0.9, config.adam_beta2))
    if config.optimiser == "adagrad":
        on_cpu = all(parameter.device.type == "cpu" for parameter in trained)  # torch has no fused AdaGrad for GPUs
        return torch.optim.Adagrad(trained, fused=on_cpu, **common)
    return torch.optim.SGD(trained, **common)


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
