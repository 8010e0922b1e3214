"""Constraints on parameters, which hold after each step of an optimizer.

`constrain` attaches a constraint to a parameter of a module. `Optimizer.update` applies them, so
they hold in `pt.train.fit` and in loops of your own. Norms are as in Keras: `axis` is the axis of
the inputs, 0 for `Dense` and (0, 1, 2) for `Conv2D`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .. import functions as F
from ..functions.decorators import named
from ..tensor import Tensor
from ..typing import ArrayLike, Axis
from .module import Module, modules_of, with_functions

EPSILON = 1e-7
"""Added to norms before the division, as in Keras."""


@dataclass(frozen=True)
class NormRange:
    """Constraint of Euclidean norms to a range; made by `max_norm`, `min_max_norm`, `unit_norm`.

    Args:
        low: Smallest norm.
        high: Largest norm.
        rate: Share of the way to the range at each step, from 0 to 1.
        axis: Axis or axes of the elements that one norm is computed from.

    >>> import py_tensor as pt
    >>> pt.nn.max_norm(2.0, axis=0)
    NormRange(low=0.0, high=2.0, rate=1.0, axis=0)
    """

    low: float
    high: float
    rate: float
    axis: Axis

    def __call__(self, x: Tensor) -> Tensor:
        norms = F.sqrt(F.sum(F.square(x), axis=self.axis, keepdims=True))
        target = F.clip(norms, self.low, self.high)
        if self.rate < 1:
            target = self.rate * target + (1 - self.rate) * norms
        return x * (target / (norms + EPSILON))


def max_norm(limit: float = 2.0, axis: Axis = 0) -> NormRange:
    """Return the constraint of norms to at most a limit.

    Args:
        limit: Largest norm; default 2.
        axis: Axis or axes of the elements that one norm is computed from; 0 by default.

    Returns:
        Constraint for `constrain`.

    >>> import py_tensor as pt
    >>> pt.nn.max_norm(1.0)(pt.asarray([[0.0], [4.0]])).tolist()
    [[0.0], [1.0]]
    """
    return NormRange(0.0, limit, 1.0, axis)


def min_max_norm(
    low: float = 0.0, high: float = 1.0, rate: float = 1.0, axis: Axis = 0
) -> NormRange:
    """Return the constraint of norms to a range.

    Args:
        low: Smallest norm; default 0.
        high: Largest norm; default 1.
        rate: Share of the way to the range at each step, from 0 to 1; default 1.
        axis: Axis or axes of the elements that one norm is computed from; 0 by default.

    Returns:
        Constraint for `constrain`.

    >>> import py_tensor as pt
    >>> constraint = pt.nn.min_max_norm(0.0, 1.0, rate=0.5)
    >>> constraint(pt.asarray([[2.0], [0.0]])).tolist()
    [[1.5], [0.0]]
    """
    return NormRange(low, high, rate, axis)


def unit_norm(axis: Axis = 0) -> NormRange:
    """Return the constraint of norms to 1.

    Args:
        axis: Axis or axes of the elements that one norm is computed from; 0 by default.

    Returns:
        Constraint for `constrain`.

    >>> import py_tensor as pt
    >>> pt.nn.unit_norm()(pt.asarray([[0.5], [0.0]])).round(decimals=4).tolist()
    [[1.0], [0.0]]
    """
    return NormRange(1.0, 1.0, 1.0, axis)


@named
def non_neg(x: ArrayLike) -> Tensor:
    """Return x with negative elements replaced by 0; a constraint for `constrain`.

    Args:
        x: Tensor or array-like of a floating dtype.

    Returns:
        Tensor of the shape and dtype of x.

    >>> import py_tensor as pt
    >>> pt.nn.non_neg(pt.asarray([-1.0, 2.0])).tolist()
    [0.0, 2.0]
    """
    return F.maximum(x, 0.0)


def constrain[M: Module](module: M, **constraints: Any) -> M:
    """Attach constraints to parameters of a module, in place of earlier ones.

    `Optimizer.update` applies them to the new parameters; the first values are left as they are.

    Args:
        module: Module that has the parameters itself, such as `Dense`.
        **constraints: A constraint for each parameter, by the name of its field: `max_norm(...)`,
            `min_max_norm(...)`, `unit_norm(...)`, `non_neg`, or a hashable function from a tensor
            to a tensor of the same shape.

    Returns:
        The module.

    Raises:
        ArgumentError: If the module has no parameter of a name, or a constraint is not callable.

    >>> import py_tensor as pt
    >>> layer = pt.nn.Dense(1, 1, bias=False, weight_init=pt.nn.initializers.ones)
    >>> layer = pt.nn.constrain(layer, weight=pt.nn.non_neg)
    >>> optimizer = pt.optim.sgd(1.0)
    >>> state = optimizer.init(layer)
    >>> gradient = pt.grad(lambda layer: 5.0 * pt.sum(layer.weight))(state.params)
    >>> optimizer.update(state, gradient).params.weight.tolist()
    [[0.0]]
    """
    module.constraints = with_functions("constrain", module, constraints)
    return module


def apply_constraints(model: Any) -> None:
    """Replace the values of a model's constrained parameters by those that fulfil the constraints.

    Args:
        model: Module, or tree that contains modules.

    >>> import py_tensor as pt
    >>> layer = pt.nn.Dense(1, 1, bias=False, weight_init=pt.nn.initializers.constant(-1.0))
    >>> pt.nn.apply_constraints(pt.nn.constrain(layer, weight=pt.nn.non_neg))
    >>> layer.weight.tolist()
    [[0.0]]
    """
    for module in modules_of(model):
        module._apply_constraints()
