"""Optimizers under the names of `jax.example_libraries.optimizers`.

>>> import py_tensor as pt
>>> from py_tensor.example_libraries import optimizers
>>> init, update, get_params = optimizers.sgd(0.5)
>>> state = update(0, pt.asarray([1.0]), init(pt.asarray([3.0])))
>>> get_params(state).tolist()
[2.5]
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple

from ..functions.creation import zeros_like
from ..functions.elementwise import abs, maximum, minimum, sqrt, square, where
from ..functions.statistical import sum
from ..ir.pytree import tree_leaves, tree_map
from ..tensor import Tensor, as_tensor

__all__ = [
    "Optimizer",
    "adagrad",
    "adam",
    "adamax",
    "clip_grads",
    "constant",
    "exponential_decay",
    "inverse_time_decay",
    "l2_norm",
    "make_schedule",
    "momentum",
    "nesterov",
    "optimizer",
    "piecewise_constant",
    "polynomial_decay",
    "rmsprop",
    "rmsprop_momentum",
    "sgd",
]

Schedule = Callable[[Any], Any]


class Optimizer(NamedTuple):
    """Three functions: of the first parameters, of (step, gradients, state), and of the state."""

    init_fn: Callable[[Any], Any]
    update_fn: Callable[[Any, Any, Any], Any]
    params_fn: Callable[[Any], Any]


def optimizer(opt_maker: Callable[..., Any]) -> Callable[..., Optimizer]:
    """Decorate a function that makes an optimizer of one tensor, so that it takes trees.

    >>> from py_tensor.example_libraries.optimizers import optimizer
    >>> @optimizer
    ... def fixed_steps():
    ...     return (lambda x: x), (lambda i, g, x: x - 1.0), (lambda x: x)
    >>> init, update, get_params = fixed_steps()
    >>> get_params(update(0, {"w": 0.0}, init({"w": 3.0})))["w"].item()
    2.0
    """

    @wraps(opt_maker)
    def tree_opt_maker(*args: Any, **kwargs: Any) -> Optimizer:
        init, update, get_params = opt_maker(*args, **kwargs)

        def tree_init(params: Any) -> Any:
            return tree_map(lambda leaf: _State(init(as_tensor("optimizer", leaf))), params)

        def tree_update(i: Any, grads: Any, state: Any) -> Any:
            return tree_map(
                lambda own, g: _State(update(i, g, own.parts)), state, grads, is_leaf=_is_state
            )

        def tree_params(state: Any) -> Any:
            return tree_map(lambda own: get_params(own.parts), state, is_leaf=_is_state)

        return Optimizer(tree_init, tree_update, tree_params)

    return tree_opt_maker


class _State(NamedTuple):
    """State of one tensor."""

    parts: Any


def _is_state(value: object) -> bool:
    return isinstance(value, _State)


@optimizer
def sgd(step_size: Any) -> Any:
    """Make an optimizer that steps against the gradient.

    `step_size` is a number, or a function of the step, as in all optimizers here.
    """
    rate = make_schedule(step_size)
    return _same, lambda i, g, x: x - rate(i) * g, _same


def _same(x: Tensor) -> Tensor:
    return x


def _first(state: Any) -> Any:
    return state[0]


@optimizer
def momentum(step_size: Any, mass: float) -> Any:
    """Make an optimizer that steps against a decaying sum of gradients; `mass` is the decay."""
    rate = make_schedule(step_size)

    def update(i: Any, g: Tensor, state: Any) -> Any:
        x, velocity = state
        velocity = mass * velocity + g
        return x - rate(i) * velocity, velocity

    return lambda x: (x, zeros_like(x)), update, _first


@optimizer
def nesterov(step_size: Any, mass: float) -> Any:
    """Make an optimizer like `momentum` that looks one step ahead."""
    rate = make_schedule(step_size)

    def update(i: Any, g: Tensor, state: Any) -> Any:
        x, velocity = state
        velocity = mass * velocity + g
        return x - rate(i) * (mass * velocity + g), velocity

    return lambda x: (x, zeros_like(x)), update, _first


@optimizer
def adagrad(step_size: Any, momentum: float = 0.9) -> Any:
    """Make an optimizer that divides gradients by the root of the sum of their squares."""
    rate = make_schedule(step_size)

    def update(i: Any, g: Tensor, state: Any) -> Any:
        x, squares, mean = state
        squares = squares + square(g)
        inverse = where(squares > 0, 1.0 / sqrt(where(squares > 0, squares, 1.0)), 0.0)
        mean = (1.0 - momentum) * (g * inverse) + momentum * mean
        return x - rate(i) * mean, squares, mean

    return lambda x: (x, zeros_like(x), zeros_like(x)), update, _first


@optimizer
def rmsprop(step_size: Any, gamma: float = 0.9, eps: float = 1e-8) -> Any:
    """Make an optimizer that divides gradients by the root of a mean of their squares."""
    rate = make_schedule(step_size)

    def update(i: Any, g: Tensor, state: Any) -> Any:
        x, mean = state
        mean = mean * gamma + square(g) * (1.0 - gamma)
        return x - rate(i) * g / sqrt(mean + eps), mean

    return lambda x: (x, zeros_like(x)), update, _first


@optimizer
def rmsprop_momentum(
    step_size: Any, gamma: float = 0.9, eps: float = 1e-8, momentum: float = 0.9
) -> Any:
    """Make an optimizer like `rmsprop` with momentum."""
    rate = make_schedule(step_size)

    def update(i: Any, g: Tensor, state: Any) -> Any:
        x, mean, velocity = state
        mean = mean * gamma + square(g) * (1.0 - gamma)
        velocity = momentum * velocity + rate(i) * g / sqrt(mean + eps)
        return x - velocity, mean, velocity

    return lambda x: (x, zeros_like(x), zeros_like(x)), update, _first


@optimizer
def adam(step_size: Any, b1: float = 0.9, b2: float = 0.999, eps: float = 1e-8) -> Any:
    """Make the Adam optimizer."""
    rate = make_schedule(step_size)

    def update(i: Any, g: Tensor, state: Any) -> Any:
        x, mean, squares = state
        mean = (1.0 - b1) * g + b1 * mean
        squares = (1.0 - b2) * square(g) + b2 * squares
        step = as_tensor("adam", i).astype("float32") + 1.0
        corrected = mean / (1.0 - b1**step)
        x = x - rate(i) * corrected / (sqrt(squares / (1.0 - b2**step)) + eps)
        return x, mean, squares

    return lambda x: (x, zeros_like(x), zeros_like(x)), update, _first


@optimizer
def adamax(step_size: Any, b1: float = 0.9, b2: float = 0.999, eps: float = 1e-8) -> Any:
    """Make the Adamax optimizer."""
    rate = make_schedule(step_size)

    def update(i: Any, g: Tensor, state: Any) -> Any:
        x, mean, largest = state
        mean = (1.0 - b1) * g + b1 * mean
        largest = maximum(b2 * largest, abs(g))
        step = as_tensor("adamax", i).astype("float32") + 1.0
        return x - rate(i) / (1.0 - b1**step) * mean / (largest + eps), mean, largest

    return lambda x: (x, zeros_like(x), zeros_like(x)), update, _first


def make_schedule(scalar_or_schedule: Any) -> Schedule:
    """Return a function of the step for a number; functions are returned unchanged."""
    return scalar_or_schedule if callable(scalar_or_schedule) else constant(scalar_or_schedule)


def constant(step_size: Any) -> Schedule:
    """Return the schedule of a constant rate."""
    return lambda i: step_size


def exponential_decay(step_size: float, decay_steps: float, decay_rate: float) -> Schedule:
    """Return the schedule step_size * decay_rate ** (i / decay_steps)."""
    return lambda i: step_size * decay_rate ** (as_tensor("exponential_decay", i) / decay_steps)


def inverse_time_decay(
    step_size: float, decay_steps: float, decay_rate: float, staircase: bool = False
) -> Schedule:
    """Return the schedule step_size / (1 + decay_rate * i / decay_steps)."""

    def schedule(i: Any) -> Any:
        done = as_tensor("inverse_time_decay", i) / decay_steps
        return step_size / (1.0 + decay_rate * (done // 1.0 if staircase else done))

    return schedule


def polynomial_decay(
    step_size: float, decay_steps: float, final_step_size: float, power: float = 1.0
) -> Schedule:
    """Return the schedule from `step_size` to `final_step_size` after `decay_steps` steps."""

    def schedule(i: Any) -> Any:
        left = 1.0 - minimum(as_tensor("polynomial_decay", i), decay_steps) / decay_steps
        return (step_size - final_step_size) * left**power + final_step_size

    return schedule


def piecewise_constant(boundaries: Any, values: Any) -> Schedule:
    """Return the schedule with one of `values` between each two of `boundaries`."""
    ends, rates = as_tensor("piecewise", boundaries), as_tensor("piecewise", values)
    return lambda i: rates[sum((as_tensor("piecewise", i) > ends).astype("int32"))]


def l2_norm(tree: Any) -> Tensor:
    """Return the norm of all elements of a tree."""
    parts = [sum(square(leaf)) for leaf in tree_leaves(tree)]
    return sqrt(sum(as_tensor("l2_norm", parts)))


def clip_grads(grad_tree: Any, max_norm: float) -> Any:
    """Return gradients that are scaled down to a norm of at most `max_norm`."""
    norm = l2_norm(grad_tree)
    factor = where(norm < max_norm, 1.0, max_norm / norm)
    return tree_map(lambda g: g * factor, grad_tree)
