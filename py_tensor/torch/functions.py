"""Functions of PyTorch on values, with PyTorch's arguments: `dim` is an axis, `keepdim` keeps it.

`methods` makes functions and methods of tensors of these tables.
"""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Callable, Sequence
from inspect import Parameter, Signature
from itertools import accumulate
from typing import Any

from .. import functions as F, linalg, nn, numpy_functions as N
from ..dtypes import DType
from ..tensor import Tensor as Value, handle_on
from ..transforms.autodiff import stop_gradient
from . import random

NAMES = {
    "dim": "axis", "keepdim": "keepdims", "dims": "axis", "diagonal": "k", "weight": "scale",
    "bias": "offset", "eps": "epsilon", "negative_slope": "alpha", "min_val": "low",
    "max_val": "high", "tau": "temperature", "upscale_factor": "factor",
}  # fmt: skip
"""Names of py_tensor's arguments, by those of PyTorch."""
Found = namedtuple("Found", "values indices")
"""Values and their positions along an axis."""
Table = dict[str, Callable[..., Any]]


def axes(dim: Any) -> Any:
    """Return an axis or a tuple of axes."""
    return tuple(dim) if isinstance(dim, (list, tuple)) else dim


def lengths(sizes: Any) -> tuple[int, ...]:
    """Return lengths that are given one by one, or as a sequence."""
    if len(sizes) == 1 and isinstance(sizes[0], Sequence):
        sizes = tuple(sizes[0])
    return tuple([int(length) for length in sizes])


def cast(x: Any, dtype: DType | None) -> Any:
    """Convert to a dtype, if there is one."""
    return x if dtype is None else F.astype(x, dtype, copy=False)


def adapted(function: Callable[..., Any], /, *required: str, **defaults: Any) -> Callable[..., Any]:
    """Return a function with PyTorch's arguments for one of py_tensor's.

    Required arguments are passed by position, those with defaults by py_tensor's names.
    """
    names = (*required, *defaults)
    # Functions of tensors handle it.
    known = {name: value for name, value in defaults.items() if name != "inplace"}

    def renamed(x: Any, *args: Any, **kwargs: Any) -> Any:
        own = known | dict(zip(names, args, strict=False)) | kwargs
        missing = [name for name in required if name not in own]
        if missing:
            raise TypeError(
                f"{renamed.__qualname__}: argument is missing; got {sorted(own)}; pass "
                f"{', '.join(missing)}"
            )
        first = [axes(own.pop(name)) for name in required]
        return function(x, *first, **{NAMES.get(n, n): axes(value) for n, value in own.items()})

    parameters = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in ("input", *required)]
    parameters += [
        Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=value)
        for name, value in defaults.items()
    ]
    vars(renamed)["__signature__"] = Signature(parameters)
    return renamed


def norm(x: Any, p: Any = 2, dim: Any = None, keepdim: bool = False) -> Any:
    """Return the p-norm of all elements, or along axes."""
    x = x.reshape(-1) if dim is None else x
    order = 2 if p in ("fro", None) else p
    return linalg.vector_norm(x, axis=axes(dim), keepdims=keepdim, ord=order)


def _div(x: Any, other: Any, *, rounding_mode: str | None = None) -> Any:
    quotient = x / other
    return quotient if rounding_mode is None else getattr(F, rounding_mode)(quotient)


def _var(x: Any, dim: Any = None, unbiased: Any = None, keepdim: Any = False, **kw: Any) -> Any:
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    correction = kw.get("correction", 1) if unbiased is None else float(unbiased)
    return F.var(x, axis=axes(dim), keepdims=keepdim, correction=correction)


def _chosen(x: Any, positions: Any, dim: int, keepdim: bool = True) -> Any:
    values = F.take_along_axis(x, positions, axis=dim)
    return Found(*(v if keepdim else F.squeeze(v, axis=dim) for v in (values, positions)))


def _extreme(whole: Any, position: Any, elementwise: Any) -> Callable[..., Any]:
    """Return `max` or `min`: of all elements, along an axis with positions, or of two tensors."""

    def function(x: Any, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
        if dim is None and other is None:
            return whole(x)
        if not isinstance(dim, int):
            return elementwise(x, dim if other is None else other)
        return _chosen(x, position(x, axis=dim, keepdims=True), dim, keepdim)

    return function


def _median(x: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    flat, axis = (x.reshape(-1), 0) if dim is None else (x, dim)
    middle = F.asarray([(flat.shape[axis] - 1) // 2])
    found = _chosen(flat, F.take(F.argsort(flat, axis=axis), middle, axis=axis), axis, keepdim)
    return found.values if dim is None else found


def _topk(x: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    return _chosen(x, F.topk(stop_gradient(x), k, axis=dim, largest=largest)[1], dim)


def _squeeze(x: Any, dim: Any = None) -> Any:
    given = range(x.ndim) if dim is None else [dim] if isinstance(dim, int) else dim
    return F.squeeze(x, axis=tuple([axis for axis in given if x.shape[axis] == 1]))


def _flatten(x: Any, start_dim: int = 0, end_dim: int = -1) -> Any:
    shape = x.shape or (1,)
    start, end = start_dim % len(shape), end_dim % len(shape) + 1
    return F.reshape(x, (*shape[:start], math.prod(shape[start:end]), *shape[end:]))


def _unflatten(x: Any, dim: int, sizes: Any) -> Any:
    return F.reshape(x, (*x.shape[: dim % x.ndim], *sizes, *x.shape[dim % x.ndim + 1 :]))


def _expand(x: Any, *sizes: Any) -> Any:
    wanted = lengths(sizes)
    own = (1,) * (len(wanted) - x.ndim) + x.shape
    shape = [n if n >= 0 else old for n, old in zip(wanted, own, strict=True)]
    return F.broadcast_to(x, tuple(shape))


def _at(x: Any, dim: int, key: Any) -> tuple[Any, ...]:
    return (..., key, *(slice(None),) * (x.ndim - 1 - dim % x.ndim))


def _split(x: Any, split_size: Any, dim: int = 0) -> Any:
    if isinstance(split_size, int):
        length = x.shape[dim]
        split_size = [min(split_size, length - at) for at in range(0, length, split_size)]
    ends = list(accumulate(split_size))
    parts = zip(ends, split_size, strict=True)
    return tuple([x[_at(x, dim, slice(end - size, end))] for end, size in parts])


def _gather(x: Any, dim: int, index: Any) -> Any:
    parts = [slice(n) for n in index.shape]
    parts[dim] = slice(None)
    return F.take_along_axis(x[tuple(parts)], index, axis=dim)


def _scatter(x: Any, dim: int, index: Any, src: Any, *, reduce: str | None = None) -> Any:
    key: list[Any] = [
        F.arange(n).reshape([-1 if axis == at else 1 for axis in range(index.ndim)])
        for at, n in enumerate(index.shape)
    ]
    key[dim] = index
    if isinstance(src, Value):
        src = src[tuple([slice(n) for n in index.shape])]
    return x.at[tuple(key)].add(src) if reduce == "add" else x.at[tuple(key)].set(src)


def _einsum(equation: str, *operands: Any) -> Any:
    nested = len(operands) == 1 and isinstance(operands[0], (list, tuple))
    return F.einsum(equation, *(operands[0] if nested else operands))


_REDUCED = "sum mean prod all any argmax argmin"
OWN: Table = {
    "add": lambda x, other, *, alpha=1: x + (other if alpha == 1 else alpha * other),
    "sub": lambda x, other, *, alpha=1: x - (other if alpha == 1 else alpha * other),
    "rsub": lambda x, other: other - x,
    "div": _div,
    "clamp": lambda x, min=None, max=None: F.clip(x, min, max),
    "addcmul": lambda x, a, b, *, value=1: x + value * a * b,
    "addcdiv": lambda x, a, b, *, value=1: x + value * a / b,
    "lerp": lambda x, end, weight: x + weight * (end - x),
    "addmm": lambda x, a, b, *, beta=1, alpha=1: beta * x + alpha * F.matmul(a, b),
    "round": lambda x, *, decimals=0: F.round(x * 10.0**decimals) / 10.0**decimals,
    "isclose": lambda x, y, rtol=1e-5, atol=1e-8: F.abs(x - y) <= atol + rtol * F.abs(y),
    "allclose": lambda x, y, rtol=1e-5, atol=1e-8: bool(OWN["isclose"](x, y, rtol, atol).all()),
    "equal": lambda x, other: x.shape == other.shape and bool((x == other).all()),
    **{
        name: adapted(getattr(F, own), dim=None, keepdim=False)
        for name, own in {"amax": "max", "amin": "min"}.items() | {(n, n) for n in _REDUCED.split()}
    },
    "logsumexp": adapted(nn.logsumexp, dim=None, keepdim=False),
    "var": _var,
    "std": lambda x, *args, **kwargs: F.sqrt(_var(x, *args, **kwargs)),
    "max": _extreme(F.max, F.argmax, F.maximum),
    "min": _extreme(F.min, F.argmin, F.minimum),
    "median": _median,
    "count_nonzero": adapted(F.count_nonzero, dim=None),
    "norm": norm,
    "softmax": lambda x, dim=-1, dtype=None: F.softmax(cast(x, dtype), axis=dim),
    "log_softmax": lambda x, dim=-1, dtype=None: nn.log_softmax(cast(x, dtype), axis=dim),
    "cumsum": adapted(F.cumulative_sum, dim=None),
    "cumprod": adapted(F.cumulative_prod, dim=None),
    "argsort": adapted(F.argsort, dim=-1, descending=False),
    "sort": lambda x, dim=-1, descending=False: _chosen(
        x, F.argsort(x, axis=dim, descending=descending), dim
    ),
    "topk": _topk,
    "unique": adapted(N.unique, return_inverse=False, return_counts=False),
    "quantile": adapted(F.quantile, "q", dim=None, keepdim=False),
    "cat": lambda tensors, dim=0: F.concat(
        [x for x in tensors if x.shape != (0,)] or tensors, axis=dim
    ),
    "stack": adapted(F.stack, dim=0),
    "hstack": N.hstack,
    "vstack": N.vstack,
    "repeat": lambda x, *sizes: F.tile(x, lengths(sizes)),
    "repeat_interleave": lambda x, repeats, dim=None: F.repeat(x, repeats, axis=dim),
    "flip": lambda x, *dims: F.flip(x, axis=lengths(dims)),
    "roll": adapted(F.roll, "shifts", dims=None),
    "tril": adapted(F.tril, diagonal=0),
    "triu": adapted(F.triu, diagonal=0),
    "diag": lambda x, diagonal=0: N.diag(x, diagonal),
    "meshgrid": lambda *xs, indexing="ij": tuple(F.meshgrid(*xs, indexing=indexing)),
    "broadcast_tensors": lambda *xs: tuple(F.broadcast_arrays(*xs)),
    "clone": lambda x, *, memory_format=None: handle_on(x._node),
    "gather": _gather,
    "scatter": _scatter,
    "scatter_add": lambda x, dim, index, src: _scatter(x, dim, index, src, reduce="add"),
    "index_select": lambda x, dim, index: F.take(x, index, axis=dim),
    "index_add": lambda x, dim, index, source, *, alpha=1: x.at[_at(x, dim, index)].add(
        alpha * source
    ),
    **dict.fromkeys(
        ("index_copy", "index_fill"), lambda x, dim, index, new: x.at[_at(x, dim, index)].set(new)
    ),
    "masked_fill": lambda x, mask, value: cast(F.where(mask, value, x), x.dtype),
    "masked_select": lambda x, mask: F.broadcast_arrays(x, mask)[0][mask],
    "where": lambda condition, *xs: F.where(condition, *xs) if xs else F.nonzero(condition),
    "nonzero": lambda x, as_tuple=False: F.nonzero(x) if as_tuple else N.argwhere(x),
    "take": lambda x, index: F.take(x.reshape(-1), index),
    "bincount": lambda x, weights=None, minlength=0: F.bincount(x, weights, minlength=minlength),
    "dot": lambda x, other: F.sum(x * other),
    "einsum": _einsum,
    "outer": lambda x, other: x[:, None] * other,
    "cdist": lambda x, y, p=2.0: norm(x[..., :, None, :] - y[..., None, :, :], p, -1),
    "type_as": lambda x, other: cast(x, other.dtype),
    "bernoulli": lambda x, p=None: cast(random.uniform_like(x) < (x if p is None else p), x.dtype),
    "multinomial": random.multinomial,
    "inverse": linalg.inv,
    "det": linalg.det,
}
"""Functions that are also methods."""
PARTS: Table = {
    "view": lambda x, *shape: F.reshape(x, lengths(shape)),
    "reshape": lambda x, *shape: F.reshape(x, lengths(shape)),
    "view_as": lambda x, other: F.reshape(x, other.shape),
    "flatten": _flatten,
    "unflatten": _unflatten,
    "transpose": N.swapaxes,
    "t": lambda x: x if x.ndim < 2 else F.matrix_transpose(x),
    "permute": lambda x, *dims: F.permute_dims(x, tuple([d % x.ndim for d in lengths(dims)])),
    "unsqueeze": lambda x, dim: F.expand_dims(x, axis=dim),
    "squeeze": _squeeze,
    "expand": _expand,
    "expand_as": lambda x, other: F.broadcast_to(x, other.shape),
    "narrow": lambda x, dim, start, length: x[_at(x, dim, slice(start, start + length))],
    "select": lambda x, dim, index: x[_at(x, dim, index)],
    "split": _split,
    "chunk": lambda x, chunks, dim=0: _split(x, -(-x.shape[dim] // chunks), dim),
    "tensor_split": lambda x, sections, dim=0: tuple(N.array_split(x, sections, axis=dim)),
    "unbind": lambda x, dim=0: tuple([x[_at(x, dim, at)] for at in range(x.shape[dim])]),
    "diagonal": lambda x, offset=0, dim1=0, dim2=1: N.diagonal(x, offset, dim1, dim2),
    "movedim": F.moveaxis,
    "getitem": lambda x, key: x[key],
}
"""Functions whose results are parts of their first argument."""
IN_PLACE: Table = {
    "zero": F.zeros_like,
    "fill": lambda x, value: F.broadcast_to(F.asarray(value, dtype=x.dtype), x.shape),
    "copy": lambda x, other, non_blocking=False: other,
    "normal": lambda x, mean=0.0, std=1.0, *, generator=None: (
        random.normal_like(x, generator) * std + mean
    ),
    "uniform": lambda x, a=0.0, b=1.0, *, generator=None: (
        random.uniform_like(x, generator) * (b - a) + a
    ),
    "exponential": lambda x, lambd=1.0: -F.log1p(-random.uniform_like(x)) / lambd,
}
"""Methods whose names end in `_` that are not functions, too."""
SAME = """
    abs acos acosh angle arccos:acos arcsin:asin arctan:atan asin asinh atan atan2 atanh
    bitwise_and bitwise_not:bitwise_invert bitwise_or bitwise_xor ceil conj cos cosh deg2rad
    digamma divide eq:equal erf erfc erfinv exp exp2 expm1 floor floor_divide fmod
    ge:greater_equal gt:greater hypot imag isfinite isinf isnan le:less_equal lgamma log log10
    log1p log2 logaddexp logical_and logical_not logical_or logical_xor lt:less maximum minimum
    mul:multiply multiply nan_to_num ne:not_equal neg:negative pow real reciprocal relu
    remainder rsqrt sigmoid sign sin sinh sqrt square subtract tan tanh true_divide:divide trunc
    bmm:matmul mm:matmul mv:matmul matmul kron trace isin broadcast_to tile searchsorted diff
    cross inner ravel
"""
"""Functions with the arguments of py_tensor's, as `name` or `name:name of py_tensor`."""
ASSIGNED = """
    abs add sub mul div pow clamp neg exp log sqrt rsqrt square sigmoid tanh relu floor ceil
    round addcmul addcdiv lerp masked_fill scatter scatter_add index_add index_copy index_fill
    bernoulli tril triu reciprocal remainder logical_and logical_or logical_not eq ne lt le gt ge
    sin cos trunc cumsum floor_divide zero fill copy normal uniform exponential
"""
"""Functions with a method whose name ends in `_`, which assigns the result to the tensor."""
ALIASES = {
    "concat": "cat", "concatenate": "cat", "swapaxes": "transpose", "moveaxis": "movedim",
    "clip": "clamp", "clip_": "clamp_", "not_equal": "ne", "greater": "gt", "less": "lt",
    "greater_equal": "ge", "less_equal": "le", "arctan2": "atan2", "absolute": "abs",
    "negative": "neg",
}  # fmt: skip
