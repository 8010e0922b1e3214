"""NumPy's arguments `out`, `where`, `dtype` and `casting`: results that are written to tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..dtypes import DType, as_dtype, wrong_type
from ..errors import DTypeError, ShapeError
from ..functions.arguments import choice, items
from ..functions.decorators import OF_OPERANDS, rename
from ..functions.elementwise import astype, where as where_true
from ..tensor import Tensor, as_tensor
from ..typing import ArrayLike, DTypeLike

SAME_KIND = "same_kind"
_CASTINGS = ("no", "equiv", "safe", SAME_KIND, "unsafe")
_RANKS = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}


def elementwise(
    function: Callable[..., Any],
    name: str,
    operands: tuple[Any, ...],
    out: Any,
    where: ArrayLike,
    dtype: DTypeLike | None,
    casting: str,
) -> Any:
    """Call an elementwise function with NumPy's arguments; return `out` if it is given.

    Where the mask `where` is False, elements of `out` stay as they are; without `out` they are 0.
    """
    unsafe = choice(name, "casting", casting, _CASTINGS) == "unsafe"
    target = None if dtype is None else as_dtype(dtype, name)
    if target is not None and target.kind != "b":
        tensors = [as_tensor(name, value) for value in operands]
        operands = tuple(
            astype(x, target, copy=False) if unsafe or _promotes(x, target) else x for x in tensors
        )
    results = function(*operands)
    several = isinstance(results, tuple)
    results = results if several else (results,)
    outs = _outs(name, out, len(results))
    written = []
    for result, one in zip(results, outs, strict=True):
        if target is not None and result.dtype.kind != "b":
            result = _cast(name, result, target, unsafe)
        if where is not True:
            with _named(name):
                result = where_true(where, result, 0 if one is None else one)
        written.append(result if one is None else stored(name, one, result, unsafe, spread=True))
    return tuple(written) if several else written[0]


def _outs(name: str, out: Any, count: int) -> tuple[Any, ...]:
    if out is None:
        return (None,) * count
    outs = items(name, "out", out) if isinstance(out, tuple) else (out,)
    if len(outs) != count:
        raise ShapeError(
            f"{name}: out has another number of tensors; got {len(outs)}; use {count} in a tuple"
        )
    return outs


def _promotes(x: Tensor, target: DType) -> bool:
    return _RANKS[x.dtype.kind] <= _RANKS[target.kind]


def _cast(name: str, result: Tensor, target: DType, unsafe: bool) -> Tensor:
    if not unsafe and not _promotes(result, target):
        raise DTypeError(
            f"{name}: results of {result.dtype} do not promote to {target}; got dtype {target}; "
            'use casting="unsafe"'
        )
    return astype(result, target, copy=False)


def written(
    function: Callable[..., Any], position: int, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Call a function without its argument `out`, at a position or by name; write the result."""
    rest = kwargs.copy()
    out = rest.pop("out", None)
    if len(args) > position:
        out, args = args[position], (*args[:position], None, *args[position + 1 :])
    result = function(*args, **rest)
    return result if out is None else stored(function.__name__, out, result)


def stored(
    name: str, out: Any, result: Tensor, unsafe: bool = False, *, spread: bool = False
) -> Tensor:
    """Assign a result to a tensor, as `out[...] = result` does, and return the tensor.

    The shapes must be equal, or broadcast with `spread`. `unsafe` allows any conversion of dtypes.
    """
    if isinstance(out, tuple) and len(out) == 1:
        out = out[0]
    if not isinstance(out, Tensor):
        advice = f"a Tensor, or write out[...] = pt.{name}(...)"
        raise wrong_type(name, "out", "a Tensor", out, advice)
    if out.shape != result.shape and not spread:
        raise ShapeError(
            f"{name}: out has another shape than the result; got {out.shape}; use {result.shape}"
        )
    with _named(name):
        out[...] = astype(result, out.dtype, copy=False) if unsafe else result
    return out


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Name the function in errors of the functions that it calls."""
    try:
        yield
    except OF_OPERANDS as error:
        rename(error, name)
        raise
