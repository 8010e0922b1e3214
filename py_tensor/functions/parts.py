"""Parts of tensors: views that share elements with the tensor that they were taken from.

Input: tensors whose nodes are views of another tensor's node. Output: links between the handles.
Assigning to a part makes a new value of the whole, and assigning to the whole makes new values of
its parts, as in NumPy. Values are computed when they are used. Handles are linked weakly, so a part
keeps neither the whole nor its memory.

Parts that are made inside a traced or differentiated function are values of their own, as in JAX.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from operator import mul
from typing import Any, NamedTuple
from weakref import ref

from ..dtypes import bool_
from ..errors import ArgumentError
from ..ir.node import (
    OpInstance,
    OpNode,
    by_rule,
    node_of,
    op_instance,
    own_tapes,
    scalar_node,
)
from ..ir.tracer import is_traced
from ..ops import OP_DEFS
from ..ops.index_map import View, coordinates, make_view, row_major
from ..ops.op_def import OpDef, Shape
from ..ops.sources import IOTA
from ..ops.views import BROADCAST, DIAGONAL, PAD, PERMUTE, RESHAPE, SLICE, reversal, widths_around
from ..runtime.scopes import state
from ..tensor import Tensor, from_host, set_node
from .host_memory import write_strided

type Calls = tuple[OpInstance, ...]
"""Views to apply one after the other to the whole."""
type Strides = tuple[int, ...]


class Layout(NamedTuple):
    """Distance of neighbours along each axis, and the position of the first element."""

    strides: Strides
    offset: int = 0


class Base(NamedTuple):
    """A tensor from which a part was taken, and the views that lead to the part."""

    tensor: ref[Tensor]
    calls: Calls


class Links:
    """Links of a tensor: the tensors that it is a part of, outermost first, and its own parts."""

    __slots__ = ("_above", "_layout", "bases", "limit", "parts", "traced")

    def __init__(self, bases: tuple[Base, ...] = (), above: Links | None = None) -> None:
        self.bases = bases
        self._above = above
        self._layout: Layout | None = None
        self.parts: list[ref[Tensor]] = []
        self.limit = 8
        """Length of `parts` at which parts that have ended are removed."""
        self.traced = False
        """True for a part that was made inside a traced or differentiated function."""

    def layout(self, shape: Shape) -> Layout:
        """Return the positions of the elements in the memory that NumPy would share."""
        if not self.bases:
            return Layout(row_major(shape))
        if self._layout is None:
            calls = self.bases[-1].calls
            inner = calls[0].specs[0].shape if calls else shape
            outer = Layout(row_major(inner)) if self._above is None else self._above.layout(inner)
            self._layout, self._above = _layout(outer, calls), None
            assert self._layout is not None
        return self._layout


def part_of(whole: Tensor, node: OpNode) -> Tensor:
    """Return a tensor of a node that consists of views of `whole`, linked to it.

    The tensor is not linked if NumPy would copy: if a reshape needs elements in another order, or
    if elements repeat.
    """
    calls: list[OpInstance] = []
    source, step = whole._node, node
    while step is not source:
        call = step.call
        if call is None or call.op not in _PLACED:
            return Tensor(node)
        calls.append(call)
        step = step.srcs[0]
    calls.reverse()
    return linked(whole, Tensor(node), tuple(calls))


def linked(whole: Tensor, part: Tensor, calls: Calls) -> Tensor:
    """Link a tensor to the whole that the views `calls` make it of, and return it."""
    above: Links | None = getattr(whole, "_links", None)
    bases: tuple[Base, ...] = (Base(ref(whole), calls),)
    if above is not None and above.bases:
        if _layout(above.layout(whole.shape), calls) is None:
            return part
        living = [base for base in above.bases if base.tensor() is not None]
        bases = (*(Base(base, (*before, *calls)) for base, before in living), *bases)
    links = Links(bases, above)
    if own_tapes() or (state.traces and (state.trace is not None or is_traced(part._node))):
        links.traced = True
    else:
        weak = ref(part)
        for base, _ in bases:
            _register(base(), weak)
    part._links = links
    return part


@lru_cache(4096)
def _layout(layout: Layout, calls: Calls) -> Layout | None:
    """Return the layout after some views; None if a view needs elements in another order."""
    strides, offset = layout
    for call in calls:
        shape = call.specs[0].shape
        arg: Any = call.arg
        if call.op is RESHAPE:
            reshaped = _reshaped_strides(make_view(shape, strides), arg)
            if reshaped is None:
                return None
            strides = reshaped
        elif call.op is PERMUTE:
            strides = tuple([strides[axis] for axis in arg])
        elif call.op is SLICE:
            offset += sum([n * start for n, (start, _, _) in zip(strides, arg, strict=True)])
            strides = tuple([n * step for n, (_, _, step) in zip(strides, arg, strict=True)])
        else:
            kept = [n for axis, n in enumerate(strides) if axis not in arg]
            strides = (*kept, strides[arg[0]] + strides[arg[1]])
    return Layout(strides, offset)


def _reshaped_strides(layout: View, shape: Strides) -> Strides | None:
    """Return the strides of the elements of a layout in another shape; None if there are none."""
    axes = list(zip(layout.shape, layout.strides, strict=True))
    left, stride = 1, 1
    strides = []
    for n in reversed(shape):
        if n > 1 and left == 1 and axes:
            left, stride = axes.pop()
        if n and left % n:
            return None
        strides.append(stride)
        stride *= n
        left //= n or 1
    return tuple(strides[::-1])


def _register(whole: Any, part: ref[Tensor]) -> None:
    links = getattr(whole, "_links", None)
    if links is None:
        links = whole._links = Links()
    if len(links.parts) >= links.limit:
        links.parts = [weak for weak in links.parts if weak() is not None]
        links.limit = 2 * len(links.parts) + 8
    links.parts.append(part)


def root_of(tensor: Tensor) -> tuple[Tensor, Calls]:
    """Return the outermost living tensor that a tensor is a part of, and the views in between.

    A tensor that is no part is its own root.
    """
    links: Links | None = getattr(tensor, "_links", None)
    for base, calls in () if links is None else links.bases:
        whole = base()
        if whole is not None and not whole.is_disposed:
            return whole, calls
    return tensor, ()


def whole_of(tensor: Tensor) -> Tensor | None:
    """Return the outermost living tensor that a tensor is a part of; None if it is no part."""
    whole, _ = root_of(tensor)
    return None if whole is tensor else whole


def viewed(tensor: Tensor, part: Tensor) -> Tensor:
    """Return a tensor of the shape of a part's whole through the views that lead to the part."""
    return Tensor(viewed_node(tensor._node, root_of(part)[1]))


def rows(whole: Tensor) -> Iterator[Tensor]:
    """Return the slices along the first axis from a single read, as long as nothing is assigned."""
    spec = whole._spec
    length, *rest = spec.shape
    shape, nbytes = tuple(rest), spec.nbytes // length
    node, data = None, memoryview(b"")
    for i in range(length):
        if whole._node is not node:
            node, data = whole._node, whole._bytes("iter")
        row = from_host(bytes(data[i * nbytes : (i + 1) * nbytes]), shape, spec.dtype, "iter")
        if rest:
            call = op_instance(SLICE, (spec,), ((i, 1, 1), *((0, n, 1) for n in rest)))
            linked(whole, row, (call, op_instance(RESHAPE, (call.spec,), shape)))
        yield row


def is_contiguous(tensor: Tensor) -> bool:
    """Return True if NumPy would store the elements in row-major order without gaps."""
    return make_view(tensor.shape, strides_of(tensor)).strides in ((), (1,))


def strides_of(tensor: Tensor) -> Strides:
    """Return the distances, in elements, that NumPy's array would have along each axis."""
    links: Links | None = getattr(tensor, "_links", None)
    return row_major(tensor.shape) if links is None else links.layout(tensor.shape).strides


def move(tensor: Tensor, links: Links, node: OpNode) -> None:
    """Give a linked tensor a new value, and with it the whole and the other parts of the whole."""
    if links.traced or node.spec is not tensor._spec:
        separate(tensor)
        for part in [weak() for weak in links.parts]:
            if part is not None:
                separate(part)
        set_node(tensor, node)
        return
    whole, calls = root_of(tensor)
    if whole is not tensor and state.trace is not None:
        state.trace.refuse_move(whole)
    # An older value of a part may need that of the whole, which then could not be reused.
    set_node(tensor, node)
    if whole is not tensor:
        write(whole, calls, node)
    renew_parts(whole, tensor)


def write(whole: Tensor, calls: Calls, node: OpNode) -> None:
    """Replace the elements of a tensor that views select by those of a node, broadcast."""
    layout = _layout(Layout(row_major(whole.shape)), calls)
    assert layout is not None
    shape = calls[-1].spec.shape if calls else whole.shape
    if not write_strided(whole, *layout, shape, node):
        set_node(whole, with_part(whole._node, calls, node))


def assign(tensor: Tensor, calls: Calls, node: OpNode) -> None:
    """Replace elements of a tensor as `write` does, also in its whole and in other parts of it."""
    whole, before = root_of(tensor)
    if state.trace is not None:
        state.trace.refuse_move(tensor)
        state.trace.refuse_move(whole)
    write(whole, (*before, *calls), node)
    if hasattr(whole, "_links"):
        renew_parts(whole, None)


def write_at(tensor: Tensor, keys: Sequence[Any], node: OpNode) -> bool:
    """Write to the elements that arrays select, if `write_strided` can; else return False."""
    links: Links | None = getattr(tensor, "_links", None)
    if links is not None and links.traced:
        return False
    whole, calls = root_of(tensor)
    layout = _layout(Layout(row_major(whole.shape)), calls)
    assert layout is not None
    written = write_strided(whole, *layout, tensor.shape, node, keys)
    if written and hasattr(whole, "_links"):
        renew_parts(whole, None)
    return written


def renew_parts(whole: Tensor, known: Tensor | None) -> None:
    """Give the parts of a tensor that was assigned to their new values, except for a known one."""
    for part in [weak() for weak in whole._links.parts]:
        if part is not None and part is not known and not part.is_disposed:
            calls = next((b.calls for b in part._links.bases if b.tensor() is whole), None)
            if calls is not None:
                set_node(part, viewed_node(whole._node, calls))


def place_in(whole: Tensor, calls: Calls, shape: Shape, place: int) -> int:
    """Return the position in the whole of the element at a position of a part of a shape."""
    layout = _layout(Layout(row_major(whole.shape)), calls)
    assert layout is not None
    steps: int = sum(map(mul, layout.strides, coordinates(place, shape)))
    return layout.offset + steps


def refuse_traced(tensor: Tensor) -> None:
    """Raise ArgumentError for a part that was made inside a traced or differentiated function."""
    links: Links | None = getattr(tensor, "_links", None)
    if links is not None and links.traced and whole_of(tensor) is not None:
        raise ArgumentError(
            "setitem: tensor is a part of another one, which would not change inside a traced or "
            f"differentiated function; got a part of shape {tensor.shape}; write x[0, 1] = 9 "
            "instead of x[0][1] = 9, or copy the part first, as in part = x[0].copy()"
        )


def separate(tensor: Tensor) -> None:
    """Give a part a value of its own: it shares no elements with its bases from now on."""
    links: Links | None = getattr(tensor, "_links", None)
    if links is not None:
        links.bases, links._layout, links._above, links.traced = (), None, None, False


def viewed_node(node: OpNode, calls: Calls) -> OpNode:
    """Return the result of views of a node."""
    for call in calls:
        srcs = (node,)
        if call.specs[0] is not node.spec:  # views of a tensor of another dtype
            node = node_of(call.op, srcs, call.arg)
        else:
            node = OpNode(call, srcs, call.spec) if call.rule is None else by_rule(call, srcs)
    return node


def with_part(whole: OpNode, calls: Calls, part: OpNode) -> OpNode:
    """Return the whole with the elements that views select replaced by those of `part`."""
    shape = calls[-1].spec.shape if calls else whole.spec.shape
    if part.spec.shape != shape:
        part = node_of(BROADCAST, (part,), shape)
    outers = [viewed_node(whole, calls[:count]) for count in range(len(calls))]
    for call, outer in zip(reversed(calls), reversed(outers), strict=True):
        part = _PLACED[call.op](part, outer, call.arg)
    return part


def placed(part: OpNode, whole: OpNode, parts: tuple[tuple[int, int, int], ...]) -> OpNode:
    """Return the whole with a slice, given by (start, length, step) of each axis, replaced."""
    if any(length == 0 for _, length, _ in parts):
        return whole
    lengths = part.spec.shape
    turned = reversal(parts)
    if turned is not None:
        part = node_of(SLICE, (part,), turned)
    widths = widths_around(parts, whole.spec.shape)
    if all(width == (0, 0, 0) for width in widths):
        return part
    there = node_of(BROADCAST, (scalar_node(True, bool_),), lengths)
    mask = node_of(PAD, (there, scalar_node(False, bool_)), widths)
    padded = node_of(PAD, (part, scalar_node(0, whole.spec.dtype)), widths)
    return node_of(OP_DEFS["where"], (mask, padded, whole))


def _reshaped(part: OpNode, whole: OpNode, shape: tuple[int, ...]) -> OpNode:
    return node_of(RESHAPE, (part,), whole.spec.shape)


def _permuted(part: OpNode, whole: OpNode, order: tuple[int, ...]) -> OpNode:
    return node_of(PERMUTE, (part,), tuple(order.index(axis) for axis in range(len(order))))


def _on_diagonal(part: OpNode, whole: OpNode, axes: tuple[int, int]) -> OpNode:
    shape = whole.spec.shape
    kept = [axis for axis in range(len(shape)) if axis not in axes]
    order = (*kept, *axes)
    turned = node_of(PERMUTE, (whole,), order)
    rows, columns = turned.spec.shape[-2:]
    length = min(rows, columns)
    row = node_of(RESHAPE, (part,), (*part.spec.shape[:-1], 1, length))
    widths = ((0, 0, 0),) * (len(shape) - 1) + ((0, columns - length, 0),)
    row = node_of(PAD, (row, scalar_node(0, whole.spec.dtype)), widths)
    mask = node_of(
        OP_DEFS["equal"], (node_of(IOTA, (), (rows, 1)), node_of(IOTA, (), (1, columns)))
    )
    return _permuted(node_of(OP_DEFS["where"], (mask, row, turned)), whole, order)


_PLACED: dict[OpDef, Callable[[OpNode, OpNode, Any], OpNode]] = {
    SLICE: placed,
    RESHAPE: _reshaped,
    PERMUTE: _permuted,
    DIAGONAL: _on_diagonal,
}
"""For each view, the function that returns the whole with the view's elements replaced."""
