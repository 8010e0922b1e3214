"""Parts that backends with kernels share: programs, packed scalars, and the limit of memory.

Input: texts of kernels, scalars, and counts of bytes. Output: numbers of programs, words of
scalars, warnings and errors.
"""

from __future__ import annotations

import gc
import struct
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ...dtypes import FLOAT_END, limited
from ...errors import OutOfMemoryError
from ...ir.node import OpGraph, Scalar
from ..holders import largest_holders, record_large
from .base import Buffer

USUAL_MEMORY = 8 << 30
"""Bytes of memory that a machine is taken to have if the browser does not tell."""
WARNED_PART = 4
"""The part of the limit above which a warning is shown is one in so many.

Phones and most laptops share one memory between the GPU, the browser and all other programs. Of
8 GiB they are warned at 1 GiB, beyond which they begin to swap or end the page. TensorFlow.js warns
at 600 bytes per pixel of the screen, 1.2 GiB for 1920 x 1080."""
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
    """Refuses values that would take more memory than a limit, and warns at a quarter of it.

    Asking for the bytes in use may take longer than running a plan. They grow by no more than the
    bytes given out since the last question, so it is asked again only after as many bytes as were
    missing to the limit.

    Args:
        in_use: Returns the bytes in use.
        kind: Kind of the memory, in the texts of the warning and the error.
        machine: Bytes of the machine's memory, of which half is the limit; None if not known.
    """

    def __init__(self, in_use: Callable[[], int], kind: str, machine: int | None = None) -> None:
        self.in_use = in_use
        self.kind = kind
        self.warned = False
        self.set_limit((machine or USUAL_MEMORY) // 2)

    def set_limit(self, nbytes: int) -> None:
        """Change the limit; the next `spend` compares with it."""
        self.limit = nbytes
        self.left = 0
        self._warn(None)

    def spend(self, nbytes: int, given: Iterable[Buffer] = ()) -> None:
        """Count the bytes of new values before they are made; `given` are values that end then.

        Raises:
            OutOfMemoryError: If the values in use would take more than the limit.
        """
        self.left -= nbytes
        if self.left < 0:
            self._compare(nbytes - sum([one.size * one.dtype.itemsize for one in given]))

    def _compare(self, more: int) -> None:
        total = self.in_use() + more
        if total > self.limit:
            # Values in reference cycles are freed by the collector.
            gc.collect()
            total = self.in_use() + more
        if total > self.limit:
            self.left = 0
            raise OutOfMemoryError(
                f"memory: more {self.kind} is needed than pt.env.memory_limit; got {total} bytes "
                f"for a limit of {self.limit}, of which most is held by {largest_holders()}; free "
                "tensors, compute smaller parts, or raise the limit"
            )
        warned = self.limit // WARNED_PART
        self.left = min(max(warned - total, warned >> 4), self.limit - total)
        self._warn(None if total <= warned else total)

    def _warn(self, total: int | None) -> None:
        """Warn of the bytes in use unless that was done; None if they are few."""
        if self.warned is (total is not None):
            return
        self.warned = not self.warned
        record_large(self.warned)
        if self.warned:
            warnings.warn(
                f"memory: more {self.kind} is in use than a quarter of pt.env.memory_limit; got "
                f"{total} bytes, of which most is held by {largest_holders()}; free tensors, or "
                "raise the limit",
                stacklevel=2,
            )
