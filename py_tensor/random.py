"""Random numbers: counter-based, seeded, the same on every backend.

Threefry-2x32 with 20 rounds (Salmon et al. 2011), a key of two 32-bit words and the element's
position as counter, so that bits equal JAX's (jax_threefry_partitionable). `seed` sets the key of
the functions without one; each draw moves on to a fresh key.
"""

from __future__ import annotations

import math
import os
from typing import Any

from .conversion import plain_number
from .dtypes import as_dtype, as_float, float32, int32, shown, uint32
from .errors import ArgumentError, DTypeError
from .functions.axes import a_shape
from .functions.creation import PUBLIC as CREATION
from .functions.elementwise import PUBLIC as ELEMENTWISE
from .functions.elementwise import astype
from .lifetime import state
from .nodes import node_of, scalar_node
from .ops import ROWS
from .tensor import Tensor
from .tracing import on_host

Key = tuple[int, int]
_MASK = 0xFFFFFFFF


def key(seed: int) -> Key:
    """The key of a seed: its high and low 32 bits.

    `seed` is an integer; of a negative or longer one, the lowest 64 bits count.

    >>> import py_tensor as pt
    >>> pt.random.key(7)
    (0, 7)
    """
    return (seed >> 32) & _MASK, seed & _MASK


def _threefry(k: Key, counter: tuple[int, int]) -> Key:
    """One block on the host: the two output words for a counter pair."""
    keys = (*k, k[0] ^ k[1] ^ 0x1BD11BDA)
    a, b = (counter[0] + keys[0]) & _MASK, (counter[1] + keys[1]) & _MASK
    for block in range(5):
        for n in ((13, 15, 26, 6), (17, 29, 16, 24))[block % 2]:
            a = (a + b) & _MASK
            b = ((b << n | b >> (32 - n)) & _MASK) ^ a
        a = (a + keys[(block + 1) % 3]) & _MASK
        b = (b + keys[(block + 2) % 3] + block + 1) & _MASK
    return a, b


def _block(a: int, b: int, count: int) -> int:
    """The two words of a block as one number."""
    high, low = _threefry((a, b), (0, count))
    return high << 32 | low


def split(k: Key, num: int = 2) -> list[Key]:
    """`num` independent keys out of one, equal to jax.random.split.

    >>> import py_tensor as pt
    >>> len(pt.random.split(pt.random.key(0), 3))
    3
    """
    return [key(on_host(_block, *k, i)) for i in range(num)]


_current: list[Key] = [key(int.from_bytes(os.urandom(8), "little"))]


def seed(value: int) -> None:
    """Starts the functions without a key anew: the same seed gives the same numbers.

    >>> import py_tensor as pt
    >>> pt.random.seed(0)
    >>> a = pt.random.uniform((3,)).tolist()
    >>> pt.random.seed(0)
    >>> a == pt.random.uniform((3,)).tolist()
    True
    """
    if state.trace is not None:
        state.trace.tape.record(type(None), _seed, value)
    else:
        _seed(value)


def _seed(value: int) -> None:
    _current[0] = key(value)


def _draw() -> int:
    """A fresh key as one number; the current key moves on."""
    _current[0], fresh = split(_current[0])
    return fresh[0] << 32 | fresh[1]


def _next(given: Key | None) -> Key:
    if given is not None:
        return given
    if state.trace is not None:
        # Each call of the traced function draws anew, in the order in which it would untraced.
        return key(state.trace.tape.record(int, _draw))  # type: ignore[arg-type]
    return key(_draw())


def fresh_key() -> Key:
    """The next key of the functions without one, which move on.

    >>> import py_tensor as pt
    >>> pt.random.fresh_key() != pt.random.fresh_key()
    True
    """
    return _next(None)


def bits(k: Key, shape: Any = ()) -> Tensor:
    """uint32 random bits, equal to jax.random.bits(key, shape).

    `k` is a key, of `key` or `split`; `shape` a length or several. Raises ShapeError for negative
    lengths.

    >>> import py_tensor as pt
    >>> pt.random.bits(pt.random.key(0), (2,)).dtype
    uint32
    """
    lengths = a_shape("bits", shape)
    position = astype(CREATION["arange"](math.prod(lengths)), uint32)._node
    words = [scalar_node(word, uint32) for word in k]
    flat = Tensor(node_of(ROWS["threefry2x32"], (words[0], words[1], position)))
    return flat.reshape(lengths)


def _unit(k: Key, shape: Any) -> Tensor:
    """float32 in [0, 1): 23 random bits, as jax.random.uniform makes them."""
    return Tensor(node_of(ROWS["bits_to_unit_float"], (bits(k, shape)._node,)))


def _floating(operation: str, dtype: Any) -> Any:
    target = as_dtype(dtype, operation)
    if target.kind != "f":
        raise DTypeError(
            f"{operation}: dtype {target} is not floating; got {target}; use float32 or float16"
        )
    return target


def _float(operation: str, value: Any) -> float:
    return as_float(plain_number(operation, value))


def uniform(
    shape: Any = (),
    low: float = 0.0,
    high: float = 1.0,
    *,
    dtype: Any = float32,
    key: Key | None = None,
) -> Tensor:
    """Evenly distributed numbers from `low` up to, not including, `high`.

    `shape` is a length or several; `key` is None for the next one. Raises DTypeError for a `dtype`
    other than float32 and float16, ShapeError for negative lengths.

    >>> import py_tensor as pt
    >>> pt.random.uniform((2, 3)).shape
    (2, 3)
    """
    target = _floating("uniform", dtype)
    values = _unit(_next(key), shape)
    low, high = _float("uniform", low), _float("uniform", high)
    if (low, high) != (0.0, 1.0):
        values = values * (high - low) + low
    return astype(values, target, copy=False)


def normal(
    shape: Any = (),
    mean: float = 0.0,
    std: float = 1.0,
    *,
    dtype: Any = float32,
    key: Key | None = None,
) -> Tensor:
    """Normally distributed numbers: sqrt(2) erfinv(u), u uniform in (-1, 1).

    `std` is the standard deviation; all else is as for `uniform`.

    >>> import py_tensor as pt
    >>> pt.random.normal((4,)).shape
    (4,)
    """
    target = _floating("normal", dtype)
    # The smallest u is the float32 above -1, so that no value is infinite.
    lowest = -0.99999994
    u = ELEMENTWISE["maximum"](_unit(_next(key), shape) * (1.0 - lowest) + lowest, lowest)
    values = ELEMENTWISE["erfinv"](u) * 1.4142135623730951
    mean, std = _float("normal", mean), _float("normal", std)
    if (mean, std) != (0.0, 1.0):
        values = values * std + mean
    return astype(values, target, copy=False)


def integers(
    low: int,
    high: int | None = None,
    shape: Any = (),
    *,
    dtype: Any = int32,
    key: Key | None = None,
) -> Tensor:
    """Integers from `low` up to, not including, `high`; from 0 up to `low` where `high` is None.

    Two random words are taken modulo the span, as jax.random.randint does. `dtype` is an integer
    one; raises ArgumentError where `low` is not below `high` or the dtype does not hold them.

    >>> import py_tensor as pt
    >>> pt.random.integers(0, 10, (5,)).dtype
    int32
    """
    if high is None:
        low, high = 0, low
    low, high = plain_number("integers", low), plain_number("integers", high)
    target = as_dtype(dtype, "integers")
    span = high - low
    if (
        span <= 0
        or span > 1 << 32
        or target.kind not in "iu"
        or low < target.lowest
        or high - 1 > target.highest
    ):
        raise ArgumentError(
            f"integers: range does not fit; got {shown(low)} to {shown(high)} as {target}; "
            "high must be above low and inside the dtype"
        )
    upper, lower = split(_next(key))
    if span == 1 << 32:
        return astype(
            astype(bits(lower, shape), int32) if target is int32 else bits(lower, shape), target
        )
    root = (1 << 16) % span
    multiplier = (root * root & _MASK) % span
    value = (bits(upper, shape) % span * multiplier + bits(lower, shape) % span) % span
    # uint32 holds the offset; in two's complement, adding `low` cannot overflow the result.
    offset = astype(value, int32) + low if target.kind == "i" else value + low
    return astype(offset, target)
