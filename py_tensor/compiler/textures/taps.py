"""Taps of a convolution that a fragment computes together, and the columns of pixels they read.

Input: the number of neighbouring results of a fragment, and the window. Output: `Taps`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ...ops.contractions import Window

SHARED = 12
"""Largest number of texels that a fragment may hold for several taps of a row of the kernel."""
UNROLLED = 16
"""Taps of a row of the kernel that a shader may list; a loop computes more of them, since the time
to compile a shader grows with its length. A driver took half a minute for 256 taps."""
LISTED = 20
"""Largest number of columns of pixels that a shader reads one by one. For each further column that
may lie outside the image, SwiftShader takes twice as long to compile it: 1.4 s for 22 columns, 85 s
for 28."""
TOGETHER = 4
"""Largest number of taps of a longer row that an iteration computes. More taps save few fetches and
make the shader slow to compile."""


class Taps(NamedTuple):
    """Taps of a row of the kernel that a fragment computes together, in a loop over the row."""

    step: int
    """Number of taps in an iteration of the loop, which divides the length of the row."""
    columns: list[int]
    """Columns of pixels that these taps read, relative to the first column."""
    parts: list[range]
    """These taps in parts. The taps of one part read many columns in common."""


def taps_of(height: int, window: Window) -> Taps:
    """Return the taps that a fragment of `height` results in a row computes together.

    Taps at a distance of the stride read the same columns, except for one.
    """
    stride, kernel, dilation = window.stride[1], window.kernel[1], window.dilation[1]
    every = stride // math.gcd(stride, dilation)
    chosen = Taps(1, sorted(_columns(height, window, range(1))), [range(1)])
    steps = [step for step in range(2, TOGETHER + 1) if kernel % step == 0]
    if TOGETHER < kernel <= UNROLLED:
        steps.append(kernel)
    for step in steps:
        parts = [range(tap, step, every) for tap in range(min(every, step))]
        columns = [_columns(height, window, part) for part in parts]
        joined = set().union(*columns)
        most = min(height * step - 1, LISTED)
        if len(joined) <= most and max(map(len, columns)) <= SHARED:
            chosen = Taps(step, sorted(joined), parts)
    return chosen


def _columns(height: int, window: Window, taps: range) -> set[int]:
    stride, dilation = window.stride[1], window.dilation[1]
    return {row * stride + tap * dilation for row in range(height) for tap in taps}
