"""Define `pt.vmap`: map a function over an axis of its arguments, without a loop.

Input: a function of one example. Output: a function of batches. The function runs once on tracers
of one example. The graph of its results is then rebuilt for the batch, by one rule for each kind of
operation. A batched value has the batch as its first axis.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any

from .. import functions as F
from ..dtypes import bool_
from ..errors import ArgumentError, ShapeError
from ..functions.arguments import one_axis
from ..functions.manipulation import moveaxis, permute_dims, reshape
from ..ir.node import OpInstance, OpNode, node_of, own_tapes, scalar_node, tensor_spec
from ..ir.pytree import open_node, tree_flatten, tree_leaves, tree_unflatten
from ..ops import OP_DEFS, views as view_ops
from ..ops.contractions import CONVOLVE, DOT
from ..ops.gathers import SCATTER_ADD, TAKE
from ..ops.op_def import (
    ComplexJoin,
    ComplexPart,
    Concat,
    Decomposition,
    Elementwise,
    Gather,
    GatherAlong,
    LastPosition,
    OptimizationBarrier,
    Pad,
    Reduction,
    Scan,
    Scatter,
    Search,
    Sort,
)
from ..tensor import Tensor, as_tensor, handle_on, node_behind
from .autodiff.backward import CustomVJP
from .autodiff.remat_clones import RematRegion, mark
from .branch_op import BRANCH_OP, chosen_result
from .effects import repeat
from .loop_op import LOOP_OP, LoopBody, LoopNodes, TracedBody, body_of, rebuilt
from .subgraph import dependents, first_places, tracer, tracing


class BatchedValues:
    """Batched values of nodes, by identity.

    `size` is the length of the batch, and no node in `values` is older than `oldest`. Nodes without
    a batched value are the same for all examples.
    """

    def __init__(self, size: int, values: dict[int, OpNode], oldest: int) -> None:
        self.size = size
        self.values = values
        self.oldest = oldest
        self.kept: list[OpNode] = []
        """Nodes whose identities are keys; keeping them alive keeps the identities unique."""
        self.captured: dict[int, _Captured] = {}
        """Custom gradients that the function used, by each of their results."""
        self.regions: dict[RematRegion, dict[int, OpNode]] = {}
        """Batched nodes of the function's checkpointed regions."""
        self.kept_values: set[int] = set()
        """Identities of those that a region keeps."""
        self.loops: dict[object, LoopNodes] = {}
        """Batched loops, by their bodies and operands."""

    def value(self, node: OpNode) -> OpNode:
        """Return the batched value of a node; repeat it if it is the same for all examples."""
        known = self.values.get(id(node))
        if known is not None:
            return known
        return node_of(view_ops.BROADCAST, (node,), (self.size, *node.spec.shape))

    def compute(self, results: Iterable[OpNode]) -> None:
        """Compute the batched values of nodes and of all nodes that they depend on."""
        for node in dependents(results, self.values, self.oldest, self._sources):
            if id(node) in self.captured:
                self._add_custom(self.captured[id(node)])
            elif node.call is not None:
                mapped = [self.values.get(id(src)) for src in node.srcs]
                self._add(node, _rule(node.call)(self, node.call, node.srcs, mapped))
                if own_tapes():
                    self._add_to_regions(node, mapped)
        for region in sorted(self.regions, key=_depth, reverse=True):
            mark(own_tapes(), RematRegion(self.regions[region], frozenset(self.kept_values)))

    def batched(self, value: Any) -> Any:
        """Return the node of a tensor's batched values; any other value unchanged."""
        if not isinstance(value, Tensor):
            return value
        self.compute([value._node])
        return self.value(value._node)

    def extended(self, nodes: Sequence[OpNode], values: Sequence[OpNode]) -> BatchedValues:
        """Return a copy with more values."""
        more = {id(node): value for node, value in zip(nodes, values, strict=True)}
        other = BatchedValues(self.size, self.values | more, self.oldest)
        other.kept = [*self.kept, *nodes]
        return other

    def _sources(self, node: OpNode) -> Iterable[OpNode]:
        captured = self.captured.get(id(node))
        if captured is None:
            return node.srcs
        custom = captured.custom
        return (*custom.inputs, *(src for result in custom.results for src in result.srcs))

    def _add(self, node: OpNode, value: OpNode) -> None:
        self.values[id(node)] = value
        self.kept.append(node)

    def _add_custom(self, captured: _Captured) -> None:
        """Compute all results of a custom gradient, and record it on the tapes."""
        if id(captured.custom.results[0]) in self.values:
            return
        for node in captured.custom.results:
            value = self.value(node.srcs[0])
            self._add(node, node_of(view_ops.RESHAPE, (value,), (self.size, *node.spec.shape)))
        results = tuple(self.values[id(node)] for node in captured.custom.results)
        captured.batched(self, results).record()

    def _add_to_regions(self, node: OpNode, mapped: Mapped) -> None:
        regions = (tape.regions[id(node)] for tape in own_tapes() if id(node) in tape.regions)
        region = next(regions, None)
        if region is None:
            return
        known = {id(value) for value in (*mapped, *node.srcs) if value is not None}
        made: dict[int, OpNode] = {}
        stack = [self.values[id(node)]]
        while stack:
            new = stack.pop()
            if id(new) not in known and id(new) not in made and new.call is not None:
                made[id(new)] = new
                stack += new.srcs
        while region is not None:
            if id(node) in region.kept:
                self.kept_values.add(id(self.values[id(node)]))
            self.regions.setdefault(region, {}).update(made)
            region = region.around


def _depth(region: RematRegion) -> int:
    return 0 if region.around is None else 1 + _depth(region.around)


Nodes = tuple[OpNode, ...]
Mapped = list[OpNode | None]
"""Batched operands; None for operands that are equal for all examples."""
BatchingRule = Callable[[BatchedValues, OpInstance, Nodes, Mapped], OpNode]


def _rule(call: OpInstance) -> BatchingRule:
    for kind in (call.op, *type(call.op).__mro__):
        if kind in RULES:
            return RULES[kind]
    return example_by_example


def example_by_example(
    batch: BatchedValues, call: OpInstance, srcs: Nodes, mapped: Mapped
) -> OpNode:
    """Apply an operation to each example separately, and stack the results."""
    results = []
    for at in range(batch.size):
        operands = [
            src if value is None else handle_on(value)[at]._node
            for src, value in zip(srcs, mapped, strict=True)
        ]
        result = node_of(call.op, tuple(operands), call.arg)
        results.append(node_of(view_ops.RESHAPE, (result,), (1, *result.spec.shape)))
    if not results:
        raise ShapeError(
            f"vmap: {call.op.name} cannot be mapped over no examples; got a batch of length 0; "
            "give at least one example"
        )
    return node_of(view_ops.CONCAT, tuple(results), 0)


# --- rules ----------------------------------------------------------------------------------------


def _in_front(value: OpNode, ndim: int) -> OpNode:
    """Insert axes after the batch axis, so that the value broadcasts to examples of rank `ndim`."""
    shape = value.spec.shape
    missing = ndim + 1 - len(shape)
    if missing <= 0:
        return value
    return node_of(view_ops.RESHAPE, (value,), (shape[0], *(1,) * missing, *shape[1:]))


def _elementwise(batch: BatchedValues, call: OpInstance, srcs: Nodes, mapped: Mapped) -> OpNode:
    ndim = len(call.spec.shape)
    operands = [
        src if value is None else _in_front(value, ndim)
        for src, value in zip(srcs, mapped, strict=True)
    ]
    return node_of(call.op, tuple(operands), call.arg)


def _by_arg(change: Callable[[Any, BatchedValues], Any]) -> BatchingRule:
    """Return the rule of operations of which only the static argument changes."""

    def rule(
        batch: BatchedValues, call: OpInstance, srcs: tuple[OpNode, ...], mapped: Mapped
    ) -> OpNode:
        operands = tuple(map(batch.value, srcs))
        return node_of(call.op, operands, change(call.arg, batch))

    return rule


def _next(axes: Iterable[int], batch: BatchedValues) -> tuple[int, ...]:
    return tuple(axis + 1 for axis in axes)


def _first_next(arg: tuple[int, Any], batch: BatchedValues) -> tuple[int, Any]:
    return arg[0] + 1, arg[1]


def _broadcast(batch: BatchedValues, call: OpInstance, srcs: Nodes, mapped: Mapped) -> OpNode:
    value = _in_front(batch.value(srcs[0]), len(call.spec.shape))
    return node_of(call.op, (value,), (batch.size, *call.arg))


def _pad(batch: BatchedValues, call: OpInstance, srcs: Nodes, mapped: Mapped) -> OpNode:
    arg = ((0, 0, 0), *call.arg)
    if mapped[1] is None:
        return node_of(call.op, (batch.value(srcs[0]), srcs[1]), arg)
    x = batch.value(srcs[0])
    there = node_of(view_ops.BROADCAST, (scalar_node(True, bool_),), x.spec.shape)
    there = node_of(call.op, (there, scalar_node(False, bool_)), arg)
    padded = node_of(call.op, (x, scalar_node(0, x.spec.dtype)), arg)
    value = _in_front(mapped[1], len(call.spec.shape))
    return node_of(OP_DEFS["where"], (there, padded, value))


def _take(batch: BatchedValues, call: OpInstance, srcs: Nodes, mapped: Mapped) -> OpNode:
    axis = call.arg
    x, indices = mapped
    if indices is None:
        return node_of(TAKE, (batch.value(srcs[0]), srcs[1]), axis + 1)
    if x is None:
        return _node(moveaxis(handle_on(node_of(TAKE, (srcs[0], indices), axis)), axis, 0))
    length = srcs[0].spec.shape[axis]
    positions = handle_on(indices)
    if positions.dtype.name == "uint32":
        # The largest values would be negative as int32 and then count from the end.
        positions = F.minimum(positions, max(length - 1, 0))
    positions = positions.astype("int32")
    positions = F.where(positions < 0, positions + length, positions).clip(0, max(length - 1, 0))
    rows = moveaxis(handle_on(x), axis + 1, 1)
    rows = reshape(rows, (batch.size * length, *rows.shape[2:]))
    result = handle_on(node_of(TAKE, (rows._node, _own(batch, positions, length)._node), 0))
    # The axes of the indices replace the axis.
    count = positions.ndim - 1
    order = [0, *range(count + 1, count + 1 + axis), *range(1, count + 1)]
    return _node(permute_dims(result, (*order, *range(len(order), result.ndim))))


def _own(batch: BatchedValues, positions: Tensor, length: int) -> Tensor:
    """Convert positions in the rows of one example to positions in the rows of all examples."""
    first = F.arange(batch.size) * length
    return positions + reshape(first, (batch.size, *(1,) * (positions.ndim - 1)))


def _scatter(batch: BatchedValues, call: OpInstance, srcs: Nodes, mapped: Mapped) -> OpNode:
    axis, length = call.arg
    if mapped[1] is None:
        return node_of(SCATTER_ADD, (batch.value(srcs[0]), srcs[1]), (axis + 1, length))
    positions = handle_on(mapped[1]).astype("int32")
    inside = (positions >= 0) & (positions < length)
    positions = F.where(inside, _own(batch, positions, length), -1)
    x = handle_on(batch.value(srcs[0]))
    count = positions.ndim - 1
    order = [0, *range(axis + 1, axis + 1 + count), *range(1, axis + 1)]
    x = permute_dims(x, (*order, *range(len(order), x.ndim)))
    arg = (0, batch.size * length)
    summed = handle_on(node_of(SCATTER_ADD, (x._node, positions._node), arg))
    result = reshape(summed, (batch.size, length, *summed.shape[1:]))
    return _node(moveaxis(result, 1, axis + 1))


def _search(batch: BatchedValues, call: OpInstance, srcs: Nodes, mapped: Mapped) -> OpNode:
    """Merge the batch into the rows, or into the columns if all examples search one row."""
    x, values = (handle_on(batch.value(src)) for src in srcs)
    if mapped[0] is None and x.shape[1] == 1:
        operands = handle_on(srcs[0]), reshape(values, (1, -1))
    else:
        operands = reshape(x, (-1, x.shape[2])), reshape(values, (-1, values.shape[2]))
    counts = node_of(call.op, tuple(map(_node, operands)), call.arg)
    return node_of(view_ops.RESHAPE, (counts,), values.shape)


def _last_position(batch: BatchedValues, call: OpInstance, srcs: Nodes, mapped: Mapped) -> OpNode:
    length, _ = call.arg
    places = handle_on(batch.value(srcs[0]))
    inside = (places >= 0) & (places < length)
    flat = reshape(F.where(inside, _own(batch, places, length), -1), (-1,))
    last = handle_on(node_of(call.op, (flat._node,), (batch.size * length, False)))
    first = reshape(F.arange(batch.size) * places.shape[1], (-1, 1))
    return _node(F.maximum(reshape(last, (batch.size, length)) - first, -1))


def _barrier(batch: BatchedValues, call: OpInstance, srcs: Nodes, mapped: Mapped) -> OpNode:
    return node_of(call.op, (batch.value(srcs[0]), mapped[1] or srcs[1]), call.arg)


def _node(tensor: Tensor) -> OpNode:
    node: OpNode = tensor._node
    return node


def _dot(batch: BatchedValues, call: OpInstance, srcs: Nodes, mapped: Mapped) -> OpNode:
    """Multiply matrices. If only one operand is batched, use one larger product."""
    a, b = (None if value is None else handle_on(value) for value in mapped)
    groups, rows, columns = call.spec.shape
    size = batch.size
    if a is not None and b is not None:
        a, b = (reshape(x, (size * groups, *x.shape[2:])) for x in (a, b))
        both = node_of(DOT, (a._node, b._node))
        return node_of(view_ops.RESHAPE, (both,), (size, groups, rows, columns))
    if a is not None:
        left = reshape(moveaxis(a, 0, 1), (groups, size * rows, a.shape[3]))
        result = handle_on(node_of(DOT, (left._node, srcs[1])))
        return _node(moveaxis(reshape(result, (groups, size, rows, columns)), 1, 0))
    assert b is not None
    right = reshape(permute_dims(b, (1, 2, 0, 3)), (groups, b.shape[2], size * columns))
    result = handle_on(node_of(DOT, (srcs[0], right._node)))
    return _node(permute_dims(reshape(result, (groups, rows, size, columns)), (2, 0, 1, 3)))


def _convolve(batch: BatchedValues, call: OpInstance, srcs: Nodes, mapped: Mapped) -> OpNode:
    """Convolve. Batched operands add images, filters, or groups of channels."""
    x, w = (None if value is None else handle_on(value) for value in mapped)
    groups, pixels, channels = call.spec.shape
    size, window = batch.size, call.arg
    if w is None:
        assert x is not None
        images = reshape(x, (size * x.shape[1], *x.shape[2:]))
        result = handle_on(node_of(CONVOLVE, (images._node, srcs[1]), window))
        return _node(moveaxis(reshape(result, (groups, size, pixels, channels)), 1, 0))
    kernel = w.shape[1:3]
    if x is None:
        # Filters of a group are neighbours.
        apart = reshape(w, (size, *kernel, w.shape[3], groups, channels))
        apart = reshape(
            permute_dims(apart, (1, 2, 3, 4, 0, 5)), (*kernel, w.shape[3], groups * size * channels)
        )
        result = handle_on(node_of(CONVOLVE, (srcs[0], apart._node), window))
        result = reshape(result, (groups, pixels, size, channels))
        return _node(permute_dims(result, (2, 0, 1, 3)))
    images = reshape(permute_dims(x, (1, 2, 3, 0, 4)), (*x.shape[1:4], size * x.shape[4]))
    filters = permute_dims(w, (1, 2, 3, 0, 4))
    filters = reshape(filters, (*kernel, w.shape[3], size * w.shape[4]))
    arg = window._replace(groups=size * groups)
    both = node_of(CONVOLVE, (images._node, filters._node), arg)
    return node_of(view_ops.RESHAPE, (both,), (size, groups, pixels, channels))


def _decomposition(batch: BatchedValues, call: OpInstance, srcs: Nodes, mapped: Mapped) -> OpNode:
    """Merge the batch into the first axis, the number of matrices."""
    operands = []
    for src in srcs:
        value = batch.value(src)
        count, *matrix = src.spec.shape
        operands.append(node_of(view_ops.RESHAPE, (value,), (batch.size * count, *matrix)))
    result = node_of(call.op, tuple(operands), call.arg)
    return node_of(view_ops.RESHAPE, (result,), (batch.size, *call.spec.shape))


def _loop(batch: BatchedValues, call: OpInstance, srcs: Nodes, mapped: Mapped) -> OpNode:
    """Run a loop with batched carries. Slices of batched sequences have the batch as first axis."""
    body, which = call.arg
    key = (body, *map(id, srcs))
    first, last = body.consts, body.consts + body.carries
    if key not in batch.loops:
        are_mapped = tuple(value is not None for value in mapped)
        batched, more = _batched_body(body, batch.size, are_mapped)
        operands = [
            src if value is None else value for src, value in zip(srcs, mapped, strict=True)
        ]
        slices = [
            node if not is_mapped else _node(moveaxis(handle_on(node), 0, 1))
            for node, is_mapped in zip(operands[last:], are_mapped[last:], strict=True)
        ]
        carries = map(batch.value, srcs[first:last])
        batch.loops[key] = LoopNodes(batched, (*operands[:first], *more, *carries, *slices))
    result = batch.loops[key].result(which)
    return result if which < body.carries else _node(moveaxis(handle_on(result), 0, 1))


def _batched_body(
    body: LoopBody, size: int, mapped: tuple[bool, ...]
) -> tuple[LoopBody, list[OpNode]]:
    """Return a body for a batch, and its constants that come after the body's own."""
    first, last = body.consts, body.consts + body.carries
    with tracing("vmap"):
        inputs = [tracer(spec)._node for spec in body.leaves]
        outputs = rebuilt(body.graph, inputs)
        values = [
            tracer(tensor_spec((size, *node.spec.shape), node.spec.dtype))._node
            if is_mapped or first <= at < last
            else node
            for at, (node, is_mapped) in enumerate(zip(inputs, mapped, strict=True))
        ]
        pairs = zip(inputs, values, strict=True)
        known = {id(node): value for node, value in pairs if value is not node}
        inner = BatchedValues(size, known, min((node.age for node in inputs), default=0))
        inner.compute(outputs)
        results = [inner.value(node) for node in outputs]
        if body.length is None:
            # Examples whose condition is False keep their values.
            goes = values[first]
            for at, (old, new) in enumerate(zip(values[first:last], results, strict=True)):
                test = _in_front(goes, len(new.spec.shape) - 1)
                results[at] = node_of(OP_DEFS["where"], (test, new, old))
        traced = TracedBody.of(body, values, results)
        batched, consts = body_of(traced, body.length, body.reverse)
    return batched, consts[first:]


def _branches(batch: BatchedValues, call: OpInstance, srcs: Nodes, mapped: Mapped) -> OpNode:
    """Compute all branches, since examples may choose different ones."""
    result = chosen_result(call, srcs)
    batch.compute([result])
    return batch.value(result)


def _slice_all(
    arg: tuple[tuple[int, int, int], ...], batch: BatchedValues
) -> tuple[tuple[int, int, int], ...]:
    return ((0, batch.size, 1), *arg)


def _in_window(arg: Iterable[tuple[int, ...]], batch: BatchedValues) -> tuple[tuple[int, ...], ...]:
    return tuple((axis + 1, *rest) for axis, *rest in arg)


_same_shape = _by_arg(lambda arg, batch: (batch.size, *arg))
RULES: dict[object, BatchingRule] = {
    Elementwise: _elementwise,
    ComplexJoin: _elementwise,
    ComplexPart: _elementwise,
    view_ops.RESHAPE: _same_shape,
    view_ops.STOP_GRADIENT: _same_shape,
    view_ops.PERMUTE: _by_arg(lambda arg, batch: (0, *_next(arg, batch))),
    view_ops.BROADCAST: _broadcast,
    view_ops.SLICE: _by_arg(_slice_all),
    view_ops.WINDOW: _by_arg(_in_window),
    view_ops.DIAGONAL: _by_arg(_next),
    Pad: _pad,
    Concat: _by_arg(lambda axis, batch: axis + 1),
    Reduction: _by_arg(_next),
    Scan: _by_arg(_first_next),
    Gather: _take,
    GatherAlong: _by_arg(_first_next),
    Search: _search,
    LastPosition: _last_position,
    Scatter: _scatter,
    Sort: _by_arg(_first_next),
    OptimizationBarrier: _barrier,
    DOT: _dot,
    CONVOLVE: _convolve,
    Decomposition: _decomposition,
    LOOP_OP: _loop,
    BRANCH_OP: _branches,
}
"""Batching rules by op definition or by class of op definitions. Operations of other classes are
applied to each example separately."""


# --- custom gradients and checkpoints inside the function -----------------------------------------


class _Captured:
    """A custom gradient inside the function, with its rule applied to tracers."""

    def __init__(self, custom: CustomVJP) -> None:
        self.custom = custom
        self.cotangents = [tracer(node.spec)._node for node in custom.results]
        parts = custom.pull([handle_on(node) for node in self.cotangents])
        self.parts = [None if part is None else part._node for part in parts]

    def batched(self, batch: BatchedValues, results: tuple[OpNode, ...]) -> CustomVJP:
        """Return the custom gradient of the batched results."""
        inputs = self.custom.inputs

        def pull(cotangents: list[Tensor]) -> list[Tensor | None]:
            known = batch.extended(self.cotangents, [g._node for g in cotangents])
            known.compute(part for part in self.parts if part is not None)
            return [
                None if part is None else _cotangent(known, part, node)
                for part, node in zip(self.parts, inputs, strict=True)
            ]

        return CustomVJP(results, tuple(batch.values.get(id(x), x) for x in inputs), pull)


def _cotangent(batch: BatchedValues, part: OpNode, node: OpNode) -> Tensor:
    """Return the cotangent of an operand; sum over the examples if it is the same for all."""
    value = Tensor(batch.value(part))
    return value if id(node) in batch.values else F.sum(value, axis=0)


def _is_loop(node: OpNode) -> bool:
    return node.call is not None and node.call.op is LOOP_OP


def _captured(oldest: int) -> dict[int, _Captured]:
    """Return the custom gradients that were recorded since a node of that age was made."""
    customs = {
        id(custom): custom
        for tape in own_tapes()
        for custom in tape.custom.values()
        if custom.results[0].age > oldest and not _is_loop(custom.results[0])
    }
    return {
        id(node): captured
        for custom in customs.values()
        for captured in [_Captured(custom)]
        for node in custom.results
    }


# --- the public function --------------------------------------------------------------------------


def vmap(
    fun: Callable[..., Any],
    in_axes: object = 0,
    out_axes: object = 0,
    *,
    axis_size: int | None = None,
) -> Callable[..., Any]:
    """Make a function that applies `fun` to every example of a batch, without a loop.

    `fun` is written for one example and runs once, on tracers. Every operation on them is replaced
    by the operation on the whole batch. Calls of `vmap` can be nested, and `jit` and `grad` work
    inside and outside.

    Args:
        fun: Function of tensors or trees of tensors. It cannot read values of mapped arguments.
        in_axes: Axis to map over: an integer for all arguments (default 0), or a tuple with one
            entry for each positional argument. An entry is an integer, None for an argument that is
            the same for all examples, or a tree of these that has the argument's outer containers.
            Keyword arguments are always mapped over axis 0.
        out_axes: Position of the batch in the results: an integer (default 0), None for a result
            that is the same for all examples, or a tree of these with the result's outer
            containers.
        axis_size: Length of the batch; only needed if no argument is mapped.

    Returns:
        Function with the same arguments, with an additional axis in mapped arguments and in
        results. Random numbers drawn without a key are the same for all examples.

    Raises:
        ArgumentError: When called, if the axes do not fit the arguments or results.
        ShapeError: When called, if the lengths of mapped axes differ, or an axis does not exist.
        TraceError: When called, if `fun` reads the value of a mapped tensor.

    >>> import py_tensor as pt
    >>> x, y = pt.asarray([[1.0, 2.0], [3.0, 4.0]]), pt.asarray([10.0, 1.0])
    >>> pt.vmap(pt.vecdot, in_axes=(0, None))(x, y).tolist()
    [12.0, 34.0]
    >>> pt.vmap(pt.grad(lambda x: pt.sum(x**3)))(x).tolist()
    [[3.0, 12.0], [27.0, 48.0]]
    """

    @wraps(fun)
    def vectorized(*args: object, **kwargs: object) -> Any:
        leaves, structure = tree_flatten((args, kwargs))
        if isinstance(in_axes, (tuple, list)):
            if len(in_axes) != len(args):
                raise ArgumentError(
                    f"vmap: in_axes does not fit; got {len(in_axes)} for {len(args)} positional "
                    "arguments; give one for each"
                )
            axes = _spread("in_axes", tuple(in_axes), args)
        else:
            axes = _spread("in_axes", in_axes, args)
        axes += [0] * (len(leaves) - len(axes))
        firsts = first_places(leaves, structure.has_fields)
        mapped = {
            at: _in_batch(leaf, axis)
            for at, (leaf, axis) in enumerate(zip(leaves, axes, strict=True))
            if axis is not None and (firsts[at] == at or axes[firsts[at]] != axis)
        }
        size = _common_size(list(mapped.values()), axis_size)
        with tracing("vmap") as recording:
            # The first tracer is the oldest node that can depend on the batch.
            tracers = {
                at: tracer(tensor_spec(value.shape[1:], value.dtype))
                for at, value in mapped.items()
            }
            nodes = {at: traced._node for at, traced in tracers.items()}
            oldest = min((node.age for node in nodes.values()), default=0)
            with_tracers = [
                tracers.get(at, tracers.get(first, leaf) if axis is not None else leaf)
                for at, (leaf, first, axis) in enumerate(zip(leaves, firsts, axes, strict=True))
            ]
            args, kwargs = tree_unflatten(structure, with_tracers)
            result = fun(*args, **kwargs)
            positions = _spread("out_axes", out_axes, result)
            output_leaves, results = tree_flatten(result)
            outputs = [node_behind("vmap", as_tensor("vmap", leaf)) for leaf in output_leaves]
            values = {id(node): mapped[at]._node for at, node in nodes.items()}
            batch = BatchedValues(size, values, oldest)
            batch.captured = _captured(oldest)
            batch.compute(outputs)
            moved = [
                _with_batch_axis(batch, node, axis)
                for node, axis in zip(outputs, positions, strict=True)
            ]
            effects = [
                (effect, [batch.batched(value) for value in values])
                for effect, values in recording.effects
            ]
        tensors = [Tensor(node) for node in moved]
        if effects:
            repeat(effects, range(size))
        return tree_unflatten(results, tensors)

    return vectorized


def _in_batch(leaf: object, axis: object) -> Tensor:
    """Return a mapped argument with its mapped axis first."""
    x = as_tensor("vmap", leaf)
    if not node_behind("vmap", x).spec.shape:
        shown = x._spec if isinstance(leaf, Tensor) else leaf
        raise ShapeError(
            f"vmap: argument has no axis to map over; got {shown!r:.60}; "
            "pass None for it in in_axes"
        )
    axis = one_axis("vmap", axis, x.ndim)
    return x if axis == 0 else moveaxis(x, axis, 0)


def _common_size(values: Sequence[Tensor], axis_size: int | None) -> int:
    sizes = {value.shape[0] for value in values}
    if axis_size is not None:
        sizes.add(axis_size)
    if len(sizes) == 1:
        return sizes.pop()
    if not sizes:
        raise ArgumentError(
            "vmap: no argument is mapped; got None for all of them; map one, or give axis_size"
        )
    raise ShapeError(
        f"vmap: lengths of mapped axes differ; got {sorted(sizes)}; map axes of one length"
    )


def _with_batch_axis(batch: BatchedValues, node: OpNode, axis: object) -> OpNode:
    """Return the batched value of a result with the batch at an axis."""
    if axis is None:
        if id(node) in batch.values:
            raise ArgumentError(
                f"vmap: result differs between examples; got out_axes None for {node.spec}; "
                "give an axis"
            )
        return node
    value = batch.value(node)
    axis = one_axis("vmap", axis, len(value.spec.shape))
    return value if axis == 0 else _node(moveaxis(Tensor(value), 0, axis))


def _spread(option: str, axes: object, tree: object) -> list[Any]:
    """Return the axis of each leaf of a tree, from a tree of its outer containers."""
    if axes is None or type(axes) is int:
        return [axes] * len(tree_leaves(tree))
    entries, parts = open_node(axes), open_node(tree)
    if entries is None or parts is None or entries[0] != parts[0]:
        raise ArgumentError(
            f"vmap: {option} does not fit; got {axes!r:.60} for {type(tree).__name__}; give an "
            "integer, None, or the same containers"
        )
    pairs = zip(entries[1], parts[1], strict=True)
    return [axis for entry, part in pairs for axis in _spread(option, entry, part)]
