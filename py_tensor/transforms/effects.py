"""Calls of Python functions with values that are computed later, for example to print them.

Input: a function and its arguments. Output: its call, now or whenever the traced program has run.
`jit` adds the arguments to its results, `vmap` makes a call for each example, and loops for each
iteration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

from ..ir.node import OpNode
from ..ir.pytree import Structure, tree_flatten, tree_unflatten
from ..ir.tracer import ScalarTracer
from ..runtime.scopes import state
from ..tensor import Tensor

_conditions: ContextVar[tuple[Callable[[], Tensor], ...]] = ContextVar(
    "py_tensor_conditions", default=()
)
"""Conditions of the branches that are running."""


class Effect(NamedTuple):
    """A function, and the leaves of its arguments: constants, and None for values."""

    function: Callable[..., object]
    structure: Structure
    constants: list[Any]
    conditions: int
    """Number of conditions, which are the first values."""

    def run(self, values: Sequence[Any]) -> None:
        """Call the function if all conditions are True."""
        if all(bool(value) for value in values[: self.conditions]):
            remaining = iter(values[self.conditions :])
            leaves = [next(remaining) if leaf is None else leaf for leaf in self.constants]
            args, kwargs = tree_unflatten(self.structure, leaves)
            self.function(*args, **kwargs)


def emit(function: Callable[..., object], args: Sequence[Any], kwargs: dict[str, Any]) -> None:
    """Call a function now, or after the trace's program has run."""
    leaves, structure = tree_flatten((tuple(args), kwargs))
    is_value = [isinstance(leaf, (Tensor, ScalarTracer)) for leaf in leaves]
    constants = [None if own else leaf for leaf, own in zip(leaves, is_value, strict=True)]
    conditions = [condition() for condition in _conditions.get()]
    values = [leaf for leaf, own in zip(leaves, is_value, strict=True) if own]
    record(Effect(function, structure, constants, len(conditions)), [*conditions, *values])


def record(effect: Effect, values: Sequence[Any]) -> None:
    """Run an effect now, or add it to the trace."""
    if state.trace is None:
        effect.run(values)
    else:
        state.trace.effects.append((effect, list(values)))


@contextmanager
def only_if(condition: Callable[[], Tensor]) -> Iterator[None]:
    """Run the effects inside of the block if a condition is True; it is made if there are any."""
    around = _conditions.set((*_conditions.get(), condition))
    try:
        yield
    finally:
        _conditions.reset(around)


def repeat(effects: Sequence[tuple[Effect, Sequence[Any]]], numbers: Iterable[int]) -> None:
    """Record effects for the slices with these numbers along the first axis of their values.

    Values that are nodes become tensors.
    """
    whole = [
        (effect, [Tensor(value) if isinstance(value, OpNode) else value for value in values])
        for effect, values in effects
    ]
    for at in numbers:
        for effect, values in whole:
            record(effect, [value[at] if isinstance(value, Tensor) else value for value in values])
