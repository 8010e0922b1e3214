"""Schedules of learning rates: `torch.optim.lr_scheduler`."""

from __future__ import annotations

import math
from collections.abc import Callable
from inspect import signature
from typing import Any

from .optimizer import Optimizer


class LRScheduler:
    """Base class of schedules: `get_lr` returns the rates of an epoch.

    >>> import py_tensor.torch as torch
    >>> optimizer = torch.optim.SGD([torch.zeros(1)], lr=1.0)
    >>> schedule = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
    >>> schedule.step()
    >>> schedule.get_last_lr()
    [0.5]
    """

    formula: Any
    """Function of the first rate, the epoch and the constructor's arguments."""

    def __init__(self, optimizer: Optimizer, *args: Any, **kwargs: Any) -> None:
        self.optimizer, self.last_epoch = optimizer, kwargs.pop("last_epoch", -1)
        kwargs.pop("verbose", None)
        for group in optimizer.param_groups:
            group.setdefault("initial_lr", group["lr"])
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        own = signature(self.formula).bind(0.0, 0, *args, **kwargs)
        own.apply_defaults()
        vars(self).update(list(own.arguments.items())[2:])
        self.step()

    def get_lr(self) -> list[float]:
        """Return the rate of each group."""
        own = [getattr(self, name) for name in list(signature(self.formula).parameters)[2:]]
        return [self.formula(base, self.last_epoch, *own) for base in self.base_lrs]

    def step(self, epoch: Any = None) -> None:
        """Go to the next epoch."""
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        for group, rate in zip(self.optimizer.param_groups, self.get_lr(), strict=True):
            group["lr"] = rate

    def get_last_lr(self) -> list[float]:
        """Return the rates in use."""
        return [group["lr"] for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        """Return the state without the optimizer."""
        return {name: value for name, value in vars(self).items() if name != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Set the state."""
        vars(self).update(state_dict)


class LambdaLR(LRScheduler):
    """Rates times a function of the epoch, or one for each group."""

    formula = staticmethod(lambda base, epoch, lr_lambda: base)
    lr_lambda: Any

    def get_lr(self) -> list[float]:
        own = self.lr_lambda
        functions = own if isinstance(own, (list, tuple)) else [own] * len(self.base_lrs)
        pairs = zip(self.base_lrs, functions, strict=True)
        return [base * function(self.last_epoch) for base, function in pairs]


class ReduceLROnPlateau(LRScheduler):
    """Multiply the rates by a factor once a metric has stopped improving."""

    formula = staticmethod(
        lambda base, epoch, mode="min", factor=0.1, patience=10, threshold=1e-4,
        threshold_mode="rel", cooldown=0, min_lr=0.0: base
    )  # fmt: skip
    best, bad = math.inf, -1

    def step(self, metrics: Any = math.inf) -> None:
        """Take the metric of an epoch."""
        own: Any = self
        value = float(metrics) * (1 if own.mode == "min" else -1)
        if value < self.best - own.threshold * abs(self.best) or math.isinf(self.best):
            self.best, self.bad = value, 0
        else:
            self.bad += 1
        if self.bad > own.patience:
            self.bad = 0
            for group in self.optimizer.param_groups:
                group["lr"] = max(group["lr"] * own.factor, own.min_lr)


_FORMULAS: dict[str, Callable[..., float]] = {
    "StepLR": lambda base, epoch, step_size, gamma=0.1: base * gamma ** (epoch // step_size),
    "MultiStepLR": lambda base, epoch, milestones, gamma=0.1: (
        base * gamma ** sum(epoch >= milestone for milestone in milestones)
    ),
    "ExponentialLR": lambda base, epoch, gamma: base * gamma**epoch,
    "LinearLR": lambda base, epoch, start_factor=1 / 3, end_factor=1.0, total_iters=5: (
        base * (start_factor + (end_factor - start_factor) * min(1.0, epoch / total_iters))
    ),
    "CosineAnnealingLR": lambda base, epoch, T_max, eta_min=0.0: (
        eta_min + (base - eta_min) * (1 + math.cos(math.pi * epoch / T_max)) / 2
    ),
}
vars().update(
    {
        name: type(name, (LRScheduler,), {"formula": staticmethod(formula), "__module__": __name__})
        for name, formula in _FORMULAS.items()
    }
)
