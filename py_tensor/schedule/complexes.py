"""Rewrites complex values into pairs of real ones, which are all that kernels know.

A complex buffer is stored as float32 with one more axis, of length 2. What is known of a complex
node is the pair of its parts; it is joined into such a buffer only where it has to be stored.
Comes in: nodes of a Program; goes out: those of their parts, and of what is stored.
"""

from __future__ import annotations

from ..dtypes import float32
from ..indexing import Shape, make_view, push
from ..nodes import Spec, spec_of
from ..ops.elementwise import CAST
from ..ops.parts import INTERLEAVE
from ..ops.views import BROADCAST, RESHAPE, SLICE
from .program import Program

Pair = tuple[int, int]
"""The nodes of the real and of the imaginary parts."""


def stored_spec(spec: Spec) -> Spec:
    """What a complex value's buffer holds."""
    return spec_of((*spec.shape, 2), float32)


def split(program: Program, at: int) -> Pair:
    """The parts of a complex value that is stored at a node."""
    *shape, _ = program.spec(at).shape
    whole = tuple((0, n, 1) for n in shape)
    parts = (program.add(SLICE, (at,), (*whole, (part, 1, 1))) for part in (0, 1))
    re, im = (program.add(RESHAPE, (part,), tuple(shape)) for part in parts)
    return re, im


def joined(program: Program, pair: Pair) -> int:
    """A complex value as it is stored: what its parts are taken of, if they are all of it."""
    shape = program.spec(pair[0]).shape
    (base, evens), (other, odds) = map(program.view, pair)
    size = program.spec(pair[0]).size
    whole = [push((), make_view((size,), (2,), part)) for part in (0, 1)]
    if base == other and [evens, odds] == whole and program.spec(base).size == 2 * size:
        return program.add(RESHAPE, (base,), (*shape, 2))
    return program.add(INTERLEAVE, pair)


def part_of(program: Program, at: int, part: int) -> int:
    """A part of a real operand among complex ones."""
    spec = program.spec(at)
    if part == 0:
        return at if spec.dtype is float32 else program.add(CAST, (at,), float32)
    return spread(program, program.constant(0, float32), spec.shape)


def spread(program: Program, at: int, shape: Shape) -> int:
    """The node, broadcast to a shape."""
    return at if program.spec(at).shape == shape else program.add(BROADCAST, (at,), shape)


def is_kept_cheaply(program: Program, pair: Pair) -> bool:
    """Whether both parts only look at values that exist already."""
    return all(program.is_leaf(program.view(part)[0]) for part in pair)
