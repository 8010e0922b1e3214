"""One step of any optimizer, and the state between steps, packed into flat vectors.

Input: an update formula with its settings. Output: an `Optimizer`, which creates `State`s.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypedDict

from ..dtypes import wrong_type
from ..errors import ArgumentError
from ..functions.arguments import number
from ..functions.creation import full
from ..ir.pytree import leaves_at
from ..ir.tracer import on_host
from ..tensor import Tensor
from .clipping import clip_by_global_norm, clip_by_norm, clip_by_value
from .flat_params import Layout, copied, layout_of
from .settings import positive

Rate = float | Callable[[int], float]
"""Learning rate, or a schedule: a function of the step's number, counted from 0."""

UpdateFormula = Callable[..., tuple[Tensor, ...]]
"""Function of (gradient, *slots, step=number from 1, **settings): the direction and new slots."""


Groups = Mapping[str, Mapping[str, Any]]
"""Settings of parameters by the start of their names."""

_AVERAGE = "average"
"""Slot of the moving average of the parameters."""


class Options(TypedDict, total=False):
    """Options that every optimizer takes in addition to its own settings.

    Gradients are clipped first; then the L2 penalty is added.

    Args:
        weight_decay: Decoupled weight decay: each step also subtracts the learning rate times this
            times the parameters; default 0.0.
        l2: L2 penalty: this times the parameters is added to the gradients; default 0.0.
        clip_value: Largest magnitude of each element of a gradient; default None, no limit.
        clip_norm: Largest Euclidean norm of each parameter's gradient; default None, no limit.
        clip_global_norm: Largest Euclidean norm of all gradients together; default None, no limit.
        ema: Share of an exponential moving average of the parameters kept at each step, in [0, 1);
            `state.averages` returns it. Default None, no average.
        groups: Settings of some parameters: a dict from the start of their names, as
            `named_parameters` gives them, to a dict with "learning_rate", "weight_decay" or "l2".
            The longest start that fits counts. Default {}, the same settings for all.

    Raises:
        ArgumentError: By the optimizer, for a negative decay or penalty, for a limit that is not
            above 0, and for unknown settings of a group; by `init`, for a group without parameters.

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
    """Largest magnitude of each element of a gradient."""
    clip_norm: float | None
    """Largest Euclidean norm of each parameter's gradient."""
    clip_global_norm: float | None
    """Largest Euclidean norm of all gradients together."""
    ema: float | None
    """Share of the moving average of the parameters kept at each step."""
    groups: Groups
    """Settings of parameters by the start of their names."""


@dataclass(frozen=True, eq=False)
class State:
    """Parameters and slots between two steps: a tree of tensors, created by `Optimizer.init`.

    Vectors and slots are float32 regardless of the parameters' dtype, because float16 would lose
    most of the small changes. There is one vector unless there are more than 2**18 parameters.
    A parameter that `pt.sharding.shard` has divided among devices is kept in its own shape, and its
    slots are divided in the same way.

    Args:
        vectors: Trained parameters one after another, each padded to a multiple of 4 elements.
        slots: For each slot of the optimizer, vectors of the same shapes.
        step: Number of steps done.
        others: Leaves that are not trained.
        layout: Slices of the vectors that hold the parameters.

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
        """Parameters in the tree and the dtypes given to `init`: views of the vectors."""
        return self.layout.unravel(self.vectors, self.others)

    def to_tree(self) -> dict[str, Any]:
        """Return the parameters, the slots and the step as a tree that a file can hold.

        The tree has the names of the parameters. It does not depend on their dtypes, nor on the
        devices among which they are divided.

        Returns:
            Dict with "params", "slots" by name, and "step".

        >>> import py_tensor as pt
        >>> state = pt.optim.momentum(0.5).init({"w": pt.asarray([1.0, 2.0])})
        >>> tree = state.to_tree()
        >>> tree["params"]["w"].tolist(), tree["slots"]["velocity"]["w"].tolist(), tree["step"]
        ([1.0, 2.0], [0.0, 0.0], 0)
        """
        layout = self.layout.wide()
        no_values = [0] * len(self.others)
        return {
            "params": layout.unravel(self.vectors, self.others),
            "slots": {name: layout.unravel(slot, no_values) for name, slot in self.slots.items()},
            "step": self.step,
        }

    def with_tree(self, tree: Mapping[str, Any]) -> State:
        """Return a state with the values of a tree from `to_tree`, placed as this one.

        Args:
            tree: Tree of the same structure; `pt.io.load(path, like=state.to_tree())` returns one.

        Returns:
            State with the layout and the devices of this one.

        Raises:
            ArgumentError: If the structures differ, or the slots of another optimizer are given.
            ShapeError: If a parameter or slot differs in shape.

        >>> import py_tensor as pt
        >>> optimizer = pt.optim.momentum(0.5)
        >>> state = optimizer.init({"w": pt.asarray([1.0, 2.0])})
        >>> tree = optimizer.update(state, {"w": pt.asarray([2.0, 2.0])}).to_tree()
        >>> state = state.with_tree(tree)
        >>> state.params["w"].tolist(), state.step
        ([0.0, 1.0], 1)
        """
        if sorted(tree["slots"]) != sorted(self.slots):
            raise ArgumentError(
                f"with_tree: the tree belongs to another optimizer; got slots "
                f"{sorted(tree['slots'])} for {sorted(self.slots)}; use the optimizer that made it"
            )
        layout = self.layout

        def vectors(tree: Any) -> tuple[Tensor, ...]:
            advice = "pass the tree of a state of the same parameters"
            values = layout.checked("with_tree", "value", tree, advice)
            return tuple(layout.ravel(layout.first_uses(values)))

        leaves = leaves_at("with_tree", layout.structure, tree["params"])
        return replace(
            self,
            vectors=vectors(tree["params"]),
            slots={name: vectors(slot) for name, slot in tree["slots"].items()},
            step=int(tree["step"]),
            others=tuple(
                leaf for leaf, part in zip(leaves, layout.slices, strict=True) if part is None
            ),
        )

    @property
    def averages(self) -> Any:
        """Moving averages of the parameters, in the same tree; requires the option `ema`."""
        if _AVERAGE not in self.slots:
            raise ArgumentError(
                f"averages: the optimizer keeps no averages; got slots {sorted(self.slots)}; "
                "create it with ema=, for example 0.99"
            )
        return self.layout.unravel(self.slots[_AVERAGE], self.others)


@dataclass(frozen=True)
class Optimizer:
    """Update formula with its settings: an immutable value that can be compared and hashed.

    `adam(...)`, `sgd(...)` and the like create one.

    Args:
        name: Name in error messages.
        formula: Function of (gradient, *slots, step=number from 1, **settings) that returns the
            direction and the new slots.
        learning_rate: Number from 0 on, or a schedule.
        slots: Names and first values of the slots.
        settings: Names and values of the formula's keyword arguments.
        weight_decay: See `Options`; so for `l2`, `clip_value`, `clip_norm`, `clip_global_norm`,
            `ema` and `groups`.
        transforms: Functions of the tree of gradients, applied first; see `chain`.

    Raises:
        ArgumentError: If a setting is out of range.

    >>> import py_tensor as pt
    >>> optimizer = pt.optim.sgd(0.1)
    >>> optimizer.learning_rate, optimizer == pt.optim.sgd(0.1)
    (0.1, True)
    """

    name: str
    formula: UpdateFormula
    learning_rate: Rate
    slots: tuple[tuple[str, float], ...]
    """Names and first values of the slots."""
    settings: tuple[tuple[str, Any], ...]
    weight_decay: float = 0.0
    l2: float = 0.0
    clip_value: float | None = None
    clip_norm: float | None = None
    clip_global_norm: float | None = None
    ema: float | None = None
    groups: Any = ()
    """Settings by the start of names, stored as pairs so that optimizers can be hashed."""
    transforms: tuple[Callable[[Any], Any], ...] = ()

    def __post_init__(self) -> None:
        if isinstance(self.groups, Mapping):
            pairs = tuple((name, tuple(own.items())) for name, own in self.groups.items())
            object.__setattr__(self, "groups", pairs)
        elif not isinstance(self.groups, tuple):
            raise wrong_type(self.name, "groups", "a dict", self.groups)
        for name, own in self.groups:
            if not isinstance(own, Mapping | tuple):
                raise wrong_type(self.name, f"group {name!r}", "a dict", own)
            _check_group(self.name, name, dict(own))
        if self.ema is not None and not 0 <= number(self.name, "ema", self.ema) < 1:
            raise ArgumentError(
                f"{self.name}: ema is out of range; got {self.ema}; use a number from 0 to below 1"
            )
        for setting in ("learning_rate", "weight_decay", "l2"):
            value = getattr(self, setting)
            if not callable(value) and not number(self.name, setting, value) >= 0:
                raise ArgumentError(
                    f"{self.name}: {setting} is negative; got {value}; use 0 or more"
                )
        for setting in ("clip_value", "clip_norm", "clip_global_norm"):
            value = getattr(self, setting)
            if value is not None:
                positive(self.name, setting, value)

    def init(self, params: Any) -> State:
        """Return the state before the first step.

        Buffers, and leaves that are not floating tensors, are carried along unchanged.

        Args:
            params: Tree with at least one floating tensor, for example a module. It is not changed.

        Returns:
            State with `step` 0.

        Raises:
            ArgumentError: If there is nothing to train.

        >>> import py_tensor as pt
        >>> state = pt.optim.adam().init([pt.ones((2, 3)), pt.ones(3)])
        >>> state.step, sorted(state.slots), state.vectors[0].shape
        (0, ['mean', 'square'], (12,))
        """
        starts = tuple(name for name, _ in self.groups)
        layout, leaves, untrained = layout_of("init", params, starts)
        vectors = tuple(layout.ravel(leaves))
        slots = {
            name: tuple(layout.placed([full(vector.shape, start) for vector in vectors]))
            for name, start in self.slots
        }
        if self.ema is not None:
            slots[_AVERAGE] = tuple(map(copied, vectors))
        return State(
            vectors=vectors,
            slots=slots,
            step=0,
            others=tuple(map(copied, untrained)),
            layout=layout,
        )

    def update(self, state: State, gradients: Any) -> State:
        """Return the state after one step against `gradients`.

        Gradients are clipped first; then the L2 penalty is added. Constraints of modules
        (`pt.nn.constrain`) are applied to the new parameters.

        Args:
            state: State from `init` or `update` of this optimizer.
            gradients: Tree like `state.params`; a gradient of None counts as zeros.

        Returns:
            State with `step` one higher.

        Raises:
            ArgumentError: If the trees differ, or another optimizer created the state.
            ShapeError: If a gradient's shape is not its parameter's.

        >>> import py_tensor as pt
        >>> optimizer = pt.optim.sgd(0.5)
        >>> state = optimizer.init([pt.asarray(1.0)])
        >>> state = optimizer.update(state, [pt.asarray(3.0)])
        >>> state.params[0].item(), state.step
        (-0.5, 1)
        """
        names = [name for name, _ in self.slots]
        if self.ema is not None:
            names.append(_AVERAGE)
        if sorted(state.slots) != sorted(names):
            raise ArgumentError(
                f"update: the state belongs to another optimizer; got slots {sorted(state.slots)} "
                f"for {self.name}, which has {sorted(names)}; use the optimizer that created it"
            )
        settings = dict(self.settings)
        vectors: list[Tensor] = []
        columns: list[list[Tensor]] = [[] for _ in names]
        rows = zip(state.vectors, self._gradients(state, gradients), strict=True)
        for index, (vector, gradient) in enumerate(rows):
            group = self._group(state.layout, index)
            rate = _rate(group.get("learning_rate", self.learning_rate), state.step)
            decay = group.get("weight_decay", self.weight_decay)
            slots = [state.slots[name][index] for name in names if name != _AVERAGE]
            direction, *slots = self.formula(gradient, *slots, step=state.step + 1, **settings)
            change = rate * direction
            if decay:
                change = change + rate * decay * vector
            vectors.append(vector - change)
            if self.ema is not None:
                average = state.slots[_AVERAGE][index]
                slots.append(average + (1 - self.ema) * (vectors[-1] - average))
            for column, slot in zip(columns, slots, strict=True):
                column.append(slot)
        return State(
            vectors=tuple(state.layout.fulfilling(vectors, state.others)),
            slots={
                name: tuple(state.layout.placed(column))
                for name, column in zip(names, columns, strict=True)
            },
            step=state.step + 1,
            others=state.others,
            layout=state.layout,
        )

    def rate(self, step: int) -> float:
        """Return the learning rate of a step.

        Args:
            step: Number of the step, counted from 0.

        Returns:
            Learning rate as a float.

        >>> import py_tensor as pt
        >>> pt.optim.sgd(pt.optim.step_decay(0.1, every=10, factor=0.5)).rate(10)
        0.05
        """
        return _rate(self.learning_rate, step)

    def _group(self, layout: Layout, vector: int) -> dict[str, Any]:
        """Return the settings that the group of a vector's parameters has of its own."""
        number = layout.groups[vector]
        return dict(self.groups[number][1]) if number >= 0 else {}

    def _gradients(self, state: State, gradients: Any) -> list[Tensor]:
        """Return the vectors of the gradients, clipped, with the L2 penalty."""
        for transform in self.transforms:
            gradients = transform(gradients)
        leaves = state.layout.gradients(gradients)
        if self.clip_norm is not None:
            leaves = clip_by_norm(leaves, self.clip_norm)
        vectors = state.layout.ravel(leaves)
        if self.clip_value is not None:
            vectors = clip_by_value(vectors, self.clip_value)
        if self.clip_global_norm is not None:
            vectors = clip_by_global_norm(vectors, self.clip_global_norm)
        for index, vector in enumerate(state.vectors):
            l2 = self._group(state.layout, index).get("l2", self.l2)
            if l2:
                vectors[index] = vectors[index] + l2 * vector
        return vectors


def chain(*steps: Any) -> Optimizer:
    """Return an optimizer that first applies functions to the gradients.

    Args:
        *steps: Functions from a tree of gradients to a tree of gradients, in the order in which
            they are applied, and an optimizer as the last one.

    Returns:
        Optimizer with the state of the last one.

    Raises:
        ArgumentError: If the last step is no optimizer, or another one is no function.

    >>> from functools import partial
    >>> import py_tensor as pt
    >>> clip = partial(pt.optim.clip_by_value, limit=1.0)
    >>> optimizer = pt.optim.chain(clip, pt.optim.sgd(0.5))
    >>> state = optimizer.init([pt.asarray(1.0)])
    >>> optimizer.update(state, [pt.asarray(8.0)]).params[0].item()
    0.5
    """
    *transforms, last = steps or (None,)
    if not isinstance(last, Optimizer) or not all(map(callable, transforms)):
        raise ArgumentError(
            f"chain: steps must be functions followed by an optimizer; got {steps!r:.60}; pass for "
            "example partial(pt.optim.clip_by_norm, limit=1.0), pt.optim.sgd(0.1)"
        )
    return replace(last, transforms=(*transforms, *last.transforms))


def _check_group(optimizer: str, name: str, own: dict[str, Any]) -> None:
    for setting, value in own.items():
        if setting not in ("learning_rate", "weight_decay", "l2"):
            raise ArgumentError(
                f'{optimizer}: unknown setting of group "{name}"; got {setting!r}; use '
                "learning_rate, weight_decay or l2"
            )
        if not callable(value) and not number(optimizer, setting, value) >= 0:
            raise ArgumentError(
                f'{optimizer}: {setting} of group "{name}" is negative; got {value}; use 0 or more'
            )


def _rate(rate: Rate, step: int) -> float:
    if not callable(rate):
        return float(rate)
    # In a trace the step's number is known only when the executable is called.
    result: float = on_host(partial(_rate_at, rate), step)
    return result


def _rate_at(schedule: Callable[[int], float], step: int) -> float:
    return float(schedule(step))
