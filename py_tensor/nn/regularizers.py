"""Penalties on parameters, which training adds to the loss: `L1`, `L2` and `L1L2`.

`regularize` attaches a penalty to a parameter of a module. `pt.train.fit` and `pt.train.evaluate`
add the penalties to the loss; loops of your own add `regularization_loss(model)`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .. import functions as F
from ..errors import ArgumentError
from ..functions.arguments import number
from ..tensor import Tensor
from .module import Module, modules_of, with_functions


@dataclass(frozen=True)
class L1L2:
    """Penalty l1 * sum(abs(x)) + l2 * sum(x**2).

    Args:
        l1: Factor of the sum of magnitudes, 0 or more; default 0.01.
        l2: Factor of the sum of squares, 0 or more; default 0.01.

    Raises:
        ArgumentError: If a factor is negative.

    >>> import py_tensor as pt
    >>> pt.nn.L1L2(l1=1.0, l2=0.5)(pt.asarray([2.0, -4.0])).item()
    16.0
    """

    l1: float = 0.01
    l2: float = 0.01

    def __post_init__(self) -> None:
        for name, factor in (("l1", self.l1), ("l2", self.l2)):
            checked_factor("L1L2", name, factor)

    def __call__(self, x: Tensor) -> Tensor:
        wide = x.astype("float32", copy=False)
        parts = [(self.l1, F.abs), (self.l2, F.square)]
        terms = [factor * F.sum(function(wide)) for factor, function in parts if factor]
        return terms[0] + terms[1] if len(terms) == 2 else terms[0] if terms else F.zeros(())


def checked_factor(operation: str, name: str, value: Any) -> float:
    """Return a factor as a float; raise ArgumentError if it is negative, NaN or not a number."""
    factor = number(operation, name, value, finite=True)
    if factor < 0:
        raise ArgumentError(f"{operation}: {name} is negative; got {factor}; use 0 or more")
    return factor


def L1(factor: float = 0.01) -> L1L2:
    """Return the penalty factor * sum(abs(x)).

    Args:
        factor: Factor of the sum, 0 or more; default 0.01.

    Returns:
        `L1L2` without the sum of squares.

    Raises:
        ArgumentError: If the factor is negative.

    >>> import py_tensor as pt
    >>> pt.nn.L1(0.5)(pt.asarray([2.0, -4.0])).item()
    3.0
    """
    return L1L2(checked_factor("L1", "factor", factor), 0.0)


def L2(factor: float = 0.01) -> L1L2:
    """Return the penalty factor * sum(x**2).

    Args:
        factor: Factor of the sum, 0 or more; default 0.01.

    Returns:
        `L1L2` without the sum of magnitudes.

    Raises:
        ArgumentError: If the factor is negative.

    >>> import py_tensor as pt
    >>> pt.nn.L2(0.5)(pt.asarray([2.0, -4.0])).item()
    10.0
    """
    return L1L2(0.0, checked_factor("L2", "factor", factor))


def regularize[M: Module](module: M, **penalties: Any) -> M:
    """Attach penalties to parameters of a module, in place of earlier ones.

    Args:
        module: Module that has the parameters itself, such as `Dense`.
        **penalties: A penalty for each parameter, by the name of its field: `L1`, `L2`, `L1L2`, or
            a hashable function from a tensor to a scalar.

    Returns:
        The module.

    Raises:
        ArgumentError: If the module has no parameter of a name, or a penalty is not callable.

    >>> import py_tensor as pt
    >>> ones = pt.nn.initializers.ones
    >>> layer = pt.nn.regularize(pt.nn.Dense(3, 2, weight_init=ones), weight=pt.nn.L2(0.5))
    >>> pt.nn.regularization_loss(layer).item()
    3.0
    """
    module.regularizers = with_functions("regularize", module, penalties)
    return module


def regularization_loss(model: Any) -> Tensor:
    """Return the sum of the penalties of a model.

    A module that occurs in two places of the tree counts twice.

    Args:
        model: Module, or tree that contains modules.

    Returns:
        Scalar; float32, 0 without penalties.

    >>> import py_tensor as pt
    >>> model = pt.nn.Sequential(pt.nn.Dense(2, 1, weight_init=pt.nn.initializers.ones), pt.relu)
    >>> pt.nn.regularization_loss(model).item()
    0.0
    >>> _ = pt.nn.regularize(model.layers[0], weight=pt.nn.L1(0.25))
    >>> pt.nn.regularization_loss(model).item()
    0.5
    """
    total: Tensor | None = None
    for module in modules_of(model):
        for name, penalty in module.regularizers:
            term = penalty(getattr(module, name))
            total = term if total is None else total + term
    return F.zeros(()) if total is None else total
