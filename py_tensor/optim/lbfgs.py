"""L-BFGS: minimization of a smooth function with few evaluations, without mini-batches.

Input: a function of a tree of parameters. Output: the parameters of its minimum.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf, sqrt
from typing import Any, NamedTuple

from ..errors import ArgumentError
from ..functions.arguments import function_of, integer, number
from ..tensor import Tensor, realize
from ..transforms.autodiff import value_and_grad
from ..transforms.jit.api import jit
from .flat_params import layout_of

_DECREASE, _CURVATURE = 1e-4, 0.9
"""Constants of the Wolfe conditions, as in Nocedal and Wright 2006."""
_LINE_STEPS = 25
"""Largest number of evaluations in a line search."""


@dataclass(frozen=True)
class LbfgsResult:
    """Result of `lbfgs`.

    Args:
        params: Parameters in the tree that was given.
        value: Value of the function there.
        iterations: Number of iterations done.
        converged: True if the gradient is within the tolerance.

    >>> import py_tensor as pt
    >>> result = pt.optim.lbfgs(lambda x: ((x - 3.0) ** 2).sum(), pt.zeros(2))
    >>> [round(x, 4) for x in result.params.tolist()], result.converged
    ([3.0, 3.0], True)
    """

    params: Any
    value: float
    iterations: int
    converged: bool


def lbfgs(
    function: Callable[[Any], Tensor],
    params: Any,
    *,
    max_iterations: int = 100,
    history: int = 10,
    tolerance: float = 1e-5,
) -> LbfgsResult:
    """Minimize a function by the limited-memory BFGS method.

    The step length satisfies the weak Wolfe conditions, by bisection. Each evaluation waits for its
    value and blocks: in a page, call it in a worker, or start Python by `runPythonAsync` in a
    browser with JavaScript Promise Integration. Constraints of modules (`pt.nn.constrain`) are
    refused: projections of quasi-Newton steps need not reduce the function (Bertsekas 1982,
    doi:10.1137/0320018). Source: Nocedal 1980, doi:10.1090/S0025-5718-1980-0572855-7; line search:
    Lewis and Overton 2013, doi:10.1007/s10107-012-0514-2.

    Args:
        function: Function of the tree of parameters that returns a scalar. It is traced.
        params: Tree with at least one floating tensor, for example a module. It is not changed.
        max_iterations: Largest number of iterations; default 100.
        history: Number of earlier steps from which the curvature is estimated; default 10.
        tolerance: Largest magnitude of the gradient's elements at which the search ends; default
            1e-5.

    Returns:
        `LbfgsResult` with the parameters.

    Raises:
        ArgumentError: If there are no parameters, if a module has constraints, or if `history` is
            below 1.

    >>> import py_tensor as pt
    >>> def rosenbrock(p):
    ...     return (1.0 - p["x"]) ** 2 + 100.0 * (p["y"] - p["x"] ** 2) ** 2
    >>> start = {"x": pt.asarray(-1.2), "y": pt.asarray(1.0)}
    >>> result = pt.optim.lbfgs(rosenbrock, start)
    >>> round(result.params["x"].item(), 2), round(result.params["y"].item(), 2)
    (1.0, 1.0)
    """
    function_of("lbfgs", "function", function)
    history = integer("lbfgs", "history", history, 1)
    max_iterations = integer("lbfgs", "max_iterations", max_iterations, 0)
    tolerance = number("lbfgs", "tolerance", tolerance)
    layout, leaves, untrained = layout_of("lbfgs", params)
    if layout.constrained:
        raise ArgumentError(
            "lbfgs: constraints cannot be applied; got a module with pt.nn.constrain; use another "
            "optimizer, for example pt.optim.adam, or parameters without constraints"
        )
    point = layout.ravel(leaves)

    @jit
    def evaluated(vectors: list[Tensor]) -> tuple[Tensor, list[Tensor]]:
        return value_and_grad(lambda vectors: function(layout.unravel(vectors, untrained)))(vectors)

    def reached(point: list[Tensor], length: float, direction: list[Tensor]) -> _Point:
        new = [x + length * d for x, d in zip(point, direction, strict=True)]
        realize(*new)
        value, gradient = evaluated(new)
        return _Point(new, value.item(), gradient)

    value, gradient = evaluated(point)
    best = value.item()
    pairs: list[tuple[list[Tensor], list[Tensor], float]] = []
    iteration = 0
    while not (converged := _largest(gradient) <= tolerance) and iteration < max_iterations:
        direction = direction_of(gradient, pairs)
        slope = _dot(gradient, direction)
        if not slope < 0:
            pairs.clear()
            direction = [-g for g in gradient]
            slope = _dot(gradient, direction)
        length = 1.0 if pairs else min(1.0, 1 / sqrt(-slope) if slope else 1.0)
        new = _line_search(partial(reached, point), best, direction, slope, length)
        if not new.value < best:
            break
        step = [b - a for a, b in zip(point, new.vectors, strict=True)]
        change = [b - a for a, b in zip(gradient, new.gradient, strict=True)]
        realize(*step, *change)
        curvature = _dot(step, change)
        if curvature > 0:
            pairs = [*pairs, (step, change, curvature)][-history:]
        point, best, gradient = new
        iteration += 1
    return LbfgsResult(layout.unravel(point, untrained), best, iteration, converged)


class _Point(NamedTuple):
    """Parameters, and the function's value and gradient there."""

    vectors: list[Tensor]
    value: float
    gradient: list[Tensor]


def _line_search(
    reached: Callable[[float, list[Tensor]], _Point],
    best: float,
    direction: list[Tensor],
    slope: float,
    length: float,
) -> _Point:
    """Return a point in a direction that satisfies the weak Wolfe conditions, or the last one."""
    low, high = 0.0, inf
    for _ in range(_LINE_STEPS):
        point = reached(length, direction)
        if not point.value <= best + _DECREASE * length * slope:
            high = length
        elif _dot(point.gradient, direction) < _CURVATURE * slope:
            low = length
        else:
            break
        length = 2 * low if high == inf else (low + high) / 2
    return point


def _dot(a: Sequence[Tensor], b: Sequence[Tensor]) -> float:
    return sum(float((x * y).sum().item()) for x, y in zip(a, b, strict=True))


def _largest(vectors: Sequence[Tensor]) -> float:
    return max(float(vector.abs().max().item()) for vector in vectors)


def direction_of(
    gradient: list[Tensor], pairs: list[tuple[list[Tensor], list[Tensor], float]]
) -> list[Tensor]:
    """Return minus the estimated inverse Hessian times the gradient: the two-loop recursion."""
    q = gradient
    factors = []
    for step, change, curvature in reversed(pairs):
        factor = _dot(step, q) / curvature
        factors.append(factor)
        q = [x - factor * y for x, y in zip(q, change, strict=True)]
    if pairs:
        _, change, curvature = pairs[-1]
        scale = curvature / _dot(change, change)
        q = [x * scale for x in q]
    for (step, change, curvature), factor in zip(pairs, reversed(factors), strict=True):
        rest = factor - _dot(change, q) / curvature
        q = [x + rest * y for x, y in zip(q, step, strict=True)]
    return [-x for x in q]
