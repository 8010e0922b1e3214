"""Convert Python values, buffers and NumPy arrays to flat bytes and back; NumPy is optional."""

from __future__ import annotations

import math
import struct
from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..dtypes import (
    BY_NAME,
    FLOAT_END,
    FLOAT_ENDS,
    OF_PYTHON,
    WIDE,
    DType,
    complex64,
    does_not_fit,
    float32,
    int32,
    limited,
    uint32,
)
from ..errors import DTypeError, ShapeError, TraceError
from ..late import LateModule, imported
from ..ops.op_def import Shape

if TYPE_CHECKING:
    from ..ops import index_map
else:
    index_map = LateModule("ops.index_map")

_WIDE = {
    "d": float32,
    "q": int32,
    "l": int32,
    "n": int32,
    "Q": uint32,
    "L": uint32,
    "N": uint32,
    "Zd": complex64,
}
_BY_CODE = _WIDE | {dtype.code: dtype for dtype in BY_NAME.values()}
_NATURAL = {"c": complex64, "f": float32, "i": int32, "u": uint32}
_NUMBERS: tuple[Any, ...] = (int, float, complex)
_SEQUENCES = (list, tuple, range)


def extend() -> None:
    """Let formats of 64 bits give the 64-bit dtypes."""
    _WIDE.update({code: WIDE.get(f"{d.name[:-2]}64", d) for code, d in _WIDE.items()})
    _BY_CODE.update(_WIDE)


def to_host(value: Any, dtype: DType | None, operation: str) -> tuple[bytes, Shape, DType]:
    """Convert a scalar, nested sequences, a buffer or a NumPy array to (flat bytes, shape, dtype).

    Raises ShapeError for ragged input and DTypeError for values that do not fit.
    """
    if isinstance(value, FlatElements):
        elements = value
    elif isinstance(value, (bool, int, float, complex)):
        elements = FlatElements([value], (), {type(value)})
    elif isinstance(value, _SEQUENCES):
        elements = flattened(operation, value)
    else:
        return _from_array(operation, value, dtype)
    return pack(operation, elements, dtype)


def _from_array(operation: str, value: Any, dtype: DType | None) -> tuple[bytes, Shape, DType]:
    if hasattr(value, "__array_interface__") and imported("numpy"):
        return _from_numpy(operation, value, dtype)
    try:
        view = memoryview(value)
    except TypeError:
        if hasattr(value, "__array__"):
            return _from_numpy(operation, value.__array__(), dtype)
        raise DTypeError(
            f"{operation}: cannot convert {type(value).__name__} to a tensor; got {value!r:.60}; "
            "pass numbers, nested lists, a buffer or a NumPy array"
        ) from None
    return _from_view(operation, view, dtype)


def _from_numpy(operation: str, value: Any, dtype: DType | None) -> tuple[bytes, Shape, DType]:
    import numpy as np

    source = np.asarray(value)
    name = source.dtype.name
    if source.dtype.kind not in "cfiub" and name not in BY_NAME:
        raise DTypeError(
            f"{operation}: dtype {name} is not supported by WebGL; got a NumPy array of {name}; "
            "use .astype"
        )
    natural = BY_NAME.get(name) or _NATURAL[source.dtype.kind]
    target = dtype or natural
    if source.dtype.kind == "c" and target.kind != "c":
        raise _is_complex(operation, name, target)
    if target.kind in "iu" and source.dtype.kind in "iuf":
        # Fractions are truncated, hence the limits -1 and +1; NaN fails both comparisons; float64
        # represents all limits exactly.
        wide = source.astype("float64") if source.dtype.kind == "f" else source
        outside = ~((wide > target.lowest - 1) & (wide < target.highest + 1))
        if outside.any():
            at = tuple(np.argwhere(outside)[0].tolist())
            raise does_not_fit(operation, source[at], target, f" at index {at}")
    with np.errstate(all="ignore"):
        converted = source.astype(target.name)
    return np.ascontiguousarray(converted).tobytes(), source.shape, target


def _is_complex(operation: str, got: Any, dtype: DType) -> DTypeError:
    return DTypeError(
        f"{operation}: cannot convert complex numbers to dtype {dtype}; got {got}; take the real "
        'parts, or use dtype "complex64"'
    )


def _from_view(operation: str, view: memoryview, dtype: DType | None) -> tuple[bytes, Shape, DType]:
    code = view.format.lstrip("@=<")
    natural = _BY_CODE.get(code)
    if natural is None:
        raise DTypeError(
            f"{operation}: buffer format {view.format!r} is not supported; got {view.format!r}; "
            f"use one of {', '.join(BY_NAME)}"
        )
    shape = view.shape or ()
    if natural.code == code and dtype in (None, natural):
        return view.tobytes(), shape, natural
    order = view.format.removesuffix(code) or "@"
    # A complex number is stored as two floats of the format's last character.
    flat = struct.unpack(f"{order}{math.prod(shape) * len(code)}{code[-1]}", view.tobytes())
    numbers = map(complex, flat[::2], flat[1::2]) if natural.kind == "c" else flat
    return pack(operation, _elements(list(numbers), shape), dtype or natural)


class FlatElements(NamedTuple):
    """Elements of nested sequences in row-major order, their shape and their Python types."""

    flat: list[Any]
    shape: Shape
    kinds: set[type]


def _elements(flat: list[Any], shape: Shape) -> FlatElements:
    return FlatElements(flat, shape, set(map(type, flat)))


def _ragged(operation: str, got: str, position: int, shape: Shape, advice: str) -> ShapeError:
    index = [*index_map.coordinates(position, shape)]
    return ShapeError(f"{operation}: ragged input; got {got} at index {index}{advice}")


def flattened(operation: str, value: Any) -> FlatElements:
    """Flatten nested sequences. Raises ShapeError if they are ragged."""
    flat: list[Any] = [value]
    shape: Shape = ()
    while flat and isinstance(flat[0], _SEQUENCES):
        length = len(flat[0])
        for position, item in enumerate(flat):
            if not isinstance(item, _SEQUENCES):
                advice = ", next to sequences; nest all rows equally deep"
                raise _ragged(operation, "a number", position, shape, advice)
            if len(item) != length:
                advice = f" and {length} before it; make all rows equally long"
                raise _ragged(operation, f"length {len(item)}", position, shape, advice)
        flat, shape = [inner for item in flat for inner in item], (*shape, length)
    elements = _elements(flat, shape)
    if any(issubclass(kind, _SEQUENCES) for kind in elements.kinds):
        position = next(at for at, item in enumerate(flat) if isinstance(item, _SEQUENCES))
        advice = ", next to numbers; nest all rows equally deep"
        raise _ragged(operation, "a sequence", position, shape, advice)
    return elements


def pack(operation: str, elements: FlatElements, dtype: DType | None) -> tuple[bytes, Shape, DType]:
    """Convert elements to flat bytes. Raises DTypeError for elements that do not fit."""
    flat, shape, kinds = elements
    if not kinds <= {bool, int, float, complex}:
        flat = [_plain(operation, item) for item in flat]
        kinds = set(map(type, flat))
    if dtype is None:
        order = (complex, float, int, bool)
        dtype = OF_PYTHON[next((kind for kind in order if kind in kinds), float)]
    if dtype.kind == "c":
        parts = [part for item in flat for part in (item.real, item.imag)]
        return pack(operation, _elements(parts, shape), float32)[0], shape, dtype
    if complex in kinds:
        raise _is_complex(operation, next(v for v in flat if type(v) is complex), dtype)
    if dtype.kind in "iu" and float in kinds:
        flat = [int(item) if type(item) is float and math.isfinite(item) else item for item in flat]
    try:
        return packed(flat, dtype), shape, dtype
    except (OverflowError, TypeError, struct.error):
        if dtype.kind == "f":
            end = FLOAT_ENDS.get(dtype.name, FLOAT_END)
            return packed([limited(item, end) for item in flat], dtype), shape, dtype
    position = next(i for i, v in enumerate(flat) if not dtype.lowest <= v <= dtype.highest)
    at = index_map.coordinates(position, shape)
    raise does_not_fit(operation, flat[position], dtype, f" at index {at}")


def plain_number(operation: str, value: Any) -> Any:
    """Convert a NumPy number, 0-d array or tensor to a Python number; return others unchanged."""
    return _plain(operation, value) if hasattr(value, "item") else value


def _plain(operation: str, item: Any) -> complex:
    """Convert a 0-d array or tensor, or a number of a subclass, to a plain Python number."""
    if isinstance(item, _NUMBERS) and not hasattr(item, "item"):
        plain: complex = next(kind(item) for kind in _NUMBERS if isinstance(item, kind))
        return plain
    get = getattr(item, "item", None)
    if get is None:
        raise DTypeError(
            f"{operation}: cannot convert {type(item).__name__} to a tensor; got {item!r:.60}; "
            "pass numbers"
        )
    try:
        value = get()
    except TraceError:
        raise
    except (TypeError, ValueError):
        value = item
    if not isinstance(value, (bool, int, float, complex)):
        raise DTypeError(f"{operation}: elements must be numbers; got {value!r:.60}; pass numbers")
    return value


def packed(values: Sequence[Any], dtype: DType) -> bytes:
    """Convert numbers to flat bytes. Python raises its own errors for numbers that do not fit."""
    if dtype.kind == "c":
        return packed([part for value in values for part in (value.real, value.imag)], float32)
    if not dtype.code:
        import numpy as np

        return np.asarray(values, dtype.name).tobytes()
    if dtype.code in "e?":  # formats of struct, but not of array
        return struct.pack(f"={len(values)}{dtype.code}", *values)
    return array(dtype.code, values).tobytes()


def unpack(data: memoryview, dtype: DType) -> list[Any]:
    """Convert flat bytes to a list of Python numbers."""
    count = data.nbytes // dtype.itemsize
    if dtype.kind == "c":
        parts = unpack(data, float32)
        return list(map(complex, parts[::2], parts[1::2]))
    if not dtype.code:
        import numpy as np

        return np.frombuffer(data, dtype.name).astype("float32").tolist()
    if dtype.code == "e":
        return list(struct.unpack(f"={count}e", data))
    return shaped(data, dtype, (count,)).tolist()


def first(data: memoryview, dtype: DType) -> Any:
    """Return the first of the elements as a Python number."""
    if dtype.kind == "c" or dtype.code in ("", "e"):
        return unpack(data, dtype)[0]
    return shaped(data, dtype, (-1,))[0]


def through_dlpack(x: Any) -> Any:
    """Import another library's array as a memoryview or, through DLPack, as a NumPy array."""
    try:
        return memoryview(x)
    except TypeError:
        pass
    if not hasattr(x, "__dlpack__"):
        raise DTypeError(
            "from_dlpack: argument supports neither DLPack nor the buffer protocol; got "
            f"{x!r:.60}; use asarray"
        )
    try:
        import numpy as np
    except ImportError:
        raise ImportError(
            f"from_dlpack: NumPy is not installed; got {type(x).__name__}; pass a buffer"
        ) from None
    return np.from_dlpack(x)


def nest(flat: Sequence[Any], shape: Shape) -> Any:
    """Return the elements as nested lists of that shape; the element itself for shape ()."""
    if not shape:
        return flat[0]
    for axis in range(len(shape) - 1, 0, -1):
        n = shape[axis]
        flat = [list(flat[i * n : (i + 1) * n]) for i in range(math.prod(shape[:axis]))]
    return list(flat)


def shaped(data: memoryview, dtype: DType, shape: Shape) -> memoryview:
    """View flat bytes as a memoryview of that shape and format.

    Python has no complex format: complex numbers become pairs of floats along an additional last
    axis. Raises BufferError for empty values of several axes, which Python cannot represent.
    """
    if dtype.kind == "c":
        return shaped(data, float32, shape if 0 in shape else (*shape, 2))
    if 0 in shape and len(shape) > 1:
        raise BufferError(
            "an empty tensor of several axes has no memoryview; use numpy() or tolist()"
        )
    flat: Any = data.cast("B")
    result: memoryview = flat.cast(dtype.code, shape) if len(shape) != 1 else flat.cast(dtype.code)
    return result
