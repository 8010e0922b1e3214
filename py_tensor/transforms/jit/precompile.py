"""Define `pt.warmup`: trace a function and compile its programs before the first call."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from types import MethodType
from typing import Any

from ...dtypes import DType, as_dtype, float32
from ...functions.arguments import a_shape, function_of
from ...functions.creation import empty
from ...ir.pytree import tree_map
from ...typing import DTypeLike
from .api import Jitted, jit
from .executable import Executable

POLL_SECONDS = 0.004
"""Seconds between two polls of the compiler; the page stays responsive meanwhile."""


class ShapeDtype:
    """Describe a tensor argument of `warmup` by its shape and dtype.

    Args:
        shape: Shape, an int or a tuple of ints.
        dtype: Data type; float32 by default.

    Raises:
        ShapeError: If a length is negative.
        DTypeError: If the dtype does not exist.

    >>> import py_tensor as pt
    >>> pt.ShapeDtype((2, 3), "float16")
    ShapeDtype((2, 3), float16)
    """

    __slots__ = ("dtype", "shape")

    def __init__(self, shape: Any, dtype: DTypeLike = float32) -> None:
        self.shape = a_shape("ShapeDtype", shape)
        self.dtype: DType = as_dtype(dtype, "ShapeDtype")

    def __repr__(self) -> str:
        return f"ShapeDtype({self.shape}, {self.dtype})"


def _tensor(leaf: object) -> object:
    return empty(leaf.shape, dtype=leaf.dtype) if isinstance(leaf, ShapeDtype) else leaf


def warmup(
    f: Callable[..., Any],
    /,
    *specs: object,
    progress: Callable[[int, int], None] | None = None,
    **named: object,
) -> Coroutine[Any, Any, Any]:
    """Compile a function before its first call: `step = await pt.warmup(step, ...)`.

    The call traces the function and starts compiling its shaders. Awaiting the result waits for the
    compiler without blocking the page, and runs the function once on blank tensors. On WebGPU it
    also measures long kernels of matrix products and convolutions (`pt.env.autotune`).

    Args:
        f: Function, with or without `jit`.
        specs: Positional arguments of later calls, with `pt.ShapeDtype` instead of tensors (tensors
            are accepted too); numbers and static arguments as they will be passed.
        progress: Called as progress(done, total) with counts of shader programs; None (default) for
            no reports.
        named: Keyword arguments of later calls, like `specs`.

    Returns:
        Coroutine that returns the jitted function.

    Raises:
        ArgumentTypeError: If f or progress is not a function.
        ArgumentError, TraceError: If tracing fails; raised by the call itself.
        ShaderError, BackendError: If compilation fails; raised by the await.

    >>> import py_tensor as pt
    >>> @pt.jit
    ... def double(x):
    ...     return x * 2
    >>> coroutine = pt.warmup(double, pt.ShapeDtype((3,)))
    >>> coroutine.close()  # in a page: await coroutine
    >>> double(pt.ones(3)).tolist()
    [2.0, 2.0, 2.0]
    """
    function_of("warmup", "f", f)
    if progress is not None:
        function_of("warmup", "progress", progress)
    if isinstance(f, MethodType) and isinstance(f.__func__, Jitted):
        specs = (f.__self__, *specs)
        f = f.__func__
    function: Any = f if isinstance(f, Jitted) else jit(f)

    def described(parameter: int | str, spec: object) -> object:
        return spec if function.is_static(parameter) else tree_map(_tensor, spec)

    args = tuple(described(parameter, spec) for parameter, spec in enumerate(specs))
    kwargs = {name: described(name, spec) for name, spec in named.items()}
    return _wait(function, function.trace(args, kwargs, []), progress)


async def _wait(
    function: Jitted, executable: Executable, progress: Callable[[int, int], None] | None
) -> Jitted:
    shown = 0
    while True:
        done, total = executable.ready()
        if progress is not None and done > shown:
            progress(done, total)
            shown = done
        if done == total:
            break
        await asyncio.sleep(POLL_SECONDS)
    if total:
        await executable.tune()
        await executable.run_blank()
    return function
