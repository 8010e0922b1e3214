"""Choose the backend and run pending nodes on it.

WebGPU or WebGL2 computes on a GPU, else WebAssembly, else NumPy, and plain Python where none of
them is available.

Input: pending nodes. Output: the same nodes with buffers. Plans are cached by the graph's key, so
that a graph with a known key runs without lowering or compilation.
"""

from __future__ import annotations

import warnings
from _thread import _count as other_threads
from collections.abc import Awaitable, Callable, Sequence
from typing import Any
from weakref import WeakSet

from ..dtypes import BY_NAME, EXTENDED, WIDE, described, extend, wrong_type
from ..errors import ArgumentError, BackendError
from ..ir.node import (
    BoundedCache,
    LinearizedGraph,
    OpGraph,
    OpNode,
    linearize,
    lock,
    pullbacks,
    tapes,
    tracking,
    with_family,
)
from ..late import LateModule, namespace
from ..settings import require_page
from . import host_data
from .backends.base import Backend, Buffer

__all__ = ["enable_x64", "get_backend", "ready", "register_backend", "set_backend"]

PLAN_LIMIT = 1024
"""Size of the plan cache; the oldest plan is evicted first, so that changing shapes cannot leak."""


class Runtime:
    """The backend in use and the plan cache."""

    def __init__(self) -> None:
        self.backends: dict[str, Backend] = {}
        self.backend: Backend | None = None
        self.choice = ""
        """Reason for which that backend is in use."""
        self.preferred: str | None = None
        """Backend that the page's address names, which is tried first by the automatic choice."""
        self.plans: BoundedCache[tuple[Any, ...], Any] = BoundedCache(PLAN_LIMIT)
        self.executables: WeakSet[Any] = WeakSet()
        """Executables of jitted functions, which own their plans."""
        self.hits = 0
        self.misses = 0
        self.observer: Callable[[Backend, Any], Callable[..., Any]] | None = None
        """Returns a function that runs a plan instead of `Backend.run`; see `runner`."""


runtime = Runtime()


def backend() -> Backend:
    """Return the backend in use; the first call chooses the first one that is available."""
    if runtime.backend is None:
        set_backend(None)
    assert runtime.backend is not None
    return runtime.backend


def stores_halves() -> bool:
    """Return True if the backend in use stores float32 as float16."""
    return bool(backend().fact("float16_storage"))


def _optional(name: str, create: Callable[[], Backend], install: str) -> Callable[[], Backend]:
    """Return the function that creates a backend whose module imports a package of its name."""

    def create_installed() -> Backend:
        try:
            return create()
        except ImportError as error:
            raise BackendError(
                f'set_backend: {name} is not installed; got "{name}"; {install}'
            ) from error

    return create_installed


def _in_page(name: str, create: Callable[[], Backend]) -> Callable[[], Backend]:
    """Return the function that creates a backend; its module is imported in web pages only."""

    def create_in_page() -> Backend:
        require_page(name)
        return create()

    return create_in_page


_FACTORIES: dict[str, Callable[[], Backend]] = {
    "webgpu": _in_page("webgpu", LateModule("runtime.backends.webgpu").create),
    "webgl": _in_page("webgl", LateModule("runtime.backends.webgl").create),
    "wasm": _optional(
        "wasm",
        _in_page("wasm", LateModule("runtime.backends.wasm").create),
        "use another backend",
    ),
    "numpy": _optional("numpy", LateModule("runtime.backends.numpy").NumpyBackend, "install NumPy"),
    "python": LateModule("runtime.backends.python").PythonBackend,
    "jax": _optional(
        "jax", LateModule("runtime.backends.jax").JaxBackend, 'pip install "py_tensor[jax]"'
    ),
}
"""Functions that create the backends. JAX is used only if it is chosen."""

_OPENERS: dict[str, Callable[[bool], Awaitable[Backend]]] = {
    "webgpu": LateModule("runtime.backends.webgpu").open_backend
}
"""Functions that create a backend without blocking, for `ready`.

With True, they raise BackendError if blocking reads are not possible.
"""

_GPU = "gpu"
_GROUPS = {_GPU: ("webgpu", "webgl")}
"""Names for the first of several backends that is available."""

_ORDER: tuple[tuple[str, bool], ...] = (
    ("webgpu", False),
    ("webgl", False),
    ("wasm", True),
    ("numpy", True),
    ("webgl", True),
    ("python", True),
)
"""Backends in the order in which they are tried, the fastest first. False: only if a GPU computes.

WebGL2 that draws on the processor is 5 to 20 times slower than NumPy. WebGPU on the processor is
used only if it is chosen.
"""

_WARNINGS = {
    "numpy": (
        "renderer of webgl",
        "NumPy computes all tensors, because WebGL2 draws on the processor here, which is 5 to 20 "
        "times slower; got {}; turn hardware acceleration on, or call "
        'pt.set_backend("webgl")',
    ),
    "python": (
        "reasons",
        "plain Python computes all tensors, which is slow; got: {}; use a browser with WebGL2 and "
        "turn its hardware acceleration on (https://get.webgl.org/webgl2 shows whether it works), "
        "or install NumPy",
    ),
}
"""Warnings of a choice, each with the fact without which it is not shown."""


def set_backend(name: str | None) -> None:
    """Choose the backend that computes tensors from now on.

    Existing tensors stay valid. None chooses WebGPU if a GPU computes and Python can wait for it,
    else WebGL2 if a GPU draws, else WebAssembly, which needs a browser or Node, else NumPy, WebGL2
    that draws on the processor, or plain Python, which is slow. A warning says so if NumPy replaces
    WebGL2 on the processor, or if plain Python is used. `pt.env.backend_choice` is the reason for
    the choice.

    Opening a WebGPU device waits for the browser. If Python cannot wait there, use `pt.ready`.

    Args:
        name: "webgpu", "webgl", "wasm", "numpy", "python", or None for the fastest of these that is
            available; "gpu" for WebGPU or else WebGL2; or "jax", which compiles programs for the
            processor, GPUs and TPUs.

    Raises:
        BackendError: If the backend does not exist or is not available.

    >>> import py_tensor as pt
    >>> pt.set_backend("numpy")
    >>> pt.get_backend()
    'numpy'
    """
    if name is None:
        _choose({})
        return
    _check("set_backend", name)
    if name == _GPU:
        _use_first(_GROUPS[name], {})
    else:
        runtime.backend = _available(name)
        runtime.choice = "set by pt.set_backend"


async def ready(backend: str | None = None) -> str:
    """Choose the backend that computes tensors from now on, without blocking, and return its name.

    It does what `pt.set_backend` does, also where Python cannot wait for the browser to open a
    WebGPU device: in browsers without JavaScript Promise Integration, and in code that was not
    called by `pyodide.runPythonAsync`. There, elements of tensors are read by `await t.data()`.

    Args:
        backend: Name of a backend, as in `pt.set_backend`. None chooses the fastest one on which
            blocking reads are possible, too.

    Returns:
        Name of the backend in use.

    Raises:
        BackendError: If the backend does not exist or is not available.

    >>> import py_tensor as pt
    >>> import asyncio
    >>> asyncio.run(pt.ready("numpy"))
    'numpy'
    """
    failed: dict[str, str] = {}
    if backend is not None:
        _check("ready", backend)
    wanted = backend or runtime.preferred
    for name in _GROUPS.get(wanted, (wanted,)) if wanted else _OPENERS:
        opener = _OPENERS.get(name)
        if opener is None or name in runtime.backends:
            continue
        try:
            runtime.backends[name] = await opener(wanted is None)
        except BackendError as error:
            if backend == name:
                raise
            failed[name] = str(error)
    if backend is None:
        _choose(failed)
    elif backend == _GPU:
        _use_first(_GROUPS[backend], failed)
    else:
        set_backend(backend)
    return get_backend()


def prefer(name: str) -> None:
    """Try a backend first when the first computation chooses one, as the page's address asks."""
    _check("set_backend", name)
    runtime.preferred = name
    runtime.backend = None


def _check(operation: str, name: object) -> None:
    """Raise BackendError if there is no backend of a name."""
    if not isinstance(name, str) or name not in {*runtime.backends, *_FACTORIES, *_GROUPS}:
        raise BackendError(
            f"{operation}: unknown backend; got {described(name)}; use one of "
            f"{', '.join((*_FACTORIES, *_GROUPS))}"
        )


def _available(name: str) -> Backend:
    """Return the backend of a name, created when it is first asked for; raise BackendError."""
    engine = runtime.backends.get(name) or _FACTORIES[name]()
    if not engine.jax_arrays and EXTENDED[0].name in BY_NAME:
        raise BackendError(
            f"set_backend: 64-bit dtypes exist on JAX alone; got {name!r} after pt.enable_x64; "
            "start a new process for another backend"
        )
    runtime.backends[name] = engine
    return engine


def _tried(name: str, failed: dict[str, str]) -> Backend | None:
    """Return a backend; None if it is not available, for the reason that is added to `failed`."""
    if name in failed:
        return None
    try:
        return _available(name)
    except BackendError as error:
        failed[name] = str(error)
        return None


def _use_first(names: Sequence[str], failed: dict[str, str]) -> None:
    """Use the first available backend of a GPU, also one that computes on the processor."""
    engines = [engine for name in names if (engine := _tried(name, failed))]
    if not engines:
        raise BackendError(
            f"set_backend: no backend computes on a GPU here; got: {' | '.join(failed.values())}; "
            "use pt.set_backend(None) for the fastest backend"
        )
    # Sorting is stable: those on a GPU come first.
    runtime.backend = min(engines, key=lambda engine: engine.on_processor)
    runtime.choice = f'{runtime.backend.name} is the first of "gpu"'
    if failed:
        runtime.choice += f" ({' | '.join(failed.values())})"


def _use_preferred(failed: dict[str, str]) -> bool:
    """Use the backend that the page's address names; return False if it is not available."""
    wanted = runtime.preferred
    if wanted is None:
        return False
    try:
        if wanted in _GROUPS:
            _use_first(_GROUPS[wanted], failed)
        else:
            engine = _tried(wanted, failed)
            if engine is None:
                return False
            runtime.backend = engine
    except BackendError:
        return False
    runtime.choice = f"the page's address names {wanted}"
    return True


def _choose(failed: dict[str, str]) -> None:
    """Use the fastest backend that is available; `failed` are reasons against some that are not."""
    if _use_preferred(failed):
        return
    reasons = dict(failed)
    facts: dict[str, str] = {}
    for name, with_processor in _ORDER:
        engine = _tried(name, failed)
        if engine is None:
            reasons[name] = failed[name]
            continue
        if engine.on_processor and not with_processor:
            renderer = engine.fact("renderer")
            reasons[name] = f"{name}: it computes on the processor here ({renderer})"
            facts[f"renderer of {name}"] = renderer
            continue
        reasons.pop(name, None)
        facts["reasons"] = " | ".join(reasons.values())
        runtime.backend = engine
        runtime.choice = f"{name} is the fastest backend here"
        if reasons:
            runtime.choice += f" ({facts['reasons']})"
        fact, text = _WARNINGS.get(name, ("", ""))
        if facts.get(fact):
            warnings.warn(f"set_backend: {text.format(facts[fact])}", stacklevel=3)
        return
    raise BackendError(f"set_backend: no backend is available; got: {' | '.join(reasons.values())}")


def enable_x64() -> None:
    """Add float64, int64, uint64 and bfloat16, which exist on the JAX backend alone.

    Their names and `pt.float64`, `pt.int64`, `pt.uint64` and `pt.bfloat16` then mean these dtypes,
    and arrays of them keep their dtype. Python numbers still become int32 and float32. The call
    also sets JAX's own option `jax_enable_x64`. It holds until the process ends, and no other
    backend can be chosen after it; call it at the start of a program.

    Raises:
        BackendError: If the backend in use is not "jax".

    >>> import py_tensor as pt
    >>> pt.set_backend("jax")  # doctest: +SKIP
    >>> pt.enable_x64()  # doctest: +SKIP
    >>> pt.asarray([1.0, 2.0], dtype="float64").dtype  # doctest: +SKIP
    float64
    """
    engine: Any = backend()
    if not engine.jax_arrays:
        raise BackendError(
            f"enable_x64: 64-bit dtypes exist on JAX alone; got backend {engine.name}; call "
            'pt.set_backend("jax") first'
        )
    engine.enable_x64()
    extend()
    host_data.extend()
    vars(namespace()).update({dtype.name: dtype for dtype in EXTENDED} | WIDE)


def register_backend(name: str, factory: Callable[[], Backend]) -> None:
    """Add a backend that `set_backend` can choose.

    Args:
        name: Name of the backend, which its attribute `name` repeats. A registered one is replaced.
        factory: Function that creates the backend, an object with the methods of `Backend` in
            `py_tensor.runtime.backends.base`. It is called when the backend is first chosen.

    >>> import py_tensor as pt
    >>> from py_tensor.runtime.backends.numpy import NumpyBackend
    >>> pt.register_backend("numpy", NumpyBackend)
    >>> pt.set_backend("numpy")
    >>> (pt.ones(2) + 1.0).tolist()
    [2.0, 2.0]
    """
    if not isinstance(name, str):
        raise wrong_type("register_backend", "name", "text", name)
    if not callable(factory):
        raise wrong_type("register_backend", "factory", "a function", factory)
    runtime.backends.pop(name, None)
    _FACTORIES[name] = factory


def get_backend() -> str:
    """Return the name of the backend in use; the first use chooses one.

    Returns:
        "webgpu", "webgl", "wasm", "numpy" or "python": the fastest of these that is available, or
        the one chosen with `pt.set_backend`, which may also be "jax".

    Raises:
        BackendError: If no backend is available.

    >>> import py_tensor as pt
    >>> pt.get_backend() in ("webgpu", "webgl", "wasm", "numpy", "python", "jax")
    True
    """
    return backend().name


def check_device(operation: str, device: Any) -> None:
    """Raise ArgumentError unless `device` is None or the device in use."""
    if device is not None and not (isinstance(device, str) and device == backend().name):
        raise ArgumentError(
            f"{operation}: device is not in use; got {device!r}; use {backend().name!r}, or choose "
            "another with pt.set_backend"
        )


def use(instance: Backend) -> None:
    """Use an existing backend instance; for tests."""
    runtime.backends[instance.name] = instance
    runtime.backend = instance
    runtime.choice = "given by a test"


async def read_async(buffer: Buffer) -> memoryview:
    """Return all elements of a buffer as bytes without blocking; its memory is kept meanwhile."""
    buffer.users += 1
    try:
        return await backend().read_async(buffer)
    finally:
        buffer.users -= 1


def runner(engine: Backend, graph: LinearizedGraph | OpGraph | None) -> Callable[..., Any]:
    """Return the function that runs the plan of a graph: the backend's own, or an observer's."""
    return engine.run if runtime.observer is None else runtime.observer(engine, graph)


def realize_nodes(wanted: Sequence[OpNode]) -> None:
    """Compute the nodes that are still pending."""
    pending = [node for node in wanted if node.buffer is None]
    if not pending:
        return
    engine = runtime.backend or backend()
    # Taking the lock twice takes a tenth of the time of a small operation.
    if other_threads():
        _realize_in_turn(engine, pending)
        return
    followed = tapes or pullbacks or tracking or runtime.observer
    if not followed and engine.compute_directly(pending):
        return
    linear, plan = _planned(engine, pending)
    nodes = linear.nodes
    for position, buffer in runner(engine, linear)(
        plan, [node.buffer for node in linear.leaves], [node.value for node in linear.scalars]
    ):
        nodes[position].settle(buffer)


def _realize_in_turn(engine: Backend, pending: list[OpNode]) -> None:
    """Compute nodes while other threads run; both may compute a node that they share."""
    with lock:
        linear, plan = _planned(engine, pending)
        buffers = [node.buffer for node in linear.leaves]
        scalars = [node.value for node in linear.scalars]
    results = runner(engine, linear)(plan, buffers, scalars)
    with lock:
        for position, buffer in results:
            if linear.nodes[position].buffer is None:
                linear.nodes[position].settle(buffer)


def _planned(engine: Backend, pending: list[OpNode]) -> tuple[LinearizedGraph, Any]:
    """Return the graph of pending nodes, and its plan."""
    linear = linearize(with_family(pending))
    key = (engine, linear.key)
    plan = runtime.plans.get(key)
    if plan is None:
        runtime.misses += 1
        plan = engine.compile(linear.graph())
        runtime.plans[key] = plan
    else:
        runtime.hits += 1
    return linear, plan
