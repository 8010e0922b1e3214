"""Define `grad`, `value_and_grad`, `vjp` and `jvp`.

Input: a function of trees of tensors. Output: its value with gradients or with products with its
Jacobian, in the structure of the arguments. Leaves that are neither floating nor complex have the
gradient None. A complex number x + iy is treated as the two real numbers x and y: its gradient is
dL/dx + i dL/dy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from inspect import iscoroutinefunction
from typing import Any, Literal, overload
from weakref import ref

from ...errors import ArgumentError, DTypeError, GradientError
from ...functions.arguments import flag, function_of, integer, items
from ...functions.creation import ones, zeros
from ...functions.elementwise import astype, conj
from ...ir.node import OpNode, node_of, pending_for, pullbacks
from ...ir.pytree import Structure, leaves_at, tree_flatten, tree_map, tree_unflatten
from ...ir.tracer import kind_of
from ...ops.views import RESHAPE
from ...tensor import Tensor, as_tensor, node_behind
from ..subgraph import first_places
from .backward import pull_back
from .tape import Tape, recording

_Function = Callable[..., Any]


class _Inputs:
    """Leaves of the arguments to differentiate with respect to, and the handles passed instead.

    Each handle has its own node, so that passing the same tensor twice gives two gradients. With
    `tied`, a tensor that modules or other dataclass instances share has one handle.
    """

    def __init__(self, operation: str, trees: Sequence[object], *, tied: bool = False) -> None:
        self.leaves, self.structure = tree_flatten(tuple(trees))
        self.nodes: list[OpNode | None] = []
        self.handles: list[Any] = []
        count = len(self.leaves)
        firsts = first_places(self.leaves, self.structure.has_fields) if tied else range(count)
        for at, (leaf, first) in enumerate(zip(self.leaves, firsts, strict=True)):
            node = _floating(operation, leaf) if first == at else self.nodes[first]
            self.nodes.append(node)
            self.handles.append(
                leaf if node is None else Tensor(node) if first == at else self.handles[first]
            )
        if not any(node is not None for node in self.nodes):
            shown = [leaf._spec if isinstance(leaf, Tensor) else leaf for leaf in self.leaves]
            raise DTypeError(
                f"{operation}: no argument to differentiate is floating; got {shown!r:.80}; use "
                'x.astype("float32")'
            )

    def trees(self) -> tuple[Any, ...]:
        trees: tuple[Any, ...] = tree_unflatten(self.structure, self.handles)
        return trees

    def propagate_changes(self) -> None:
        """Apply the function's in-place assignments and disposals to the caller's tensors."""
        for leaf, node, handle in zip(self.leaves, self.nodes, self.handles, strict=True):
            if not isinstance(leaf, Tensor) or node is None or handle._node is node:
                continue
            if handle.is_disposed:
                leaf._end(handle._node.place, handle._node.end)
            else:
                leaf._move(handle._node)

    def differentiable(self) -> list[OpNode]:
        return [node for node in self.nodes if node is not None]

    def gradients(self, cotangents: Sequence[Tensor | None]) -> tuple[Any, ...]:
        """Arrange gradients like the arguments; use zeros if no result depends on a leaf."""
        remaining = iter(cotangents)
        known: dict[OpNode | None, Tensor | None] = {None: None}
        for node in self.nodes:
            cotangent = None if node is None else next(remaining)
            if node is not None and node not in known:
                known[node] = _or_zeros(cotangent, node)
        leaves = [known[node] for node in self.nodes]
        trees: tuple[Any, ...] = tree_unflatten(self.structure, leaves)
        return trees


def _floating(operation: str, leaf: object) -> OpNode | None:
    """Make a new node for a floating or complex leaf; return None for any other leaf."""
    if not isinstance(leaf, Tensor):
        if kind_of(leaf) not in (float, complex) and not hasattr(leaf, "__array__"):
            return None
        leaf = as_tensor(operation, leaf)
    node = node_behind(operation, leaf)
    if node.spec.dtype.kind not in "cf":
        return None
    return node_of(RESHAPE, (node,), node.spec.shape)


def _or_zeros(cotangent: Tensor | None, node: OpNode) -> Tensor:
    if cotangent is not None:
        return cotangent
    return zeros(node.spec.shape, dtype=node.spec.dtype)


def value_and_grad[**Args, Result](
    function: Callable[Args, Result],
    /,
    argnums: int | Sequence[int] = 0,
    *,
    has_aux: bool = False,
    holomorphic: bool = False,
) -> Callable[Args, tuple[Result, Any]]:
    """Make a function that returns the value of `function` and its gradient.

    Args:
        function: Function that returns one floating number, a tensor of shape (). Its arguments are
            tensors, numbers, or trees of these. For an asynchronous function, the function made is
            asynchronous, too; other tasks that run meanwhile are not differentiated.
        argnums: Position of the argument to differentiate with respect to, 0 by default, or a
            sequence of positions.
        has_aux: If True, `function` returns a pair (value, aux), and `aux` is passed through
            without being differentiated; False by default.
        holomorphic: If True, arguments and result are complex, and the gradient is the complex
            derivative; False by default.

    Returns:
        Function that returns (value, gradient), or ((value, aux), gradient) with `has_aux`. The
        gradient has the argument's structure, shapes and dtypes, with None for leaves that are not
        floating; it is a tuple of gradients if `argnums` is a sequence. A parameter that modules
        share has its whole gradient in each of its places. With respect to a complex
        number x + iy it is dL/dx + i dL/dy, the direction of steepest ascent.

    Raises:
        GradientError: When called, if the result is not one floating number, or if an operation has
            no gradient.
        DTypeError: When called, if no selected argument is floating.
        ArgumentError: When called, if `argnums` names a missing argument or one argument twice.

    >>> import py_tensor as pt
    >>> def loss(w, x):
    ...     return pt.sum((w * x) ** 2)
    >>> value, gradient = pt.value_and_grad(loss)(pt.asarray([1.0, 2.0]), pt.asarray([3.0, 1.0]))
    >>> value.item(), gradient.tolist()
    (13.0, [18.0, 4.0])
    """
    return _differentiated(
        "value_and_grad", function, argnums, has_aux, holomorphic, with_value=True
    )


def grad[**Args](
    function: Callable[Args, Any],
    /,
    argnums: int | Sequence[int] = 0,
    *,
    has_aux: bool = False,
    holomorphic: bool = False,
) -> Callable[Args, Any]:
    """Make a function that returns the gradient of `function`.

    Apply `grad` repeatedly for higher derivatives.

    Args:
        function: Function that returns one floating number, a tensor of shape (); may be
            asynchronous, see `value_and_grad`.
        argnums: Position of the argument to differentiate with respect to, 0 by default, or a
            sequence of positions.
        has_aux: If True, `function` returns a pair (value, aux); False by default.
        holomorphic: If True, arguments and result are complex; see `value_and_grad`.

    Returns:
        Function that returns the gradient, or (gradient, aux) with `has_aux`; see `value_and_grad`.

    Raises:
        GradientError, DTypeError, ArgumentError: When called; see `value_and_grad`.

    >>> import py_tensor as pt
    >>> pt.grad(lambda x: x ** 3)(2.0).item()
    12.0
    >>> pt.grad(pt.grad(lambda x: x ** 3))(2.0).item()
    12.0
    """
    return _differentiated("grad", function, argnums, has_aux, holomorphic, with_value=False)


def _differentiated(
    operation: str,
    function: _Function,
    argnums: int | Sequence[int],
    has_aux: bool,
    holomorphic: bool,
    *,
    with_value: bool,
) -> _Function:
    """Return the function that `grad` or, with the value, `value_and_grad` makes."""
    function_of(operation, "function", function)
    wanted, single = argnums_of(operation, argnums)

    def prepared(args: tuple[object, ...]) -> tuple[_Inputs, list[Any], Tape]:
        positions = positions_of(operation, wanted, len(args))
        inputs = _Inputs(operation, [args[at] for at in positions], tied=True)
        replaced = dict(zip(positions, inputs.trees(), strict=True))
        tracked = [replaced.get(at, arg) for at, arg in enumerate(args)]
        return inputs, tracked, Tape(inputs.differentiable())

    def finished(inputs: _Inputs, tape: Tape, value: object) -> Any:
        result, aux = _pair(operation, value) if has_aux else (value, None)
        node = _scalar(operation, result, "c" if holomorphic else "f")
        one = ones((), dtype=node.spec.dtype)
        gradients = inputs.gradients(pull_back(tape, [node], [one], inputs.differentiable()))
        if holomorphic:
            gradients = tree_map(conj, gradients)
        inputs.propagate_changes()
        gradient = gradients[0] if single else gradients
        if with_value:
            return (result, aux) if has_aux else result, gradient
        return (gradient, aux) if has_aux else gradient

    @wraps(function)
    def differentiated(*args: object, **kwargs: object) -> Any:
        inputs, tracked, tape = prepared(args)
        with recording(tape):
            return finished(inputs, tape, function(*tracked, **kwargs))

    @wraps(function)
    async def differentiated_async(*args: object, **kwargs: object) -> Any:
        inputs, tracked, tape = prepared(args)
        with recording(tape):
            return finished(inputs, tape, await function(*tracked, **kwargs))

    return differentiated_async if iscoroutinefunction(function) else differentiated


def argnums_of(operation: str, argnums: int | Sequence[int]) -> tuple[list[int], bool]:
    """Return argument numbers as a list, and True if `argnums` is a single one."""
    if isinstance(argnums, Sequence) and not isinstance(argnums, str):
        return [integer(operation, "argnums", number) for number in argnums], False
    return [integer(operation, "argnums", argnums)], True


def positions_of(operation: str, argnums: list[int], count: int) -> list[int]:
    """Return the positions of arguments, of which there are `count`, from their numbers."""
    for position in argnums:
        if not -count <= position < count:
            how = f"use a position from 0 to {count - 1}" if count else "pass it by position"
            raise ArgumentError(
                f"{operation}: argnums is not the position of an argument; got {position} for a "
                f"call with {count}; {how}"
            )
    positions = [position % count for position in argnums]
    if len(set(positions)) < len(positions):
        raise ArgumentError(
            f"{operation}: argnums contains an argument twice; got {tuple(argnums)} for a call "
            f"with {count}; list each argument once"
        )
    return positions


def _pair(operation: str, value: object) -> tuple[Any, Any]:
    if isinstance(value, tuple) and len(value) == 2:
        return value
    raise GradientError(
        f"{operation}: has_aux requires a pair of results; got {type(value).__name__}; return "
        "(value, aux)"
    )


def _scalar(operation: str, value: object, kind: str) -> OpNode:
    """Return the node of a result that is one number of a kind; raise GradientError otherwise."""
    if isinstance(value, Tensor):
        node = node_behind(operation, value)
        if node.spec.shape == () and node.spec.dtype.kind == kind:
            return node
        got = repr(node.spec)
    elif kind_of(value) is float and kind == "f":
        return as_tensor(operation, value)._node
    else:
        got = type(value).__name__
    wanted = "floating" if kind == "f" else "complex"
    raise GradientError(
        f"{operation}: the function must return a single {wanted} number; got {got}; reduce it "
        "with pt.sum or pt.mean, or use pt.vjp"
    )


class _Outputs:
    """Floating leaves of a function's result, and their positions among all its leaves."""

    def __init__(self, result: object) -> None:
        self.leaves, self.structure = tree_flatten(result)
        self.floating = [
            position for position, leaf in enumerate(self.leaves) if _is_floating(leaf)
        ]
        self.nodes: list[OpNode] = [self.leaves[position]._node for position in self.floating]

    def tree(self, values: Sequence[Tensor]) -> Any:
        """Arrange values like the result: one per floating leaf, None for other leaves."""
        leaves: list[object] = [None] * len(self.leaves)
        for position, value in zip(self.floating, values, strict=True):
            leaves[position] = value
        return tree_unflatten(self.structure, leaves)

    def cotangents(self, operation: str, tree: object) -> list[Tensor | None]:
        """Return the cotangents of the floating leaves from a tree of the result's structure."""
        return _matched(operation, "cotangent", self.structure, self.floating, self.nodes, tree)


def _is_floating(leaf: object) -> bool:
    return isinstance(leaf, Tensor) and leaf.dtype.kind in "cf"


def _matched(
    operation: str,
    what: str,
    structure: Structure,
    floating: list[int],
    nodes: list[OpNode],
    tree: object,
) -> list[Tensor | None]:
    """Return the tree's floating leaves, checked against the shapes of `nodes` and converted."""
    try:
        leaves = leaves_at(operation, structure, tree)
    except ArgumentError:
        raise GradientError(
            f"{operation}: {what} has the wrong structure; got {tree_flatten(tree)[1]} for "
            f"{structure}; use the same containers"
        ) from None
    tensors: list[Tensor | None] = []
    for position, node in zip(floating, nodes, strict=True):
        if leaves[position] is None:
            tensors.append(None)
            continue
        tensor = as_tensor(operation, leaves[position])
        if tensor.shape != node.spec.shape:
            raise GradientError(
                f"{operation}: {what} has the wrong shape; got {tensor.shape} for {node.spec}; use "
                "the same shape"
            )
        tensors.append(astype(tensor, node.spec.dtype, copy=False))
    return tensors


@overload
def vjp[Result](
    function: Callable[..., Result], /, *primals: object, has_aux: Literal[False] = False
) -> tuple[Result, Callable[[Any], tuple[Any, ...]]]: ...


@overload
def vjp[Result, Aux](
    function: Callable[..., tuple[Result, Aux]], /, *primals: object, has_aux: Literal[True]
) -> tuple[Result, Callable[[Any], tuple[Any, ...]], Aux]: ...


def vjp(function: _Function, /, *primals: object, has_aux: bool = False) -> tuple[Any, ...]:
    """Evaluate a function and return its result with a vector-Jacobian product.

    Args:
        function: Function of tensors, numbers or trees of these.
        primals: Arguments at which `function` is evaluated.
        has_aux: If True, `function` returns a pair (result, aux); False by default.

    Returns:
        (result, pull), or (result, pull, aux) with `has_aux`. `pull(cotangent)` takes a cotangent
        with the result's structure and shapes, None for zero. It returns a tuple with the cotangent
        of each argument: the sum over the result's elements of cotangent times derivative, with the
        argument's structure, shapes and dtypes, None for leaves that are not floating. `pull` can
        be called several times.

    Raises:
        GradientError: If a cotangent has another structure or shape than the result, or if an
            operation has no gradient.
        DTypeError: If no argument is floating.

    >>> import py_tensor as pt
    >>> y, pull = pt.vjp(lambda x: x * x, pt.asarray([1.0, 2.0]))
    >>> pull(pt.asarray([1.0, 10.0]))[0].tolist()
    [2.0, 40.0]
    """
    function_of("vjp", "function", function)
    inputs = _Inputs("vjp", primals)
    tape = Tape(inputs.differentiable())
    with recording(tape):
        value = function(*inputs.trees())
        result, aux = _pair("vjp", value) if flag("vjp", "has_aux", has_aux) else (value, None)
        outputs = _Outputs(result)
        tape.keep(pending_for(outputs.nodes))
        pullbacks.add(ref(tape, pullbacks.discard))
    inputs.propagate_changes()

    def pull(cotangent: object) -> tuple[Any, ...]:
        cotangents = outputs.cotangents("vjp", cotangent)
        return inputs.gradients(pull_back(tape, outputs.nodes, cotangents, inputs.differentiable()))

    return (result, pull, aux) if has_aux else (result, pull)


@overload
def jvp[Result](
    function: Callable[..., Result],
    primals: Sequence[object],
    tangents: Sequence[object],
    /,
    *,
    has_aux: Literal[False] = False,
) -> tuple[Result, Any]: ...


@overload
def jvp[Result, Aux](
    function: Callable[..., tuple[Result, Aux]],
    primals: Sequence[object],
    tangents: Sequence[object],
    /,
    *,
    has_aux: Literal[True],
) -> tuple[Result, Any, Aux]: ...


def jvp(
    function: _Function,
    primals: Sequence[object],
    tangents: Sequence[object],
    /,
    *,
    has_aux: bool = False,
) -> tuple[Any, ...]:
    """Evaluate a function and return its result with a Jacobian-vector product.

    The product is computed by two backward passes: the vector-Jacobian product is linear in the
    cotangent, and its own vector-Jacobian product is the Jacobian-vector product.

    Args:
        function: Function of tensors, numbers or trees of these.
        primals: Tuple of the arguments at which `function` is evaluated.
        tangents: Tuple of tangents with the structure and shapes of `primals`; None for zero and
            for leaves that are not floating.
        has_aux: If True, `function` returns a pair (result, aux); False by default.

    Returns:
        (result, tangent), or (result, tangent, aux) with `has_aux`. The tangent has the result's
        structure, shapes and dtypes, None for leaves that are not floating.

    Raises:
        GradientError: If a tangent has another structure or shape than its argument, or if an
            operation has no gradient.
        DTypeError: If no argument is floating.

    >>> import py_tensor as pt
    >>> y, dy = pt.jvp(lambda x: x * x, (pt.asarray([1.0, 2.0]),), (pt.asarray([1.0, 10.0]),))
    >>> dy.tolist()
    [2.0, 40.0]
    """
    function_of("jvp", "function", function)
    tangents = items("jvp", "tangents", tangents)
    primals = items("jvp", "primals", primals)
    result, push, aux = linearized("jvp", function, primals, has_aux)
    tangent = push(tangents)
    return (result, tangent, aux) if has_aux else (result, tangent)


def linearized(
    operation: str, function: _Function, primals: Sequence[object], has_aux: bool
) -> tuple[Any, Callable[[Sequence[object]], Any], Any]:
    """Evaluate a function; return (result, function of tangents, aux).

    The vector-Jacobian product is linear in the cotangent, so its own vector-Jacobian product at
    any cotangent is the Jacobian-vector product.
    """
    inputs = _Inputs(operation, primals)
    nodes = inputs.differentiable()
    tape = Tape(nodes)
    with recording(tape):
        value = function(*inputs.trees())
        result, aux = (
            _pair(operation, value) if flag(operation, "has_aux", has_aux) else (value, None)
        )
        outputs = _Outputs(result)
        blank = [zeros(node.spec.shape, dtype=node.spec.dtype) for node in outputs.nodes]
        cotangents = [zero._node for zero in blank]
        tape.dependent.update(map(id, cotangents))
        pulled = pull_back(tape, outputs.nodes, blank, nodes)
        tape.keep(pending_for([g._node for g in pulled if g is not None]))
        pullbacks.add(ref(tape, pullbacks.discard))
    inputs.propagate_changes()
    floating = [position for position, node in enumerate(inputs.nodes) if node is not None]

    def push(tangents: Sequence[object]) -> Any:
        leaves = _matched(operation, "tangent", inputs.structure, floating, nodes, tuple(tangents))
        pairs = [(g, t) for g, t in zip(pulled, leaves, strict=True) if g is not None]
        pushed = pull_back(tape, [g._node for g, _ in pairs], [t for _, t in pairs], cotangents)
        return outputs.tree(
            [_or_zeros(part, node) for part, node in zip(pushed, outputs.nodes, strict=True)]
        )

    return result, push, aux
