"""Models built by calling layers on symbolic inputs, as in Keras's functional API.

`Input` returns a `LayerOutput`. A module that is called with one records the call and returns the
outputs of the call. `Model` collects the calls between its inputs and its outputs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ...dtypes import as_dtype, float32, wrong_type
from ...errors import ArgumentError
from ...functions.arguments import a_shape
from ...functions.creation import zeros
from ...ir.pytree import Structure, tree_flatten, tree_map, tree_unflatten
from ...tensor import Tensor
from ...typing import ArrayLike, DTypeLike
from ..module import Module, Symbolic, static_field
from .merging import Add, Multiply, Subtract


class LayerCall:
    """Call of a module with symbolic arguments."""

    def __init__(self, module: Module, args: Any, kwargs: dict[str, Any]) -> None:
        self.module = module
        self.leaves, self.structure = tree_flatten(args)
        self.kwargs = tuple(kwargs.items())
        self.results = 0
        """Number of leaves of the result."""


class LayerOutput(Symbolic):
    """Input of a model, or tensor that a layer of the model returns; it has a shape but no values.

    `Input` and calls of modules create it. `+`, `-` and `*` with another one record `Add`,
    `Subtract` and `Multiply`.

    Args:
        example: Tensor of the shape and dtype with a batch of 1, whose values are never computed.
        call: Call that returns it; None for an input.
        leaf: Position among the leaves of the call's result.

    >>> import py_tensor as pt
    >>> x = pt.nn.Input((4,))
    >>> pt.nn.Dense(4, 2)(x).shape
    (None, 2)
    """

    def __init__(self, example: Tensor, call: LayerCall | None = None, leaf: int = 0) -> None:
        if not isinstance(example, Tensor):
            raise wrong_type("LayerOutput", "example", "a tensor", example)
        self.example, self.call, self.leaf = example, call, leaf

    @property
    def shape(self) -> tuple[int | None, ...]:
        """Shape, with None for the batch axis."""
        return (None, *self.example.shape[1:])

    def __repr__(self) -> str:
        return f"LayerOutput(shape={self.shape}, dtype={self.example.dtype})"

    def applied(self, module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Record a call of a module, and return its outputs."""
        for leaf in tree_flatten(args)[0]:
            if isinstance(leaf, Tensor):
                raise ArgumentError(
                    f"{type(module).__name__}: a symbolic call takes no tensors; got one of shape "
                    f"{leaf.shape}; pass it as another Input, or hold it in a module"
                )
        call = LayerCall(module, args, kwargs)
        examples = tree_map(_example, args)
        result = module(*examples, **kwargs)
        leaves, structure = tree_flatten(result)
        call.results = len(leaves)
        return tree_unflatten(
            structure, [LayerOutput(leaf, call, at) for at, leaf in enumerate(leaves)]
        )

    def __add__(self, other: LayerOutput) -> Any:
        return Add()([self, other])

    def __sub__(self, other: LayerOutput) -> Any:
        return Subtract()([self, other])

    def __mul__(self, other: LayerOutput) -> Any:
        return Multiply()([self, other])


def _example(leaf: Any) -> Any:
    return leaf.example if isinstance(leaf, LayerOutput) else leaf


def Input(shape: Sequence[int], *, dtype: DTypeLike = float32) -> LayerOutput:
    """Return a symbolic input of a functional model; see `Model`.

    Args:
        shape: Shape without the batch axis.
        dtype: Dtype; default float32.

    Returns:
        `LayerOutput` on which layers can be called.

    >>> import py_tensor as pt
    >>> pt.nn.Input((28, 28, 1)).shape
    (None, 28, 28, 1)
    """
    return LayerOutput(zeros((1, *a_shape("Input", shape)), dtype=as_dtype(dtype, "Input")))


class _Step(NamedTuple):
    """Call of a layer: slots of values for symbolic leaves, and constants in (False, value)."""

    layer: int
    structure: Structure
    sources: tuple[tuple[bool, Any], ...]
    kwargs: tuple[tuple[str, Any], ...]


class Model(Module):
    """Compute outputs from inputs by the layers that were called between them.

    Calling the model takes a tensor, or a list, tuple or dict of tensors as `inputs` is, and
    returns tensors as `outputs` is. A layer that is called several times shares its parameters.
    Functions are called through `Activation`.

    Args:
        inputs: `Input`, or list, tuple or dict of them.
        outputs: Result of layers called on them, or list, tuple or dict of results.

    Raises:
        ArgumentError: If outputs depend on other inputs, or inputs or outputs are not symbolic.

    >>> import py_tensor as pt
    >>> x = pt.nn.Input((4,))
    >>> hidden = pt.nn.Activation(pt.relu)(pt.nn.Dense(4, 4)(x))
    >>> model = pt.nn.Model(x, pt.nn.Dense(4, 2)(hidden + x))
    >>> model(pt.ones((3, 4))).shape
    (3, 2)
    >>> model
    Model: 30 parameters
      [0] Dense(4 -> 4)
      [1] Activation(relu)
      [2] Add
      [3] Dense(4 -> 2)
    """

    layers: tuple[Module, ...]
    steps: tuple[_Step, ...] = static_field()
    inputs: Structure = static_field()
    outputs: tuple[Structure, tuple[int, ...]] = static_field()

    def __init__(self, inputs: Any, outputs: Any) -> None:
        starts, self.inputs = tree_flatten(inputs)
        ends, structure = tree_flatten(outputs)
        for value in (*starts, *ends):
            if not isinstance(value, LayerOutput):
                raise ArgumentError(
                    f"Model: inputs and outputs must be symbolic; got {value!r:.60}; start from "
                    "pt.nn.Input and call layers on it"
                )
        slots: dict[tuple[int, int], int] = {_key(start): at for at, start in enumerate(starts)}
        layers: dict[int, Module] = {}
        steps: list[_Step] = []
        count = len(starts)
        for call in _ordered(ends, slots):
            layers.setdefault(id(call.module), call.module)
            sources = tuple(
                (True, slots[_key(leaf)]) if isinstance(leaf, LayerOutput) else (False, leaf)
                for leaf in call.leaves
            )
            number = list(layers).index(id(call.module))
            steps.append(_Step(number, call.structure, sources, call.kwargs))
            results = call.results
            slots |= {(id(call), at): count + at for at in range(results)}
            count += results
        self.layers = tuple(layers.values())
        self.steps = tuple(steps)
        self.outputs = structure, tuple(slots[_key(end)] for end in ends)

    def forward(self, x: ArrayLike | Any, *, training: bool = False) -> Any:
        values, structure = tree_flatten(x)
        if structure.count != self.inputs.count:
            raise ArgumentError(
                f"Model: wrong number of inputs; got {structure.count} for {self.inputs}; pass "
                f"{self.inputs.count}"
            )
        for step in self.steps:
            leaves = [values[at] if known else at for known, at in step.sources]
            args = tree_unflatten(step.structure, leaves)
            options = dict(step.kwargs) | {"training": training}
            values += tree_flatten(self.layers[step.layer](*args, **options))[0]
        structure, places = self.outputs
        return tree_unflatten(structure, [values[at] for at in places])

    def children(self) -> Iterator[tuple[str, Module]]:
        return ((f"[{at}]", layer) for at, layer in enumerate(self.layers))


def _key(output: LayerOutput) -> tuple[int, int]:
    return (id(output), -1) if output.call is None else (id(output.call), output.leaf)


def _ordered(ends: list[LayerOutput], known: dict[tuple[int, int], int]) -> list[LayerCall]:
    """Return the calls that the outputs depend on, each after those it depends on itself."""
    calls: dict[int, LayerCall] = {}
    waiting: list[tuple[LayerOutput, bool]] = [(end, False) for end in reversed(ends)]
    while waiting:
        output, is_ready = waiting.pop()
        call = output.call
        if _key(output) in known or (call is not None and id(call) in calls):
            continue
        if call is None:
            raise ArgumentError(
                f"Model: outputs depend on another input; got one of shape {output.shape}; add it "
                "to inputs"
            )
        if is_ready:
            calls[id(call)] = call
            continue
        waiting.append((output, True))
        waiting += [(leaf, False) for leaf in call.leaves if isinstance(leaf, LayerOutput)][::-1]
    return list(calls.values())
