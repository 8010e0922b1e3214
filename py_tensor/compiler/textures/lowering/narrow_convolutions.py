"""Rewrite convolutions of few channels or few outputs into convolutions that use all four lanes.

A texel holds four elements. If a pixel has one channel, three lanes of its texel are zeros, and if
it has one output, three lanes of the result are unused. A `Form` combines two rewrites:
- Blocks of adjacent output pixels become the outputs of one pixel. The kernel is repeated for each
  pixel of the block, shifted by the stride and padded with zeros.
- Rows of the image are read as texels of four numbers, across the borders of pixels. A row of the
  kernel is padded with zeros so that it starts and ends with a texel.

The form that needs the fewest texel fetches is chosen. The added zeros are multiplied with pixels,
too: an infinity or NaN also makes those outputs NaN that are computed together with its own.
Input: a convolution of one group. Output: its `Form`, the rewritten convolution with its operands,
and the reordered result.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from ....ir.node import OpInstance, op_instance
from ....ops.contractions import CONVOLVE, Window
from ....ops.views import PAD, PERMUTE, RESHAPE, SLICE, WINDOW
from ...lowered_graph import LoweredGraph
from ..taps import UNROLLED, taps_of

DRAW = 1 << 14
"""Texels that a GPU fetches in about the time of an additional draw."""
GAIN = 0.8
"""Largest share of the fetches of a convolution for which another form is chosen."""
BLOCKS = ((8, 1), (4, 2), (4, 1), (2, 1), (1, 1))
"""Blocks of output pixels by texels of outputs that a fragment may compute."""


class Form(NamedTuple):
    """Rewrite of a convolution."""

    rows: int
    """Height of the block of output pixels that become one pixel."""
    columns: int
    """Width of that block."""
    joined: bool
    """True if rows of the image are read as texels across the borders of pixels."""


PLAIN = Form(1, 1, joined=False)


def up(n: int) -> int:
    """Round up to a multiple of the four elements of a texel."""
    return -(-n // 4) * 4


def best_form(call: OpInstance) -> Form:
    """Return the form of a convolution with the fewest fetches."""
    channels, outs = call.specs[1].shape[2:]
    if (channels % 4 == 0 and outs >= 4) or not call.spec.size:
        return PLAIN
    fetches = {form: _fetches(call, form) for form in _forms(call)}
    best = min(fetches, key=lambda form: fetches[form])
    return best if fetches[best] < GAIN * fetches[PLAIN] else PLAIN


def _forms(call: OpInstance) -> Iterator[Form]:
    window: Window = call.arg
    channels = call.specs[0].shape[3]
    sides = zip(window.out, window.stride, window.dilation, strict=True)
    counts = [
        [n for n in (1, 2, 4) if n == 1 or (n <= out and stride % dilation == 0)]
        for out, stride, dilation in sides
    ]
    for rows, columns in product(*counts):
        yield Form(rows, columns, joined=False)
        starts_texels = columns * window.stride[1] * channels % 4 == 0
        if channels % 4 and starts_texels and window.dilation[1] == 1:
            yield Form(rows, columns, joined=True)


def _fetches(call: OpInstance, form: Form) -> int:
    """Return the number of texels that a convolution and its copies fetch in a form."""
    batch, height, width, channels = call.specs[0].shape
    outs = call.specs[1].shape[3]
    window, count = _window(call, form), outs * form.rows * form.columns
    (kh, kw), (oh, ow) = window.kernel, window.out
    inputs = 4 if form.joined else channels
    if form.joined:
        copied = batch * height * up(width * channels) if width * channels % 4 else 0
    else:
        copied = batch * height * width * up(channels) if channels % 4 else 0
    # A copy reads and writes each texel.
    total = copied // 2 + DRAW if copied else 0
    if form != PLAIN or outs % 4:
        total += kh * kw * inputs * up(count) // 2 + DRAW
    if count > outs:
        # Consumers read the elements of a texel one by one.
        total += call.spec.size

    def of_block(rows: int, texels: int) -> int:
        taps = taps_of(rows, window)
        reads = len(taps.columns) * kw // taps.step
        fragments = batch * oh * -(-ow // rows) * -(-count // (4 * texels))
        return fragments * kh * (up(inputs) // 4 * reads + inputs * kw * texels)

    return total + min(of_block(*block) for block in BLOCKS)


def _window(call: OpInstance, form: Form) -> Window:
    """Return the window of a convolution in a form."""
    window: Window = call.arg
    (kh, kw), (sh, sw), (ph, pw), (dh, dw), (oh, ow), _ = window
    kh, kw = kh + (form.rows - 1) * sh // dh, kw + (form.columns - 1) * sw // dw
    sh, sw = sh * form.rows, sw * form.columns
    if form.joined:
        channels = call.specs[0].shape[3]
        kw = up(_before(call) + kw * channels) // 4
        # Long products are split into parts.
        kw = up(kw) if kw > UNROLLED else kw
        sw, pw = sw * channels // 4, up(pw * channels) // 4
    out = -(-oh // form.rows), -(-ow // form.columns)
    return Window((kh, kw), (sh, sw), (ph, pw), (dh, dw), out, 1)


def _before(call: OpInstance) -> int:
    """Return the number of zeros before a row of the kernel, so that it starts at a texel."""
    window: Window = call.arg
    return -window.pad[1] * call.specs[0].shape[3] % 4


def in_form(
    lowered: LoweredGraph, call: OpInstance, x: int, w: int, form: Form
) -> tuple[OpInstance, int, int]:
    """Return the rewritten convolution and its operands."""
    batch, height, width, channels = call.specs[0].shape
    window = _window(call, form)
    w = _shifted(lowered, call, w, form)
    if form.joined:
        if width * channels % 4:
            width += -width % (4 // math.gcd(channels, 4))
            x = padded(lowered, x, (0, 0), (0, 0), (0, width - lowered.spec(x).shape[2]), (0, 0))
        x = lowered.add(RESHAPE, (x,), (batch, height, width * channels // 4, 4))
        kh, kw, _, outs = lowered.spec(w).shape
        taps = window.kernel[1]
        before = _before(call)
        w = lowered.add(RESHAPE, (w,), (kh, kw * channels, outs))
        w = padded(lowered, w, (0, 0), (before, 4 * taps - kw * channels - before), (0, 0))
        w = lowered.add(RESHAPE, (w,), (kh, taps, 4, outs))
    return op_instance(CONVOLVE, (lowered.spec(x), lowered.spec(w)), window), x, w


def _shifted(lowered: LoweredGraph, call: OpInstance, w: int, form: Form) -> int:
    """Return a kernel with the outputs of all pixels of a block."""
    counts = form.rows, form.columns
    if counts == (1, 1):
        return w
    window: Window = call.arg
    shifts = [s // d for s, d in zip(window.stride, window.dilation, strict=True)]
    room = [shift * (count - 1) for shift, count in zip(shifts, counts, strict=True)]
    w = padded(lowered, w, *((n, n) for n in room), (0, 0), (0, 0))
    taken = zip((0, 1), counts, (1, 1), shifts, strict=True)
    w = lowered.add(WINDOW, (w,), tuple(taken))
    *kernel, channels, outs, _, _ = shape = lowered.spec(w).shape
    backward = ((count - 1, count, -1) for count in counts)
    w = lowered.add(SLICE, (w,), (*((0, n, 1) for n in shape[:4]), *backward))
    w = lowered.add(PERMUTE, (w,), (0, 1, 2, 4, 5, 3))
    return lowered.add(RESHAPE, (w,), (*kernel, channels, math.prod(counts) * outs))


def in_order(lowered: LoweredGraph, call: OpInstance, at: int, form: Form) -> int:
    """Return the result of a rewritten convolution in the order of the original one."""
    if (form.rows, form.columns) == (1, 1):
        return at
    batch, outs = call.specs[0].shape[0], call.specs[1].shape[3]
    height, width = call.arg.out
    down, across = -(-height // form.rows), -(-width // form.columns)
    at = lowered.add(RESHAPE, (at,), (batch, down, across, *form[:2], outs))
    at = lowered.add(PERMUTE, (at,), (0, 1, 3, 2, 4, 5))
    at = lowered.add(RESHAPE, (at,), (batch, down * form.rows, across * form.columns, outs))
    kept = ((0, n, 1) for n in (batch, height, width, outs))
    return lowered.add(RESHAPE, (lowered.add(SLICE, (at,), tuple(kept)),), call.spec.shape)


def padded(lowered: LoweredGraph, at: int, *sides: tuple[int, int]) -> int:
    """Return a node with zeros before and after the elements along each axis."""
    if not any(map(any, sides)):
        return at
    zero = lowered.constant(0, lowered.spec(at).dtype)
    return lowered.add(PAD, (at, zero), tuple((*side, 0) for side in sides))


def as_rows(lowered: LoweredGraph, call: OpInstance, x: int, w: int) -> tuple[int, int] | None:
    """Return two matrices whose product is a convolution along one row.

    None is returned for other convolutions, and if a fragment can compute all taps at once, which
    takes fewer fetches.
    """
    window: Window = call.arg
    (kh, kw), (_, sw), (ph, pw), (_, dw), (_, ow), _ = window
    _, _, width, channels = call.specs[0].shape
    if call.spec.shape[1] != ow or kh > 1 or ph or dw > 1 or taps_of(8, window).step == kw:
        return None
    row = lowered.add(SLICE, (x,), ((0, 1, 1), (0, 1, 1), (0, width, 1), (0, channels, 1)))
    row = lowered.add(RESHAPE, (row,), (1, width * channels))
    inner, step = kw * channels, sw * channels
    length = (ow - 1) * step + inner
    before = pw * channels
    row = padded(lowered, row, (0, 0), (before, max(0, length - before - width * channels)))
    row = lowered.add(SLICE, (row,), ((0, 1, 1), (0, length, 1)))
    row = lowered.add(WINDOW, (row,), ((1, inner, step, 1),))
    return row, lowered.add(RESHAPE, (w,), (1, inner, call.spec.shape[2]))
