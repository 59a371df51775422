"""The update rules of Adam, AdaGrad and SGD: parameters with gradients in, the same parameters moved out.

They run torch's own kernels, so that results are those of `torch.optim`, to the last bit on CPUs. The classes of
`torch.optim` load torch's compiler with the first optimiser that is made, which no part of nntag uses: 2 s and 59 MB of
every training.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn

Slots = dict[str, Tensor]  # what a rule keeps for a parameter, and the number of its updates


class UpdateRule:
    """Parameters in one group, whose settings may change between updates; the moments of each."""

    kept: tuple[str, ...] = ()  # moments of a parameter's shape, all zeros at first

    def __init__(self, parameters: Iterable[nn.Parameter], lr: float, **settings: Any):
        self.param_groups: list[dict[str, Any]] = [{"params": list(parameters), "lr": lr, **settings}]
        self.state: defaultdict[Tensor, Slots] = defaultdict(dict)

    @property
    def moments(self) -> set[str]:
        """The names of all that is kept for a parameter."""
        return {"step", *self.kept} if self.kept else set()

    def zero_grad(self) -> None:
        """Forgets the gradients."""
        for group in self.param_groups:
            for parameter in group["params"]:
                parameter.grad = None

    @torch.no_grad()
    def step(self) -> None:
        """One update by the gradients that the parameters have."""
        for group in self.param_groups:
            moved = [parameter for parameter in group["params"] if parameter.grad is not None]
            for parameter in moved:
                if self.kept and not self.state[parameter]:
                    self.state[parameter] = {name: torch.zeros_like(parameter) for name in self.kept}
                    self.state[parameter]["step"] = torch.zeros((), dtype=torch.float32, device=parameter.device)
            if moved:
                self._move(moved, [parameter.grad for parameter in moved], group)

    def _move(self, parameters: list[Tensor], gradients: list[Any], group: dict[str, Any]) -> None:
        raise NotImplementedError

    def _gather(self, parameters: list[Tensor]) -> list[list[Tensor]]:
        """The moments of all parameters, in the order of `kept`, and the numbers of updates."""
        return [[self.state[parameter][name] for parameter in parameters] for name in (*self.kept, "step")]

    def state_dict(self) -> dict[str, Any]:
        """As that of `torch.optim`: the moments by the parameters' numbers."""
        numbered = enumerate(self.param_groups[0]["params"])
        return {"state": {number: self.state[parameter] for number, parameter in numbered if self.state[parameter]}}

    def load_state_dict(self, given: dict[str, Any]) -> None:
        """Puts the moments of `state_dict` back, on the parameters' device."""
        parameters = self.param_groups[0]["params"]
        for number, slots in given["state"].items():
            device = parameters[number].device
            self.state[parameters[number]] = {name: value.to(device) for name, value in slots.items()}


class SGD(UpdateRule):
    """p -= lr g; takes sparse gradients too."""

    def _move(self, parameters: list[Tensor], gradients: list[Any], group: dict[str, Any]) -> None:
        for parameter, gradient in zip(parameters, gradients, strict=True):
            if group["weight_decay"]:
                gradient = gradient.add(parameter, alpha=group["weight_decay"])
            parameter.add_(gradient, alpha=-group["lr"])


class Adagrad(UpdateRule):
    """Duchi, Hazan & Singer 2011."""

    kept = ("sum",)
    eps = 1e-10

    def _move(self, parameters: list[Tensor], gradients: list[Any], group: dict[str, Any]) -> None:
        sums, steps = self._gather(parameters)
        torch._foreach_add_(steps, 1)
        decay = group["weight_decay"]
        if all(parameter.device.type == "cpu" for parameter in parameters):
            settings = {"lr": group["lr"], "lr_decay": 0.0, "weight_decay": decay, "eps": self.eps, "maximize": False}
            torch._fused_adagrad_(parameters, gradients, sums, steps, **settings)  # type: ignore[attr-defined]
            return
        for parameter, gradient, total in zip(parameters, gradients, sums, strict=True):  # torch has none for GPUs
            gradient = gradient.add(parameter, alpha=decay) if decay else gradient
            total.addcmul_(gradient, gradient)
            parameter.addcdiv_(gradient, total.sqrt().add_(self.eps), value=-group["lr"])


class Adam(UpdateRule):
    """Kingma & Ba 2015."""

    kept = ("exp_avg", "exp_avg_sq")
    eps = 1e-8
    kernel = staticmethod(torch._fused_adam_)  # type: ignore[attr-defined]

    def _move(self, parameters: list[Tensor], gradients: list[Any], group: dict[str, Any]) -> None:
        means, squares, steps = self._gather(parameters)
        torch._foreach_add_(steps, 1)
        beta1, beta2 = group["betas"]
        settings = {"lr": group["lr"], "beta1": beta1, "beta2": beta2, "weight_decay": group["weight_decay"]}
        self.kernel(
            parameters, gradients, means, squares, [], steps, eps=self.eps, amsgrad=False, maximize=False, **settings
        )


class AdamW(Adam):
    """Loshchilov & Hutter 2019: the weights decay apart from the gradients."""

    kernel = staticmethod(torch._fused_adamw_)  # type: ignore[attr-defined]


class LazyAdam(Adam):
    """Adam that moves only the rows of a table that the batch has looked up, and their moments.

    Adam itself moves every row at every update, as its moments decay; with tables of many thousand rows that takes more
    time than all the rest. Rows whose gradient is sparse keep their moments until they are looked up again; what has a
    dense gradient is moved as by Adam.
    """

    def _move(self, parameters: list[Tensor], gradients: list[Any], group: dict[str, Any]) -> None:
        for parameter, gradient in zip(parameters, gradients, strict=True):
            self._move_one(parameter, gradient, group)

    def _move_one(self, parameter: Tensor, gradient: Tensor, group: dict[str, Any]) -> None:
        state, (beta1, beta2) = self.state[parameter], group["betas"]
        state["step"] += 1
        step, mean, square = int(state["step"]), state["exp_avg"], state["exp_avg_sq"]
        is_sparse, rows = gradient.is_sparse, None
        if is_sparse:
            gradient = gradient.coalesce()
            rows, gradient = gradient.indices()[0], gradient.values()
            mean, square = mean[rows], square[rows]
        mean.lerp_(gradient, 1 - beta1)
        square.mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
        size = group["lr"] / (1 - beta1**step)
        change = mean / (square.sqrt().div_((1 - beta2**step) ** 0.5).add_(self.eps))
        if rows is None:
            parameter.add_(change, alpha=-size)
        else:
            state["exp_avg"][rows], state["exp_avg_sq"][rows] = mean, square
            parameter.index_add_(0, rows, change, alpha=-size)
