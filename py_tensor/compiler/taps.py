"""Columns of pixels that a fragment of a convolution reads, and taps that share them.

Input: the number of neighbouring results of a fragment, and the window. Output: `Taps`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ..ops.contractions import Window

SHARED = 12
"""Texels of a row of pixels that a fragment may hold for several taps of a row of the kernel."""
UNROLLED = 16
"""Taps of a row of the kernel that a shader may list; a loop computes more of them, since the time
to compile a shader grows with its length. A driver took half a minute for 256 taps."""


class Taps(NamedTuple):
    """Columns of pixels that neighbouring results of a convolution read in one row.

    They are relative to the first column.
    """

    columns: list[int]
    parts: list[range]
    """Taps that a fragment computes together, since they read many columns in common.

    If this is empty, a fragment computes one tap at a time, and `columns` has the first tap's.
    """


def taps_of(height: int, window: Window) -> Taps:
    """Return the columns for `height` results, for all taps if a fragment can hold each part's.

    Taps at a distance of the stride read the same columns, except for one.
    """
    step, kernel, dilation = window.stride[1], window.kernel[1], window.dilation[1]
    every = step // math.gcd(step, dilation)
    parts = [range(tap, kernel, every) for tap in range(min(every, kernel))]
    columns = [_columns(height, window, part) for part in parts]
    joined = set().union(*columns)
    if kernel <= UNROLLED and len(joined) < height * kernel and max(map(len, columns)) <= SHARED:
        return Taps(sorted(joined), parts)
    return Taps(sorted(_columns(height, window, range(1))), [])


def _columns(height: int, window: Window, taps: range) -> set[int]:
    step, dilation = window.stride[1], window.dilation[1]
    return {row * step + tap * dilation for row in range(height) for tap in taps}
