"""Evaluate operations in plain Python, on flat lists of the elements in row-major order.

Input: an op instance and the elements of its operands. Output: the elements of the result, rounded
or wrapped to its dtype. There is one function for each kind of operation.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import accumulate
from operator import add, attrgetter
from typing import Any

from ..dtypes import FLOAT_END, FLOAT_ENDS, DType, float32, limited
from ..errors import BackendError
from ..ir.node import OpInstance, op_instance, tensor_spec
from ..ops.contractions import CONVOLVE
from ..ops.index_map import Shape, View, broadcast_view, make_view, row_major
from ..ops.op_def import (
    ComplexJoin,
    ComplexPart,
    Concat,
    Contraction,
    Elementwise,
    Gather,
    GatherAlong,
    Interleave,
    LastPosition,
    Literal,
    OpDef,
    OptimizationBarrier,
    Pad,
    Reduction,
    Scan,
    Scatter,
    Search,
    Sort,
    SourceOp,
    ViewOp,
    entry_of,
)
from ..ops.views import PAD
from .host_data import packed, unpack

NARROW = ("float16", "bfloat16")
HostValues = list[Any]

FEW = 64
"""Number of elements up to which the positions that a view reads are listed and kept."""

IN_ORDER = 16
"""Number of elements up to which a reduction combines one after the other."""


def evaluate(call: OpInstance, values_of_operands: Sequence[HostValues]) -> HostValues:
    """Return the elements of the result of an op instance."""
    if not call.spec.size:
        return []
    operands = [
        values if spec.dtype is dtype else cast(values, dtype)
        for values, spec, dtype in zip(values_of_operands, call.specs, call.operands, strict=True)
    ]
    evaluator = entry_of(EVALUATORS, call.op)
    if evaluator is None:
        raise BackendError(
            f"{call.op.name}: plain Python cannot compute this operation; got backend python; call "
            'pt.realize before you change the backend, or use pt.set_backend("webgl")'
        )
    values: HostValues = evaluator(call, *operands)
    return values


def cast(values: Iterable[Any], dtype: DType) -> HostValues:
    """Convert numbers to a dtype: round floats, wrap integers as two's complement."""
    if dtype is float32:
        return array("f", values).tolist()
    if dtype.kind == "b":
        return [*map(bool, values)]
    if dtype.kind == "c":
        wide = [complex(value) for value in values]
        return [*map(complex, *(cast(map(part, wide), float32) for part in PARTS))]
    if dtype in NARROW:
        narrow = [limited(value, FLOAT_ENDS.get(dtype.name, FLOAT_END)) for value in values]
        return unpack(memoryview(packed(narrow, dtype)), dtype)
    numbers: HostValues = [*values]
    try:
        return array(dtype.code, numbers).tolist()
    except (OverflowError, TypeError):
        low, mask = dtype.lowest, (1 << dtype.bits) - 1
        # The conversion of infinities and NaN to integers is undefined; 0 is used here.
        return [((int(v) if math.isfinite(v) else 0) - low & mask) + low for v in numbers]


# --- views ----------------------------------------------------------------------------------------


def read_through(values: HostValues, view: View) -> HostValues:
    """Return the values that a view reads, in the view's row-major order."""
    if view.is_identity:
        return values if view.size == len(values) else values[: view.size]
    if view.size <= FEW:
        return [values[position] for position in _few_positions(view)]
    result = [values[view.offset]] * view.size
    if not view.is_constant:
        _copy(view.shape, values, view.strides, view.offset, result, row_major(view.shape), 0)
    return result


def _positions(shape: Shape, strides: Sequence[int], offset: int) -> list[int]:
    """Return the positions at all steps from an offset, in the shape's row-major order."""
    positions = [offset]
    for n, stride in zip(shape, strides, strict=True):
        positions = [position + i * stride for position in positions for i in range(n)]
    return positions


@lru_cache(4096)
def _few_positions(view: View) -> Sequence[int]:
    return _positions(view.shape, view.strides, view.offset)


def _copy(
    shape: Shape,
    source: HostValues,
    strides: Sequence[int],
    start: int,
    result: HostValues,
    steps: Sequence[int],
    target: int,
) -> None:
    """Copy elements from strided positions to others, as slices along the longest axis."""
    if not math.prod(shape):
        return
    axis = max(range(len(shape)), key=shape.__getitem__)
    length, stride, step = shape[axis], strides[axis], steps[axis]
    rest = shape[:axis] + shape[axis + 1 :]
    read = _positions(rest, [*strides[:axis], *strides[axis + 1 :]], start)
    written = _positions(rest, [*steps[:axis], *steps[axis + 1 :]], target)
    for at, to in zip(read, written, strict=True):
        end = at + length * stride
        part = source[at : end if end >= 0 else None : stride] if stride else [source[at]] * length
        result[to : to + (length - 1) * step + 1 : step] = part


def _viewed(call: Any, values: HostValues) -> HostValues:
    return read_through(values, call.op.view(call.specs[0].shape, call.arg)[1])


def _padded(call: OpInstance, values: HostValues, padding: HostValues) -> HostValues:
    axes = list(zip(row_major(call.spec.shape), call.arg, strict=True))
    steps = [stride * (interior + 1) for stride, (_, _, interior) in axes]
    offset = sum(stride * low for stride, (low, _, _) in axes)
    result = padding * call.spec.size
    shape = call.specs[0].shape
    # An axis is added, since there is none in a tensor of shape ().
    _copy((*shape, 1), values, (*row_major(shape), 1), 0, result, (*steps, 1), offset)
    return result


def _joined(call: OpInstance, *operands: HostValues) -> HostValues:
    result: HostValues = []
    for outer in range(math.prod(call.spec.shape[: call.arg])):
        for values, spec in zip(operands, call.specs, strict=True):
            length = math.prod(spec.shape[call.arg :])
            result += values[outer * length : (outer + 1) * length]
    return result


# --- elements -------------------------------------------------------------------------------------


def _mapped(function: Callable[..., Any], call: OpInstance, *operands: HostValues) -> Iterable[Any]:
    """Apply a function to the elements of operands that are broadcast together."""
    return map(
        function,
        *(
            read_through(values, broadcast_view(spec.shape, call.spec.shape))
            for values, spec in zip(operands, call.specs, strict=True)
        ),
    )


def _elementwise(call: Any, *operands: HostValues) -> HostValues:
    dtype = call.spec.dtype
    return cast(_mapped(call.op.host(dtype), call, *operands), dtype)


def _interleaved(call: OpInstance, *parts: HostValues) -> HostValues:
    return [part for pair in zip(*parts, strict=True) for part in pair]


PARTS = (attrgetter("real"), attrgetter("imag"))


# --- reductions and scans -------------------------------------------------------------------------


def _reduced(call: Any, values: HostValues) -> HostValues:
    """Combine both halves of long axes, and the few elements that remain from left to right."""
    op: Any = call.op
    results: int = call.spec.size
    shape, strides = call.specs[0].shape, row_major(call.specs[0].shape)
    order = [*call.arg, *(axis for axis in range(len(shape)) if axis not in call.arg)]
    elements = values = read_through(
        values, make_view([shape[a] for a in order], [strides[a] for a in order])
    )
    length = len(elements) // results
    # float16 is accumulated in float32, as in a shader.
    dtype = float32 if call.operands[0] in NARROW else call.operands[0]
    host = op.host(dtype)
    if not length:
        return _identity(op, call.spec.dtype) * results
    while length > 1:
        rows = length // 2 if length > IN_ORDER else 1
        part = rows * results
        both = map(host, values[:part], values[part : 2 * part])
        values = cast(both, dtype) + values[2 * part :]
        length -= rows
    if op.index:
        values = [
            next(at for at, v in enumerate(elements[number::results]) if v == extreme or v != v)
            for number, extreme in enumerate(values)
        ]
    return cast(values, call.spec.dtype)


def _identity(op: Any, dtype: DType) -> HostValues:
    return cast([op.identity(float32 if dtype.kind == "c" else dtype)], dtype)


def _scanned(call: Any, values: HostValues) -> HostValues:
    axis, include_initial = call.arg
    shape, dtype = call.specs[0].shape, call.spec.dtype
    host = call.op.join.host(dtype)
    first = _identity(call.op, dtype)[0] if include_initial else None
    after = math.prod(shape[axis + 1 :])
    result = [first] * call.spec.size
    length, read = call.spec.shape[axis] * after, shape[axis] * after
    for outer in range(math.prod(shape[:axis])):
        for inner in range(after):
            group = values[outer * read + inner : (outer + 1) * read : after]
            result[outer * length + inner : (outer + 1) * length : after] = accumulate(
                group, lambda a, b: cast((host(a, b),), dtype)[0], initial=first
            )
    return result


# --- contractions ---------------------------------------------------------------------------------


def _contracted(call: OpInstance, a: HostValues, b: HostValues) -> HostValues:
    """Sum the products of the rows of the first operand and the columns of the second."""
    groups, rows, columns = call.spec.shape
    if call.op is CONVOLVE:
        a, b = _patches(call, a), _kernels(call, b)
    else:
        inner = call.specs[1].shape[1]
        strides = (inner * columns, 1, columns)
        b = read_through(b, make_view((groups, columns, inner), strides))
    length = len(b) // (groups * columns)
    lefts = [a[at * length : (at + 1) * length] for at in range(groups * rows)]
    rights = [b[at * length : (at + 1) * length] for at in range(groups * columns)]
    return cast(
        [
            math.sumprod(left, right)
            for group in range(groups)
            for left in lefts[group * rows : (group + 1) * rows]
            for right in rights[group * columns : (group + 1) * columns]
        ],
        call.spec.dtype,
    )


def _patches(call: OpInstance, values: HostValues) -> HostValues:
    """Return the elements of the image below the kernel: (groups, pixels, taps and channels)."""
    (kh, kw), (sh, sw), _, (dh, dw), (oh, ow), groups = call.arg
    shape, dtype = call.specs[0].shape, call.operands[0]
    specs = (tensor_spec(shape, dtype), tensor_spec((), dtype))
    pad = op_instance(PAD, specs, call.arg.borders(shape))
    image, row, column, _ = row_major(pad.spec.shape)
    inputs = shape[3] // groups
    return read_through(
        _padded(pad, values, cast([0], dtype)),
        make_view(
            (groups, shape[0], oh, ow, kh, kw, inputs),
            (inputs, image, row * sh, column * sw, row * dh, column * dw, 1),
        ),
    )


def _kernels(call: OpInstance, values: HostValues) -> HostValues:
    """Return the weights of each result: (groups, channels of a group, taps and channels)."""
    groups, _, columns = call.spec.shape
    taps = math.prod(call.specs[1].shape[:3])
    view = make_view((groups, columns, taps), (columns, 1, groups * columns))
    return read_through(values, view)


# --- positions ------------------------------------------------------------------------------------


def _gathered(call: OpInstance, values: HostValues, indices: HostValues) -> HostValues:
    length, after = call.specs[0].shape[call.arg], math.prod(call.specs[0].shape[call.arg + 1 :])
    positions = [min(max(at + length if at < 0 else at, 0), length - 1) for at in indices]
    firsts = range(0, len(values), length * after)
    if after == 1:
        return [values[first + position] for first in firsts for position in positions]
    result: HostValues = []
    for first in firsts:
        for position in positions:
            result += values[first + position * after : first + (position + 1) * after]
    return result


def _gathered_along(call: OpInstance, values: HostValues, indices: HostValues) -> HostValues:
    shape, (axis, _) = call.spec.shape, call.arg
    strides = list(row_major(call.specs[0].shape))
    step, strides[axis] = strides[axis], 0
    firsts = _positions(shape, strides, 0)
    return [values[first + step * at] for first, at in zip(firsts, indices, strict=True)]


def _scattered(call: OpInstance, values: HostValues, indices: HostValues) -> HostValues:
    axis, length = call.arg
    after = math.prod(call.spec.shape[axis + 1 :])
    result = [0] * call.spec.size
    starts = range(0, len(values), after)
    for number, start in enumerate(starts):
        outer, at = divmod(number, len(indices))
        if 0 <= indices[at] < length:
            target = (outer * length + indices[at]) * after
            part = values[start : start + after]
            result[target : target + after] = map(add, result[target : target + after], part)
    return cast(result, call.spec.dtype)


def _sorted(call: OpInstance, values: HostValues) -> HostValues:
    (axis, descending), shape = call.arg, call.spec.shape
    length, after = shape[axis], math.prod(shape[axis + 1 :])
    result: HostValues = [0] * call.spec.size
    for outer in range(0, len(values), length * after):
        for first in range(outer, outer + after):
            line = slice(first, outer + length * after, after)
            group = values[line]
            if call.operands[0].kind == "f" and any(map(math.isnan, group)):
                group = [(v != v, v) for v in group]
            result[line] = sorted(range(length), key=group.__getitem__, reverse=descending)
    return result


def _searched(call: OpInstance, values: HostValues, wanted: HostValues) -> HostValues:
    (rows, length), count = call.specs[0].shape, call.specs[1].shape[1]
    find = bisect_right if call.arg else bisect_left
    # NaN is larger than all numbers.
    keys = [(v != v, v) for v in values] if call.operands[0].kind == "f" else values
    result: HostValues = []
    for row in range(rows):
        line = keys[row * length : (row + 1) * length]
        for value in wanted[row * count : (row + 1) * count]:
            key = (value != value, value) if call.operands[0].kind == "f" else value
            result.append(find(line, key))
    return result


def _last_positions(call: OpInstance, places: HostValues) -> HostValues:
    last = {place: position for position, place in enumerate(places)}
    return [last.get(place, -1) for place in range(call.spec.size)]


EVALUATORS: dict[type[OpDef], Callable[..., HostValues]] = {
    Elementwise: _elementwise,
    ViewOp: _viewed,
    Pad: _padded,
    Concat: _joined,
    Gather: _gathered,
    GatherAlong: _gathered_along,
    Scatter: _scattered,
    Sort: _sorted,
    Search: _searched,
    LastPosition: _last_positions,
    Reduction: _reduced,
    Scan: _scanned,
    Contraction: _contracted,
    SourceOp: lambda call: [*range(call.spec.size)],
    Literal: lambda call: cast([call.arg], call.spec.dtype),
    OptimizationBarrier: lambda call, values, event: values,
    Interleave: _interleaved,
    ComplexJoin: lambda call, *parts: [*_mapped(complex, call, *parts)],
    ComplexPart: lambda call, values: [*map(PARTS[call.op.part], values)],
}
"""Function that evaluates each kind of operation, given an op instance and the operands' elements.

Decompositions have no entry: lowering rewrites them into operations of the other kinds.
"""
