"""Parts that backends with kernels share: programs, packed scalars, and the warning about memory.

Input: texts of kernels, scalars, and counts of bytes. Output: numbers of programs, words of
scalars, and warnings.
"""

from __future__ import annotations

import struct
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from ...dtypes import FLOAT_END, limited
from ...ir.node import OpGraph, Scalar
from ..holders import largest_holders

MEMORY_LIMIT = 1 << 30
"""Bytes of device memory above which a warning is shown.

Phones and most laptops share one memory between the GPU, the browser and all other programs. Beyond
about 1 GiB they swap or end the page. TensorFlow.js warns at 600 bytes per pixel of the screen, 1.2
GiB for 1920 x 1080."""
UNUSED_PROGRAMS = 256
"""Programs that are kept although no plan uses them."""
_CODES = {"f": "f", "i": "i", "u": "I", "b": "I"}


def scalar_codes(graph: OpGraph) -> str:
    """Return the format, as in `struct`, of the scalars of a graph."""
    return "".join([_CODES[call.spec.dtype.kind] for call in graph.calls if type(call) is Scalar])


def packed_words(pack: Callable[..., Any], head: Sequence[Any], scalars: Sequence[Any]) -> Any:
    """Call `pack` with a head and a run's scalars; floats that do not fit become infinite."""
    try:
        return pack(*head, *scalars)
    except (OverflowError, struct.error):
        return pack(*head, *(limited(value, FLOAT_END) for value in scalars))


def packed_numbers(numbers: Sequence[float]) -> bytes:
    """Return numbers as 32-bit words: floats as float32, integers as int32."""
    codes = "".join(["if"[type(number) is float] for number in numbers])
    return struct.pack(f"={codes}", *numbers)


class Programs:
    """Programs by their kernels' text, counted by the plans that use them.

    Programs that no plan uses stay for other plans, up to a limit; the one that is unused for the
    longest time is dropped first, and its number is used again.

    Args:
        make: Called with the number, name and text of a new program.
        drop: Called with the number of a program that is not needed any more.
    """

    def __init__(
        self, make: Callable[[int, str, str], object], drop: Callable[[int], object]
    ) -> None:
        self._make = make
        self._drop = drop
        self.numbers: dict[str, int] = {}
        self.users: Counter[str] = Counter()
        self.unused: dict[str, None] = {}
        self.free: list[int] = []
        """Numbers of dropped programs."""
        self.limit = UNUSED_PROGRAMS

    def begin(self, shader: Any) -> int:
        """Return the number of a kernel's program; start to compile it if it is new."""
        number = self.numbers.get(shader.source)
        if number is None:
            number = self.free[-1] if self.free else len(self.numbers) + 1
            self._make(number, shader.name, shader.source)
            if self.free:
                self.free.pop()
            self.numbers[shader.source] = number
            self.unused[shader.source] = None
        return number

    def use(self, shader: Any) -> int:
        """Return the number of a kernel's program, and count one more use of it."""
        number = self.begin(shader)
        self.users[shader.source] += 1
        self.unused.pop(shader.source, None)
        return number

    def release(self, shader: Any) -> None:
        """End one use of a kernel's program."""
        self.users[shader.source] -= 1
        if self.users[shader.source]:
            return
        del self.users[shader.source]
        self.unused[shader.source] = None
        while len(self.unused) > self.limit:
            oldest = next(iter(self.unused))
            del self.unused[oldest]
            number = self.numbers.pop(oldest)
            self.free.append(number)
            self._drop(number)


class MemoryWatch:
    """Warns when the memory in use passes a limit.

    Asking for the bytes in use may take longer than running a plan. They grow by no more than the
    bytes given out since the last question, so it is asked again only after as many bytes as were
    missing to the limit.

    Args:
        in_use: Returns the bytes in use.
        kind: Kind of the memory, in the text of the warning.
    """

    def __init__(self, in_use: Callable[[], int], kind: str) -> None:
        self.in_use = in_use
        self.kind = kind
        self.set_limit(MEMORY_LIMIT)

    def set_limit(self, nbytes: int) -> None:
        """Change the limit; the next `spend` compares with it."""
        self.limit = nbytes
        self.left = 0
        self.warned = False

    def spend(self, nbytes: int) -> None:
        """Count the bytes of new values."""
        self.left -= nbytes
        if self.left < 0:
            self._compare()

    def _compare(self) -> None:
        in_use = self.in_use()
        self.left = max(self.limit - in_use, self.limit >> 4)
        if in_use <= self.limit:
            self.warned = False
        elif not self.warned:
            self.warned = True
            warnings.warn(
                f"memory: more {self.kind} is in use than pt.env.memory_limit; got {in_use} "
                f"bytes, of which most is held by {largest_holders()}; free tensors, or raise the "
                "limit",
                stacklevel=2,
            )
