"""`grad`, `value_and_grad`, `vjp`, `jvp`: functions that compute derivatives of functions.

Comes in: a function of trees of tensors; goes out: its value with gradients or products with its
Jacobian, in the structure of the arguments. Leaves that are not floating have no gradient: None.
A complex number x + iy counts as the two numbers x and y: its gradient is dL/dx + i dL/dy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from operator import index
from typing import Any

from ..errors import ArgumentError, DTypeError, GradientError
from ..functions.creation import ones, zeros
from ..functions.elementwise import astype
from ..nodes import Node, Tape, node_of
from ..ops.views import RESHAPE
from ..pytree import Structure, leaves_at, tree_flatten, tree_unflatten
from ..tensor import Tensor, as_tensor, node_behind
from ..tracing import kind_of
from .reverse import pull_back, recording

_Function = Callable[..., Any]


class _Inputs:
    """The leaves of the arguments by which a function is differentiated, and their stand-ins.

    Stand-ins have nodes of their own, so that a tensor is told from one it was passed as.
    """

    def __init__(self, operation: str, trees: Sequence[Any]) -> None:
        self.leaves, self.structure = tree_flatten(tuple(trees))
        self.nodes: list[Node | None] = []
        self.handles: list[Any] = []
        for leaf in self.leaves:
            node = _floating(operation, leaf)
            self.nodes.append(node)
            self.handles.append(leaf if node is None else Tensor(node))
        if not any(node is not None for node in self.nodes):
            shown = [leaf._spec if isinstance(leaf, Tensor) else leaf for leaf in self.leaves]
            raise DTypeError(
                f"{operation}: no argument to differentiate by is floating; got {shown!r:.80}; "
                'use x.astype("float32")'
            )

    def trees(self) -> tuple[Any, ...]:
        trees: tuple[Any, ...] = tree_unflatten(self.structure, self.handles)
        return trees

    def settle(self) -> None:
        """What the function did to a stand-in, happens to the caller's tensor: assignment, end."""
        for leaf, node, handle in zip(self.leaves, self.nodes, self.handles, strict=True):
            if not isinstance(leaf, Tensor) or node is None or handle._node is node:
                continue
            if handle.is_disposed:
                leaf._end(handle._node.place, handle._node.end)
            else:
                leaf._move(handle._node)

    def differentiable(self) -> list[Node]:
        return [node for node in self.nodes if node is not None]

    def gradients(self, found: Sequence[Tensor | None]) -> tuple[Any, ...]:
        """The arguments' trees, of gradients; zeros where no result depends on a leaf."""
        remaining = iter(found)
        leaves = [None if node is None else _or_zeros(next(remaining), node) for node in self.nodes]
        trees: tuple[Any, ...] = tree_unflatten(self.structure, leaves)
        return trees


def _floating(operation: str, leaf: Any) -> Node | None:
    """A node of its own for a floating leaf."""
    if not isinstance(leaf, Tensor):
        if kind_of(leaf) not in (float, complex) and not hasattr(leaf, "__array__"):
            return None
        leaf = as_tensor(operation, leaf)
    node = node_behind(operation, leaf)
    if node.spec.dtype.kind not in "cf":
        return None
    return node_of(RESHAPE, (node,), node.spec.shape)


def _or_zeros(found: Tensor | None, node: Node) -> Tensor:
    if found is not None:
        return found
    return zeros(node.spec.shape, dtype=node.spec.dtype)


def value_and_grad(
    function: _Function, /, argnums: int | Sequence[int] = 0, *, has_aux: bool = False
) -> _Function:
    """A function that gives the value of `function` and its gradient, as (value, gradient).

    `function` returns one floating number, a tensor of shape (), and with `has_aux` a pair of it
    and anything else, which then stands beside the value: ((value, aux), gradient). `argnums` are
    the positions of the arguments to differentiate by: one gives its gradient, several a tuple. An
    argument is a tensor, a number, or a tree of them; its gradient has the same structure, shapes
    and dtypes, and None for leaves that are not floating. By a complex x + iy the gradient is dL/dx
    + i dL/dy, the direction of steepest ascent. Raises GradientError where the result is
    not such a number or an operation has no gradient, DTypeError where nothing is floating.

    >>> import py_tensor as pt
    >>> def loss(w, x):
    ...     return pt.sum((w * x) ** 2)
    >>> value, gradient = pt.value_and_grad(loss)(pt.asarray([1.0, 2.0]), pt.asarray([3.0, 1.0]))
    >>> value.item(), gradient.tolist()
    (13.0, [18.0, 4.0])
    """
    return _differentiated("value_and_grad", function, argnums, has_aux)


def grad(
    function: _Function, /, argnums: int | Sequence[int] = 0, *, has_aux: bool = False
) -> _Function:
    """A function that gives the gradient of `function`; with `has_aux`, (gradient, aux).

    Arguments and errors are those of `value_and_grad`. Applied again, it gives higher derivatives.

    >>> import py_tensor as pt
    >>> pt.grad(lambda x: x ** 3)(2.0).item()
    12.0
    >>> pt.grad(pt.grad(lambda x: x ** 3))(2.0).item()
    12.0
    """
    differentiated = _differentiated("grad", function, argnums, has_aux)

    @wraps(function)
    def gradient(*args: Any, **kwargs: Any) -> Any:
        value, found = differentiated(*args, **kwargs)
        return (found, value[1]) if has_aux else found

    return gradient


def _differentiated(operation: str, function: _Function, argnums: Any, has_aux: bool) -> _Function:
    single = not isinstance(argnums, Sequence)
    wanted = [index(at) for at in ([argnums] if single else argnums)]

    @wraps(function)
    def differentiated(*args: Any, **kwargs: Any) -> Any:
        positions = _positions(operation, wanted, len(args))
        inputs = _Inputs(operation, [args[at] for at in positions])
        given = dict(zip(positions, inputs.trees(), strict=True))
        tape = Tape()
        with recording(tape):
            value = function(*[given.get(at, arg) for at, arg in enumerate(args)], **kwargs)
            result, aux = _pair(operation, value) if has_aux else (value, None)
            node = _scalar(operation, result)
            one = ones((), dtype=node.spec.dtype)
            found = inputs.gradients(pull_back(tape, [node], [one], inputs.differentiable()))
        inputs.settle()
        return (result, aux) if has_aux else result, found[0] if single else found

    return differentiated


def _positions(operation: str, argnums: list[int], count: int) -> list[int]:
    for at in argnums:
        if not -count <= at < count:
            how = f"give a position from 0 to {count - 1}" if count else "pass it by position"
            raise ArgumentError(
                f"{operation}: argnums names no positional argument; got {at} for a call with "
                f"{count}; {how}"
            )
    positions = [at % count for at in argnums]
    if len(set(positions)) < len(positions):
        raise ArgumentError(
            f"{operation}: argnums names an argument twice; got {tuple(argnums)} for a call with "
            f"{count}; name each once"
        )
    return positions


def _pair(operation: str, value: Any) -> tuple[Any, Any]:
    if isinstance(value, tuple) and len(value) == 2:
        return value
    raise GradientError(
        f"{operation}: has_aux needs a pair of results; got {type(value).__name__}; "
        "return (value, aux)"
    )


def _scalar(operation: str, value: Any) -> Node:
    """The node of a function's result that is one floating number."""
    if isinstance(value, Tensor):
        node = node_behind(operation, value)
        if node.spec.shape == () and node.spec.dtype.kind == "f":
            return node
        got = repr(node.spec)
    elif kind_of(value) is float:
        return as_tensor(operation, value)._node  # type: ignore[no-any-return]
    else:
        got = type(value).__name__
    raise GradientError(
        f"{operation}: the function's result is not one floating number; got {got}; "
        "reduce it with pt.sum or pt.mean, or use pt.vjp"
    )


class _Outputs:
    """The floating leaves of a function's result, and where they stand in it."""

    def __init__(self, result: Any) -> None:
        self.leaves, self.structure = tree_flatten(result)
        self.places = [at for at, leaf in enumerate(self.leaves) if _is_floating(leaf)]
        self.nodes: list[Node] = [self.leaves[at]._node for at in self.places]

    def tree(self, values: Sequence[Tensor]) -> Any:
        """The result's structure, of a value for each floating leaf, None for others."""
        leaves: list[Any] = [None] * len(self.leaves)
        for at, value in zip(self.places, values, strict=True):
            leaves[at] = value
        return tree_unflatten(self.structure, leaves)

    def given(self, operation: str, tree: Any) -> list[Tensor | None]:
        """What a tree of the result's structure has for the floating leaves."""
        return _matched(operation, "cotangent", self.structure, self.places, self.nodes, tree)


def _is_floating(leaf: Any) -> bool:
    return isinstance(leaf, Tensor) and leaf.dtype.kind in "cf"


def _matched(
    operation: str,
    what: str,
    structure: Structure,
    places: list[int],
    nodes: list[Node],
    tree: Any,
) -> list[Tensor | None]:
    try:
        found = leaves_at(operation, structure, tree)
    except ArgumentError:
        raise GradientError(
            f"{operation}: {what} has another structure; got {tree_flatten(tree)[1]} for "
            f"{structure}; give a tree of the same containers"
        ) from None
    tensors: list[Tensor | None] = []
    for at, node in zip(places, nodes, strict=True):
        if found[at] is None:
            tensors.append(None)
            continue
        tensor = as_tensor(operation, found[at])
        if tensor.shape != node.spec.shape:
            raise GradientError(
                f"{operation}: {what} has another shape; got {tensor.shape} for {node.spec}; "
                "give the same shape"
            )
        tensors.append(astype(tensor, node.spec.dtype, copy=False))
    return tensors


def vjp(function: _Function, /, *primals: Any, has_aux: bool = False) -> Any:
    """The function's result, and a function from a cotangent of it to those of the arguments.

    `pull(cotangent)` gives a tuple, for each argument the product of the cotangent with the
    Jacobian: the sum over the result's elements of cotangent times derivative. Cotangents have the
    structure, shapes and dtypes of what they belong to. None is for zero, and for leaves that are
    not floating.
    With `has_aux` the function returns a pair, and this gives (result, pull, aux). `pull` can be
    called several times. Raises GradientError for cotangents that do not fit.

    >>> import py_tensor as pt
    >>> y, pull = pt.vjp(lambda x: x * x, pt.asarray([1.0, 2.0]))
    >>> pull(pt.asarray([1.0, 10.0]))[0].tolist()
    [2.0, 40.0]
    """
    inputs = _Inputs("vjp", primals)
    tape = Tape()
    with recording(tape):
        value = function(*inputs.trees())
        result, aux = _pair("vjp", value) if has_aux else (value, None)
        outputs = _Outputs(result)
        tape.keep(outputs.nodes)
    inputs.settle()

    def pull(cotangent: Any) -> tuple[Any, ...]:
        given = outputs.given("vjp", cotangent)
        return inputs.gradients(pull_back(tape, outputs.nodes, given, inputs.differentiable()))

    return (result, pull, aux) if has_aux else (result, pull)


def jvp(
    function: _Function,
    primals: Sequence[Any],
    tangents: Sequence[Any],
    /,
    *,
    has_aux: bool = False,
) -> Any:
    """The function's result, and the product of its Jacobian with tangents of the arguments.

    `primals` and `tangents` are tuples of arguments, of equal structure, shapes and dtypes; None is
    for a tangent of zero, and for leaves that are not floating. With `has_aux` the function returns
    a pair, and this gives (result, tangent, aux). Computed by pulling a cotangent back twice:
    pulling back is linear, and the pull-back of that is this. Raises GradientError for tangents
    that do not fit.

    >>> import py_tensor as pt
    >>> y, dy = pt.jvp(lambda x: x * x, (pt.asarray([1.0, 2.0]),), (pt.asarray([1.0, 10.0]),))
    >>> dy.tolist()
    [2.0, 40.0]
    """
    inputs = _Inputs("jvp", primals)
    tape = Tape()
    with recording(tape):
        value = function(*inputs.trees())
        result, aux = _pair("jvp", value) if has_aux else (value, None)
        outputs = _Outputs(result)
        nodes = inputs.differentiable()
        places = [at for at, node in enumerate(inputs.nodes) if node is not None]
        given = _matched("jvp", "tangent", inputs.structure, places, nodes, tuple(tangents))
        blank = [zeros(node.spec.shape, dtype=node.spec.dtype) for node in outputs.nodes]
        found = pull_back(tape, outputs.nodes, blank, nodes)
        pairs = [(g, t) for g, t in zip(found, given, strict=True) if g is not None]
        cotangents = [zero._node for zero in blank]
        pushed = pull_back(tape, [g._node for g, _ in pairs], [t for _, t in pairs], cotangents)
        tangent = outputs.tree(
            [_or_zeros(part, node) for part, node in zip(pushed, outputs.nodes, strict=True)]
        )
    inputs.settle()
    return (result, tangent, aux) if has_aux else (result, tangent)
