"""Rewrite complex values into pairs of real ones, since kernels have no complex numbers.

A complex buffer is stored as float32 with one more axis, of length 2. A complex node is represented
by the pair of its parts. The parts are joined into such a buffer only if the value is stored.
Input: nodes of a `LoweredGraph`. Output: the nodes of their parts and of stored values.
"""

from __future__ import annotations

from ...dtypes import float32
from ...ir.node import TensorSpec, tensor_spec
from ...ops.complex_parts import INTERLEAVE
from ...ops.elementwise import CAST
from ...ops.index_map import Shape, make_view, push
from ...ops.views import BROADCAST, RESHAPE, SLICE
from ..lowered_graph import LoweredGraph

ComplexPair = tuple[int, int]
"""Nodes of the real parts and of the imaginary parts."""


def stored_spec(spec: TensorSpec) -> TensorSpec:
    """Return the spec of the buffer that holds a complex value."""
    return tensor_spec((*spec.shape, 2), float32)


def split(lowered: LoweredGraph, at: int) -> ComplexPair:
    """Return the parts of a complex value that is stored at a node."""
    *shape, _ = lowered.spec(at).shape
    whole = tuple((0, n, 1) for n in shape)
    parts = (lowered.add(SLICE, (at,), (*whole, (part, 1, 1))) for part in (0, 1))
    re, im = (lowered.add(RESHAPE, (part,), tuple(shape)) for part in parts)
    return re, im


def joined(lowered: LoweredGraph, pair: ComplexPair) -> int:
    """Return the node of a complex value as it is stored.

    If the parts are both halves of one buffer, that buffer is used instead of a copy.
    """
    shape = lowered.spec(pair[0]).shape
    (base, evens), (other, odds) = map(lowered.view, pair)
    size = lowered.spec(pair[0]).size
    whole = [push((), make_view((size,), (2,), part)) for part in (0, 1)]
    if base == other and [evens, odds] == whole and lowered.spec(base).size == 2 * size:
        return lowered.add(RESHAPE, (base,), (*shape, 2))
    return lowered.add(INTERLEAVE, pair)


def part_of(lowered: LoweredGraph, at: int, part: int) -> int:
    """Return a part of a real operand; the imaginary part is 0."""
    spec = lowered.spec(at)
    if part == 0:
        return at if spec.dtype is float32 else lowered.add(CAST, (at,), float32)
    return spread(lowered, lowered.constant(0, float32), spec.shape)


def spread(lowered: LoweredGraph, at: int, shape: Shape) -> int:
    """Broadcast a node to a shape."""
    return at if lowered.spec(at).shape == shape else lowered.add(BROADCAST, (at,), shape)


def is_kept_cheaply(lowered: LoweredGraph, pair: ComplexPair) -> bool:
    """Return True if both parts are views of values that are already computed."""
    return all(lowered.is_leaf(lowered.view(part)[0]) for part in pair)
