"""`pt.warmup`: a function's trace, plan and programs, made before they are needed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from types import MethodType
from typing import Any

from .dtypes import DType, as_dtype, float32
from .functions.axes import a_shape
from .functions.creation import empty
from .jitting import Jitted, jit
from .pytree import tree_map
from .replaying import Trace

POLL_SECONDS = 0.004
"""Between two looks at the compiler; the page lives on meanwhile."""


class ShapeDtype:
    """A tensor's shape and dtype, in the place of a tensor.

    Raises ShapeError for negative lengths, DTypeError for dtypes that do not exist.

    >>> import py_tensor as pt
    >>> pt.ShapeDtype((2, 3), "float16")
    ShapeDtype((2, 3), float16)
    """

    __slots__ = ("dtype", "shape")

    def __init__(self, shape: Any, dtype: Any = float32) -> None:
        self.shape = a_shape("ShapeDtype", shape)
        self.dtype: DType = as_dtype(dtype, "ShapeDtype")

    def __repr__(self) -> str:
        return f"ShapeDtype({self.shape}, {self.dtype})"


def _tensor(leaf: Any) -> Any:
    return empty(leaf.shape, dtype=leaf.dtype) if isinstance(leaf, ShapeDtype) else leaf


def warmup(
    f: Callable[..., Any],
    /,
    *specs: Any,
    progress: Callable[[int, int], None] | None = None,
    **named: Any,
) -> Coroutine[Any, Any, Any]:
    """Makes a function ready for such arguments: `step = await pt.warmup(step, ...)`.

    `specs` and `named` are the arguments with a `pt.ShapeDtype` in the place of each tensor
    (tensors do too), numbers and static arguments as they will be. Traces the function and starts
    compiling everything it needs at once; awaiting waits without blocking the page, runs it once on
    blank tensors, and gives the function under `jit`. `progress(done, total)` is called as programs
    get ready. Raises what tracing raises here, ShaderError and BackendError where awaited.

    >>> import py_tensor as pt
    >>> @pt.jit
    ... def double(x):
    ...     return x * 2
    >>> coroutine = pt.warmup(double, pt.ShapeDtype((3,)))
    >>> coroutine.close()  # in a page: await coroutine
    >>> double(pt.ones(3)).tolist()
    [2.0, 2.0, 2.0]
    """
    if isinstance(f, MethodType) and isinstance(f.__func__, Jitted):
        specs = (f.__self__, *specs)
        f = f.__func__
    function = f if isinstance(f, Jitted) else jit(f)

    def described(place: int | str, spec: Any) -> Any:
        return spec if function.is_static(place) else tree_map(_tensor, spec)

    args = tuple(described(place, spec) for place, spec in enumerate(specs))
    kwargs = {name: described(name, spec) for name, spec in named.items()}
    return _wait(function, function.trace(args, kwargs, []), progress)


async def _wait(
    function: Jitted, trace: Trace, progress: Callable[[int, int], None] | None
) -> Jitted:
    shown = 0
    while True:
        done, total = trace.ready()
        if progress is not None and done > shown:
            progress(done, total)
            shown = done
        if done == total:
            break
        await asyncio.sleep(POLL_SECONDS)
    if total:
        await trace.rehearse()
    return function
