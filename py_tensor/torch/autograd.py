"""Gradients by `backward()`: record how tensors that require them were computed.

A call with such operands sets the `origin` of the nodes that it makes, which stays when a node is
computed. It is a pair of op instance and operands, a `CustomVJP`, None once a graph has been freed,
or a weak reference to the leaf tensor that a node is a value of. Nodes without an origin are
constants for the backward pass, so `detach`, `no_grad` and gradients need no record of their own.
A node's record ends with the node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import _GeneratorContextManager, contextmanager
from contextvars import ContextVar
from typing import Any, cast
from weakref import WeakSet, ref

from ..functions.creation import ones
from ..ir.node import OpInstance, OpNode, node_of, tapes, task_tapes, tracking
from ..ops.views import RESHAPE
from ..runtime.scopes import state
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


type Switch = _GeneratorContextManager[None]
"""Context of a `with` block, and decorator of functions."""


def _applied(switch: Switch, function: Any) -> Switch:
    return cast("Switch", switch(function)) if callable(function) else switch


@contextmanager
def _switched(mode: bool, before: bool | None = None) -> Iterator[None]:
    before = _enabled.get() if before is None else before
    _enabled.set(mode)
    try:
        yield
    finally:
        _enabled.set(before)


def set_grad_enabled(mode: bool) -> Switch:
    """Switch recording on or off, at once and until the end of a `with` block."""
    before = _enabled.get()
    _enabled.set(mode)
    return _switched(mode, before)


def no_grad(function: Any = None) -> Switch:
    """Do not record calls in a `with` block or a decorated function."""
    return _applied(_switched(False), function)


def inference_mode(mode: Any = True) -> Switch:
    """Do not record calls, as `no_grad`; `mode=False` changes nothing."""
    return no_grad(mode) if mode else _switched(_enabled.get())


def enable_grad(function: Any = None) -> Switch:
    """Record calls in a `with` block or a decorated function, also inside `no_grad`."""
    return _applied(_switched(True), function)


class _Record(Tape):
    """Tape that reads the origins of nodes, and takes custom gradients of the running call."""

    def __init__(self) -> None:
        super().__init__(())

    def keep(self, pending: Sequence[OpNode]) -> None:
        pass

    def origin(self, node: OpNode) -> tuple[OpInstance, tuple[OpNode, ...]] | None:
        origin = getattr(node, "origin", None)
        return origin if type(origin) is tuple else None


_LEAF = ref(_Record)


def is_result(value: Value) -> bool:
    """Return True if a recorded call made a value."""
    return type(getattr(value._node, "origin", _LEAF)) is not ref


def recorded(
    function: Callable[..., Any], operands: Iterable[OpNode], *args: Any, **kw: Any
) -> Any:
    """Call a function of values, and record how its results depend on the operands."""
    record = _Record()
    token = task_tapes.set((*task_tapes.get(), record))
    tapes.append(record)
    try:
        result = function(*args, **kw)
    finally:
        tapes.remove(record)
        task_tapes.reset(token)
    follow(result, operands, record.custom)
    return result


def recorded_views(
    function: Callable[..., Any], operands: Iterable[OpNode], *args: Any, **kw: Any
) -> Any:
    """Call a function as `recorded` does; views of a tensor stay linked to it."""
    # Pending work must not be computed before the origins are set.
    pending, state.pending = state.pending, 0
    result = function(*args, **kw)
    follow(result, operands, {})
    state.pending += pending
    return result


def follow(result: Any, operands: Iterable[OpNode], custom: dict[int, Any]) -> None:
    """Set the origins of the nodes from results back to operands."""
    tracking[:] = (True,)
    ends = set(map(id, operands))
    values = result if isinstance(result, (tuple, list)) else (result,)
    stack = [value._node for value in values if isinstance(value, Value)]
    while stack:
        node = stack.pop()
        if id(node) in ends or hasattr(node, "origin"):
            continue
        vjp = custom.get(id(node))
        if vjp is not None:
            node.origin = vjp
            stack += (*vjp.inputs, *vjp.results)
        elif node.call is not None and node.spec.dtype.kind in "cf":
            node.origin = node.call, node.srcs
            stack += node.srcs


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


def _pulled(
    outputs: Any, cotangents: Any, inputs: Any, retain_graph: bool | None, create_graph: bool
) -> list[tuple[Any, Any]]:
    """Return pairs of a tensor and its gradient: of inputs, or of leaves if they are None."""
    results = _list(outputs)
    given = [None] * len(results) if cotangents is None else _list(cotangents)
    nodes = [result._value._node for result in results]
    if not any(result.requires_grad for result in results):
        raise RuntimeError(
            "element 0 of tensors does not require grad and does not have a grad_fn; got no "
            "operand with requires_grad=True; set it on the parameters"
        )
    graph = _Graph(nodes)
    leaves, passed = graph.leaves, set(graph.inner)
    if inputs is None:
        kept = [tensor for tensor in retained if tensor._value._node in passed]
        pairs = [*leaves.items(), *((tensor._value._node, tensor) for tensor in kept)]
    else:
        ends = {id(tensor): node for node, tensor in leaves.items()}
        pairs = [(ends.get(id(t), t._value._node), t) for t in _list(inputs)]
        pairs.sort(key=lambda pair: pair[0] not in leaves)
    first = [node for node, _ in pairs if node in leaves]
    inner = [node for node, _ in pairs if node not in leaves]
    starts = [_start(*pair) for pair in zip(results, given, strict=True)]
    operands = graph.record, nodes, starts, first, inner
    pulled = recorded(pull_back, [], *operands) if create_graph else pull_back(*operands)
    if not (create_graph if retain_graph is None else retain_graph):
        for node in graph.inner:
            node.origin = None
    return [(tensor, value) for (_, tensor), value in zip(pairs, pulled, strict=True)]


def _start(result: Any, cotangent: Any) -> Value:
    value: Value = result._value
    if cotangent is not None:
        if tuple(cotangent.shape) != value.shape:
            raise RuntimeError(
                f"Mismatch in shape; got gradient {tuple(cotangent.shape)} for a tensor of shape "
                f"{value.shape}; pass one of the same shape"
            )
        start: Value = cotangent._value
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
    tensors: Any, grad_tensors: Any = None, retain_graph: bool | None = None,
    create_graph: bool = False, inputs: Any = None,
) -> None:  # fmt: skip
    """Add the gradients of tensors to the `grad` of the leaves that they depend on."""
    for tensor, value in _pulled(tensors, grad_tensors, inputs, retain_graph, create_graph):
        if value is not None:
            tensor._accumulate(value)


def grad(
    outputs: Any, inputs: Any, grad_outputs: Any = None, retain_graph: bool | None = None,
    create_graph: bool = False, allow_unused: bool = False,
) -> tuple[Any, ...]:  # fmt: skip
    """Return the gradients of outputs with respect to inputs, without setting `grad`."""
    pairs = _pulled(outputs, grad_outputs, inputs, retain_graph, create_graph)
    values = {id(tensor): value for tensor, value in pairs}
    if not allow_unused and None in values.values():
        raise RuntimeError(
            "One of the differentiated Tensors appears to not have been used in the graph; got an "
            "input without a gradient; set allow_unused=True"
        )
    gradients = [(type(tensor), values[id(tensor)]) for tensor in _list(inputs)]
    return tuple([value if value is None else kind._of(value) for kind, value in gradients])
