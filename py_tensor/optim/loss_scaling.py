"""Loss scaling: keep gradients of float16 computations above the smallest float16 number.

Input: gradients of a loss times a scale. Output: the optimizer's next state, and the next scale.
Micikevicius et al., "Mixed precision training", 2018; the rule of the scale is that of PyTorch's
GradScaler.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..dtypes import float32
from ..errors import ArgumentError
from ..functions.arguments import number
from ..functions.conversion import asarray
from ..functions.elementwise import isfinite, where
from ..functions.statistical import all
from ..ir.pytree import tree_map
from ..tensor import Tensor
from .optimizer import Optimizer, State


@dataclass(frozen=True, eq=False)
class LossScale:
    """Scale of a loss and the number of steps since its last change; made by `LossScaler.init`.

    Args:
        scale: Scalar; float32.
        steps: Scalar; int32.

    >>> import py_tensor as pt
    >>> pt.optim.LossScaler().init().scale.item()
    65536.0
    """

    scale: Tensor
    steps: Tensor


@dataclass(frozen=True)
class LossScaler:
    """Dynamic loss scaling: skip steps whose gradients overflow, and adapt the scale.

    The scale is divided after a step with a gradient that is not finite, and multiplied after
    `interval` steps without one. Nothing is read back, so the functions can be traced by `pt.jit`.

    Args:
        initial: First scale; default 2**16.
        growth: Factor after `interval` finite steps, above 1; default 2.
        backoff: Factor after an overflow, between 0 and 1; default 0.5.
        interval: Number of finite steps before the scale grows; default 2000.

    Raises:
        ArgumentError: If an argument is out of range.

    >>> import py_tensor as pt
    >>> scaler, optimizer = pt.optim.LossScaler(initial=8.0), pt.optim.sgd(0.5)
    >>> state, scale = optimizer.init([pt.asarray(3.0)]), scaler.init()
    >>> gradients = pt.grad(lambda p: scaler.scaled(scale, p[0] ** 2))(state.params)
    >>> state, scale = scaler.update(scale, optimizer, state, gradients)
    >>> state.params[0].item(), scale.scale.item()
    (0.0, 8.0)
    >>> state, scale = scaler.update(scale, optimizer, state, [pt.asarray(pt.inf)])
    >>> state.params[0].item(), scale.scale.item()
    (0.0, 4.0)
    """

    initial: float = 2.0**16
    growth: float = 2.0
    backoff: float = 0.5
    interval: int = 2000

    def __post_init__(self) -> None:
        for name in ("initial", "growth", "backoff", "interval"):
            number("LossScaler", name, getattr(self, name), finite=True)
        if not (self.initial > 0 and self.growth > 1 > self.backoff > 0 and self.interval > 0):
            raise ArgumentError(
                f"LossScaler: argument is out of range; got {self}; use initial above 0, growth "
                "above 1, backoff between 0 and 1, and interval of at least 1"
            )

    def init(self) -> LossScale:
        """Return the scale before the first step."""
        return LossScale(asarray(self.initial, dtype=float32), asarray(0, dtype="int32"))

    def scaled(self, scale: LossScale, loss: Tensor) -> Tensor:
        """Return the loss times the scale, of which gradients are computed.

        Args:
            scale: Scale from `init` or `update`.
            loss: Floating tensor.

        Returns:
            Tensor of the shape of the loss; float32.
        """
        return loss.astype(float32, copy=False) * scale.scale

    def unscaled(self, scale: LossScale, gradients: Any) -> Any:
        """Return gradients divided by the scale.

        Args:
            scale: Scale that the loss was multiplied by.
            gradients: Tree of floating tensors, or None.

        Returns:
            Tree of the same structure; float32.
        """

        def divided(gradient: Tensor | None) -> Tensor | None:
            return None if gradient is None else gradient.astype(float32, copy=False) / scale.scale

        return tree_map(divided, gradients)

    def update(
        self, scale: LossScale, optimizer: Optimizer, state: State, gradients: Any
    ) -> tuple[State, LossScale]:
        """Return the state after one step, or the same parameters and slots after an overflow.

        `state.step` also counts steps that are skipped.

        Args:
            scale: Scale that the loss was multiplied by.
            optimizer: Optimizer that created the state.
            state: State from `init` or `update`.
            gradients: Gradients of the scaled loss: a tree like `state.params`.

        Returns:
            Tuple of the next state and the next scale.

        Raises:
            ArgumentError: As `Optimizer.update` does.
            ShapeError: As `Optimizer.update` does.
        """
        gradients = self.unscaled(scale, gradients)
        finite: Tensor | bool = True
        for vector in state.layout.ravel(state.layout.gradients(gradients)):
            finite = finite & all(isfinite(vector))
        after = optimizer.update(state, gradients)
        chosen = [
            tuple(where(finite, new, old) for new, old in zip(*pair, strict=True))
            for pair in (
                (after.vectors, state.vectors),
                *((after.slots[name], state.slots[name]) for name in state.slots),
            )
        ]
        after = replace(
            after, vectors=chosen[0], slots=dict(zip(state.slots, chosen[1:], strict=True))
        )
        steps = scale.steps + 1
        grown = steps >= self.interval
        factor = where(finite, where(grown, self.growth, 1.0), self.backoff)
        return after, LossScale(
            scale.scale * factor, where(finite, where(grown, 0, steps), 0).astype("int32")
        )
