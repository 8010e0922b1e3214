"""The backend, which runs what is pending: WebGL2 in a page, NumPy elsewhere.

The one place where a graph meets a backend. Comes in: nodes; goes out: the same nodes with buffers.
A graph seen before is found by its key and replayed without scheduling or compiling anything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakSet

from .backends.base import Backend
from .errors import ArgumentError, BackendError
from .nodes import Node, linearise

PLAN_LIMIT = 4096
"""Plans kept; the oldest goes first. A page whose shapes never repeat must not grow for ever."""

HOST_ELEMENTS = 16
"""Elements that plain Python computes in less time than a draw and a read take."""


class Runtime:
    """The chosen backend and the plans made so far."""

    def __init__(self) -> None:
        self.backends: dict[str, Backend] = {}
        self.backend: Backend | None = None
        self.plans: dict[tuple[Any, ...], Any] = {}
        self.traces: WeakSet[Any] = WeakSet()
        """What functions under `jit` hold in the place of plans."""
        self.hits = 0
        self.misses = 0
        self.host_elements = HOST_ELEMENTS
        """How large a value may be to be computed on the host when it is read; 0 is for none."""
        self.on_plan: Callable[[Any], None] | None = None


runtime = Runtime()


def backend() -> Backend:
    """The backend in use; the first call chooses WebGL where there is a context, else NumPy."""
    if runtime.backend is None:
        set_backend(None)
    assert runtime.backend is not None
    return runtime.backend


def _webgl() -> Backend:
    from .backends.webgl import create

    return create()


def _numpy() -> Backend:
    try:
        from .backends.numpy import NumpyBackend
    except ImportError as error:
        raise BackendError(
            'set_backend: numpy is not installed; got "numpy"; install NumPy'
        ) from error
    return NumpyBackend()


_MAKERS: dict[str, Callable[[], Backend]] = {"webgl": _webgl, "numpy": _numpy}


def set_backend(name: str | None) -> None:
    """Chooses where tensors are computed from now on: "webgl", "numpy", or None for either.

    Tensors made before stay valid. Raises BackendError, with the reason, where it cannot be had.

    >>> import py_tensor as pt
    >>> pt.set_backend("numpy")
    >>> pt.get_backend()
    'numpy'
    """
    if name is None:
        reasons = []
        for candidate in _MAKERS:
            try:
                set_backend(candidate)
                return
            except BackendError as error:
                reasons.append(str(error))
        raise BackendError("set_backend: no backend is available; got: " + " | ".join(reasons))
    if name not in runtime.backends:
        if name not in _MAKERS:
            raise BackendError(
                f"set_backend: no backend of that name; got {name!r}; "
                f"use one of {', '.join(_MAKERS)}"
            )
        runtime.backends[name] = _MAKERS[name]()
    runtime.backend = runtime.backends[name]


def get_backend() -> str:
    """The name of the backend in use: "webgl" or "numpy".

    The first call chooses where `set_backend` did not. Raises BackendError where there is neither.

    >>> import py_tensor as pt
    >>> pt.get_backend() in ("webgl", "numpy")
    True
    """
    return backend().name


def check_device(operation: str, device: Any) -> None:
    """Raises ArgumentError for a device other than None and the one in use."""
    if device is not None and device != backend().name:
        raise ArgumentError(
            f"{operation}: device is not in use; got {device!r}; this is {backend().name!r}, and "
            "pt.set_backend chooses another"
        )


def use(instance: Backend) -> None:
    """Puts a backend in use that was made elsewhere, as tests do."""
    runtime.backends[instance.name] = instance
    runtime.backend = instance


def realize_nodes(wanted: Sequence[Node]) -> None:
    """Computes those of the nodes that are pending."""
    pending = [node for node in wanted if node.buffer is None]
    if not pending:
        return
    engine = runtime.backend or backend()
    linear = linearise(pending)
    key = (engine, linear.key)
    plan = runtime.plans.get(key)
    if plan is None:
        runtime.misses += 1
        plan = engine.compile(linear.graph())
        if len(runtime.plans) >= PLAN_LIMIT:
            del runtime.plans[next(iter(runtime.plans))]
        runtime.plans[key] = plan
    else:
        runtime.hits += 1
    if runtime.on_plan is not None:
        runtime.on_plan(plan)
    nodes = linear.nodes
    for position, buffer in engine.run(
        plan, [node.buffer for node in linear.leaves], [node.value for node in linear.scalars]
    ):
        nodes[position].settle(buffer)
