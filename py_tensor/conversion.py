"""Python values, buffers and NumPy arrays to flat bytes and back, with or without NumPy installed."""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Sequence
from typing import Any

from .dtypes import BY_NAME, DType, bool_, float16, float32, int32, uint32
from .errors import DTypeError, ShapeError
from .ops.rows import Shape

_BY_CODE = {
    "f": float32,
    "d": float32,
    "e": float16,
    "i": int32,
    "I": uint32,
    "h": BY_NAME["int16"],
    "H": BY_NAME["uint16"],
    "b": BY_NAME["int8"],
    "B": BY_NAME["uint8"],
    "?": bool_,
    "q": int32,
    "Q": uint32,
    "l": int32,
    "L": uint32,
    "n": int32,
    "N": uint32,
}
_SAME_BYTES = {"f", "e", "i", "I", "h", "H", "b", "B", "?"}


def to_host(
    value: Any, dtype: DType | None, operation: str = "asarray"
) -> tuple[bytes, Shape, DType]:
    """The elements of nested sequences, a scalar or a buffer, as flat bytes, with shape and dtype.

    Raises ShapeError for ragged input, DTypeError for values that do not fit.
    """
    if isinstance(value, (bool, int, float)):
        return _pack(operation, [value], (), dtype)
    if isinstance(value, (list, tuple, range)):
        shape = _shape_of(operation, value)
        flat: list[Any] = []
        _flatten(operation, value, shape, (), flat)
        return _pack(operation, flat, shape, dtype)
    if hasattr(value, "__array_interface__") and "numpy" in sys.modules:
        return _from_numpy(operation, value, dtype)
    try:
        view = memoryview(value)
    except TypeError:
        if hasattr(value, "__array__"):
            return _from_numpy(operation, value.__array__(), dtype)
        raise DTypeError(
            f"{operation}: cannot make a tensor of {type(value).__name__}; got {value!r:.60}; "
            "give numbers, nested lists, a buffer or a NumPy array"
        ) from None
    return _from_view(operation, view, dtype)


def _from_numpy(operation: str, value: Any, dtype: DType | None) -> tuple[bytes, Shape, DType]:
    import numpy as np

    given = np.asarray(value)
    name = given.dtype.name
    if given.dtype.kind not in "fiub":
        raise DTypeError(
            f"{operation}: dtype {name} does not exist on WebGL; got a NumPy array of {name}; use .astype"
        )
    natural = BY_NAME.get(name) or {"f": float32, "i": int32, "u": uint32}[given.dtype.kind]
    target = dtype or natural
    if target.kind in "iu" and given.size and given.dtype.kind in "iu":
        _check_numpy_range(operation, given, target)
    with np.errstate(all="ignore"):
        converted = given.astype(target.name)
    return np.ascontiguousarray(converted).tobytes(), given.shape, target


def _check_numpy_range(operation: str, given: Any, target: DType) -> None:
    outside = (
        (given < target.lowest) | (given > target.highest)
        if given.dtype.kind == "i"
        else given > target.highest
    )
    if outside.any():
        at = tuple(int(i[0]) for i in outside.nonzero()) if given.ndim else ()
        raise DTypeError(
            f"{operation}: value does not fit dtype {target}; got {given[at]} at index {at}; "
            f"{target} holds {target.lowest} to {target.highest}"
        )


def _from_view(operation: str, view: memoryview, dtype: DType | None) -> tuple[bytes, Shape, DType]:
    code = view.format.lstrip("@=<")
    if code not in _BY_CODE:
        raise DTypeError(
            f"{operation}: buffer format {view.format!r} is no dtype; got {view.format!r}; use one of {', '.join(BY_NAME)}"
        )
    natural = _BY_CODE[code]
    shape = tuple(view.shape)
    if code in _SAME_BYTES and (dtype is None or dtype is natural):
        return view.tobytes(), shape, natural
    flat = (
        list(struct.unpack(f"={view.nbytes // view.itemsize}{code}", view.tobytes()))
        if code not in "lLnN"
        else memoryview(view.tobytes()).cast(code).tolist()
    )
    return _pack(operation, flat, shape, dtype or natural)


def _shape_of(operation: str, value: Any) -> Shape:
    shape = []
    while isinstance(value, (list, tuple, range)):
        shape.append(len(value))
        if not value:
            break
        value = value[0]
    return tuple(shape)


def _flatten(
    operation: str, value: Any, shape: Shape, at: tuple[int, ...], flat: list[Any]
) -> None:
    if len(shape) == 0:
        if isinstance(value, (list, tuple, range)):
            raise ShapeError(
                f"{operation}: ragged input; got a sequence at index {list(at)}; beside it are numbers; make all rows equally deep"
            )
        flat.append(value)
        return
    if not isinstance(value, (list, tuple, range)):
        raise ShapeError(
            f"{operation}: ragged input; got a number at index {list(at)}; beside it are sequences; make all rows equally deep"
        )
    if len(value) != shape[0]:
        raise ShapeError(
            f"{operation}: ragged input; got length {len(value)} at index {list(at)} and {shape[0]} before it; "
            "make all rows equally long"
        )
    if len(shape) == 1 and not any(isinstance(item, (list, tuple, range)) for item in value):
        flat.extend(value)
        return
    for position, item in enumerate(value):
        _flatten(operation, item, shape[1:], (*at, position), flat)


def _pack(
    operation: str, flat: list[Any], shape: Shape, dtype: DType | None
) -> tuple[bytes, Shape, DType]:
    kinds = set(map(type, flat))
    if not kinds <= {bool, int, float}:
        flat = [_plain(operation, item) for item in flat]
        kinds = set(map(type, flat))
    if dtype is None:
        dtype = float32 if float in kinds or not kinds else int32 if int in kinds else bool_
    if dtype.kind == "b":
        return bytes(map(bool, flat)), shape, dtype
    if dtype.kind == "f":
        if dtype.itemsize == 2:
            return struct.pack(f"={len(flat)}e", *map(_half, flat)), shape, dtype
        return _floats(flat), shape, dtype
    if float in kinds:
        flat = [int(item) for item in flat]
    try:
        return array(dtype.code, flat).tobytes(), shape, dtype
    except OverflowError:
        pass
    position = next(i for i, v in enumerate(flat) if not dtype.lowest <= v <= dtype.highest)
    index, rest = [], position
    for n in reversed(shape):
        index.append(rest % n)
        rest //= n
    raise DTypeError(
        f"{operation}: value does not fit dtype {dtype}; got {flat[position]} at index {tuple(reversed(index))}; "
        f"{dtype} holds {dtype.lowest} to {dtype.highest}"
    )


def _floats(flat: list[Any]) -> bytes:
    try:
        return array("f", flat).tobytes()
    except OverflowError:
        return array(
            "f",
            [float(v) if abs(v) < 1 << 128 else float("inf") * (1 if v > 0 else -1) for v in flat],
        ).tobytes()


def _half(value: float) -> float:
    """Values too large for float16 become infinite, as NumPy makes them; struct would refuse."""
    return (
        value
        if -65520 < value < 65520 or value != value
        else float("inf") * (1 if value > 0 else -1)
    )


def _plain(operation: str, item: Any) -> bool | int | float:
    """A Python number out of a 0-d array or tensor."""
    if isinstance(item, (bool, int, float)):
        return item
    get = getattr(item, "item", None)
    if get is None:
        raise DTypeError(
            f"{operation}: cannot make a tensor of {type(item).__name__}; got {item!r:.60}; give numbers"
        )
    value = get()
    if not isinstance(value, (bool, int, float)):
        raise DTypeError(
            f"{operation}: element is not a real number; got {value!r:.60}; give real numbers"
        )
    return value


def unpack(data: memoryview, dtype: DType) -> list[Any]:
    """The elements of flat bytes as Python numbers."""
    if dtype.code == "e":
        return list(struct.unpack(f"={len(data) // 2}e", data))
    return data.cast("B").cast(dtype.code).tolist() if len(data) else []


def nest(flat: Sequence[Any], shape: Shape) -> Any:
    """Nested lists of that shape; the element itself for shape ()."""
    if not shape:
        return flat[0]
    for n in reversed(shape[1:]):
        count = len(flat) // n if n else 0
        if n == 0:
            total = 1
            for m in shape[: shape.index(0)]:
                total *= m
            return (
                nest([[] for _ in range(total)], shape[: shape.index(0)]) if shape.index(0) else []
            )
        flat = [list(flat[i * n : (i + 1) * n]) for i in range(count)]
    return list(flat)


def shaped(data: memoryview, dtype: DType, shape: Shape) -> memoryview:
    """Flat bytes as a memoryview of that shape and format; BufferError where Python has none."""
    if 0 in shape and len(shape) > 1:
        raise BufferError(
            "an empty tensor of several axes has no memoryview; use numpy() or tolist()"
        )
    flat = data.cast("B")
    if len(shape) == 1:
        return flat.cast(dtype.code)
    return flat.cast(dtype.code, list(shape))
