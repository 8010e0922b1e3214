"""Run a model: compiled calls, weights, states and what they keep.

Input: a graph and its table. Output: values by name. `Model` and its copies with other weights
share a `ModelRunner`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any

from ..diagnostics.memory import dispose
from ..dtypes import DType, bool_, int32
from ..errors import TraceError
from ..ir.node import own_tapes
from ..nn.split_matrix import SplitMatrix
from ..ops.index_map import Shape
from ..runtime.scopes import state
from ..tensor import Tensor
from ..transforms.jit.api import jit
from .branches import with_inner_weights
from .execution import ModelProgram, ModelValue, Operator, is_text
from .graph import TEXT, ModelConstant, ModelGraph, ValueList
from .growing_caches import growing_caches
from .inputs import ModelInputs
from .layouts import Permuted, as_tensor
from .passes import optimize

DECISIONS = 4
DECIDING_ELEMENTS = 16
"""Maximum number of different values of inputs for which calls are compiled, and of elements."""

type _Numbers = tuple[tuple[str, DType, Shape, tuple[Any, ...]], ...]
"""Name, dtype, shape and elements of inputs that are constants of a compiled call."""


class ModelRunner:
    """The parts of a model that its copies with other weights share."""

    def __init__(self, graph: ModelGraph, table: Mapping[str, Operator]) -> None:
        self.table = table
        graph = with_inner_weights(graph)
        self.program = program = ModelProgram(graph, table)
        optimize(program)
        kept = program.graph.constants
        self.graph = graph = graph._replace(
            constants={
                name: constant if name in kept else constant.without_elements()
                for name, constant in graph.constants.items()
            }
        )
        self.inputs = ModelInputs(graph)
        self.caches = growing_caches(graph)
        self.eager = False
        self.format = self.producer = ""
        self.states: dict[str, Tensor] = {}
        """States that calls keep, by name; none before the first call."""
        known = frozenset(program.constants).union(
            (info.name for info in graph.inputs), *(step.node.outputs for step in program.steps)
        ) - {""}
        self.values = known | {name for name, value in graph.aliases.items() if value in known}
        """Names that `run` can return."""
        trainable = program.trainable()
        self.orders = {name: x.order for name, x in trainable.items() if isinstance(x, Permuted)}
        """Order of axes of weights that are stored in another order than that of the file."""
        inputs = {info.name for info in graph.inputs}
        self._deciding = program.hosted() & inputs
        """Inputs whose values may decide what runs."""
        self._decided: set[_Numbers] = set()
        """Values of these inputs for which calls are compiled."""
        self.weights = {name: _stored(value) for name, value in trainable.items()}
        self._loaded: list[Tensor] = []
        self._nodes: list[Any] = []

        def forward(
            inputs: dict[str, Tensor],
            outputs: tuple[str, ...],
            weights: dict[str, Tensor],
            numbers: _Numbers = (),
            dropped: int = 0,
        ) -> list[Tensor]:
            if dropped and self.caches is not None:
                short = {name: inputs[name][..., dropped:, :] for name in self.caches.outputs}
                inputs = {**inputs, **short}
            wanted = [graph.aliases.get(name, name) for name in outputs]
            known = {
                name: ModelConstant(name, dtype, shape, [*elements])
                for name, dtype, shape, elements in numbers
            }
            values = program.run({**self.as_stored(weights), **inputs, **known}, wanted)
            return [given_value(value) for value in values]

        forward.__name__ = graph.name or "model"
        self._held = [
            tensor._node.buffer
            for value in program.constants.values()
            if not isinstance(value, ModelConstant)
            for tensor in _tensors(value)
        ]
        """Buffers of weights that may have a copy on the host."""
        self.forward: Callable[..., list[Tensor]] = forward
        self.compiled: Callable[..., list[Tensor]] = _compiled(forward)

    def checked(self, inputs: Mapping[str, Any], outputs: Sequence[str]) -> dict[str, Any]:
        """Convert inputs and check them, and the names of outputs."""
        return self.inputs.checked(inputs, outputs, self.values)

    def as_stored(self, weights: dict[str, Tensor]) -> dict[str, Tensor | Permuted]:
        """Return weights as values of the program."""
        orders = self.orders
        return {
            name: Permuted(weight, orders[name], True) if name in orders else weight
            for name, weight in weights.items()
        }

    def as_declared(self, weights: dict[str, Tensor]) -> dict[str, Tensor]:
        """Return weights with their axes in the order of the file."""
        return {name: as_tensor(value) for name, value in self.as_stored(weights).items()}

    def results(
        self, tensors: dict[str, Tensor], names: tuple[str, ...], weights: dict[str, Tensor]
    ) -> list[Tensor]:
        """Return values by name."""
        if self.caches is not None and state.trace is None and not own_tapes():
            call = self.caches.padded(tensors, names)
            if call is not None:
                results = self._results(call.inputs, names, weights, call.options)
                return self.caches.shortened(results, names, call)
        return self._results(tensors, names, weights, {})

    def _results(
        self,
        tensors: dict[str, Tensor],
        names: tuple[str, ...],
        weights: dict[str, Tensor],
        options: dict[str, int],
    ) -> list[Tensor]:
        """Return values by name; the options are those of `forward` for padded caches."""
        if any(map(is_text, tensors.values())):
            return self.forward(tensors, names, weights)
        if not self.eager:
            try:
                results = self._compiled_results(tensors, names, weights, options)
            except TraceError:
                # Inside of another trace, this raises TraceError again.
                results = self.forward(tensors, names, weights, **options)
                self.eager = True
            else:
                self._held = [buffer for buffer in self._held if not _released(buffer)]
            return results
        return self.forward(tensors, names, weights, **options)

    def _compiled_results(
        self,
        tensors: dict[str, Tensor],
        names: tuple[str, ...],
        weights: dict[str, Tensor],
        options: dict[str, int],
    ) -> list[Tensor]:
        """Return values of a compiled call.

        If the values of small inputs decide what runs, for example which branch, calls are compiled
        for these values. Raises TraceError if they have too many, or if others decide, too.
        """
        if not self._decided:
            try:
                return self.compiled(tensors, names, weights, **options)
            except TraceError:
                if not self._deciding:
                    raise
        numbers: _Numbers = tuple(
            (name, x.dtype, x.shape, tuple(x.reshape((-1,)).tolist()))
            for name, x in tensors.items()
            if name in self._deciding and isinstance(x, Tensor) and _may_decide(x)
        )
        if not numbers or len({*self._decided, numbers}) > DECISIONS:
            raise TraceError(
                f"model: values of inputs decide what runs; got large or more than {DECISIONS} "
                f"values of {', '.join(sorted(self._deciding))}; call the model without compiling"
            )
        chosen = {name for name, *_ in numbers}
        rest = {name: x for name, x in tensors.items() if name not in chosen}
        results = self.compiled(rest, names, weights, numbers, **options)
        self._decided.add(numbers)
        return results

    def keep(self, tensors: Iterable[Tensor]) -> None:
        """Note the weights of the file, which compiled calls capture."""
        self._loaded = [*tensors]
        self._nodes = [*map(_node_of, self._loaded)]

    def dispose(self) -> None:
        """Free the constants of the file, the states, and what compiled calls have captured."""
        self.compiled = _compiled(self.forward)
        dispose(self._loaded, self.states, *tensors_of(self.program))
        self._loaded, self._nodes, self._held = [], [], []

    def are_loaded(self, weights: dict[str, Tensor], buffers: dict[str, Tensor]) -> bool:
        """Return True if weights have the values of the file, so that calls need not pass them."""
        if [*map(_node_of, weights.values()), *map(_node_of, buffers.values())] == self._nodes:
            return True
        if self._nodes and [*map(_node_of, self._loaded)] != self._nodes:
            # The model was trained: free the weights of the file, and the calls that captured them.
            self._nodes = []
            self.compiled = _compiled(self.forward)
        return False


_node_of = attrgetter("_node")


def _compiled(forward: Callable[..., list[Tensor]]) -> Callable[..., list[Tensor]]:
    return jit(forward, static_argnames=("outputs", "numbers", "dropped"))


def _may_decide(x: Tensor) -> bool:
    """Return True if calls are compiled for the values of an input that decides what runs."""
    return x.size <= DECIDING_ELEMENTS and x.dtype in (bool_, int32)


def given_value(value: ModelValue) -> Any:
    """Return a result as a tensor, a list of tensors, texts, or None."""
    if isinstance(value, ValueList):
        return [given_value(element) for element in value.elements]
    if isinstance(value, ModelConstant) and value.dtype is TEXT:
        texts = [str(text, "utf-8", "replace") for text in value.numbers]
        return ModelConstant("", TEXT, value.shape, texts).tolist()
    return None if value is None else as_tensor(value)


def _released(buffer: Any) -> bool:
    """Forget the host's copy of a weight that is on the device, and return whether it is there."""
    if buffer is None or buffer.handle is None:
        return False
    buffer.host = None
    return True


def tensors_of(program: ModelProgram) -> Iterator[Tensor]:
    """Yield the tensors of a program's constants, and of the graphs inside of its nodes."""
    for value in program.constants.values():
        yield from _tensors(value)
    for step in program.steps:
        for body in step.bodies.values():
            yield from tensors_of(body)


def _tensors(value: ModelValue) -> list[Tensor]:
    """Return the tensors of a constant that exist."""
    if isinstance(value, SplitMatrix):
        return [*value.blocks]
    if isinstance(value, ModelConstant):
        return [value.tensor()] if value.has_tensor else []
    return [_stored(value)] if isinstance(value, (Tensor, Permuted)) else []


def _stored(value: Tensor | Permuted) -> Tensor:
    return value.tensor if isinstance(value, Permuted) else value
