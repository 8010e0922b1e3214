"""Optimizers whose step is a formula of a parameter's gradient and of its slots."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from ...functions.creation import full
from ...functions.elementwise import maximum, sqrt
from ...tensor import Tensor as Value, realize
from ..autograd import enable_grad, no_grad
from ..tensor import Tensor

IGNORED = {"foreach", "fused", "capturable", "differentiable"}
"""Settings that choose between implementations."""


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
        tensors = [parameter._read() for parameter in self._params()]
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
            params[at]: {name: _slot(name, value) for name, value in own.items()}
            for at, own in state_dict["state"].items()
        }
        for group, new in zip(self.param_groups, state_dict["param_groups"], strict=True):
            group |= {name: value for name, value in new.items() if name != "params"}


def _slot(name: str, value: Any) -> Any:
    if name == "step":
        return int(value)
    return value.clone()._read() if isinstance(value, Tensor) else value


class _Rule(Optimizer):
    """Optimizer with a formula."""

    settings: ClassVar[dict[str, Any]] = {}
    """Names and defaults of the constructor's arguments."""
    slots: ClassVar[dict[str, str]] = {}
    """Setting without which there is no such slot, or "", by the names of slots."""
    decoupled = False
    """Subtract the weight decay from parameters instead of adding it to gradients."""

    def __init__(self, params: Iterable[Any], *args: Any, **kwargs: Any) -> None:
        known = {"lr": 1e-3, **self.settings, "maximize": False}
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
                for parameter in group["params"]:
                    if parameter.grad is not None:
                        self._step(parameter, group)
        self._realize()
        return loss

    def _step(self, parameter: Any, group: dict[str, Any]) -> None:
        p, g = parameter._read(), parameter.grad._read()
        g = -g if group["maximize"] else g
        decay = group["weight_decay"]
        if decay and self.decoupled:
            p = p * (1 - group["lr"] * decay)
        elif decay:
            g = g + decay * p
        state = self.state.get(parameter)
        if state is None:
            start = group.get("initial_accumulator_value", 0.0)
            names = [name for name, setting in self.slots.items() if not setting or group[setting]]
            state = {name: full(p.shape, start, dtype=p.dtype) for name in names}
            realize(*state.values())
            self.state[parameter] = state | {"step": 0}
            state = self.state[parameter]
        state["step"] += 1
        parameter._read()._move(self.stepped(p, g, state, group)._node)

    def stepped(self, p: Any, g: Any, s: dict[str, Any], o: dict[str, Any]) -> Any:
        """Return the new parameter, and change the state `s`; `o` are the settings."""
        raise NotImplementedError


class SGD(_Rule):
    """Gradient descent, with momentum."""

    settings: ClassVar[dict[str, Any]] = {
        "momentum": 0, "dampening": 0, "weight_decay": 0, "nesterov": False,
    }  # fmt: skip
    slots: ClassVar[dict[str, str]] = {"momentum_buffer": "momentum"}

    def stepped(self, p: Any, g: Any, s: dict[str, Any], o: dict[str, Any]) -> Any:
        if o["momentum"]:
            share = 1 if s["step"] == 1 else 1 - o["dampening"]
            s["momentum_buffer"] = o["momentum"] * s["momentum_buffer"] + share * g
            g = g + o["momentum"] * s["momentum_buffer"] if o["nesterov"] else s["momentum_buffer"]
        return p - o["lr"] * g


class Adam(_Rule):
    """Steps by the mean of gradients, divided by the root of the mean of their squares."""

    settings: ClassVar[dict[str, Any]] = {
        "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0, "amsgrad": False,
    }  # fmt: skip
    slots: ClassVar[dict[str, str]] = {
        "exp_avg": "", "exp_avg_sq": "", "max_exp_avg_sq": "amsgrad",
    }  # fmt: skip

    def stepped(self, p: Any, g: Any, s: dict[str, Any], o: dict[str, Any]) -> Any:
        (b1, b2), step = o["betas"], s["step"]
        s["exp_avg"] = s["exp_avg"] + (1 - b1) * (g - s["exp_avg"])
        s["exp_avg_sq"] = square = b2 * s["exp_avg_sq"] + (1 - b2) * g * g
        if o["amsgrad"]:
            s["max_exp_avg_sq"] = square = maximum(s["max_exp_avg_sq"], square)
        root = sqrt(square) * (1 - b2**step) ** -0.5 + o["eps"]
        return p - (o["lr"] / (1 - b1**step)) * (s["exp_avg"] / root)


class AdamW(Adam):
    """Adam with decoupled weight decay."""

    settings: ClassVar[dict[str, Any]] = Adam.settings | {"weight_decay": 1e-2}
    decoupled = True


class RMSprop(_Rule):
    """Steps by gradients divided by the root of the mean of their squares."""

    settings: ClassVar[dict[str, Any]] = {
        "lr": 1e-2, "alpha": 0.99, "eps": 1e-8, "weight_decay": 0, "momentum": 0, "centered": False,
    }  # fmt: skip
    slots: ClassVar[dict[str, str]] = {
        "square_avg": "", "grad_avg": "centered", "momentum_buffer": "momentum",
    }  # fmt: skip

    def stepped(self, p: Any, g: Any, s: dict[str, Any], o: dict[str, Any]) -> Any:
        alpha = o["alpha"]
        s["square_avg"] = square = alpha * s["square_avg"] + (1 - alpha) * g * g
        if o["centered"]:
            s["grad_avg"] = s["grad_avg"] + (1 - alpha) * (g - s["grad_avg"])
            square = maximum(square - s["grad_avg"] * s["grad_avg"], 0.0)
        change = g / (sqrt(square) + o["eps"])
        if o["momentum"]:
            s["momentum_buffer"] = change = o["momentum"] * s["momentum_buffer"] + change
        return p - o["lr"] * change


class Adagrad(_Rule):
    """Steps by gradients divided by the root of the sum of their squares."""

    settings: ClassVar[dict[str, Any]] = {
        "lr": 1e-2, "lr_decay": 0, "weight_decay": 0, "initial_accumulator_value": 0.0,
        "eps": 1e-10,
    }  # fmt: skip
    slots: ClassVar[dict[str, str]] = {"sum": ""}

    def stepped(self, p: Any, g: Any, s: dict[str, Any], o: dict[str, Any]) -> Any:
        s["sum"] = s["sum"] + g * g
        rate = o["lr"] / (1 + (s["step"] - 1) * o["lr_decay"])
        return p - rate * (g / (sqrt(s["sum"]) + o["eps"]))


class Adadelta(_Rule):
    """Steps by gradients, scaled by past steps and gradients."""

    settings: ClassVar[dict[str, Any]] = {"lr": 1.0, "rho": 0.9, "eps": 1e-6, "weight_decay": 0}
    slots: ClassVar[dict[str, str]] = {"square_avg": "", "acc_delta": ""}

    def stepped(self, p: Any, g: Any, s: dict[str, Any], o: dict[str, Any]) -> Any:
        rho, eps = o["rho"], o["eps"]
        s["square_avg"] = rho * s["square_avg"] + (1 - rho) * g * g
        change = g * (sqrt(s["acc_delta"] + eps) / sqrt(s["square_avg"] + eps))
        s["acc_delta"] = rho * s["acc_delta"] + (1 - rho) * change * change
        return p - o["lr"] * change
