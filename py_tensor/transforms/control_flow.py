"""Define control flow: `scan`, `map`, `fori_loop`, `while_loop`, `cond`, `switch` and others.

Input: functions of one iteration or one branch. Output: functions of tensors that can be computed,
compiled, differentiated and mapped. A loop of fixed length runs as draws, without Python between
its iterations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ..dtypes import int32, wrong_type
from ..errors import ArgumentError, DTypeError, ShapeError, TraceError
from ..functions.arguments import MOST_ELEMENTS, flag, function_of, integer, items, one_axis
from ..functions.complex_numbers import complex, imag, real
from ..functions.creation import arange
from ..functions.elementwise import equal, minimum, where
from ..functions.joining import concat, stack
from ..functions.manipulation import flip, reshape
from ..ir.node import OpNode, node_of, own_tapes, tensor_spec
from ..ir.pytree import tree_flatten, tree_leaves, tree_map, tree_unflatten
from ..ir.tracer import ScalarTracer, is_traced
from ..ops.views import RESHAPE
from ..runtime.executor import backend
from ..runtime.scopes import state
from ..tensor import Tensor, as_tensor, node_behind, realize
from .autodiff.backward import CustomVJP
from .autodiff.tape import Tape, recording
from .branch_op import branch_results
from .effects import only_if, repeat
from .loop_op import LOOP_OP, LoopNodes, TracedBody, backward_body, body_of, without_gradient
from .subgraph import first_places, tracer, tracing
from .vmap import vmap

_Function = Callable[..., Any]


class _Packed:
    """Leaves of a tree as real tensors: a complex leaf is two of them.

    `firsts` has for each leaf the position of the first one that is the same tensor of a model.
    """

    def __init__(self, operation: str, tree: object, tied: bool = True) -> None:
        leaves, self.structure = tree_flatten(tree)
        self.firsts = (
            first_places(leaves, self.structure.has_fields) if tied else range(len(leaves))
        )
        tensors = [as_tensor(operation, leaf) for leaf in leaves]
        self.specs = [node_behind(operation, tensor).spec for tensor in tensors]
        self.parts: list[Tensor] = []
        for tensor in tensors:
            self.parts += [real(tensor), imag(tensor)] if tensor.dtype.kind == "c" else [tensor]

    def tree(self, parts: Sequence[Tensor]) -> Any:
        """Return the tree with other values of the parts."""
        remaining = iter(parts)
        leaves = [
            complex(next(remaining), next(remaining)) if spec.dtype.kind == "c" else next(remaining)
            for spec in self.specs
        ]
        return tree_unflatten(self.structure, [leaves[first] for first in self.firsts])


def scan(
    f: _Function,
    init: object,
    xs: object = None,
    length: int | None = None,
    reverse: bool = False,
    unroll: int = 1,
) -> tuple[Any, Any]:
    """Run a function over the slices of a sequence while carrying a state.

    It computes `for x in xs: carry, y = f(carry, x)` and stacks the ys. `f` runs once, on tracers.
    The iterations run as draws of one plan, without Python between them. For gradients, the carry
    of each iteration is kept, and the rest of the iteration is computed again.

    Args:
        f: Function of (carry, x) that returns (carry, y). The new carry has the structure, shapes
            and dtypes of the old one.
        init: Initial carry, a tree of tensors and numbers.
        xs: Tree of tensors with slices along their first axis; None (default) for no sequence.
        length: Number of iterations; only needed without `xs`.
        reverse: If True, the iterations run from the last slice to the first; False by default.
        unroll: For compatibility; ignored.

    Returns:
        (carry, ys): the last carry, and a tree like y with all ys along a new first axis.

    Raises:
        ArgumentError: If `f` returns no pair, or the carry changes its structure.
        ShapeError: If the carry changes its shape, or lengths differ.
        DTypeError: If the carry changes its dtype.
        TraceError: If `f` reads the value of the carry or a slice.

    >>> import py_tensor as pt
    >>> total, sums = pt.lax.scan(lambda t, x: (t + x, t + x), 0.0, pt.asarray([1.0, 2.0, 3.0]))
    >>> total.item(), sums.tolist()
    (6.0, [1.0, 3.0, 6.0])
    """
    return _scan("scan", function_of("scan", "f", f), init, xs, length, reverse)


def _scan(
    operation: str,
    f: _Function,
    init: object,
    xs: object,
    length: int | None,
    reverse: bool,
    limited: bool = True,
) -> tuple[Any, Any]:
    """Return the results of `scan`, or of a loop without limit: see `LoopBody`."""
    if reverse.__class__ is not bool:
        reverse = flag(operation, "reverse", reverse)
    try:
        return _traced_scan(operation, f, init, xs, length, reverse, limited)
    except _UntiedError:
        return _traced_scan(operation, f, init, xs, length, reverse, limited, tied=False)


class _UntiedError(Exception):
    """A function returned separate tensors for places of the carry that had the same one."""


def _traced_scan(
    operation: str,
    f: _Function,
    init: object,
    xs: object,
    length: int | None,
    reverse: bool,
    limited: bool,
    tied: bool = True,
) -> tuple[Any, Any]:
    start, sequence = _Packed(operation, init, tied), _Packed(operation, xs)
    count = _length(operation, sequence, length) if limited else None
    with tracing(operation) as trace:
        carries = [tracer(part._spec) for part in start.parts]
        slices = [_slice_tracer(part) for part in sequence.parts]
        tape = Tape([part._node for part in (*carries, *slices)])
        with recording(tape):
            result = f(start.tree(carries), sequence.tree(slices))
            if not isinstance(result, tuple) or len(result) != 2:
                raise ArgumentError(
                    f"{operation}: the function returned no pair; got {type(result).__name__}; "
                    "return (carry, y)"
                )
            carry, ys = _Packed(operation, result[0]), _Packed(operation, result[1])
        shown = _Packed(operation, [values for _, values in trace.effects])
        _check_carry(operation, start, carry)
        if any(carry.firsts[at] != carry.firsts[first] for at, first in enumerate(start.firsts)):
            raise _UntiedError
        traced = TracedBody(
            [],
            [part._node for part in carries],
            [part._node for part in slices],
            [part._node for part in carry.parts],
            [part._node for part in (*ys.parts, *shown.parts)],
        )
        body, consts = body_of(traced, count, bool(reverse))
        backward = None
        if limited and own_tapes() and any(not _is_loop(custom) for custom in tape.custom.values()):
            # The graph of the body does not have the rules of custom gradients.
            tape.inputs = [*tape.inputs, *consts]
            tape.dependent.update(id(node) for node in consts)
            backward = backward_body(traced._replace(consts=consts), tape, body)
    operands = (*consts, *(part._node for part in (*start.parts, *sequence.parts)))
    results = [Tensor(node) for node in LoopNodes(body, operands, backward).results()]
    split = len(start.parts)
    end = split + len(ys.parts)
    if trace.effects and count is not None:
        values = shown.tree(results[end:])
        numbers = reversed(range(count)) if reverse else range(count)
        pairs = [(effect, own) for (effect, _), own in zip(trace.effects, values, strict=True)]
        repeat(pairs, numbers)
    return start.tree(results[:split]), ys.tree(results[split:end])


def _is_loop(custom: CustomVJP) -> bool:
    call = custom.results[0].call
    return call is not None and call.op is LOOP_OP


def _slice_tracer(part: Tensor) -> Tensor:
    return tracer(tensor_spec(part.shape[1:], part.dtype))


def _length(operation: str, sequence: _Packed, length: int | None) -> int:
    for spec in sequence.specs:
        if not spec.shape:
            raise ShapeError(
                f"{operation}: a sequence has no axis; got {spec}; give tensors with slices along "
                "their first axis"
            )
    lengths = {spec.shape[0] for spec in sequence.specs}
    if length is not None:
        lengths.add(integer(operation, "length", length, 0, MOST_ELEMENTS))
    if len(lengths) > 1:
        raise ShapeError(
            f"{operation}: lengths differ; got {sorted(lengths)}; give sequences of one length"
        )
    if not lengths:
        raise ArgumentError(f"{operation}: length is not known; got no xs; give length")
    return lengths.pop()


def _check_carry(operation: str, start: _Packed, carry: _Packed) -> None:
    if carry.structure != start.structure:
        raise ArgumentError(
            f"{operation}: carry changes its structure; got {carry.structure} after "
            f"{start.structure}; return a carry with the containers of init"
        )
    for old, new in zip(start.specs, carry.specs, strict=True):
        if new is not old:
            error = ShapeError if new.shape != old.shape else DTypeError
            raise error(
                f"{operation}: carry changes its type; got {new} after {old}; "
                "convert the initial or the new carry"
            )


def map(f: _Function, xs: object, *, batch_size: int | None = None) -> Any:
    """Apply a function to each slice of a sequence, one after the other, and stack the results.

    Results equal those of `vmap`, which is faster; `map` needs less memory.

    Args:
        f: Function of one slice.
        xs: Tree of tensors with slices along their first axis.
        batch_size: Number of slices that are computed together by `vmap`; None (default) for 1.

    Returns:
        Tree like the results of `f`, with all results along a new first axis.

    Raises:
        ShapeError: If lengths differ.
        TraceError: If `f` reads the value of a slice.

    >>> import py_tensor as pt
    >>> pt.lax.map(lambda x: x * x, pt.asarray([1.0, 2.0, 3.0])).tolist()
    [1.0, 4.0, 9.0]
    """
    function_of("map", "f", f)
    if batch_size is None:
        return _scan("map", lambda _, x: (None, f(x)), None, xs, None, False)[1]
    count = _length("map", _Packed("map", xs), None)
    size = integer("map", "batch_size", batch_size)
    if size < 1:
        raise ArgumentError(f"map: batch_size is not positive; got {size}; give at least 1")
    whole = count // size * size

    def batches(x: object) -> Tensor:
        x = as_tensor("map", x)
        return reshape(x[:whole], (whole // size, size, *x.shape[1:]))

    mapped = vmap(f)
    parts = []
    if whole:
        groups = map(mapped, tree_map(batches, xs))
        parts.append(tree_map(lambda y: reshape(y, (whole, *y.shape[2:])), groups))
    if whole < count or not parts:
        parts.append(mapped(tree_map(lambda x: as_tensor("map", x)[whole:], xs)))
    return tree_map(lambda *results: concat(results), *parts) if len(parts) > 1 else parts[0]


def fori_loop(
    lower: object,
    upper: object,
    body_fun: _Function,
    init_val: object,
    *,
    unroll: int | None = None,
) -> Any:
    """Run a function for each number of a range, on the value that the last run returned.

    It computes `for i in range(lower, upper): val = body_fun(i, val)`. `body_fun` runs once, on
    tracers. With integers as limits, the iterations run as draws of one plan and can be
    differentiated. With a tensor as limit the loop is a `while_loop`, which reads one number per
    iteration.

    Args:
        lower: First number; an integer or an integer tensor of shape ().
        upper: Number after the last one; likewise.
        body_fun: Function of (i, val) that returns the next val, of the same structure, shapes and
            dtypes; i is an int32 tensor.
        init_val: Initial value, a tree of tensors and numbers.
        unroll: For compatibility; ignored.

    Returns:
        Last value.

    Raises:
        ArgumentError, ShapeError, DTypeError, TraceError: See `scan`.

    >>> import py_tensor as pt
    >>> pt.lax.fori_loop(1, 5, lambda i, product: product * i, 1).item()
    24
    """
    function_of("fori_loop", "body_fun", body_fun)
    if isinstance(lower, Tensor) or isinstance(upper, Tensor):
        for name, limit in (("lower", lower), ("upper", upper)):
            one = as_tensor("fori_loop", limit)
            if one.shape != () or one.dtype.kind not in "iu":
                raise wrong_type("fori_loop", name, "one integer", limit)

        def advanced(counted: Any) -> Any:
            return counted[0] + 1, body_fun(*counted)

        first = as_tensor("fori_loop", lower).astype(int32)
        return while_loop(lambda counted: counted[0] < upper, advanced, (first, init_val))[1]
    for limit in (lower, upper):
        if type(limit) is ScalarTracer:
            raise TraceError(
                f"fori_loop: the number of iterations is not known; got {limit!r} as limit; "
                "make it static with static_argnums"
            )
    start, end = integer("fori_loop", "lower", lower), integer("fori_loop", "upper", upper)
    backend().check_size("fori_loop", (max(end - start, 0),), int32)
    numbers = arange(start, max(start, end))
    return _scan(
        "fori_loop", lambda val, i: (body_fun(i, val), None), init_val, numbers, None, False
    )[0]


def while_loop(
    cond_fun: _Function, body_fun: _Function, init_val: object, *, max_steps: int | None = None
) -> Any:
    """Run a function as long as a condition holds, on the value that the last run returned.

    It computes `while cond_fun(val): val = body_fun(val)`. Without `max_steps` each iteration runs
    a plan and reads one number, the condition; then the loop works neither on traced values (in
    `jit` and `vmap`) nor in backward passes. With `max_steps` nothing is read: that many iterations
    run as draws of one plan, and values no longer change after the condition has been False.

    On the JAX backend it also works on traced values without `max_steps`, as `jax.lax.while_loop`;
    `body_fun` then runs once, on tracers.

    Args:
        cond_fun: Function of a value that returns one bool.
        body_fun: Function of a value that returns the next one, of the same structure, shapes and
            dtypes.
        init_val: Initial value, a tree of tensors and numbers.
        max_steps: Number of iterations after which the loop ends in any case; None (default) for no
            limit.

    Returns:
        First value for which the condition is False.

    Raises:
        TraceError: If the value is traced and there is no `max_steps`, except on the JAX backend.
        GradientError: In the backward pass, if there is no `max_steps`.
        ArgumentError, ShapeError, DTypeError: If the condition is no bool, or the value changes its
            type; see `scan`.

    >>> import py_tensor as pt
    >>> pt.lax.while_loop(lambda x: x < 100.0, lambda x: x * 3.0, 1.0).item()
    243.0
    """
    function_of("while_loop", "cond_fun", cond_fun)
    function_of("while_loop", "body_fun", body_fun)
    if max_steps is not None:

        def step(val: object, _: object) -> Any:
            goes = _condition("while_loop", cond_fun(val))
            new = body_fun(val)
            _check_carry("while_loop", _Packed("while_loop", val), _Packed("while_loop", new))
            return tree_map(lambda a, b: where(goes, a, b), new, val), None

        return _scan("while_loop", step, init_val, None, max_steps, False)[0]
    start = _Packed("while_loop", init_val)
    val = start.tree(start.parts)
    outer = own_tapes()
    before = [part._node for part in start.parts]
    while True:
        goes = _condition("while_loop", cond_fun(val))
        if state.trace is not None and is_traced(goes._node):
            if backend().whole_programs:

                def iteration(carried: Any, _: object) -> Any:
                    new = body_fun(carried[1])
                    _check_carry("while_loop", start, _Packed("while_loop", new))
                    return (_condition("while_loop", cond_fun(new)), new), None

                return _scan("while_loop", iteration, (goes, val), None, None, False, False)[0][1]
            raise TraceError(
                "while_loop: the condition depends on traced values; got a loop without limit "
                "inside jit, vmap or scan; give max_steps"
            )
        realize(goes, *tree_leaves(val))
        if not goes.item():
            break
        new = _Packed("while_loop", body_fun(val))
        _check_carry("while_loop", start, new)
        val = new.tree(new.parts)
    if outer:
        val = _without_gradient(val, before)
    return val


def _condition(operation: str, value: object) -> Tensor:
    goes = as_tensor(operation, value)
    if goes.shape != () or goes.dtype.kind != "b":
        raise ArgumentError(
            f"{operation}: condition is not one bool; got {goes._spec}; "
            "compare numbers, and use pt.any or pt.all for several"
        )
    return goes


def _without_gradient(tree: object, inputs: Sequence[OpNode]) -> Any:
    """Return the same values; backward passes that reach them raise GradientError."""
    leaves, structure = tree_flatten(tree)
    nodes = [node_of(RESHAPE, (leaf._node,), leaf.shape) for leaf in leaves]
    results = tuple(node for node in nodes if node.spec.dtype.kind in "cf")
    sources = tuple(node for node in inputs if node.spec.dtype.kind in "cf")

    def pull(cotangents: list[Tensor]) -> list[Tensor | None]:
        raise without_gradient()

    if results and sources:
        CustomVJP(results, sources, pull).record()
    return tree_unflatten(structure, [Tensor(node) for node in nodes])


def cond(pred: object, true_fun: _Function, false_fun: _Function, *operands: object) -> Any:
    """Return the result of one of two functions, by a condition.

    If `pred` is a Python bool, only one function runs. If it is a tensor, both are computed and
    their results are chosen element by element, so that no value is read. In `jit` on the JAX
    backend only the chosen one is computed, by `jax.lax.cond`, unless they have custom gradients.

    Args:
        pred: Condition, a bool or a tensor of shape ().
        true_fun: Function that gives the result if the condition is True.
        false_fun: Function that gives the result if the condition is False. Both have results of
            one structure, with equal shapes and dtypes.
        operands: Arguments of both functions.

    Returns:
        Result of the chosen function.

    Raises:
        ArgumentError: If the structures of the results differ, or `pred` is not one value.
        ShapeError: If shapes of the results differ.
        DTypeError: If dtypes of the results differ.

    >>> import py_tensor as pt
    >>> x = pt.asarray(-3.0)
    >>> pt.lax.cond(x > 0, lambda x: x, lambda x: -2.0 * x, x).item()
    6.0
    """
    function_of("cond", "true_fun", true_fun)
    function_of("cond", "false_fun", false_fun)
    if not isinstance(pred, (Tensor, ScalarTracer)):
        pred = flag("cond", "pred", pred)
        return (true_fun if pred else false_fun)(*operands)
    chosen = as_tensor("cond", pred)
    if chosen.shape != ():
        raise ArgumentError(
            f"cond: condition is not one value; got {chosen._spec}; use pt.any or pt.all"
        )
    chosen = chosen if chosen.dtype.kind == "b" else chosen != 0
    choice = where(chosen, 0, 1)
    return _chosen("cond", choice, [chosen], [true_fun, false_fun], operands)


def switch(index: object, branches: Sequence[_Function], *operands: object) -> Any:
    """Return the result of one of several functions, by its position.

    If `index` is a Python integer, only one function runs. If it is a tensor, all are computed and
    their results are chosen element by element, so that no value is read. In `jit` on the JAX
    backend only the chosen one is computed; see `cond`.

    Args:
        index: Position of the function, an integer or an integer tensor of shape (); positions out
            of range give the nearest one.
        branches: Functions whose results have one structure, with equal shapes and dtypes.
        operands: Arguments of all functions.

    Returns:
        Result of the chosen function.

    Raises:
        ArgumentError: If there is no function, the structures of results differ, or `index` is not
            one integer.
        ShapeError: If shapes of the results differ.
        DTypeError: If dtypes of the results differ.

    >>> import py_tensor as pt
    >>> branches = [lambda x: x, lambda x: x * 10.0, lambda x: -x]
    >>> pt.lax.switch(pt.asarray(1), branches, pt.asarray(2.0)).item()
    20.0
    """
    branches = items("switch", "branches", branches)
    for branch in branches:
        function_of("switch", "branch", branch)
    if not branches:
        raise ArgumentError("switch: there is no branch; got an empty sequence; give at least one")
    if not isinstance(index, (Tensor, ScalarTracer)):
        return branches[min(max(integer("switch", "index", index), 0), len(branches) - 1)](
            *operands
        )
    choice = as_tensor("switch", index)
    if choice.shape != () or choice.dtype.kind not in "iu":
        raise ArgumentError(
            f"switch: index is not one integer; got {choice._spec}; use x.astype('int32')"
        )
    tests = [choice <= at for at in range(len(branches) - 1)]
    choice = minimum(choice, len(branches) - 1).astype(int32)
    return _chosen("switch", choice, tests, branches, operands)


def _chosen(
    operation: str,
    choice: Tensor,
    tests: Sequence[Tensor],
    branches: Sequence[_Function],
    operands: Sequence[object],
) -> Any:
    """Return the result of the branch at a place, that is of the first test that is True."""
    known = _custom_gradients()
    packed = []
    for at, branch in enumerate(branches):
        with only_if(partial(equal, choice, at)):
            packed.append(_Packed(operation, branch(*operands)))
    for other in packed[1:]:
        if other.structure != packed[0].structure:
            raise ArgumentError(
                f"{operation}: results differ in structure; got {packed[0].structure} and "
                f"{other.structure}; return the same containers"
            )
        for a, b in zip(packed[0].specs, other.specs, strict=True):
            if a is not b:
                error = ShapeError if a.shape != b.shape else DTypeError
                raise error(
                    f"{operation}: results differ in type; got {a} and {b}; "
                    "return equal shapes and dtypes"
                )
    compiled = state.trace is not None and backend().whole_programs and is_traced(choice._node)
    # The graphs of branches do not have the rules of custom gradients.
    if compiled and known == _custom_gradients():
        nodes = [[part._node for part in result.parts] for result in packed]
        return packed[0].tree(branch_results(choice._node, nodes))
    results = packed[-1].parts
    for test, other in zip(reversed(tests), reversed(packed[:-1]), strict=True):
        results = [where(test, a, b) for a, b in zip(other.parts, results, strict=True)]
    return packed[0].tree(results)


def _custom_gradients() -> list[int]:
    """Return the number of custom gradients, apart from loops, that each tape has recorded."""
    return [sum(not _is_loop(custom) for custom in tape.custom.values()) for tape in own_tapes()]


def associative_scan(fn: _Function, elems: object, reverse: bool = False, axis: int = 0) -> Any:
    """Combine each element along an axis with all before it, by an associative function.

    The function is applied about 2 log2(n) times, to halves of the elements at once.

    Args:
        fn: Function of two trees like `elems` that combines their elements along the axis; it is
            associative, and works element by element along the axis.
        elems: Tree of tensors of equal length along the axis.
        reverse: If True, combine with all elements after it instead; False by default.
        axis: Axis to combine along; 0 by default.

    Returns:
        Tree like `elems`.

    Raises:
        ShapeError: If lengths differ or the axis does not exist.

    >>> import py_tensor as pt
    >>> pt.lax.associative_scan(pt.maximum, pt.asarray([1, 3, 2, 5, 4])).tolist()
    [1, 3, 3, 5, 5]
    """
    function_of("associative_scan", "fn", fn)
    leaves, structure = tree_flatten(elems)
    tensors = [as_tensor("associative_scan", leaf) for leaf in leaves]
    axes = [one_axis("associative_scan", axis, tensor.ndim) for tensor in tensors]
    lengths = {tensor.shape[position] for tensor, position in zip(tensors, axes, strict=True)}
    if len(lengths) > 1:
        raise ShapeError(
            f"associative_scan: lengths differ; got {sorted(lengths)}; give one length"
        )

    def reversed_if_asked(parts: Sequence[Tensor]) -> list[Tensor]:
        if not flag("associative_scan", "reverse", reverse):
            return list(parts)
        return [flip(x, axis=position) for x, position in zip(parts, axes, strict=True)]

    def part(parts: Sequence[Tensor], start: int, stop: int | None, step: int) -> list[Tensor]:
        return [
            x[(slice(None),) * position + (slice(start, stop, step),)]
            for x, position in zip(parts, axes, strict=True)
        ]

    def combined(a: Sequence[Tensor], b: Sequence[Tensor]) -> list[Tensor]:
        result = fn(tree_unflatten(structure, a), tree_unflatten(structure, b))
        return [as_tensor("associative_scan", leaf) for leaf in tree_flatten(result)[0]]

    def scanned(parts: Sequence[Tensor]) -> list[Tensor]:
        count = parts[0].shape[axes[0]]
        if count < 2:
            return list(parts)
        odd = scanned(combined(part(parts, 0, count - 1, 2), part(parts, 1, None, 2)))
        rest = part(odd, 0, -1 if count % 2 == 0 else None, 1)
        even = combined(rest, part(parts, 2, None, 2)) if count > 2 else []
        first = part(parts, 0, 1, 1)
        even = (
            [concat(pair, axis=at) for *pair, at in zip(first, even, axes, strict=True)]
            if even
            else first
        )
        return [_interleaved(a, b, at) for a, b, at in zip(even, odd, axes, strict=True)]

    if not tensors:
        return elems
    return tree_unflatten(structure, reversed_if_asked(scanned(reversed_if_asked(tensors))))


def _interleaved(even: Tensor, odd: Tensor, axis: int) -> Tensor:
    """Return the elements of both in turn; the first may have one more."""
    count = odd.shape[axis]
    both = (slice(None),) * axis
    pairs = stack([even[(*both, slice(0, count))], odd], axis=axis + 1)
    pairs = reshape(pairs, (*odd.shape[:axis], 2 * count, *odd.shape[axis + 1 :]))
    return (
        concat([pairs, even[(*both, slice(count, None))]], axis=axis)
        if even.shape[axis] > count
        else pairs
    )
