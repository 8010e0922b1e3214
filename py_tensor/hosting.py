"""Tiny pending values on the host: plain Python is sooner done than an upload, a draw and a read.

Comes in: a node about to be read; goes out: the same node with a buffer on the host, if all that it
needs is tiny and on the host already.
"""

from __future__ import annotations

import math
import struct
from array import array
from collections.abc import Iterator, Sequence
from functools import lru_cache, reduce
from typing import Any

from .backends.base import Buffer
from .conversion import unpack
from .dtypes import HALF_END, DType, float16, float32, limited
from .indexing import View, broadcast_view, make_view, row_major
from .nodes import Call, Node, Scalar, linearise
from .ops.rows import Concat, Elementwise, Pad, Reduction, Row, Source, ViewRow

NODES = 32
"""Pending and other nodes a value may need; more of them take as long as a draw."""

Values = list[Any]
_STRUCTURAL = (ViewRow, Pad, Concat, Source)


def compute(node: Node, elements: int) -> bool:
    """Whether the node was computed: all it needs has at most `elements` elements, on the host."""
    if not _is_tiny(node, elements):
        return False
    linear = linearise([node])
    graph = linear.graph()
    buffers, scalars = iter(linear.leaves), iter(linear.scalars)
    values: list[Values] = []
    for call, edges in zip(graph.calls, graph.edges, strict=True):
        if type(call) is Call:
            values.append(_evaluate(call, [values[at] for at in edges]))
        elif type(call) is Scalar:
            values.append(_fitted([next(scalars).value], call.spec.dtype))
        else:
            host = next(buffers).buffer.host
            values.append(unpack(memoryview(host).cast("B"), call.dtype))
    for position in (*graph.outputs, *graph.shared):
        spec = graph.spec(position)
        data = struct.pack(f"={spec.size}{spec.dtype.code}", *values[position])
        linear.nodes[position].settle(Buffer(spec.dtype, spec.size, data))
    return True


def _is_tiny(node: Node, elements: int) -> bool:
    seen: set[int] = set()
    stack = [node]
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        if len(seen) == NODES or not 0 < node.spec.size <= elements or node.spec.dtype.kind == "c":
            return False
        seen.add(id(node))
        if node.call is not None:
            if not _can(node.call.row):
                return False
            stack += node.srcs
        elif node.buffer is not None and (node.buffer.host is None or node.buffer.handle):
            return False
    return True


def _can(row: Row) -> bool:
    return isinstance(row, _STRUCTURAL) or getattr(row, "host", None) is not None


def _evaluate(call: Call, given: list[Values]) -> Values:
    operands = [
        values if spec.dtype is dtype else _fitted(values, dtype)
        for values, spec, dtype in zip(given, call.specs, call.operands, strict=True)
    ]
    row = call.row
    if isinstance(row, Elementwise):
        spread = [
            _seen(values, broadcast_view(spec.shape, call.spec.shape))
            for values, spec in zip(operands, call.specs, strict=True)
        ]
        return _fitted(map(row.host, *spread), call.spec.dtype)  # type: ignore[arg-type]
    if isinstance(row, Reduction):
        return _fitted(_reduced(call, row, operands[0]), call.spec.dtype)
    if isinstance(row, ViewRow):
        return _seen(operands[0], row.view(call.specs[0].shape, call.arg)[1])
    if isinstance(row, Pad):
        return _padded(call, *operands)
    if isinstance(row, Concat):
        return _joined(call, operands)
    return list(range(call.spec.size))


def _reduced(call: Call, row: Reduction, values: Values) -> Iterator[Any]:
    shape, strides = call.specs[0].shape, row_major(call.specs[0].shape)
    order = [axis for axis in range(len(shape)) if axis not in call.arg] + [*call.arg]
    values = _seen(values, make_view([shape[a] for a in order], [strides[a] for a in order]))
    # Halves add up in single precision, as in a shader's registers.
    dtype = float32 if call.operands[0] is float16 else call.operands[0]
    host: Any = row.host
    length = math.prod(shape[axis] for axis in call.arg)
    for start in range(0, len(values), length):
        group = values[start : start + length]
        total = reduce(lambda a, b: _fitted([host(a, b)], dtype)[0], group)
        if row.index:
            total = next(at for at, v in enumerate(group) if v == total or v != v)
        yield total


def _padded(call: Call, values: Values, padding: Values) -> Values:
    axes = list(zip(row_major(call.spec.shape), call.arg, strict=True))
    steps = [stride * (interior + 1) for stride, (_, _, interior) in axes]
    offset = sum(stride * low for stride, (low, _, _) in axes)
    result = padding * call.spec.size
    places = _positions(make_view(call.specs[0].shape, steps, offset))
    for place, value in zip(places, values, strict=True):
        result[place] = value
    return result


def _joined(call: Call, operands: list[Values]) -> Values:
    result: Values = []
    for outer in range(math.prod(call.spec.shape[: call.arg])):
        for values, spec in zip(operands, call.specs, strict=True):
            length = math.prod(spec.shape[call.arg :])
            result += values[outer * length : (outer + 1) * length]
    return result


def _seen(values: Values, view: View) -> Values:
    """The values as a view reads them."""
    if view.is_identity:
        return values[: view.size]
    return [values[place] for place in _positions(view)]


@lru_cache(4096)
def _positions(view: View) -> Sequence[int]:
    """The positions a view reads, in row-major order of its own shape."""
    places = [view.offset]
    for n, stride in zip(view.shape, view.strides, strict=True):
        places = [place + i * stride for place in places for i in range(n)]
    return places


def _fitted(values: Any, dtype: DType) -> Values:
    """Numbers brought into a dtype: floats rounded, integers wrapped as two's complement."""
    if dtype is float32:
        return array("f", values).tolist()
    if dtype.kind == "b":
        return [*map(bool, values)]
    if dtype is float16:
        halves = [limited(value, HALF_END) for value in values]
        return [*struct.unpack(f"={len(halves)}e", struct.pack(f"={len(halves)}e", *halves))]
    low, mask = dtype.lowest, (1 << dtype.bits) - 1
    # What infinities and NaN become as integers is not defined.
    return [((int(v) if math.isfinite(v) else 0) - low & mask) + low for v in values]
