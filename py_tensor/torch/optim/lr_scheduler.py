"""Schedules of learning rates: `torch.optim.lr_scheduler`."""

from __future__ import annotations

import math
from typing import Any, ClassVar

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

    settings: ClassVar[dict[str, Any]] = {}
    """Names and defaults of the constructor's arguments after the optimizer."""

    def __init__(self, optimizer: Optimizer, *args: Any, **kwargs: Any) -> None:
        known = {**self.settings, "last_epoch": -1}
        vars(self).update(known | dict(zip(known, args, strict=False)) | kwargs)
        self.optimizer = optimizer
        for group in optimizer.param_groups:
            group.setdefault("initial_lr", group["lr"])
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch: int
        self.step()

    def get_lr(self) -> list[float]:
        """Return the rate of each group."""
        return [base * self.factor(self.last_epoch) for base in self.base_lrs]

    def factor(self, epoch: int) -> Any:
        """Return the factor of the first rate."""
        raise NotImplementedError

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

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


class LambdaLR(LRScheduler):
    """Rates times a function of the epoch, or one for each group."""

    settings: ClassVar[dict[str, Any]] = {"lr_lambda": None}

    def get_lr(self) -> list[float]:
        own = self.lr_lambda
        functions = own if isinstance(own, (list, tuple)) else [own] * len(self.base_lrs)
        pairs = zip(self.base_lrs, functions, strict=True)
        return [base * function(self.last_epoch) for base, function in pairs]


class StepLR(LRScheduler):
    """Rates times gamma after every `step_size` epochs."""

    settings: ClassVar[dict[str, Any]] = {"step_size": 1, "gamma": 0.1}

    def factor(self, epoch: int) -> Any:
        return self.gamma ** (epoch // self.step_size)


class MultiStepLR(LRScheduler):
    """Rates times gamma at milestones."""

    settings: ClassVar[dict[str, Any]] = {"milestones": (), "gamma": 0.1}

    def factor(self, epoch: int) -> Any:
        return self.gamma ** sum(epoch >= milestone for milestone in self.milestones)


class ExponentialLR(LRScheduler):
    """Rates times gamma after every epoch."""

    settings: ClassVar[dict[str, Any]] = {"gamma": 0.1}

    def factor(self, epoch: int) -> Any:
        return self.gamma**epoch


class LinearLR(LRScheduler):
    """Rates times a factor that changes evenly."""

    settings: ClassVar[dict[str, Any]] = {
        "start_factor": 1 / 3, "end_factor": 1.0, "total_iters": 5,
    }  # fmt: skip

    def factor(self, epoch: int) -> Any:
        share = min(1.0, epoch / self.total_iters)
        return self.start_factor + (self.end_factor - self.start_factor) * share


class CosineAnnealingLR(LRScheduler):
    """Rates along half a cosine to `eta_min`."""

    settings: ClassVar[dict[str, Any]] = {"T_max": 1, "eta_min": 0.0}

    def get_lr(self) -> list[float]:
        share = (1 + math.cos(math.pi * self.last_epoch / self.T_max)) / 2
        return [self.eta_min + (base - self.eta_min) * share for base in self.base_lrs]


class ReduceLROnPlateau(LRScheduler):
    """Multiply the rates by a factor once a metric has stopped improving."""

    settings: ClassVar[dict[str, Any]] = {
        "mode": "min", "factor_": 0.1, "patience": 10, "threshold": 1e-4, "threshold_mode": "rel",
        "cooldown": 0, "min_lr": 0.0,
    }  # fmt: skip

    def __init__(self, optimizer: Optimizer, *args: Any, **kwargs: Any) -> None:
        if "factor" in kwargs:
            kwargs["factor_"] = kwargs.pop("factor")
        self.best, self.bad = math.inf, -1
        super().__init__(optimizer, *args, **kwargs)

    def step(self, metrics: Any = math.inf) -> None:
        """Take the metric of an epoch."""
        value = float(metrics) * (1 if self.mode == "min" else -1)
        if value < self.best - self.threshold * abs(self.best) or math.isinf(self.best):
            self.best, self.bad = value, 0
        else:
            self.bad += 1
        if self.bad > self.patience:
            self.bad = 0
            for group in self.optimizer.param_groups:
                group["lr"] = max(group["lr"] * self.factor_, self.min_lr)
