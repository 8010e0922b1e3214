"""The JAX backend: compile each graph with XLA for CPUs, GPUs and TPUs.

Values are arrays of JAX. The handle of a `Buffer` is a `jax.Array` in the shape of its tensor.
Bytes on the host are copied to the device at their first use. A placement on several devices is the
sharding of that array (`jax.sharding`): plans accept arrays of any sharding, and XLA divides the
work and chooses the shardings of the results. `JaxBackend.adopt` makes a buffer of any `jax.Array`,
also one that `jax.device_put` has placed on a mesh.

A graph outside of `jit` runs on NumPy once before it is compiled, if it is small: graphs whose
shapes differ each time, as in a loop that appends, would be compiled for nothing.

A plan is one function of the graph's leaves and scalars. It calls the functions that the op
definitions name, and `jax.jit` compiles it as a whole. Scalars are arguments, so that a new
learning rate compiles nothing; those that are the same in all calls are constants. Donated leaves
are `donate_argnums`. Loops and branches are calls of `jax.lax.scan`, `while_loop` and `switch` in
that function.
"""

from __future__ import annotations

from array import array as packed
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any, NoReturn

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.multihost_utils import process_allgather

from ...dtypes import BY_NAME, DTYPES, DType, float32
from ...errors import BackendError
from ...ir.node import OpGraph, OpInstance, Scalar, TensorSpec
from ...ops import jax_functions
from ...ops.contractions import DOT
from ...ops.index_map import Shape
from ...ops.op_def import (
    Concat,
    Elementwise,
    Gather,
    GatherAlong,
    OpDef,
    Pad,
    Reduction,
    Scan,
    SourceOp,
    ViewOp,
    for_dtype,
)
from .base import Buffer, CompiledParts, HostBackend
from .numpy import NumpyBackend

Values = list[Any]
Step = Callable[[Values], Any]


class ArrayBuffer(Buffer):
    """Buffer of an array that Python frees, with a short `__init__`, since each result has one."""

    __slots__ = ()

    def __init__(self, dtype: DType, size: int, backend: JaxBackend, array: Any) -> None:
        self.dtype = dtype
        self.size = size
        self.host = None
        self.backend = backend
        self.handle = array
        self.generation = 0
        self.users = 0

    def __del__(self) -> None:
        """Do nothing."""


class JaxPlan:
    """A graph as a function of leaves and scalars, compiled for each set of donated leaves.

    The scalars with the numbers `fixed` are the same in all calls.
    """

    def __init__(self, graph: OpGraph, fixed: Collection[int] = ()) -> None:
        self.graph = graph
        self.kept = (*graph.outputs, *graph.shared)
        self.specs = [graph.spec(at) for at in self.kept]
        self.results = [(at, graph.spec(at).dtype, graph.spec(at).size) for at in self.kept]
        """(position, dtype, number of elements) of each result."""
        self.leaves = [call for call in graph.calls if type(call) is TensorSpec]
        self.scalars = _by_dtype(graph, fixed)
        self.fixed = fixed
        self.compiled: dict[tuple[int, ...], Any] = {}
        self.trial: Any = None
        """Plan of NumPy for the first run, if any."""

    def function(self, donated: Sequence[int], scalars: Sequence[bool | int | float]) -> Any:
        """Return the compiled function; results reuse donated leaves of their shape and dtype.

        The fixed ones of the scalars are constants in it.
        """
        key = tuple(donated)
        function = self.compiled.get(key)
        if function is None:
            free, reused = [*self.specs], []
            for at in donated:
                if self.leaves[at] in free:
                    free.remove(self.leaves[at])
                    reused.append(at)
            constants = {number: scalars[number] for number in self.fixed}
            function = self.compiled[key] = jax.jit(
                evaluator(self.graph, self.kept, constants),
                donate_argnums=reused,
                compiler_options=OPTIONS,
            )
        return function

    def vectors(self, scalars: Sequence[bool | int | float]) -> list[Any]:
        """Return a vector of the changing scalars of each dtype."""
        return [_vector(scalars, at, dtype) for dtype, at in self.scalars.items()]


def _vector(scalars: Sequence[bool | int | float], at: list[int], dtype: Any) -> Any:
    values = [scalars[n] for n in at]
    if dtype == np.float32:
        # Numbers beyond its range become infinite, as they should, and without a warning.
        return np.frombuffer(packed("f", values), dtype)
    with np.errstate(all="ignore"):
        return np.array(values, dtype)


NUMPY = NumpyBackend()
SMALL = 1 << 24
"""Operations up to which a graph first runs on NumPy, which then takes less time than compiling."""
_QUICK = (Concat, Elementwise, Gather, GatherAlong, Pad, Reduction, Scan, SourceOp, ViewOp)


def _is_small(graph: OpGraph) -> bool:
    """Return True if NumPy computes a graph in less time than XLA compiles it."""
    work = 0
    for call in graph.calls:
        if type(call) is not OpInstance:
            continue
        if call.op is DOT:
            work += call.spec.size * call.specs[0].shape[-1]
        elif isinstance(call.op, _QUICK):
            work += call.spec.size
        else:
            return False
        if call.spec.dtype not in DTYPES:
            return False
    return work <= SMALL


def _is_distributed(buffer: Buffer) -> bool:
    handle = getattr(buffer, "handle", None)
    return isinstance(handle, jax.Array) and len(handle.sharding.device_set) > 1


OPTIONS = {"xla_allow_excess_precision": False}
"""Options of XLA: values of narrow dtypes are rounded after each operation."""


class JaxBackend(HostBackend):
    """Backend that computes with JAX, on its default device or on the devices of sharded arrays."""

    name = "jax"
    on_processor = False
    jax_arrays = True
    host_memory = False
    compiles = True
    whole_programs = True

    def compile(self, graph: OpGraph) -> JaxPlan:
        plan = JaxPlan(graph)
        if jax.default_backend() == "cpu" and _is_small(graph):
            plan.trial = NUMPY.compile(graph)
        return plan

    def compile_parts(
        self, graph: OpGraph, constants: Collection[int], scalars: Collection[int]
    ) -> CompiledParts:
        plan = JaxPlan(graph, scalars)
        return CompiledParts(plan, tuple(range(len(plan.leaves))))

    def run(
        self,
        plan: JaxPlan,
        leaves: Sequence[Buffer],
        scalars: Sequence[bool | int | float],
        donated: Sequence[int] = (),
    ) -> list[tuple[int, Buffer]]:
        if plan.trial is not None:
            trial, plan.trial = plan.trial, None
            if not donated and not any(map(_is_distributed, leaves)):
                self.draws += 1
                pairs = zip(NUMPY.run(trial, leaves, scalars), plan.specs, strict=True)
                hosts = [buffer.host.reshape(spec.shape) for (_, buffer), spec in pairs]
                return self._buffers(plan, jax.device_put(hosts, may_alias=False))
        arguments = [
            leaf.handle if leaf.backend is self else self.array(leaf, plan.leaves[at])
            for at, leaf in enumerate(leaves)
        ]
        if plan.scalars:
            arguments += plan.vectors(scalars)
        try:
            arrays = plan.function(donated, scalars)(*arguments)
        except (RuntimeError, ValueError) as error:
            raise_failure(error)
        self.draws += 1
        return self._buffers(plan, arrays)

    def _buffers(self, plan: JaxPlan, arrays: Sequence[Any]) -> list[tuple[int, Buffer]]:
        return [
            (position, ArrayBuffer(dtype, size, self, arrays[at]))
            for at, (position, dtype, size) in enumerate(plan.results)
        ]

    def adopt(self, array: Any) -> tuple[Buffer, Shape] | None:
        """Return a buffer of a `jax.Array`, or of an array with DLPack in the device's memory."""
        if not isinstance(array, jax.Array):
            try:
                array = jnp.from_dlpack(array)
            except (AttributeError, BufferError, RuntimeError, TypeError, ValueError):
                return None
        dtype = BY_NAME.get(array.dtype.name)
        if dtype is None:
            return None
        buffer = ArrayBuffer(dtype, array.size, self, array)
        # Its memory is not donated, since others may use the array.
        buffer.users = 1
        return buffer, array.shape

    def enable_x64(self) -> None:
        """Let JAX have 64-bit dtypes."""
        options: Any = jax.config
        options.update("jax_enable_x64", True)

    def array(self, buffer: Buffer, spec: TensorSpec) -> Any:
        """Return a buffer's `jax.Array`, copying elements on the host to the device."""
        if buffer.backend is not self:
            host = buffer.host if buffer.host is not None else buffer.backend.read(buffer)
            flat = np.frombuffer(
                memoryview(host).cast("B") if spec.size else b"", np_dtype(spec.dtype)
            )
            array = jax.device_put(flat.reshape(spec.shape))
            if buffer.handle is not None:
                return array
            buffer.backend, buffer.handle = self, array
        return buffer.handle

    def read(self, buffer: Buffer) -> memoryview:
        if not buffer.size or buffer.host is not None or buffer.backend is not self:
            return super().read(buffer)
        array = buffer.handle
        try:
            if not (array.is_fully_addressable or array.is_fully_replicated):
                # All processes of the job get the elements of all.
                array = process_allgather(array, tiled=True)
            flat = np.asarray(array).reshape(-1)
        except (RuntimeError, ValueError) as error:
            raise_failure(error)
        return memoryview(flat.view(np.uint8))


def _by_dtype(graph: OpGraph, fixed: Collection[int]) -> dict[Any, list[int]]:
    """Return the numbers of a graph's changing scalars by dtype; few arguments take less time."""
    numbers: dict[Any, list[int]] = {}
    for number, dtype in enumerate(_scalar_dtypes(graph)):
        if number not in fixed:
            numbers.setdefault(dtype, []).append(number)
    return numbers


def _scalar_dtypes(graph: OpGraph) -> list[Any]:
    return [np_dtype(call.spec.dtype) for call in graph.calls if type(call) is Scalar]


def raise_failure(error: Exception) -> NoReturn:
    """Raise an error of JAX; in a job of several processes, say that another may be its cause."""
    count = jax.process_count()
    if count == 1:
        raise error
    raise BackendError(
        f"jax: a computation of {count} processes failed, probably because one has ended; got "
        f"{error!s:.300}; start all processes again, and continue from the last checkpoint"
    ) from error


def np_dtype(dtype: DType) -> Any:
    return np.dtype(dtype.name)


def evaluator(
    graph: OpGraph, kept: Sequence[int], constants: Mapping[int, bool | int | float] | None = None
) -> Callable[..., Values]:
    """Return the function that computes the nodes `kept` of a graph.

    `constants` are fixed scalars by number. The function's arguments are the leaves, and vectors of
    the other scalars as in `JaxPlan.vectors`.
    """
    steps = [
        _step(call, edges) if type(call) is OpInstance else None
        for call, edges in zip(graph.calls, graph.edges, strict=True)
    ]

    count = sum(type(call) is TensorSpec for call in graph.calls)
    dtypes = _scalar_dtypes(graph)
    known = {
        number: _vector([value], [0], dtypes[number])[0]
        for number, value in (constants or {}).items()
    }
    numbers = _by_dtype(graph, known)

    def evaluate(*arguments: Any) -> Values:
        leaves = iter(arguments[:count])
        scalars_by_number: dict[int, Any] = {n: jnp.asarray(value) for n, value in known.items()}
        for at, vector in zip(numbers.values(), arguments[count:], strict=True):
            scalars_by_number |= zip(at, list(vector), strict=True)
        scalars = iter([scalars_by_number[number] for number in range(len(scalars_by_number))])
        values: Values = []
        for call, step in zip(graph.calls, steps, strict=True):
            if step is not None:
                values.append(step(values))
            elif type(call) is Scalar:
                values.append(next(scalars))
            else:
                values.append(next(leaves).reshape(call.shape))
        return [values[at] for at in kept]

    return evaluate


def _step(call: OpInstance, edges: tuple[int, ...]) -> Step:
    function = _function(call)
    dtypes = [np_dtype(_computed(call.op, dtype)) for dtype in call.operands]
    result, shape = np_dtype(call.spec.dtype), call.spec.shape

    def step(values: Values) -> Any:
        arrays = [_as(values[at], dtype) for at, dtype in zip(edges, dtypes, strict=True)]
        value = _as(jnp.asarray(function(*arrays)), result)
        return (
            value.reshape(shape) if value.size == call.spec.size else jnp.broadcast_to(value, shape)
        )

    return step


def _computed(op: OpDef, dtype: DType) -> DType:
    """Return the dtype in which an operation computes: narrow floats are rounded at the end."""
    narrow = dtype.kind == "f" and dtype.itemsize < float32.itemsize
    if narrow and isinstance(op, Elementwise) and op.dtypes in ("floating", "numeric"):
        own = isinstance(op.formula, dict) and "f" not in op.formula
        return dtype if own else float32
    return dtype


def _as(array: Any, dtype: Any) -> Any:
    return array if array.dtype == dtype else array.astype(dtype)


def _function(call: OpInstance) -> Callable[..., Any]:
    """Return the function of the operands' arrays that computes an operation."""
    op = call.op
    if isinstance(op, Elementwise):
        return function_of(op, call.operands[0])
    function = function_of(op)
    if isinstance(op, Reduction):
        axes: Any = call.arg[0] if op.index else call.arg
        return lambda x: function(x, axis=axes, keepdims=True)
    return lambda *arrays: function(*arrays, call.arg)


def function_of(op: OpDef, dtype: DType | None = None) -> Callable[..., Any]:
    """Return the function that computes an operation on arrays of JAX."""
    if op.jax:
        return getattr(jax_functions, op.jax) if isinstance(op.jax, str) else op.jax
    integral = dtype is not None and dtype.kind in "iub"
    if dtype and integral and isinstance(op, Elementwise) and for_dtype(op.formula, dtype) == "x":
        # JAX converts integers to floats before it rounds them.
        return lambda x: x
    reference = op.reference or op.name
    return partial(reference, jnp) if callable(reference) else getattr(jnp, reference)


def scan(
    graph: OpGraph,
    consts: Values,
    carries: Values,
    sequences: Values,
    length: int,
    reverse: bool,
) -> Values:
    """Return the last carries and the stacked values of a loop, whose body is a graph.

    The leaves of the graph are constants, carries and slices of the sequences.
    """
    body = evaluator(graph, graph.outputs)

    def iteration(carried: Values, slices: Values) -> tuple[Values, Values]:
        results = body(*consts, *carried, *slices)
        return results[: len(carries)], results[len(carries) :]

    last, stacked = jax.lax.scan(iteration, carries, sequences, length, reverse)
    return [*last, *stacked]


def while_loop(graph: OpGraph, consts: Values, carries: Values) -> Values:
    """Return the last carries of a loop that ends when no element of the first carry is True."""
    body = evaluator(graph, graph.outputs)
    results: Values = jax.lax.while_loop(
        lambda carried: jnp.any(carried[0]), lambda carried: body(*consts, *carried), carries
    )
    return results


def switch(graphs: Sequence[OpGraph], branch: Any, operands: Values) -> Values:
    """Return the outputs of the graph at a place among several, which alone is computed."""
    branches = [evaluator(graph, graph.outputs) for graph in graphs]
    results: Values = jax.lax.switch(branch, branches, *operands)
    return results
