"""Describe dtypes, their limits and their promotion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..dtypes import OF_PYTHON, DType, as_dtype, of_scalar, promote
from ..errors import ArgumentError, DTypeError
from ..ir.tracer import kind_of, sample
from ..runtime.executor import stores_halves
from ..tensor import Tensor, as_tensor
from ..typing import ArrayLike, DTypeLike


@dataclass(frozen=True)
class FloatInfo:
    """Machine limits of a floating dtype, made by `finfo`."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: DType


@dataclass(frozen=True)
class IntegerInfo:
    """Machine limits of an integer dtype, made by `iinfo`."""

    bits: int
    max: int
    min: int
    dtype: DType


_FLOATS = {"float32": (23, 127), "float16": (10, 15), "float64": (52, 1023), "bfloat16": (7, 127)}
"""Number of mantissa bits and largest exponent of each floating dtype."""
_COMPONENTS = {"complex64": "float32"}
_KINDS = {
    "bool": "b",
    "signed integer": "i",
    "unsigned integer": "u",
    "integral": "iu",
    "real floating": "f",
    "complex floating": "c",
    "numeric": "iufc",
}


def _dtype_of(operation: str, value: Any) -> DType:
    return value.dtype if isinstance(value, Tensor) else as_dtype(value, operation)


def finfo(type: DTypeLike | ArrayLike, /) -> FloatInfo:
    """Return the machine limits of a floating dtype.

    Args:
        type: Dtype, its name, or a tensor. Complex dtypes give the limits of their parts. float64
            stands for float32 and gives its limits.

    Returns:
        FloatInfo with bits, eps, max, min, smallest_normal and dtype.

    Raises:
        DTypeError: If the dtype is neither floating nor complex.

    >>> import py_tensor as pt
    >>> pt.finfo(pt.float32).eps
    1.1920928955078125e-07
    """
    dtype = _dtype_of("finfo", type)
    name = _COMPONENTS.get(dtype.name, dtype.name)
    if name not in _FLOATS:
        raise DTypeError(f"finfo: dtype must be floating; got {dtype}; use pt.iinfo for integers")
    mantissa, exponent = _FLOATS[name]
    largest = (2.0 - 2.0**-mantissa) * 2.0**exponent
    part = as_dtype(name)
    return FloatInfo(part.bits, 2.0**-mantissa, largest, -largest, 2.0 ** (1 - exponent), part)


def lowest_stored(dtype: DType) -> float:
    """Return the lowest finite number that tensors of a floating dtype hold on this backend."""
    return -65504.0 if stores_halves() else finfo(dtype).min


def iinfo(type: DTypeLike | ArrayLike, /) -> IntegerInfo:
    """Return the machine limits of an integer dtype.

    Args:
        type: Dtype, its name, or a tensor. int64 stands for int32 and gives its limits, uint64
            those of uint32.

    Returns:
        IntegerInfo with bits, max, min and dtype.

    Raises:
        DTypeError: If the dtype is not an integer one.

    >>> import py_tensor as pt
    >>> pt.iinfo("int8").min
    -128
    """
    dtype = _dtype_of("iinfo", type)
    if dtype.kind not in "iu":
        raise DTypeError(
            f"iinfo: dtype must be an integer dtype; got {dtype}; use pt.finfo for floats"
        )
    return IntegerInfo(dtype.bits, dtype.highest, dtype.lowest, dtype)


def isdtype(dtype: DTypeLike, kind: DTypeLike | tuple[DTypeLike, ...]) -> bool:
    """Return True if a dtype equals another dtype or belongs to a kind.

    Args:
        dtype: Dtype or its name.
        kind: Dtype, kind, or a tuple of them. Kinds are "bool", "signed integer", "unsigned
            integer", "integral", "real floating", "complex floating" and "numeric".

    Returns:
        True or False.

    Raises:
        ArgumentError: If a kind is unknown.

    >>> import py_tensor as pt
    >>> pt.isdtype(pt.int8, ("real floating", "integral"))
    True
    """
    known = as_dtype(dtype, "isdtype")
    if isinstance(kind, tuple):
        return any(isdtype(known, one) for one in kind)
    if isinstance(kind, str):
        if kind not in _KINDS:
            raise ArgumentError(
                f"isdtype: unknown kind; got {kind!r}; use one of {', '.join(_KINDS)}"
            )
        return known.kind in _KINDS[kind]
    return known is as_dtype(kind, "isdtype")


def can_cast(from_: DTypeLike | ArrayLike, to: DTypeLike, /) -> bool:
    """Return True if a dtype promotes to another without losing values.

    Args:
        from_: Dtype, its name, or a tensor.
        to: Dtype or its name.

    Returns:
        True or False.

    Raises:
        DTypeError: If an argument is not a dtype.

    >>> import py_tensor as pt
    >>> pt.can_cast(pt.int8, pt.int16), pt.can_cast(pt.int32, pt.int16)
    (True, False)
    """
    source, target = _dtype_of("can_cast", from_), as_dtype(to, "can_cast")
    if source is target:
        return True
    widens = source.kind == target.kind or (source.kind, target.kind) in (
        ("u", "i"),
        ("f", "c"),
    )
    try:
        return widens and promote("can_cast", source, target) is target
    except DTypeError:
        return False


def result_type(*arrays_and_dtypes: DTypeLike | ArrayLike) -> DType:
    """Return the dtype that tensors, dtypes and Python numbers promote to.

    A Python number takes the dtype of the other arguments, if that has its kind.

    Args:
        arrays_and_dtypes: Tensors, dtypes, names of dtypes, or Python numbers; at least one.

    Returns:
        DType.

    Raises:
        DTypeError: If there is no common dtype.
        ArgumentError: If there are no arguments.

    >>> import py_tensor as pt
    >>> pt.result_type(pt.int8, pt.asarray([1.0]), 2)
    float32
    """
    if not arrays_and_dtypes:
        raise ArgumentError(
            "result_type: at least one argument is required; got no arguments; pass tensors or "
            "dtypes"
        )
    return promoted("result_type", arrays_and_dtypes)


def promoted(operation: str, values: Sequence[Any]) -> DType:
    """Return the dtype that tensors, dtypes and Python numbers promote to; at least one."""
    numbers = [value for value in values if is_number(value)]
    dtypes = [_dtype_of(operation, value) for value in values if not is_number(value)]
    dtype = dtypes[0] if dtypes else OF_PYTHON[kind_of(numbers[0])]
    for other in dtypes[1:]:
        dtype = promote(operation, dtype, other)
    for number in numbers:
        dtype = of_scalar(operation, sample(number), dtype)
    return dtype


def as_second_operand(operation: str, x: Tensor, value: Any) -> Tensor:
    """Convert a value to a tensor; a Python number gets its dtype in operations with x."""
    if kind_of(value) is bool or not is_number(value):
        return as_tensor(operation, value)
    return as_tensor(operation, value, of_scalar(operation, sample(value), x.dtype))


def is_number(value: Any) -> bool:
    """Return True for a Python number or a scalar tracer."""
    return kind_of(value) in OF_PYTHON


promote_types = result_type
