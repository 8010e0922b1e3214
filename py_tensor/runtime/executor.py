"""Choose the backend and run pending nodes on it: WebGL2 in a page, NumPy elsewhere.

Plain Python computes where neither is available.

Input: pending nodes. Output: the same nodes with buffers. Plans are cached by the graph's key, so
that a graph with a known key runs without lowering or compilation.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakSet

from ..dtypes import BY_NAME, EXTENDED, WIDE, described, extend, wrong_type
from ..errors import ArgumentError, BackendError
from ..ir.bounded_cache import BoundedCache
from ..ir.node import LinearizedGraph, OpGraph, OpNode, linearize, with_family
from ..late import LateModule
from ..public import namespace
from . import host_data
from .backends.base import Backend, Buffer

__all__ = ["enable_x64", "get_backend", "register_backend", "set_backend"]

PLAN_LIMIT = 1024
"""Size of the plan cache; the oldest plan is evicted first, so that changing shapes cannot leak."""


class Runtime:
    """The backend in use and the plan cache."""

    def __init__(self) -> None:
        self.backends: dict[str, Backend] = {}
        self.backend: Backend | None = None
        self.choice = ""
        """Reason for which that backend is in use."""
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
    return getattr(getattr(backend(), "device", None), "float_as_half", False)


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


def _has_numpy() -> bool:
    """Return True if the page has loaded NumPy, or the program has imported it."""
    if "numpy" in sys.modules:
        return True
    return sys.platform == "emscripten" and importlib.util.find_spec("numpy") is not None


_FACTORIES: dict[str, Callable[[], Backend]] = {
    "webgl": LateModule("runtime.backends.webgl").create,
    "wasm": _optional("wasm", LateModule("runtime.backends.wasm").create, "use another backend"),
    "numpy": _optional("numpy", LateModule("runtime.backends.numpy").NumpyBackend, "install NumPy"),
    "python": LateModule("runtime.backends.python").PythonBackend,
    "jax": _optional(
        "jax", LateModule("runtime.backends.jax").JaxBackend, 'pip install "py_tensor[jax]"'
    ),
}
"""Functions that create the backends, the fastest first. JAX is used only if it is chosen."""


def set_backend(name: str | None) -> None:
    """Choose the backend that computes tensors from now on.

    Existing tensors stay valid. Plain Python needs neither WebGL2 nor NumPy, but is slow; a warning
    says so if None chooses it. If WebGL2 draws on the processor, for lack of a GPU, and the page
    has loaded NumPy, None chooses NumPy, which is faster there, and a warning says so.
    `pt.env.backend_choice` is the reason for the choice.

    Args:
        name: "webgl", "numpy", "python", or None for the first of these that is available; or
            "jax", which compiles programs for the processor, GPUs and TPUs.

    Raises:
        BackendError: If the backend does not exist or is not available.

    >>> import py_tensor as pt
    >>> pt.set_backend("numpy")
    >>> pt.get_backend()
    'numpy'
    """
    if name is None:
        reasons = []
        for candidate in _FACTORIES:
            try:
                set_backend(candidate)
            except BackendError as error:
                reasons.append(str(error))
                continue
            if candidate == "python" and reasons:
                warnings.warn(
                    "set_backend: plain Python computes all tensors, which is slow; got: "
                    f"{' | '.join(reasons)}; use a browser with WebGL2 and turn its hardware "
                    "acceleration on (https://get.webgl.org/webgl2 shows whether it works), or "
                    "install NumPy",
                    stacklevel=2,
                )
            runtime.choice = " | ".join(["the first available", *reasons])
            _prefer_numpy_to_software()
            return
        raise BackendError("set_backend: no backend is available; got: " + " | ".join(reasons))
    if not isinstance(name, str) or name not in {*runtime.backends, *_FACTORIES}:
        raise BackendError(
            f"set_backend: unknown backend; got {described(name)}; use one of "
            f"{', '.join(_FACTORIES)}"
        )
    if name != "jax" and EXTENDED[0].name in BY_NAME:
        raise BackendError(
            f"set_backend: 64-bit dtypes exist on JAX alone; got {name!r} after pt.enable_x64; "
            "start a new process for another backend"
        )
    if name not in runtime.backends:
        runtime.backends[name] = _FACTORIES[name]()
    runtime.backend = runtime.backends[name]
    runtime.choice = "set by pt.set_backend"


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
    if engine.name != "jax":
        raise BackendError(
            f"enable_x64: 64-bit dtypes exist on JAX alone; got backend {engine.name}; call "
            'pt.set_backend("jax") first'
        )
    engine.enable_x64()
    extend()
    host_data.extend()
    vars(namespace()).update({dtype.name: dtype for dtype in EXTENDED} | WIDE)


def _prefer_numpy_to_software() -> None:
    """Use NumPy instead of a WebGL2 context that draws on the processor, if NumPy is loaded."""
    engine: Any = runtime.backend
    if engine.name != "webgl" or not engine.device.on_processor or not _has_numpy():
        return
    try:
        set_backend("numpy")
    except BackendError:
        return
    renderer = engine.limits["renderer"]
    runtime.choice = f"NumPy is loaded, and faster than WebGL2 on a processor ({renderer})"
    warnings.warn(
        "set_backend: NumPy computes all tensors, because WebGL2 draws on the processor here, "
        f"which is 5 to 20 times slower; got {renderer}; turn hardware acceleration on, or call "
        'pt.set_backend("webgl")',
        stacklevel=2,
    )


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
        "webgl", "numpy" or "python": the first of these that is available, or the one chosen with
        `pt.set_backend`, which may also be "jax".

    Raises:
        BackendError: If no backend is available.

    >>> import py_tensor as pt
    >>> pt.get_backend() in ("webgl", "numpy", "python", "jax")
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
    linear = linearize(with_family(pending))
    key = (engine, linear.key)
    plan = runtime.plans.get(key)
    if plan is None:
        runtime.misses += 1
        plan = engine.compile(linear.graph())
        runtime.plans[key] = plan
    else:
        runtime.hits += 1
    nodes = linear.nodes
    for position, buffer in runner(engine, linear)(
        plan, [node.buffer for node in linear.leaves], [node.value for node in linear.scalars]
    ):
        nodes[position].settle(buffer)
