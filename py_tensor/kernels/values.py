"""Functions and values of kernels that Python and py_tensor lack: vectors and random numbers.

They work in plain Python, too, so that a kernel's function can run there.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from functools import reduce
from typing import Any

from ..ops.host_functions import threefry

MASK = 0xFFFFFFFF
AXES = "xyzw"


def _partwise(function: Callable[[Any, Any], object]) -> Callable[[Vector, object], Vector]:
    """Return a method that applies a function to the parts of vectors, or to parts and a number."""

    def method(self: Vector, operand: object) -> Vector:
        parts = operand if isinstance(operand, Vector) else [operand] * len(self)
        return Vector(function(a, b) for a, b in zip(self, parts, strict=True))

    return method


def _each(function: Callable[[Any], object]) -> Callable[[Vector], Vector]:
    """Return a method that applies a function to each part."""
    return lambda self: Vector(map(function, self))


def _no_order(self: Vector, other: object) -> bool:
    """Refuse a comparison, which `min` and `max` make in plain Python."""
    raise TypeError("vectors have no order in plain Python; compare their parts")


def _no_change(self: Vector, key: object, value: object) -> None:
    """Refuse an assignment to a component, which kernels read as one of a new vector."""
    raise TypeError("vectors do not change in plain Python; call the kernel itself")


def _product(self: Vector, other: Vector) -> Any:
    """Return the product of vectors, of a matrix and a vector, or of matrices."""
    if isinstance(self[0], Vector):
        return Vector(row @ other for row in self)
    result: Any = self[0] * other[0]
    for a, b in zip(self[1:], other[1:], strict=True):
        result = result + a * b
    return result


class Vector(tuple[Any, ...]):
    """A vector of a fixed length, with arithmetic on parts; a matrix is a vector of its rows."""

    __slots__ = ()

    __add__ = __radd__ = _partwise(operator.add)
    __sub__ = _partwise(operator.sub)
    __rsub__ = _partwise(lambda a, b: b - a)
    __mul__ = __rmul__ = _partwise(operator.mul)
    __truediv__ = _partwise(operator.truediv)
    __rtruediv__ = _partwise(lambda a, b: b / a)
    __floordiv__ = _partwise(operator.floordiv)
    __rfloordiv__ = _partwise(lambda a, b: b // a)
    __mod__ = _partwise(operator.mod)
    __rmod__ = _partwise(lambda a, b: b % a)
    __pow__ = _partwise(operator.pow)
    __rpow__ = _partwise(lambda a, b: b**a)
    __matmul__ = _product
    __neg__, __abs__, __round__ = _each(operator.neg), _each(abs), _each(round)
    __floor__, __ceil__, __trunc__ = _each(math.floor), _each(math.ceil), _each(math.trunc)
    __lt__ = __le__ = __gt__ = __ge__ = _no_order
    __setattr__ = __setitem__ = _no_change

    def __getattr__(self, name: str) -> Any:
        """Return a part by its letter, or a vector of the parts of several letters."""
        letters = AXES[: len(self)]
        if name == "T" and self and isinstance(self[0], Vector):
            return Vector(map(Vector, zip(*self, strict=True)))
        if not name or not all(letter in letters for letter in name):
            raise AttributeError(f"vectors of {len(self)} parts have no {name}")
        parts = [self[letters.index(letter)] for letter in name]
        return parts[0] if len(parts) == 1 else Vector(parts)

    def __getitem__(self, key: Any) -> Any:
        """Return a part; `m[i, j]` is `m[i][j]`."""
        if isinstance(key, tuple):
            return reduce(operator.getitem, key, self)
        return super().__getitem__(key)


def vec(*parts: Any) -> Vector:
    """Return a vector of numbers, or a matrix of vectors, its rows.

    Vectors have `+ - * / // % **`, `abs` and roundings, element by element and with numbers, the
    product `@`, and the parts `x`, `y`, `z` and `w`, also several as in `v.xy`, besides indices.
    Matrices have the transpose `m.T` and elements `m[i, j]`.

    Args:
        *parts: Numbers, or vectors of equal length.

    Returns:
        Vector of the parts.

    >>> from py_tensor.kernels import vec
    >>> vec(1.0, 2.0) * 2.0 + vec(0.5, 0.5)
    (2.5, 4.5)
    >>> vec(vec(0.0, 1.0), vec(2.0, 0.0)) @ vec(3.0, 4.0)
    (4.0, 6.0)
    """
    return Vector(parts)


def dot(a: Vector, b: Vector) -> Any:
    """Return the scalar product of two vectors.

    Args:
        a: First vector.
        b: Second vector, of the same length.

    Returns:
        Number.

    >>> from py_tensor.kernels import dot, vec
    >>> dot(vec(1.0, 2.0), vec(3.0, 4.0))
    11.0
    """
    return a @ b


def length(a: Vector) -> Any:
    """Return the Euclidean length of a vector.

    Args:
        a: Vector.

    Returns:
        Float.

    >>> from py_tensor.kernels import length, vec
    >>> length(vec(3.0, 4.0))
    5.0
    """
    return math.sqrt(a @ a)


def normalize(a: Vector) -> Vector:
    """Return the vector of length 1 in the same direction.

    Args:
        a: Vector, not of length 0.

    Returns:
        Vector of the same number of parts.

    >>> from py_tensor.kernels import normalize, vec
    >>> normalize(vec(3.0, 4.0))
    (0.6, 0.8)
    """
    return Vector(part / length(a) for part in a)


def cross(a: Vector, b: Vector) -> Vector:
    """Return the cross product of two vectors of three parts.

    Args:
        a: First vector.
        b: Second vector.

    Returns:
        Vector of three parts.

    >>> from py_tensor.kernels import cross, vec
    >>> cross(vec(1.0, 0.0, 0.0), vec(0.0, 1.0, 0.0))
    (0.0, 0.0, 1.0)
    """
    return vec(
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


def transpose(a: Vector) -> Vector:
    """Return the transpose of a matrix.

    Args:
        a: Matrix, a vector of its rows.

    Returns:
        Matrix, whose rows are the columns of `a`.

    >>> from py_tensor.kernels import transpose, vec
    >>> transpose(vec(vec(1.0, 2.0), vec(3.0, 4.0)))
    ((1.0, 3.0), (2.0, 4.0))
    """
    return Vector(map(Vector, zip(*a, strict=True)))


def bits_of(hashed: Callable[..., Any], seed: Any, i: Any, j: Any, *further: Any) -> Any:
    """Return the random bits of integers, given the function of a pair of keys and a counter."""
    bits = hashed(seed, j, i)
    if further:
        # A key of two words, since one is equal for two of some 2 ** 16 pairs of i and j.
        own = hashed(hashed(MASK, seed, i), j, 0)
        for counter in further:
            bits = hashed(bits, own, counter)
    return bits


def uniform(seed: int, i: int, j: int = 0, *further: int) -> float:
    """Return a random number from 0 to below 1, which depends on its integers alone.

    Equal integers always give the same number, on all backends; different ones give independent
    numbers. The generator is Threefry-2x32 with 20 rounds (Salmon et al. 2011), with the key
    (seed, j) and the counter i; further integers are counters of keys that it makes.

    Args:
        seed: Integer that names the sequence, for example the number of a frame.
        i: Integer, for example an index.
        j: Second integer.
        *further: Third and fourth integer.

    Returns:
        Float in [0, 1), a multiple of 2**-23.

    >>> from py_tensor.kernels import uniform
    >>> uniform(0, 1) == uniform(0, 1), 0.0 <= uniform(0, 1) < 1.0
    (True, True)
    """
    words = [int(value) & MASK for value in (seed, i, j, *further)]
    bits: int = bits_of(threefry, *words)
    return (bits >> 9) * 2.0**-23
