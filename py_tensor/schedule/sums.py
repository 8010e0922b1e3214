"""Rewrites reductions: long ones with few results into parts, so that the GPU has enough to do.

Comes in: a reduction of a Program's node; goes out: the node that computes it.
"""

from __future__ import annotations

import math

from ..nodes import Call, call_of, spec_of
from ..ops.elementwise import CAST, EITHER, EQUAL, ISNAN, MULTIPLY, WHERE
from ..ops.reductions import MIN, SUM
from ..ops.rows import Reduction
from ..ops.sources import IOTA
from ..ops.views import PERMUTE, RESHAPE
from .program import Partial, Program, row_of

FEW_RESULTS = 8192
"""A reduction with fewer results than this leaves most of a GPU idle ..."""
LONG = 512
"""... and is cut up where each would add up more elements than this."""
SHORTEST = 32
"""Elements or products that one part of a cut-up sum adds up at least."""


def lower_reduction(program: Program, row: Reduction, src: int, axes: tuple[int, ...]) -> int:
    """The reduction `row` of the node `src` along `axes`, which keep length 1."""
    call = call_of(row, (program.spec(src),), axes)
    results, length = call.spec.size, math.prod(call.specs[0].shape[axis] for axis in axes)
    if results >= FEW_RESULTS or length <= LONG or results == 0:
        return program.append(call, (src,))
    if row.extreme is not None:
        return _position(program, row, src, call)
    # All lanes of a GPU, and of a second pass over one long sum no more than it can do in one.
    most = min(4 * FEW_RESULTS // results, 2 * FEW_RESULTS)
    parts = max(4, min(length // SHORTEST, most) // 4 * 4)
    last = axes == tuple(range(len(call.specs[0].shape)))[-len(axes) :]
    frame = _frame(results, length, parts) if last else None
    if frame is not None:
        turned = program.add(RESHAPE, (src,), (*frame, length))
        turned = program.add(PERMUTE, (turned,), TURNED)
        # Views before it, reversed axes for one, may go with no other order.
        frame = frame if program.along(turned, (4,)) else None
    if not program.along(src, axes):
        partial = _partial(program, call, src, Partial(axes, parts), (parts, results))
        rest = lower_reduction(program, row, partial, (0,))
    elif frame is None:
        partial = _partial(program, call, src, Partial(axes, parts), (results, parts))
        rest = lower_reduction(program, row, partial, (1,))
    else:
        partial = _partial(program, call, turned, Partial((4,), parts), (results, parts))
        order = tuple(frame[axis] for axis in TURNED[:4])
        partial = program.add(RESHAPE, (partial,), (*order, parts))
        rest = lower_reduction(program, row, program.add(PERMUTE, (partial,), TURNED), (4,))
    return program.add(RESHAPE, (rest,), call.spec.shape)


def _partial(
    program: Program, call: Call, src: int, partial: Partial, shape: tuple[int, int]
) -> int:
    spec = spec_of(shape, call.spec.dtype)
    specs = (program.spec(src),)
    return program.append(Call(call.row, partial, specs, spec, call.operands), (src,))


TURNED = (0, 2, 1, 3, 4)
"""Brings results to the places where `_frame` wants them; twice, back again."""


def _frame(results: int, length: int, parts: int) -> tuple[int, int, int, int] | None:
    """Axes of the results for a better order of sums in parts, or None where they do not divide.

    GPUs fetch fastest where the fragments above and below each other read texels that lie so, too.
    Results whose texels do are `below` apart, while sums of `across` results lie side by side.
    """
    row = 4 * row_of(results * length)
    below, across = row // length, row // parts
    fits = row % length == row % parts == 0 and below > 0
    if not fits or across % below or results % (2 * across):
        return None
    return results // (2 * across), across // below, 2, below


def _position(program: Program, row: Reduction, src: int, call: Call) -> int:
    """The first position that holds the extreme element: two reductions that can be cut up."""
    assert row.extreme is not None
    (axis,) = call.arg
    shape = call.specs[0].shape
    extreme = lower_reduction(program, row.extreme, src, call.arg)
    program.hoisted.add(program.view(extreme)[0])
    found = program.add(EQUAL, (src, extreme))
    if call.operands[0].kind == "f":
        found = program.add(EITHER, (found, program.add(ISNAN, (src,))))
    place = program.add(IOTA, (), tuple(n if a == axis else 1 for a, n in enumerate(shape)))
    nowhere = program.constant(shape[axis], call.spec.dtype)
    return lower_reduction(program, MIN, program.add(WHERE, (found, place, nowhere)), call.arg)


def sum_of_products(program: Program, a: int, b: int, axes: tuple[int, ...], call: Call) -> int:
    """The sum of `a * b` along axes, in the dtype that `call` gives."""
    product = program.add(MULTIPLY, (cast(program, a, call), cast(program, b, call)))
    return cast(program, lower_reduction(program, SUM, product, axes), call)


def cast(program: Program, at: int, call: Call) -> int:
    """The node in the dtype that `call` gives."""
    dtype = call.spec.dtype
    return at if program.spec(at).dtype is dtype else program.add(CAST, (at,), dtype)
