"""Gradients by `backward()`: record how tensors that require them were computed.

A call with such operands sets the `origin` of the nodes that it makes, which stays when a node is
computed. It is a pair of op instance and operands, a `CustomVJP`, or a weak reference to the leaf
tensor that a node is a value of. Nodes without an origin are constants for the backward pass, so
`detach`, `no_grad` and gradients need no record of their own. A node's record ends with the node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ContextDecorator
from contextvars import ContextVar
from typing import Any
from weakref import WeakSet, ref

from ..functions.creation import ones
from ..ir.node import OpInstance, OpNode, node_of, tapes, task_tapes, tracking
from ..ops.views import RESHAPE
from ..tensor import Tensor as Value, handle_on
from ..transforms.autodiff.backward import CustomVJP, pull_back
from ..transforms.autodiff.tape import Tape

__all__ = ["enable_grad", "inference_mode", "is_grad_enabled", "no_grad", "set_grad_enabled"]

retained: WeakSet[Any] = WeakSet()
"""Tensors that are no leaves and keep their gradients."""
_enabled: ContextVar[bool] = ContextVar("py_tensor_torch_grad", default=True)


def is_grad_enabled() -> bool:
    """Return True if calls are recorded for `backward`."""
    return _enabled.get()


class set_grad_enabled(ContextDecorator):
    """Switch recording on or off, at once and until the end of a `with` block."""

    def __init__(self, mode: bool) -> None:
        self.mode = mode
        self.before = _enabled.get()
        _enabled.set(mode)

    def __enter__(self) -> None:
        _enabled.set(self.mode)

    def __exit__(self, *error: object) -> None:
        _enabled.set(self.before)


class _Switch(ContextDecorator):
    """Context and decorator that sets the recording for its duration."""

    mode = False

    def __new__(cls, function: Callable[..., Any] | None = None) -> Any:
        switch = super().__new__(cls)
        return switch if function is None else switch(function)

    def __init__(self, function: object = None) -> None:
        self.before: list[bool] = []

    def __enter__(self) -> None:
        self.before.append(_enabled.get())
        _enabled.set(self.mode)

    def __exit__(self, *error: object) -> None:
        _enabled.set(self.before.pop())


class no_grad(_Switch):
    """Do not record calls in a `with` block or a decorated function."""


class inference_mode(no_grad):
    """Do not record calls, as `no_grad`."""

    def __new__(cls, mode: Any = True) -> Any:
        return super().__new__(cls, mode if callable(mode) else None)


class enable_grad(_Switch):
    """Record calls in a `with` block or a decorated function, also inside `no_grad`."""

    mode = True


class _Record(Tape):
    """Tape that reads the origins of nodes, and takes custom gradients of the running call."""

    def __init__(self) -> None:
        super().__init__(())

    def keep(self, pending: Sequence[OpNode]) -> None:
        pass

    def origin(self, node: OpNode) -> tuple[OpInstance, tuple[OpNode, ...]] | None:
        origin = getattr(node, "origin", None)
        return origin if type(origin) is tuple else None


def recorded(
    function: Callable[..., Any], operands: Iterable[OpNode], *args: Any, **kw: Any
) -> Any:
    """Call a function of values, and record how its results depend on the operands."""
    tracking[:] = (True,)
    record = _Record()
    token = task_tapes.set((*task_tapes.get(), record))
    tapes.append(record)
    try:
        result = function(*args, **kw)
    finally:
        tapes.remove(record)
        task_tapes.reset(token)
    ends = set(map(id, operands))
    stack = [value._node for value in values_of(result)]
    while stack:
        node = stack.pop()
        custom = record.custom.get(id(node))
        if id(node) not in ends and not hasattr(node, "origin"):
            if custom is not None:
                node.origin = custom
                stack += (*custom.inputs, *custom.results)
            elif node.call is not None and node.spec.dtype.kind in "cf":
                node.origin = node.call, node.srcs
                stack += node.srcs
    return result


def values_of(tree: Any) -> Iterator[Value]:
    """Iterate over the values in a result."""
    if isinstance(tree, Value):
        yield tree
    elif isinstance(tree, (tuple, list)):
        for part in tree:
            yield from values_of(part)


def constant(value: Value) -> Value:
    """Return a value with a node of its own, through which no gradient propagates."""
    node = value._node
    return handle_on(node_of(RESHAPE, (node,), node.spec.shape))


class _Graph:
    """Nodes from results back to leaves."""

    def __init__(self, results: Sequence[OpNode]) -> None:
        self.leaves: dict[OpNode, Any] = {}
        self.inner: list[OpNode] = []
        self.record = _Record()
        seen: set[OpNode] = set()
        stack = [*results]
        while stack:
            node = stack.pop()
            origin: Any = getattr(node, "origin", ())
            if node in seen or origin == ():
                continue
            seen.add(node)
            if origin is None:
                raise RuntimeError(
                    "Trying to backward through the graph a second time; got a graph that "
                    "backward() has freed; specify retain_graph=True in the first call, or detach "
                    "the tensors of an earlier step"
                )
            if type(origin) is ref:
                leaf = origin()
                if leaf is not None and leaf.requires_grad:
                    self.leaves[node] = leaf
                continue
            self.inner.append(node)
            if type(origin) is CustomVJP:
                self.record.custom[id(node)] = origin
                stack += (*origin.inputs, *origin.results)
            else:
                stack += origin[1]

    def free(self) -> None:
        for node in self.inner:
            node.origin = None


def _pulled(
    results: Sequence[Any],
    cotangents: Sequence[Any],
    wanted: Sequence[Any] | None,
    retain_graph: bool | None,
    create_graph: bool,
) -> list[tuple[Any, Value | None]]:
    """Return pairs of a tensor and its gradient."""
    nodes = [result._read()._node for result in results]
    if not any(result.requires_grad for result in results):
        raise RuntimeError(
            "element 0 of tensors does not require grad and does not have a grad_fn; got no "
            "operand with requires_grad=True; set it on the parameters"
        )
    graph = _Graph(nodes)
    passed = set(graph.inner)
    kept = [t for t in retained if t._read()._node in passed] if wanted is None else []
    if wanted is None:
        ends = list(graph.leaves)
        tensors = [*graph.leaves.values(), *kept]
        inner = [tensor._read()._node for tensor in kept]
    else:
        leaves = {id(tensor): node for node, tensor in graph.leaves.items()}
        first = [tensor for tensor in wanted if id(tensor) in leaves]
        rest = [tensor for tensor in wanted if id(tensor) not in leaves]
        tensors, ends = [*first, *rest], [leaves[id(tensor)] for tensor in first]
        inner = [tensor._read()._node for tensor in rest]
    starts = [_start(*pair) for pair in zip(results, cotangents, strict=True)]
    if create_graph:
        operands: list[OpNode] = []
        pulled = recorded(pull_back, operands, graph.record, nodes, starts, ends, inner)
    else:
        pulled = pull_back(graph.record, nodes, starts, ends, inner)
    if not (create_graph if retain_graph is None else retain_graph):
        graph.free()
    return list(zip(tensors, pulled, strict=True))


def _start(result: Any, cotangent: Any) -> Value:
    value: Value = result._read()
    if cotangent is not None:
        if tuple(cotangent.shape) != value.shape:
            raise RuntimeError(
                f"Mismatch in shape; got gradient {tuple(cotangent.shape)} for a tensor of shape "
                f"{value.shape}; pass one of the same shape"
            )
        start: Value = cotangent._read()
        return start
    if value.size != 1:
        raise RuntimeError(
            f"grad can be implicitly created only for scalar outputs; got shape {value.shape}; "
            "reduce it with sum() or mean(), or pass gradient="
        )
    return ones(value.shape, dtype=value.dtype)


def _list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (tuple, list)) else [value]


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Add the gradients of tensors to the `grad` of the leaves that they depend on."""
    results = _list(tensors)
    given = [None] * len(results) if grad_tensors is None else _list(grad_tensors)
    wanted = None if inputs is None else _list(inputs)
    for tensor, value in _pulled(results, given, wanted, retain_graph, create_graph):
        if value is not None:
            tensor._accumulate(value, create_graph)


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool = False,
) -> tuple[Any, ...]:
    """Return the gradients of outputs with respect to inputs, without setting `grad`."""
    results, wanted = _list(outputs), _list(inputs)
    given = [None] * len(results) if grad_outputs is None else _list(grad_outputs)
    pairs = _pulled(results, given, wanted, retain_graph, create_graph)
    found = {id(tensor): value for tensor, value in pairs}
    if not allow_unused and None in found.values():
        raise RuntimeError(
            "One of the differentiated Tensors appears to not have been used in the graph; got an "
            "input without a gradient; set allow_unused=True"
        )
    make = type(results[0])._of
    return tuple(
        None if found[id(tensor)] is None else make(found[id(tensor)], create_graph)
        for tensor in wanted
    )
