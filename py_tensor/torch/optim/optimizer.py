"""Optimizers whose step is a formula of `pt.optim`, with PyTorch's names of settings and slots."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from ... import optim
from ...functions.creation import full
from ...tensor import Tensor as Value, realize
from ..autograd import enable_grad, no_grad
from ..tensor import Tensor

IGNORED = {"foreach", "fused", "capturable", "differentiable"}
"""Settings that choose between implementations."""
_NAMES = {"eps": "epsilon", "alpha": "rho", "initial_accumulator_value": "initial_accumulator"}
"""Names of settings in `pt.optim`."""
_OF_STEPS = {"params", "lr", "initial_lr", "weight_decay", "maximize", "lr_decay", "dampening"}
"""Settings that formulas of `pt.optim` do not have."""


class Optimizer:
    """Base class of optimizers: groups of parameters with settings, and a state for each parameter.

    >>> import py_tensor.torch as torch
    >>> w = torch.nn.Parameter(torch.ones(1))
    >>> optimizer = torch.optim.SGD([w], lr=0.5)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w.item()
    0.0
    """

    def __init__(self, params: Iterable[Any], defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        self.state: dict[Any, dict[str, Any]] = {}
        self.param_groups: list[dict[str, Any]] = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list; pass model.parameters()")
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)
        self._realize()

    def _params(self) -> list[Any]:
        return [parameter for group in self.param_groups for parameter in group["params"]]

    def _realize(self) -> None:
        """Compute the parameters and slots, so that each step is one plan and all are equal."""
        slots = [value for own in self.state.values() for value in own.values()]
        tensors = [parameter._value for parameter in self._params()]
        realize(*tensors, *(value for value in slots if isinstance(value, Value)))

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add parameters with settings of their own."""
        own = param_group["params"]
        params = [own] if isinstance(own, Tensor) else list(own)
        self.param_groups.append(self.defaults | param_group | {"params": params})

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Remove the gradients."""
        for parameter in self._params():
            parameter.grad = None

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change the parameters by one step; `closure` computes the loss and gradients first."""
        raise NotImplementedError

    def state_dict(self) -> dict[str, Any]:
        """Return the slots and the settings."""
        numbers = {id(parameter): at for at, parameter in enumerate(self._params())}
        state = {
            numbers[id(parameter)]: {
                name: Tensor._of(value) if isinstance(value, Value) else value
                for name, value in own.items()
            }
            for parameter, own in self.state.items()
        }
        groups = [g | {"params": [numbers[id(p)] for p in g["params"]]} for g in self.param_groups]
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Set the slots and the settings."""
        params = self._params()
        self.state = {
            params[at]: {
                name: value.clone()._value if isinstance(value, Tensor) else value
                for name, value in own.items()
            }
            | {"step": int(own["step"])}
            for at, own in state_dict["state"].items()
        }
        for group, new in zip(self.param_groups, state_dict["param_groups"], strict=True):
            group |= {name: value for name, value in new.items() if name != "params"}


class Rule(Optimizer):
    """Optimizer with named settings, and a formula of `pt.optim`."""

    rule: Any
    """Function of `pt.optim` whose formula is used."""
    settings: ClassVar[dict[str, Any]] = {}
    """Names and defaults of the constructor's arguments."""
    slots: ClassVar[dict[str, str]] = {}
    """PyTorch's name of each slot of the formula."""

    def __init__(self, params: Iterable[Any], *args: Any, **kwargs: Any) -> None:
        known = self.settings | ({"maximize": False} if hasattr(self, "rule") else {})
        given = dict(zip(known, args, strict=False)) | kwargs
        unknown = given.keys() - known.keys() - IGNORED
        if unknown:
            raise TypeError(
                f"{type(self).__name__}: unknown settings; got {sorted(unknown)}; use "
                f"{', '.join(known)}"
            )
        super().__init__(params, known | given)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        with no_grad():
            for group in self.param_groups:
                rule = self._formula(group)
                for parameter in group["params"]:
                    if parameter.grad is not None:
                        self._step(parameter, group, rule)
        self._realize()
        return loss

    def _formula(self, group: dict[str, Any]) -> optim.Optimizer:
        """Return the optimizer of `pt.optim` with the settings of a group."""
        known = self.settings.keys() - _OF_STEPS
        own = {_NAMES.get(name, name): group[name] for name in known}
        if "betas" in own:
            own["beta1"], own["beta2"] = own.pop("betas")
        rule: optim.Optimizer = type(self).rule(**own)
        return rule

    def _step(self, parameter: Any, group: dict[str, Any], rule: optim.Optimizer) -> None:
        p, g = parameter._value, parameter.grad._value
        g = -g if group["maximize"] else g
        rate, decay = group["lr"], group["weight_decay"]
        if decay and isinstance(self, AdamW):
            p = p * (1 - rate * decay)
        elif decay:
            g = g + decay * p
        state = self.state.get(parameter)
        if state is None:
            state = {
                self.slots[name]: full(p.shape, start, dtype=p.dtype) for name, start in rule.slots
            }
            realize(*state.values())
            state["step"] = 0
            self.state[parameter] = state
        elif group.get("dampening"):
            g = (1 - group["dampening"]) * g
        state["step"] += 1
        names = [self.slots[name] for name, _ in rule.slots]
        direction, *slots = rule.formula(
            g, *(state[name] for name in names), step=state["step"], **dict(rule.settings)
        )
        state.update(zip(names, slots, strict=True))
        rate /= 1 + (state["step"] - 1) * group.get("lr_decay", 0)
        parameter._value._move((p - rate * direction)._node)


def _descent(momentum: float, nesterov: bool) -> optim.Optimizer:
    return optim.momentum(1e-3, momentum, nesterov=nesterov) if momentum else optim.sgd()


class SGD(Rule):
    """Gradient descent, with momentum."""

    rule = staticmethod(_descent)
    settings: ClassVar[dict[str, Any]] = {
        "lr": 1e-3, "momentum": 0, "dampening": 0, "weight_decay": 0, "nesterov": False,
    }  # fmt: skip
    slots: ClassVar[dict[str, str]] = {"velocity": "momentum_buffer"}


class Adam(Rule):
    """Steps by the mean of gradients, divided by the root of the mean of their squares."""

    rule = staticmethod(optim.adam)
    settings: ClassVar[dict[str, Any]] = {
        "lr": 1e-3, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0, "amsgrad": False,
    }  # fmt: skip
    slots: ClassVar[dict[str, str]] = {
        "mean": "exp_avg", "square": "exp_avg_sq", "largest": "max_exp_avg_sq",
    }  # fmt: skip


class AdamW(Adam):
    """Adam with decoupled weight decay."""

    settings: ClassVar[dict[str, Any]] = Adam.settings | {"weight_decay": 1e-2}


class RMSprop(Rule):
    """Steps by gradients divided by the root of the mean of their squares."""

    rule = staticmethod(optim.rmsprop)
    settings: ClassVar[dict[str, Any]] = {
        "lr": 1e-2, "alpha": 0.99, "eps": 1e-8, "weight_decay": 0, "momentum": 0, "centered": False,
    }  # fmt: skip
    slots: ClassVar[dict[str, str]] = {
        "square": "square_avg", "mean": "grad_avg", "velocity": "momentum_buffer",
    }  # fmt: skip


class Adagrad(Rule):
    """Steps by gradients divided by the root of the sum of their squares."""

    rule = staticmethod(optim.adagrad)
    settings: ClassVar[dict[str, Any]] = {
        "lr": 1e-2, "lr_decay": 0, "weight_decay": 0, "initial_accumulator_value": 0.0,
        "eps": 1e-10,
    }  # fmt: skip
    slots: ClassVar[dict[str, str]] = {"square": "sum"}


class Adadelta(Rule):
    """Steps by gradients, scaled by past steps and gradients."""

    rule = staticmethod(optim.adadelta)
    settings: ClassVar[dict[str, Any]] = {"lr": 1.0, "rho": 0.9, "eps": 1e-6, "weight_decay": 0}
    slots: ClassVar[dict[str, str]] = {"square": "square_avg", "change": "acc_delta"}
