"""Data type functions: which dtypes there are, what they hold, and how they combine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..dtypes import OF_PYTHON, DType, as_dtype, of_scalar, promote
from ..errors import ArgumentError, DTypeError
from ..tensor import Tensor, as_tensor
from ..tracing import kind_of, sample


@dataclass(frozen=True)
class FloatInfo:
    """Machine limits of a floating dtype."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: DType


@dataclass(frozen=True)
class IntegerInfo:
    """Machine limits of an integer dtype."""

    bits: int
    max: int
    min: int
    dtype: DType


_FLOATS = {"float32": (23, 127), "float16": (10, 15)}
"""Bits of the mantissa, and the largest exponent."""
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


def finfo(type: Any, /) -> FloatInfo:
    """Machine limits of a floating dtype, or of a tensor's; of the parts of a complex one.

    Raises DTypeError for other dtypes.

    >>> import py_tensor as pt
    >>> pt.finfo(pt.float32).eps
    1.1920928955078125e-07
    """
    dtype = _dtype_of("finfo", type)
    name = _COMPONENTS.get(dtype.name, dtype.name)
    if name not in _FLOATS:
        raise DTypeError(f"finfo: dtype is not floating; got {dtype}; use pt.iinfo for integers")
    mantissa, exponent = _FLOATS[name]
    largest = (2.0 - 2.0**-mantissa) * 2.0**exponent
    part = as_dtype(name)
    return FloatInfo(part.bits, 2.0**-mantissa, largest, -largest, 2.0 ** (1 - exponent), part)


def iinfo(type: Any, /) -> IntegerInfo:
    """Machine limits of an integer dtype, or of a tensor's.

    Raises DTypeError for other dtypes.

    >>> import py_tensor as pt
    >>> pt.iinfo("int8").min
    -128
    """
    dtype = _dtype_of("iinfo", type)
    if dtype.kind not in "iu":
        raise DTypeError(f"iinfo: dtype is not an integer's; got {dtype}; use pt.finfo for floats")
    return IntegerInfo(dtype.bits, dtype.highest, dtype.lowest, dtype)


def isdtype(dtype: Any, kind: Any) -> bool:
    """Whether a dtype is another, or of a kind, or any of a tuple of those.

    Kinds are "bool", "signed integer", "unsigned integer", "integral", "real floating",
    "complex floating" and "numeric". Raises ArgumentError for other names.

    >>> import py_tensor as pt
    >>> pt.isdtype(pt.int8, ("real floating", "integral"))
    True
    """
    found = as_dtype(dtype, "isdtype")
    if isinstance(kind, tuple):
        return any(isdtype(found, one) for one in kind)
    if isinstance(kind, str):
        if kind not in _KINDS:
            raise ArgumentError(
                f"isdtype: no kind of that name; got {kind!r}; use one of {', '.join(_KINDS)}"
            )
        return found.kind in _KINDS[kind]
    return found is as_dtype(kind, "isdtype")


def can_cast(from_: Any, to: Any, /) -> bool:
    """Whether a dtype, or a tensor's, promotes to another without losing values.

    Raises DTypeError for what is no dtype.

    >>> import py_tensor as pt
    >>> pt.can_cast(pt.int8, pt.int16), pt.can_cast(pt.int32, pt.int16)
    (True, False)
    """
    source, target = _dtype_of("can_cast", from_), as_dtype(to, "can_cast")
    if source is target:
        return True
    same = source.kind == target.kind or (source.kind, target.kind) in (("u", "i"), ("f", "c"))
    try:
        return same and promote("can_cast", source, target) is target
    except DTypeError:
        return False


def result_type(*arrays_and_dtypes: Any) -> DType:
    """The dtype that tensors, dtypes and Python numbers together promote to.

    Numbers take the dtype of what stands beside them. Raises DTypeError where there is none.

    >>> import py_tensor as pt
    >>> pt.result_type(pt.int8, pt.asarray([1.0]), 2)
    float32
    """
    if not arrays_and_dtypes:
        raise ArgumentError("result_type: nothing to promote; got no arguments; give some")
    return promoted("result_type", arrays_and_dtypes)


def promoted(operation: str, values: Sequence[Any]) -> DType:
    """The dtype that tensors, dtypes and Python numbers promote to; at least one is given."""
    numbers = [value for value in values if is_number(value)]
    given = [_dtype_of(operation, value) for value in values if not is_number(value)]
    dtype = given[0] if given else OF_PYTHON[kind_of(numbers[0])]
    for other in given[1:]:
        dtype = promote(operation, dtype, other)
    for number in numbers:
        dtype = of_scalar(operation, sample(number), dtype)
    return dtype


def beside(operation: str, x: Tensor, value: Any) -> Tensor:
    """The value as a tensor; a Python number in the dtype that it has beside x."""
    if kind_of(value) is bool or not is_number(value):
        return as_tensor(operation, value)
    return as_tensor(operation, value, of_scalar(operation, sample(value), x.dtype))


def is_number(value: Any) -> bool:
    """Whether it is a Python number, or one traced."""
    return kind_of(value) in OF_PYTHON


PUBLIC: dict[str, Callable[..., Any]] = {
    function.__name__: function for function in (can_cast, finfo, iinfo, isdtype, result_type)
}
