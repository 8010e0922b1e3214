"""Memory: scopes that end tensors, tensors ended or kept by hand, and exact counts.

CPython's reference counts return a texture to the pool when its last tensor dies; `tidy`, `keep`
and `dispose` exist as in TensorFlow.js and mean the same.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from types import CodeType, TracebackType
from typing import Any

from . import lifetime
from .errors import ArgumentError
from .lifetime import Scope, close_scope, open_scope, scopes, state, tensors_in
from .runtime import backend, runtime
from .tensor import Tensor, node_behind


class _Tidy:
    """A scope as context manager; called with a function, runs it or decorates it."""

    def __init__(self) -> None:
        self._open: list[Scope] = []

    def __enter__(self) -> _Tidy:
        self._open.append(open_scope("tidy"))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        close_scope(self._open.pop(), None, Tensor)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return _decorated(function)


def _refuse_async(function: Callable[..., Any]) -> None:
    if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
        raise ArgumentError(
            f"tidy: the function does not finish when it returns; got {function!r}; "
            "use `with pt.tidy():` around the parts between two awaits"
        )


def _decorated(function: Callable[..., Any]) -> Callable[..., Any]:
    _refuse_async(function)

    @wraps(function)
    def tidied(*args: Any, **kwargs: Any) -> Any:
        return _run(function, args, kwargs)

    return tidied


def _run(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    scope = open_scope(f"tidy({getattr(function, '__name__', 'function')})")
    result = None
    try:
        result = function(*args, **kwargs)
        return result
    finally:
        close_scope(scope, result, Tensor)


def tidy(function: Callable[..., Any] | None = None, /) -> Any:
    """Ends every tensor made inside that is neither returned nor kept.

    `pt.tidy(f)` with a function of no required parameters runs it and gives its result; `@pt.tidy`
    decorates one with parameters, `@pt.tidy()` any; `with pt.tidy():` is a scope. Returned tensors,
    also inside lists, tuples, dicts and dataclasses, belong to the scope around it. Raises
    ArgumentError for async functions.

    >>> import py_tensor as pt
    >>> with pt.tidy():
    ...     x = pt.ones(3)
    >>> x.is_disposed
    True
    """
    if function is None:
        return _Tidy()
    _refuse_async(function)
    return _decorated(function) if _takes_arguments(function) else _run(function, (), {})


def _takes_arguments(function: Callable[..., Any]) -> bool:
    """Whether the function needs arguments; evaluates no annotations, as `inspect` may."""
    function = inspect.unwrap(function)
    plain = getattr(function, "__func__", function)
    code: CodeType | None = getattr(plain, "__code__", None)
    if code is None:
        return False
    positional = code.co_argcount - len(plain.__defaults__ or ()) - (plain is not function)
    return positional > 0 or code.co_kwonlyargcount > len(plain.__kwdefaults__ or ())


def keep(tensor: Tensor) -> Tensor:
    """The tensor, no longer owned by any open scope: `tidy` will not end it.

    Raises DisposedError for one that has ended.

    >>> import py_tensor as pt
    >>> with pt.tidy():
    ...     x = pt.keep(pt.ones(3))
    >>> x.is_disposed
    False
    """
    node_behind("keep", tensor)
    for scope in scopes:
        scope.disown(tensor)
    return tensor


def dispose(*values: Any) -> None:
    """Ends tensors, also those inside lists, tuples, dicts and dataclasses. Twice does nothing.

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
    """What is alive now; made by `memory`. Bytes are of elements, GPU bytes of textures.

    >>> import py_tensor as pt
    >>> before = pt.memory().num_bytes
    >>> x = pt.ones(1000)
    >>> pt.memory().num_bytes - before
    4000
    """

    num_tensors: int
    """Tensors that are not disposed."""
    num_data_buffers: int
    """Distinct values behind them."""
    num_bytes: int
    """Bytes of those values."""
    num_bytes_in_gpu: int
    """Bytes of textures in use."""
    num_bytes_in_gpu_free: int
    """Bytes of textures that wait to be used again."""
    num_programs: int
    """Compiled shaders."""
    num_plans: int
    """Plans and traces that are kept."""
    unreliable: bool
    """Always False, as counts are exact; TensorFlow.js has the name."""


def memory() -> Memory:
    """Counts of what is alive: handles not disposed, distinct values behind them, and textures.

    >>> import py_tensor as pt
    >>> before = pt.memory().num_tensors
    >>> x = pt.ones(3)
    >>> pt.memory().num_tensors - before
    1
    """
    values = {id(node): node.spec.nbytes for node in state.live.values()}
    statistics = backend().statistics()
    return Memory(
        num_tensors=len(state.live),
        num_data_buffers=len(values),
        num_bytes=sum(values.values()),
        num_bytes_in_gpu=statistics["bytesInUse"],
        num_bytes_in_gpu_free=statistics["bytesFree"],
        num_programs=statistics["programs"],
        num_plans=_plans(),
        unreliable=False,
    )


def _plans() -> int:
    return len(runtime.plans) + len(runtime.traces)


@dataclass(frozen=True)
class CacheInfo:
    """How often pending work was seen before; made by `cache_info`.

    >>> import py_tensor as pt
    >>> pt.realize(pt.ones(100) * 3)
    >>> before = pt.cache_info().plan_hits
    >>> pt.realize(pt.ones(100) * 4)
    >>> pt.cache_info().plan_hits - before
    1
    """

    plan_hits: int
    """Pending work that had a plan."""
    plan_misses: int
    """Pending work that a plan was made for."""
    programs: int
    """Compiled shaders."""
    plans: int
    """Plans and traces that are kept."""
    draws: int
    """Draws since the start."""


def cache_info() -> CacheInfo:
    """Plans found and made, programs compiled, draws run since the start.

    >>> import py_tensor as pt
    >>> pt.cache_info().plans >= 0
    True
    """
    statistics = backend().statistics()
    return CacheInfo(
        runtime.hits,
        runtime.misses,
        statistics["programs"],
        _plans(),
        statistics["draws"],
    )


_lines: dict[int, str] = {}


def _note(tensor: Tensor) -> None:
    _lines[id(tensor)] = lifetime.user_line()


def memory_trace(enable: bool | None = None) -> dict[str, tuple[int, int]]:
    """Living tensors by the user's line that made them, most bytes first.

    The result reads {"file.py:12": (tensors, bytes)}.
    Lines are noted from `memory_trace(True)` on, and in debug mode; tensors made before are under
    "not traced". `memory_trace(False)` stops noting.

    >>> import py_tensor as pt
    >>> trace = pt.memory_trace(True)
    >>> x = pt.ones(3)
    >>> sum(count for count, _ in pt.memory_trace().values()) >= 1
    True
    >>> trace = pt.memory_trace(False)
    """
    if enable is not None:
        lifetime.unwatch(_note)
        _lines.clear()
        if enable:
            lifetime.watch(_note)
    for identity in _lines.keys() - state.live.keys():
        del _lines[identity]
    groups: dict[str, tuple[int, int]] = {}
    for identity, node in state.live.items():
        line = _lines.get(identity, "not traced")
        count, nbytes = groups.get(line, (0, 0))
        groups[line] = (count + 1, nbytes + node.spec.nbytes)
    return dict(sorted(groups.items(), key=lambda item: -item[1][1]))
