"""Export functions of tensors as ONNX.

Input: a function and example inputs. Output: the bytes of a file of operator set 18. The function
is traced, and each operation of its graph becomes nodes by its row in `export_rows`. Values that do
not depend on the inputs are computed now and become initializers. Loops of `pt.scan` are unrolled.

If the first axis of the inputs is to stay open, the function is traced for two lengths of it. A
number that differs between both graphs is a multiple of this length, which the file computes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from ...errors import ArgumentError, ModelError
from ...functions.arguments import flag, function_of
from ...ir.node import OpNode, node_of, tensor_spec
from ...ir.pytree import leaf_names, tree_flatten, tree_unflatten
from ...ir.tracer import ScalarTracer
from ...nn.module import Module
from ...ops.op_def import OpDef
from ...ops.views import BROADCAST, CONCAT, RESHAPE, SLICE
from ...signatures import parameters_of
from ...tensor import Tensor, as_tensor as tensor_of, realize
from ...transforms.branch_op import BranchOp, chosen_result
from ...transforms.jit.precompile import ShapeDtype
from ...transforms.loop_op import LoopOp, rebuilt
from ...transforms.subgraph import tracer, tracing
from ..model import Model
from .export_rows import ROWS, Call, NodeWriter, Open, Shape, written

LENGTHS = (7, 11)
"""Lengths of an open axis for which the function is traced; primes that few shapes contain."""
MAX_NODES = 100_000
"""Maximum number of operations, counting each iteration of a loop."""


def to_onnx(
    function: Callable[..., Any],
    *examples: Any,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
    open_batch: bool = False,
) -> bytes:
    """Export a function of tensors as an ONNX file of operator set 18.

    The function is traced once for the shapes and dtypes of the examples, as under `pt.jit`; its
    Python code is not exported. Tensors that it uses, for example the weights of a module, are
    stored in the file, and random numbers are drawn once. Shapes are fixed, except for the first
    axis with `open_batch`. Indices of `pt.take` must be in range, and results of float32 functions
    that ONNX lacks, for example `pt.log1p`, are computed from others to about 1e-6.

    Args:
        function: Function of tensors, a module of `pt.nn`, or a `Model`. It returns a tensor, or a
            tuple, list or dict of tensors.
        examples: Positional arguments: tensors, array-likes, `pt.ShapeDtype`, or trees of them.
            Python numbers, texts and None are passed on as they are.
        input_names: Names of the inputs in the file; None (default) for the parameters' names.
        output_names: Names of the outputs; None (default) for "output", or "output0", "output1",
            ..., or the keys of a dict.
        open_batch: Let calls decide the length of the first axis of all inputs. Default False.

    Returns:
        Bytes of the file.

    Raises:
        ModelError: If the function uses operations that cannot be exported; the error names all of
            them. With `open_batch`, if a shape is not a multiple of the length of the first axis.
        ArgumentError: If the numbers of names and values differ, or there is no first axis.
        TraceError: If the function reads the value of an input.

    >>> import py_tensor as pt
    >>> data = pt.models.to_onnx(lambda x: pt.relu(x) + 1.0, pt.ShapeDtype((2, 3)))
    >>> pt.models.loads(data)(pt.asarray([[-1.0, 0.0, 1.0]] * 2)).tolist()
    [[1.0, 1.0, 2.0], [1.0, 1.0, 2.0]]
    """
    function_of("to_onnx", "function", function)
    specs, structure = _specs(function, examples)
    if flag("to_onnx", "open_batch", open_batch):
        lengths = {spec.shape[0] for _, spec in specs if spec.shape}
        if len(lengths) != 1 or any(not spec.shape for _, spec in specs):
            raise ArgumentError(
                "to_onnx: inputs have no common first axis; got shapes "
                f"{', '.join(str(spec.shape) for _, spec in specs)}; pass open_batch=False"
            )
        traces = [
            _Trace(function, structure, [(n, _resized(spec, length)) for n, spec in specs])
            for length in LENGTHS
        ]
    else:
        traces = [_Trace(function, structure, specs)]
    return _Export(traces, _name_of(function)).file(
        _names("input_names", input_names, [name for name, _ in specs]),
        _names("output_names", output_names, _output_names(function, traces[0])),
    )


def _name_of(function: Any) -> str:
    if isinstance(function, Model):
        return function._graph.name or "model"
    name = getattr(function, "__name__", type(function).__name__)
    return "function" if name == "<lambda>" else str(name)


def _resized(spec: ShapeDtype, length: int) -> ShapeDtype:
    return ShapeDtype((length, *spec.shape[1:]), spec.dtype)


def _specs(
    function: Any, examples: tuple[Any, ...]
) -> tuple[list[tuple[str, ShapeDtype]], Callable[[list[Any]], list[Any]]]:
    """Return the inputs with their names, and a function that puts tensors into the examples."""
    called = function.forward if isinstance(function, Module) else function
    parameters = parameters_of(called)
    known = [info.name for info in function.inputs] if isinstance(function, Model) else None
    if known is None:
        known = [] if parameters is None else list(parameters.positional)
    specs: list[tuple[str, ShapeDtype]] = []
    arguments = []
    for at, example in enumerate(examples):
        name = known[at] if at < len(known) else f"input{at}"
        leaves, structure = tree_flatten(example)
        places: list[Any] = []
        for path, leaf in zip(leaf_names(example), leaves, strict=True):
            if isinstance(leaf, (bool, int, float, complex, str)) or leaf is None:
                places.append(leaf)
                continue
            if not isinstance(leaf, ShapeDtype):
                tensor = tensor_of("to_onnx", leaf)
                leaf = ShapeDtype(tensor.shape, tensor.dtype)
            places.append(_Place(len(specs)))
            specs.append((f"{name}.{path}" if path else name, leaf))
        arguments.append((structure, places))

    def filled(tensors: list[Any]) -> list[Any]:
        return [
            tree_unflatten(
                structure, [tensors[leaf.at] if type(leaf) is _Place else leaf for leaf in leaves]
            )
            for structure, leaves in arguments
        ]

    return specs, filled


class _Place(NamedTuple):
    """Number of the input at a leaf of the examples."""

    at: int


def _output_names(function: Any, trace: _Trace) -> list[str]:
    if isinstance(function, Model):
        return [info.name for info in function.outputs]
    if isinstance(trace.result, dict):
        return [name or "output" for name in leaf_names(trace.result)]
    count = len(trace.outputs)
    return ["output"] if count == 1 else [f"output{at}" for at in range(count)]


def _names(option: str, names_given: Sequence[str] | None, usual: list[str]) -> list[str]:
    names = usual if names_given is None else list(names_given)
    if len(names) != len(usual) or len(set(names)) < len(names) or not all(names):
        raise ArgumentError(
            f"to_onnx: {option} must be one text for each; got {names} for {len(usual)} values; "
            "pass different names"
        )
    return names


class _Trace:
    """Graph of one trace of the function: nodes after their operands."""

    def __init__(
        self,
        function: Callable[..., Any],
        filled: Callable[[list[Any]], list[Any]],
        specs: list[tuple[str, ShapeDtype]],
    ) -> None:
        with tracing("to_onnx"):
            tensors = [tracer(tensor_spec(spec.shape, spec.dtype)) for _, spec in specs]
            self.inputs = [tensor._node for tensor in tensors]
            result = function(*filled(tensors))
            leaves, structure = tree_flatten(result)
            outputs = [tensor_of("to_onnx", leaf)._node for leaf in leaves]
            self.result = tree_unflatten(structure, list(range(len(leaves))))
        self.outputs = _unrolled(outputs)
        self.nodes = _ordered(self.outputs)
        positions = {id(node): at for at, node in enumerate(self.nodes)}
        # Nodes that are computed later forget how.
        self.calls = [node.call for node in self.nodes]
        self.edges = [tuple(positions[id(src)] for src in node.srcs) for node in self.nodes]
        self.ends = [positions[id(node)] for node in self.outputs]


def _ordered(outputs: Iterable[OpNode]) -> list[OpNode]:
    """Return the nodes that outputs need, each after its operands, in an order of their own."""
    order: dict[int, OpNode] = {}
    stack = [(node, False) for node in reversed(list(outputs))]
    while stack:
        node, done = stack.pop()
        if id(node) in order:
            continue
        if done or not node.srcs:
            order[id(node)] = node
            if len(order) > MAX_NODES:
                raise ModelError(
                    f"to_onnx: function has too many operations; got more than {MAX_NODES:,}; use "
                    "shorter loops"
                )
            continue
        stack.append((node, True))
        stack += [(src, False) for src in reversed(node.srcs)]
    return list(order.values())


def _unrolled(outputs: list[OpNode]) -> list[OpNode]:
    """Return the outputs of a graph without loops and branches.

    Loops are replaced by their iterations, and branches by all of them and a choice.
    """
    order = _ordered(outputs)
    while any(_is(kind, node) for node in order for kind in (LoopOp, BranchOp)):
        new: dict[int, OpNode] = {}
        loops: dict[Any, list[OpNode]] = {}
        for node in order:
            srcs = tuple(new[id(src)] for src in node.srcs)
            if _is(BranchOp, node) and node.call is not None:
                new[id(node)] = chosen_result(node.call, srcs)
            elif _is(LoopOp, node) and node.call is not None:
                body, which = node.call.arg
                key = (id(body), tuple(map(id, srcs)))
                if key not in loops:
                    loops[key] = _iterations(body, srcs)
                new[id(node)] = loops[key][which]
            elif node.call is None or all(a is b for a, b in zip(srcs, node.srcs, strict=True)):
                new[id(node)] = node
            else:
                new[id(node)] = OpNode(node.call, srcs, node.spec)
        outputs = [new[id(node)] for node in outputs]
        order = _ordered(outputs)
    return outputs


def _is(kind: type[OpDef], node: OpNode) -> bool:
    return node.call is not None and isinstance(node.call.op, kind)


def _iterations(body: Any, srcs: tuple[OpNode, ...]) -> list[OpNode]:
    """Return the results of a loop, computed by the nodes of each iteration."""
    if body.length is None:
        raise ModelError(
            "to_onnx: loop without limit cannot be exported; got a while_loop whose condition "
            "depends on the inputs; give max_steps"
        )
    n, m = body.consts, body.carries
    carries = list(srcs[n : n + m])
    stacked: list[list[OpNode]] = [[] for _ in body.graph.outputs[m:]]
    if body.length * len(body.graph.calls) > MAX_NODES:
        raise ModelError(
            f"to_onnx: function has too many operations; got {body!r}; at most {MAX_NODES:,} are "
            "exported: use shorter loops"
        )
    order = range(body.length)
    for at in reversed(order) if body.reverse else order:
        slices = []
        for sequence in srcs[n + m :]:
            shape = sequence.spec.shape
            parts = ((at, 1, 1), *((0, length, 1) for length in shape[1:]))
            slices.append(node_of(RESHAPE, (node_of(SLICE, (sequence,), parts),), shape[1:]))
        results = rebuilt(body.graph, (*srcs[:n], *carries, *slices))
        carries = results[:m]
        for into, value in zip(stacked, results[m:], strict=True):
            into.append(node_of(RESHAPE, (value,), (1, *value.spec.shape)))
    joined = [
        node_of(CONCAT, tuple(reversed(parts) if body.reverse else parts), 0) for parts in stacked
    ]
    return [*carries, *joined]


class _Export:
    """Writes the graph of one trace, or the common graph of two traces."""

    def __init__(self, traces: list[_Trace], name: str) -> None:
        self._name = name
        self._trace, self._other = traces[0], traces[-1]
        first, second = self._trace, self._other
        equal = first.edges == second.edges and first.ends == second.ends
        for a, b in zip(first.nodes, second.nodes, strict=False):
            equal = equal and (a.call and a.call.op) is (b.call and b.call.op)
        if not equal:
            raise ModelError(
                "to_onnx: function has another graph for another length of the first axis; got "
                f"{len(first.nodes)} and {len(second.nodes)} operations; pass open_batch=False"
            )
        nodes = first.nodes
        for a, b in zip(nodes, second.nodes, strict=True):
            if _is_number(a) and repr(a.value) != repr(b.value):
                raise self._differs(a, repr(a.value), repr(b.value))
        self._shapes = [
            self._merged(a.spec.shape, b.spec.shape, a)
            for a, b in zip(nodes, second.nodes, strict=True)
        ]
        input_nodes = {id(node) for node in first.inputs}
        self._variable: list[bool] = []
        """For each node, True if it depends on inputs or on the length of an open axis."""
        for at, node in enumerate(nodes):
            self._variable.append(
                id(node) in input_nodes
                or any(isinstance(length, Open) for length in self._shapes[at])
                or any(self._variable[src] for src in first.edges[at])
            )
        self._folded = self._constants()

    def _merged(self, a: Any, b: Any, node: OpNode) -> Any:
        """Return what two traces have in common; numbers that differ become `Open`."""
        if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
            parts = [self._merged(x, y, node) for x, y in zip(a, b, strict=True)]
            return type(a)(*parts) if hasattr(a, "_fields") else tuple(parts)
        if a == b:
            return a
        small, large = LENGTHS
        if type(a) is int and type(b) is int and a % small == 0 and a // small * large == b:
            return Open(a // small)
        raise self._differs(node, f"{a!r:.60}", f"{b!r:.60}")

    def _differs(self, node: OpNode, a: str, b: str) -> ModelError:
        small, large = LENGTHS
        return ModelError(
            "to_onnx: number is not a multiple of the length of the first axis; got "
            f"{a} and {b} for lengths {small} and {large} in {_described(node)}; pass "
            "open_batch=False"
        )

    def _constants(self) -> dict[int, Tensor]:
        """Compute the constants that other nodes need, by position."""
        trace, wanted = self._trace, set()
        needed = [at for at in trace.ends if not self._variable[at]]
        for at, variable in enumerate(self._variable):
            if variable:
                needed += [src for src in trace.edges[at] if not self._variable[src]]
        for at in needed:
            # Constants that repeat the same elements are stored once.
            while (call := trace.calls[at]) is not None and call.op is BROADCAST:
                [at] = trace.edges[at]
            if call is not None or trace.nodes[at].buffer is not None:
                wanted.add(at)
        tensors = {at: Tensor(trace.nodes[at]) for at in sorted(wanted)}
        other_tensors = {
            at: Tensor(self._other.nodes[at])
            for at in tensors
            if self._other.nodes[at] is not trace.nodes[at]
        }
        realize(*tensors.values(), *other_tensors.values())
        for at, tensor in other_tensors.items():
            if tensor._bytes("to_onnx") != tensors[at]._bytes("to_onnx"):
                raise self._differs(trace.nodes[at], "a constant", "another one")
        return tensors

    def file(self, inputs: list[str], outputs: list[str]) -> bytes:
        """Return the bytes of the file; raise ModelError for operations without a row."""
        trace = self._trace
        self._check()
        writer = NodeWriter({*inputs, *outputs})
        names: dict[int, str] = {}
        positions = {id(node): at for at, node in enumerate(trace.nodes)}
        for name, node in zip(inputs, trace.inputs, strict=True):
            at = positions.get(id(node))
            shape: Shape = node.spec.shape
            if at is None:
                shape = self._merged(
                    shape, self._other.inputs[trace.inputs.index(node)].spec.shape, node
                )
            else:
                names[at] = name
                shape = self._shapes[at]
            writer.input(name, shape, node.spec.dtype)
        for at in range(len(trace.nodes)):
            if self._variable[at] and at not in names:
                names[at] = self._written(writer, at, names)
        for name, at in zip(outputs, trace.ends, strict=True):
            node = trace.nodes[at]
            value = self._value(writer, at, names)
            writer.output(name, value, self._shapes[at], node.spec.dtype)
        return writer.file(self._name)

    def _check(self) -> None:
        missing: dict[str, int] = {}
        for at, node in enumerate(self._trace.nodes):
            call = self._trace.calls[at]
            if self._variable[at] and call is not None:
                kinds = {spec.dtype.kind for spec in (node.spec, *call.specs)}
                if "c" in kinds:
                    name = f"{call.op.name} of complex numbers"
                elif call.op.name not in ROWS:
                    name = call.op.name
                else:
                    continue
                missing[name] = missing.get(name, 0) + 1
        if missing:
            listed = ", ".join(f"{name} ({count} times)" for name, count in missing.items())
            raise ModelError(
                f"to_onnx: operations cannot be exported; got {listed} in {self._name}; write the "
                "function without them"
            )

    def _value(self, writer: NodeWriter, at: int, names: dict[int, str]) -> str:
        """Return the name of a value; constants become initializers when they are needed."""
        if at not in names:
            node = self._trace.nodes[at]
            if at in self._folded:
                tensor = self._folded[at]
                names[at] = writer.tensor(tensor)
            elif self._trace.calls[at] is not None:
                names[at] = self._written(writer, at, names)
            else:
                if isinstance(node.value, ScalarTracer):
                    raise ModelError(
                        "to_onnx: number is traced by another function; got an argument of a "
                        "function around to_onnx; call to_onnx outside of pt.jit"
                    )
                names[at] = writer.number(node.value, node.spec.dtype)
        return names[at]

    def _written(self, writer: NodeWriter, at: int, names: dict[int, str]) -> str:
        node, trace = self._trace.nodes[at], self._trace
        call, other = trace.calls[at], self._other.calls[at]
        assert call is not None and other is not None
        sources = trace.edges[at]
        operands = []
        for src, dtype in zip(sources, call.operands, strict=True):
            name, held = self._value(writer, src, names), trace.nodes[src].spec.dtype
            operands.append(name if held is dtype else writer.cast(name, dtype))
        shapes = [self._shapes[src] for src in sources]
        arg = self._merged(call.arg, other.arg, node)
        dtype = call.operands[0] if call.operands else node.spec.dtype
        operation = Call(operands, shapes, dtype, arg, self._shapes[at], node.spec.dtype)
        try:
            return written(writer, call.op.name, operation)
        except (TypeError, ValueError) as error:
            if trace is self._other:
                raise
            raise ModelError(
                "to_onnx: operation cannot be exported with an open first axis; got "
                f"{call.op.name} with {arg!r:.80}: {error}; pass open_batch=False"
            ) from None


def _is_number(node: OpNode) -> bool:
    return node.call is None and node.buffer is None


def _described(node: OpNode) -> str:
    return "a number or an input" if node.call is None else node.call.op.name
