"""One step of any optimizer, and the state between steps: flat vectors of many parameters each.

Comes in: a rule's formula with its settings; goes out: an `Optimizer`, which makes `State`s.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypedDict

from ..errors import ArgumentError
from ..functions.creation import full
from ..tensor import Tensor, asarray
from ..tracing import on_host
from .clipping import clip_by_global_norm, clip_by_norm, clip_by_value, positive
from .layout import Layout, layout_of

Rate = float | Callable[[int], float]
"""A learning rate, or a schedule: what it is at the step of that number, counted from 0."""

Formula = Callable[..., tuple[Tensor, ...]]
"""The direction to go, and new slots: `(gradient, *slots, step=number from 1, **settings)`."""


class Options(TypedDict, total=False):
    """What every optimizer takes beside its own settings.

    Optimizers raise ArgumentError for a negative decay or penalty, and for a limit that is not
    above 0.

    >>> import py_tensor as pt
    >>> optimizer = pt.optim.sgd(0.1, l2=0.01, clip_norm=1.0)
    >>> optimizer.l2, optimizer.clip_norm
    (0.01, 1.0)
    """

    weight_decay: float
    """Decoupled weight decay: parameters shrink by the learning rate times this at each step."""
    l2: float
    """L2 penalty: this times the parameters is added to the gradients."""
    clip_value: float | None
    """Gradients are held between minus and plus this."""
    clip_norm: float | None
    """Each parameter's gradient is scaled to at most this Euclidean norm."""
    clip_global_norm: float | None
    """All gradients are scaled alike to at most this Euclidean norm in total."""


@dataclass(frozen=True, eq=False)
class State:
    """Parameters and slots between two steps; a tree of tensors, made by `Optimizer.init`.

    `vectors` hold the trained parameters one after another, each padded to a multiple of 4, and
    `slots` what the optimizer keeps for each of their elements. Both are float32 whatever the
    parameters are: halves would lose most steps' small changes. There is one vector unless there
    are more than 2**18 parameters. `step` counts the steps done, and `others` are the leaves that
    are not trained.

    >>> import py_tensor as pt
    >>> optimizer = pt.optim.sgd(0.5)
    >>> state = optimizer.init({"w": pt.asarray([1.0, 2.0])})
    >>> state = optimizer.update(state, {"w": pt.asarray([2.0, 2.0])})
    >>> state.params["w"].tolist(), state.step
    ([0.0, 1.0], 1)
    """

    vectors: tuple[Tensor, ...]
    slots: dict[str, tuple[Tensor, ...]]
    step: int
    others: tuple[Any, ...]
    layout: Layout = field(metadata={"static": True})

    @property
    def params(self) -> Any:
        """The parameters in the tree and the dtypes that `init` was given: views of the vectors."""
        return self.layout.unravel(self.vectors, self.others)


@dataclass(frozen=True)
class Optimizer:
    """A formula with its settings: a value that can be compared and hashed.

    `adam(...)`, `sgd(...)` and the like make one. Raises ArgumentError for settings out of range.

    >>> import py_tensor as pt
    >>> optimizer = pt.optim.sgd(0.1)
    >>> optimizer.learning_rate, optimizer == pt.optim.sgd(0.1)
    (0.1, True)
    """

    name: str
    formula: Formula
    learning_rate: Rate
    slots: tuple[tuple[str, float], ...]
    """Names of the slots, and what they hold in the beginning."""
    settings: tuple[tuple[str, Any], ...]
    weight_decay: float = 0.0
    l2: float = 0.0
    clip_value: float | None = None
    clip_norm: float | None = None
    clip_global_norm: float | None = None

    def __post_init__(self) -> None:
        for setting in ("learning_rate", "weight_decay", "l2"):
            value = getattr(self, setting)
            if not callable(value) and not value >= 0:
                raise ArgumentError(
                    f"{self.name}: {setting} is negative; got {value}; use 0 or more"
                )
        for setting in ("clip_value", "clip_norm", "clip_global_norm"):
            value = getattr(self, setting)
            if value is not None:
                positive(self.name, setting, value)

    def init(self, params: Any) -> State:
        """The state before the first step. `params` is any tree with floating tensors, which stay.

        Fields of dataclasses declared as buffers, and leaves that are not floating tensors, are
        carried along. Raises ArgumentError where nothing is to be trained.

        >>> import py_tensor as pt
        >>> state = pt.optim.adam().init([pt.ones((2, 3)), pt.ones(3)])
        >>> state.step, sorted(state.slots), state.vectors[0].shape
        (0, ['mean', 'square'], (12,))
        """
        layout, leaves, others = layout_of(params)
        vectors = tuple(layout.ravel(leaves))
        return State(
            vectors=vectors,
            slots={
                name: tuple(full(vector.shape, start) for vector in vectors)
                for name, start in self.slots
            },
            step=0,
            others=tuple(map(_copied, others)),
            layout=layout,
        )

    def update(self, state: State, gradients: Any) -> State:
        """The state after a step against `gradients`, a tree like `state.params`.

        A gradient of None counts as zeros. First gradients are clipped, then the L2 penalty is
        added. Raises ArgumentError where the trees differ or another optimizer made the state,
        ShapeError where a gradient has not its parameter's shape.

        >>> import py_tensor as pt
        >>> optimizer = pt.optim.adam(0.1)
        >>> state = optimizer.init([pt.asarray(1.0)])
        >>> optimizer.update(state, [pt.asarray(2.0)]).step
        1
        """
        names = [name for name, _ in self.slots]
        if sorted(state.slots) != sorted(names):
            raise ArgumentError(
                f"update: the state is of another optimizer; got slots {sorted(state.slots)} for "
                f"{self.name}, which has {sorted(names)}; use the optimizer that made it"
            )
        rate = self.rate(state.step)
        settings = dict(self.settings)
        vectors: list[Tensor] = []
        columns: list[list[Tensor]] = [[] for _ in names]
        given = self._gradients(state, gradients)
        for at, (vector, gradient) in enumerate(zip(state.vectors, given, strict=True)):
            slots = [state.slots[name][at] for name in names]
            direction, *slots = self.formula(gradient, *slots, step=state.step + 1, **settings)
            change = rate * direction
            if self.weight_decay:
                change = change + rate * self.weight_decay * vector
            vectors.append(vector - change)
            for column, slot in zip(columns, slots, strict=True):
                column.append(slot)
        return State(
            vectors=tuple(vectors),
            slots=dict(zip(names, map(tuple, columns), strict=True)),
            step=state.step + 1,
            others=state.others,
            layout=state.layout,
        )

    def rate(self, step: int) -> float:
        """The learning rate of the step of that number, counted from 0.

        >>> import py_tensor as pt
        >>> pt.optim.sgd(pt.optim.step_decay(0.1, every=10, factor=0.5)).rate(10)
        0.05
        """
        if not callable(self.learning_rate):
            return float(self.learning_rate)
        # In a trace the number of the step is known at each call only.
        return on_host(partial(_number, self.learning_rate), step)  # type: ignore[no-any-return]

    def _gradients(self, state: State, gradients: Any) -> list[Tensor]:
        """The vectors of the gradients, clipped, with the L2 penalty."""
        leaves = state.layout.gradients(gradients)
        if self.clip_norm is not None:
            leaves = clip_by_norm(leaves, self.clip_norm)
        vectors = state.layout.ravel(leaves)
        if self.clip_value is not None:
            vectors = clip_by_value(vectors, self.clip_value)
        if self.clip_global_norm is not None:
            vectors = clip_by_global_norm(vectors, self.clip_global_norm)
        if self.l2:
            pairs = zip(vectors, state.vectors, strict=True)
            vectors = [gradient + self.l2 * vector for gradient, vector in pairs]
        return vectors


def _number(schedule: Callable[[int], float], step: int) -> float:
    return float(schedule(step))


def _copied(leaf: Any) -> Any:
    """Another handle of a tensor: donating the state ends its handles, but not the caller's."""
    return asarray(leaf, copy=True) if isinstance(leaf, Tensor) else leaf
