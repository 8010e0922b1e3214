"""Control and measure memory: `tidy`, `keep`, `dispose`, and exact counts.

CPython's reference counts return a texture to the pool when its last tensor is garbage-collected.
`tidy`, `keep` and `dispose` have the same names and meaning as in TensorFlow.js.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, cast, overload

from ..errors import ArgumentError
from ..functions.arguments import function_of
from ..ir.node import living
from ..runtime.executor import backend, runtime
from ..runtime.scopes import Scope, close_scope, open_scope, open_scopes, tensors_in
from ..signatures import parameters_of
from ..tensor import Tensor, node_behind


class _Tidy:
    """A scope as a context manager; calling it with a function decorates the function."""

    def __init__(self) -> None:
        self._open: list[Scope] = []

    def __enter__(self) -> _Tidy:
        self._open.append(open_scope("tidy"))
        return self

    def __exit__(self, *_: object) -> None:
        # Another task may have entered this object since, or may be the one that leaves it.
        own = open_scopes()
        scope = next((scope for scope in reversed(self._open) if scope in own), self._open[-1])
        self._open.remove(scope)
        close_scope(scope, None, Tensor)

    async def __aenter__(self) -> _Tidy:
        return self.__enter__()

    async def __aexit__(self, *_: object) -> None:
        self.__exit__()

    def __call__[Function: Callable[..., Any]](self, function: Function) -> Function:
        return cast("Function", _decorated(function))


def _refuse_generator(function: Callable[..., Any]) -> None:
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise ArgumentError(
            f"tidy: the function must not be a generator; got {function!r}; use `with pt.tidy():` "
            "inside it"
        )


def _decorated(function: Callable[..., Any]) -> Callable[..., Any]:
    _refuse_generator(function_of("tidy", "function", function))
    name = f"tidy({getattr(function, '__name__', 'function')})"

    @wraps(function)
    def tidied(*args: Any, **kwargs: Any) -> Any:
        scope, result = open_scope(name), None
        try:
            result = function(*args, **kwargs)
            return result
        finally:
            close_scope(scope, result, Tensor)

    @wraps(function)
    async def tidied_async(*args: Any, **kwargs: Any) -> Any:
        scope, result = open_scope(name), None
        try:
            result = await function(*args, **kwargs)
            return result
        finally:
            close_scope(scope, result, Tensor)

    return tidied_async if inspect.iscoroutinefunction(function) else tidied


@overload
def tidy() -> _Tidy: ...


@overload
def tidy[Result](function: Callable[[], Result], /) -> Result: ...


@overload
def tidy[Function: Callable[..., Any]](function: Function, /) -> Function: ...


def tidy(function: Callable[..., Any] | None = None, /) -> Any:
    """Dispose every tensor created inside that is neither returned nor kept.

    There are four forms: `pt.tidy(f)` runs a function without required parameters, `@pt.tidy`
    decorates a function with required parameters, `@pt.tidy()` decorates any function, and
    `with pt.tidy():` opens a scope for a block. Functions may be asynchronous, and
    `async with pt.tidy():` works, too; each asyncio task has scopes of its own.

    Args:
        function: Function to run or to decorate; None (default) for a scope or decorator.

    Returns:
        Result of `function` if it has no required parameters, else the decorated function. Returned
        tensors, also inside lists, tuples, dicts and dataclasses, move to the enclosing scope.

    Raises:
        ArgumentError: If the function is a generator.

    >>> import py_tensor as pt
    >>> with pt.tidy():
    ...     x = pt.ones(3)
    >>> x.is_disposed
    True
    """
    if function is None:
        return _Tidy()
    tidied, parameters = _decorated(function), parameters_of(function)
    return tidied if parameters is not None and parameters.required else tidied()


def keep(tensor: Tensor) -> Tensor:
    """Remove a tensor from all open scopes, so that `tidy` does not dispose it.

    Args:
        tensor: Tensor to keep.

    Returns:
        The same tensor.

    Raises:
        DisposedError: If the tensor has been disposed.

    >>> import py_tensor as pt
    >>> with pt.tidy():
    ...     x = pt.keep(pt.ones(3))
    >>> x.is_disposed
    False
    """
    node_behind("keep", tensor)
    for scope in open_scopes():
        scope.disown(tensor)
    return tensor


def dispose(*values: Any) -> None:
    """Dispose tensors; those already disposed are skipped.

    Args:
        values: Tensors, or lists, tuples, dicts and dataclasses that contain tensors.

    >>> import py_tensor as pt
    >>> x = pt.ones(3)
    >>> pt.dispose([x])
    >>> x.is_disposed
    True
    """
    for tensor in tensors_in(list(values), Tensor):
        tensor.dispose()


@dataclass(frozen=True)
class Memory:
    """Counts of living tensors and of GPU memory, returned by `memory`.

    >>> import py_tensor as pt
    >>> before = pt.memory().num_bytes
    >>> x = pt.ones(1000)
    >>> pt.memory().num_bytes - before
    4000
    """

    num_tensors: int
    """Tensors that are not disposed."""
    num_data_buffers: int
    """Distinct values of these tensors."""
    num_bytes: int
    """Bytes of the elements of these values."""
    num_bytes_in_gpu: int
    """Bytes of textures in use."""
    num_bytes_in_gpu_free: int
    """Bytes of free textures in the pool."""
    num_programs: int
    """Compiled shaders."""
    num_plans: int
    """Cached plans and executables."""
    unreliable: bool
    """Always False, because the counts are exact; the name is TensorFlow.js's."""


def memory() -> Memory:
    """Count living tensors, their distinct values, and textures.

    Returns:
        `Memory` with the fields num_tensors, num_data_buffers, num_bytes, num_bytes_in_gpu,
        num_bytes_in_gpu_free, num_programs, num_plans and unreliable.

    >>> import py_tensor as pt
    >>> before = pt.memory().num_tensors
    >>> x = pt.ones(3)
    >>> pt.memory().num_tensors - before
    1
    """
    now = living()
    values = {id(node): node.spec.nbytes for node in now.values()}
    statistics = backend().statistics()
    return Memory(
        num_tensors=len(now),
        num_data_buffers=len(values),
        num_bytes=sum(values.values()),
        num_bytes_in_gpu=statistics["bytesInUse"],
        num_bytes_in_gpu_free=statistics["bytesFree"],
        num_programs=statistics["programs"],
        num_plans=_plans(),
        unreliable=False,
    )


def _plans() -> int:
    return len(runtime.plans) + len(runtime.executables)


@dataclass(frozen=True)
class CacheInfo:
    """Counts of the plan cache and the shader cache, returned by `cache_info`.

    >>> import py_tensor as pt
    >>> pt.realize(pt.ones(100) * 3)
    >>> before = pt.cache_info().plan_hits
    >>> pt.realize(pt.ones(100) * 4)
    >>> pt.cache_info().plan_hits - before
    1
    """

    plan_hits: int
    """Lookups that found a cached plan or executable."""
    plan_misses: int
    """Lookups that compiled a new one."""
    programs: int
    """Compiled shaders."""
    plans: int
    """Cached plans and executables."""
    draws: int
    """Draws since the backend was created."""


def cache_info() -> CacheInfo:
    """Count cached plans, their hits and misses, compiled programs, and draws.

    Returns:
        `CacheInfo` with the fields plan_hits, plan_misses, programs, plans and draws.

    >>> import py_tensor as pt
    >>> pt.cache_info().plans >= 0
    True
    """
    statistics = backend().statistics()
    programs, draws = statistics["programs"], statistics["draws"]
    return CacheInfo(runtime.hits, runtime.misses, programs, _plans(), draws)
