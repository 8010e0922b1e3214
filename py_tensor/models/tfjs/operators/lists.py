"""Lists of tensors: TensorList, and TensorArray, which passes the list on as its flow.

A list is a value: writing an element returns another list.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from math import prod
from typing import Any

from .... import functions as F
from ....dtypes import DType, float32
from ....tensor import Tensor
from ... import folding
from ...execution import Operator, small
from ...graph import TEXT, ModelConstant, ValueList
from ...layouts import as_tensor
from ...options import Ints, single
from ..attributes import PartialShape, Type

type Known = Tensor | ModelConstant

LONGEST = 1 << 16
"""Maximum number of elements of a list."""


def _shape(lengths: int | Ints | PartialShape) -> PartialShape:
    """Return the shape of elements, of which -1 are unknown; a number is an unknown shape."""
    if lengths is None or isinstance(lengths, int):
        return None
    return tuple(None if n in (-1, None) else n for n in lengths)


def _merged(a: PartialShape, b: PartialShape) -> PartialShape:
    if a is None or b is None:
        return b if a is None else a
    if len(a) != len(b) or any(
        None not in pair and pair[0] != pair[1] for pair in zip(a, b, strict=True)
    ):
        raise ValueError(f"elements of shape {a} for a list of elements of shape {b}")
    return tuple(m if n is None else n for n, m in zip(a, b, strict=True))


def _length(count: int | Ints) -> int:
    length = single(count)
    if not 0 <= length <= LONGEST:
        raise ValueError(f"list of {length} elements; 0 to {LONGEST} are supported")
    return length


def reserve(shape: int | Ints, count: int | Ints, *, element_dtype: Type) -> ValueList:
    return ValueList((None,) * _length(count), _dtype(element_dtype), _shape(shape))


def _dtype(declared: Type) -> DType:
    """Return the dtype of elements; lists of lists have none of their own."""
    return float32 if declared.name == "DT_VARIANT" else declared.dtype


def empty(shape: int | Ints, count: int | Ints, *, element_dtype: Type) -> ValueList:
    return ValueList((), _dtype(element_dtype), _shape(shape))


def from_tensor(x: Known, shape: int | Ints, *, element_dtype: Type) -> ValueList:
    _length(x.shape[0])
    return ValueList(_rows(x), x.dtype, _merged(_shape(shape), x.shape[1:]))


def _rows(x: Known) -> tuple[Known, ...]:
    if isinstance(x, ModelConstant) and small(x):
        parts = folding.split(x, [1] * x.shape[0], results=x.shape[0])
        return tuple(folding.squeeze(part, [0]) for part in parts)
    return F.unstack(as_tensor(x))


def get(values: ValueList, index: int | Ints, shape: Any = None) -> Any:
    at = single(index)
    if not 0 <= at < len(values.elements):
        raise IndexError(f"element {at} of a list of {len(values.elements)}")
    element = values.elements[at]
    return _zeros(values, _shape(shape)) if element is None else element


def _zeros(values: ValueList, shape: PartialShape = None) -> Known:
    """Return an element that was not set: zeros or empty texts of the shape of the others."""
    lengths = _merged(shape, values.shape)
    for element in values.elements:
        if element is not None:
            lengths = _merged(lengths, element.shape)
    if lengths is None or None in lengths:
        raise ValueError("element of a list is read before it is written")
    filled = [n or 0 for n in lengths]
    if values.dtype is TEXT:
        return folding.made([b""] * prod(filled), filled, TEXT)
    return F.zeros(filled, dtype=values.dtype)


def put(values: ValueList, index: int | Ints, x: Any) -> ValueList:
    at = single(index)
    if not 0 <= at < LONGEST:
        raise IndexError(f"element {at} of a list of {len(values.elements)}")
    elements = list(values.elements)
    elements += [None] * (at + 1 - len(elements))
    elements[at] = x
    return replace(values, elements=tuple(elements))


def push(values: ValueList, x: Any) -> ValueList:
    return replace(values, elements=(*values.elements, x))


def pop(values: ValueList, shape: int | Ints | None = None) -> tuple[ValueList, Any]:
    last = get(values, len(values.elements) - 1, shape)
    return replace(values, elements=values.elements[:-1]), last


def length(values: ValueList) -> ModelConstant:
    return folding.made([len(values.elements)], ())


def resize(values: ValueList, count: int | Ints) -> ValueList:
    wanted = _length(count)
    more = (None,) * (wanted - len(values.elements))
    return replace(values, elements=values.elements[:wanted] + more)


def stack(values: ValueList, shape: int | Ints | None = None, *, num_elements: int = -1) -> Known:
    if num_elements not in (-1, len(values.elements)):
        raise ValueError(f"list of {len(values.elements)} elements instead of {num_elements}")
    return _stacked(values, range(len(values.elements)), _shape(shape))


def _stacked(values: ValueList, places: Sequence[int], shape: PartialShape) -> Known:
    elements: list[Known] = []
    for at in places:
        element = get(values, at) if values.elements[at] is not None else None
        elements.append(_zeros(values, shape) if element is None else element)
    lengths = (0, *(n or 0 for n in _merged(shape, values.shape) or ()))
    if values.dtype is TEXT:
        if not elements:
            return folding.made([], lengths, TEXT)
        texts = (item for item in elements if isinstance(item, ModelConstant))
        return folding.concat(*(folding.unsqueeze(item, 0) for item in texts), axis=0)
    if elements:
        return F.stack(list(map(as_tensor, elements)))
    return F.zeros(lengths, dtype=values.dtype)


def gather(values: ValueList, places: Ints, shape: int | Ints | None = None) -> Known:
    _checked(places, len(values.elements))
    return _stacked(values, places, _shape(shape))


def _checked(places: Ints, count: int) -> None:
    for at in places:
        if not 0 <= at < count:
            raise IndexError(f"element {at} of a list of {count}")


def scatter(
    x: Known, places: Ints, shape: int | Ints, count: int | Ints = -1, *, element_dtype: Type
) -> ValueList:
    wanted = max(single(count), max(places, default=-1) + 1)
    values = ValueList((None,) * _length(wanted), x.dtype, _shape(shape))
    return _put_rows(values, places, x)


def _put_rows(values: ValueList, places: Ints, x: Known) -> ValueList:
    if any(not 0 <= at < LONGEST for at in places):
        raise IndexError(f"elements {places} of a list of {len(values.elements)}")
    elements: list[Any] = list(values.elements)
    elements += [None] * (max(places, default=-1) + 1 - len(elements))
    for at, row in zip(places, _rows(x), strict=True):
        elements[at] = row
    return replace(values, elements=tuple(elements))


def concat(
    values: ValueList,
    shape: int | Ints | None = None,
    lengths: Any = None,
    *,
    element_shape: PartialShape = None,
) -> tuple[Any, ModelConstant]:
    parts = [as_tensor(x) for x in values.elements if x is not None]
    lengths = folding.made([part.shape[0] for part in parts], (len(parts),))
    if not parts:
        inner = (values.shape or (0,))[1:]
        return F.zeros((0, *(n or 0 for n in inner)), dtype=values.dtype), lengths
    return F.concat(parts, axis=0), lengths


def split(x: Known, shape: int | Ints, lengths: Ints, *, element_dtype: Type) -> ValueList:
    return ValueList(_parts(x, lengths), x.dtype, _shape(shape))


def _parts(x: Known, lengths: Ints) -> tuple[Tensor, ...]:
    tensor = as_tensor(x)
    if sum(lengths) != tensor.shape[0] or min(lengths, default=0) < 0:
        raise ValueError(f"lengths {lengths} of {tensor.shape[0]} rows")
    ends = accumulate(lengths)
    return tuple(tensor[end - n : end] for n, end in zip(lengths, ends, strict=True))


def array(
    size: int | Ints, *, dtype: Type, element_shape: PartialShape = None
) -> tuple[ValueList, ...]:
    values = ValueList((None,) * _length(size), _dtype(dtype), element_shape)
    return values, values


def array_put(handle: Any, index: int | Ints, x: Any, flow: ValueList) -> ValueList:
    return put(flow, index, x)


def array_get(handle: Any, index: int | Ints, flow: ValueList) -> Any:
    return get(flow, index)


def array_gather(
    handle: Any, places: Ints, flow: ValueList, *, element_shape: PartialShape = None
) -> Known:
    _checked(places, len(flow.elements))
    return _stacked(flow, places, element_shape)


def array_scatter(handle: Any, places: Ints, x: Known, flow: ValueList) -> ValueList:
    return _put_rows(flow, places, x)


def array_concat(
    handle: Any, flow: ValueList, *, element_shape_except0: PartialShape = None
) -> tuple[Any, ModelConstant]:
    return concat(flow)


def array_split(handle: Any, x: Known, lengths: Ints, flow: ValueList) -> ValueList:
    return replace(flow, elements=_parts(x, lengths))


def array_size(handle: Any, flow: ValueList) -> ModelConstant:
    return length(flow)


def close(handle: Any) -> tuple[()]:
    return ()


def _row(function: Any, *host: str) -> Operator:
    return Operator(function, host=host, raw=True)


OPERATORS = {
    "EmptyTensorList": _row(empty, "shape", "count"),
    "TensorArrayCloseV3": _row(close),
    "TensorArrayConcatV3": _row(array_concat),
    "TensorArrayGatherV3": _row(array_gather, "places"),
    "TensorArrayReadV3": _row(array_get, "index"),
    "TensorArrayScatterV3": _row(array_scatter, "places"),
    "TensorArraySizeV3": _row(array_size),
    "TensorArraySplitV3": _row(array_split, "lengths"),
    "TensorArrayV3": _row(array, "size"),
    "TensorArrayWriteV3": _row(array_put, "index"),
    "TensorListConcat": _row(concat),
    "TensorListConcatV2": _row(concat, "shape"),
    "TensorListFromTensor": _row(from_tensor, "shape"),
    "TensorListGather": _row(gather, "places", "shape"),
    "TensorListGetItem": _row(get, "index", "shape"),
    "TensorListLength": _row(length),
    "TensorListPopBack": _row(pop, "shape"),
    "TensorListPushBack": _row(push),
    "TensorListReserve": _row(reserve, "shape", "count"),
    "TensorListResize": _row(resize, "count"),
    "TensorListScatter": _row(scatter, "places", "shape"),
    "TensorListScatterV2": _row(scatter, "places", "shape", "count"),
    "TensorListSetItem": _row(put, "index"),
    "TensorListSplit": _row(split, "shape", "lengths"),
    "TensorListStack": _row(stack, "shape"),
}
