"""`pt.env`: every setting, and what the context can do, in one place.

Input: values from Python, or from the query of the page's address. Output: checked values where the
other packages read them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any, overload

from ..dtypes import described, wrong_type
from ..errors import ArgumentError, TensorError
from ..functions.arguments import flag, integer
from ..runtime.executor import PLAN_LIMIT, backend, get_backend, prefer, runtime, set_backend
from ..settings import Settings, settings
from .debug import enable_debug_mode, enable_production_mode, is_debug_mode
from .tables import Printed, Table

PREFIX = "py_tensor."
"""Beginning of the names of flags in a page's address."""

_TRUTH = {"1": True, "true": True, "": True, "0": False, "false": False}
_KINDS = {int: "integer", bool: "True or False", str: "text"}
_WANTED = {int: "an integer", bool: "True or False"}


class Flag[Value]:
    """One value of `pt.env`.

    Args:
        kind: Python type of the value.
        meaning: Description of the value.
        get: Function that returns the present value.
        set: Function that stores a checked value; None if the value is read only.
        default: Value at the start; None if the context determines it.
        least: Smallest allowed integer.
    """

    def __init__(
        self,
        kind: type[Value],
        meaning: str,
        get: Callable[[], Any],
        set: Callable[[Any], None] | None = None,
        default: Any = None,
        least: int = 0,
    ) -> None:
        self.kind = kind
        self.__doc__ = self.meaning = meaning
        self.get = get
        self.set = set
        self.default = default
        self.least = least

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Flag[Value]: ...

    @overload
    def __get__(self, instance: object, owner: type) -> Value: ...

    def __get__(self, instance: object, owner: type) -> Any:
        return self if instance is None else self.get()

    def __set__(self, instance: object, value: Value) -> None:
        if self.set is None:
            raise ArgumentError(
                f"env: {self.name} is read only; got {described(value)}; the context and the "
                "browser determine it"
            )
        if self.kind is int:
            self.set(integer("env", self.name, value, self.least))
        elif self.kind is bool:
            if isinstance(value, str):
                raise wrong_type("env", self.name, _WANTED[bool], value)
            self.set(flag("env", self.name, value))
        else:
            self.set(value)

    def parse(self, text: str) -> Any:
        """Convert the text of an address to a value."""
        try:
            value = int(text) if self.kind is int else text
            return _TRUTH[text.lower()] if self.kind is bool else value
        except (KeyError, ValueError):
            raise wrong_type("env", self.name, _WANTED[self.kind], text) from None


def _setting(name: str, meaning: str, least: int = 0) -> Flag[int]:
    """Return the flag of an attribute of `settings`."""
    return Flag(
        int,
        meaning,
        lambda: getattr(settings, name),
        lambda value: setattr(settings, name, value),
        getattr(Settings(), name),
        least,
    )


def _fact[Value](
    kind: type[Value],
    name: str,
    meaning: str,
    default: Value | None = None,
    set: Callable[[Any], None] | None = None,
) -> Flag[Value | None]:
    """Return the flag of a value of the backend, which can be changed if it has a default."""

    def configure(value: Value) -> None:
        engine = backend()
        if engine.fact(name) is None:
            raise ArgumentError(
                f'env: {name} needs the backend "webgl"; got "{engine.name}"; call '
                'pt.set_backend("webgl") first'
            )
        engine.configure(name, value)

    change = None if default is None else set or configure
    return Flag(kind, meaning, lambda: backend().fact(name), change, default)


def _backend_choice() -> str:
    backend()
    return runtime.choice


def _set_float16_storage(on: bool) -> None:
    settings.float16_storage = on
    # Plans name the formats of the textures that they draw into.
    _configure_plans("float16_storage", on)


def _configure_plans(name: str, on: bool) -> None:
    """Change a setting of all backends that have it, and compile their plans again."""
    for engine in runtime.backends.values():
        if engine.fact(name) is None:
            continue
        engine.configure(name, on)
        runtime.plans.clear()
        for executable in tuple(runtime.executables):
            if executable.engine is engine and executable.plan is not None:
                executable.compile_again()


def _set_autotune(value: Any) -> None:
    choices = {"warmup": "warmup", "always": "always", "false": False, "0": False}
    text = value.lower() if isinstance(value, str) else value
    if text is not False and (not isinstance(text, str) or text not in choices):
        raise ArgumentError(
            f'env: unknown value of autotune; got {described(value)}; use "warmup", "always" or '
            "False"
        )
    settings.autotune = text and choices[text]
    for engine in runtime.backends.values():
        engine.configure("autotune", settings.autotune)
    # Kept plans have the kernels that were chosen before.
    runtime.plans.clear()


def _set_plan_limit(value: int) -> None:
    plans = runtime.plans
    plans.limit = value
    while len(plans) > value:
        del plans[next(iter(plans))]


def _set_debug(on: bool) -> None:
    if on:
        enable_debug_mode()
    else:
        enable_production_mode()


class Environment(Printed):
    """Settings and facts of the process; `pt.env` is the only instance.

    `print(pt.env)` shows all of them. Settings are changed by assignment. The same names with
    "py_tensor." before them may be in the query of the page's address.

    >>> import py_tensor as pt
    >>> before = pt.env.flush_threshold
    >>> pt.env.flush_threshold = 1000
    >>> pt.env.flush_threshold
    1000
    >>> pt.env.flush_threshold = before
    """

    backend = Flag(str, "backend that computes", get_backend, set_backend)
    backend_choice = Flag(str, "reason for that backend", _backend_choice)
    debug = Flag(
        bool, "debug mode: run and check each operation", is_debug_mode, _set_debug, default=False
    )
    production = Flag(
        bool,
        "production mode, the opposite of debug mode",
        lambda: not is_debug_mode(),
        lambda on: _set_debug(not on),
        default=True,
    )
    flush_threshold = _setting(
        "flush_threshold", "new tensors after which pending work is run", least=1
    )
    flush_bytes = _setting("flush_bytes", "bytes of new host data after which pending work is run")
    host_elements = _setting(
        "host_elements", "elements up to which a value is evaluated on the host; 0: never"
    )
    autotune: Flag[Any] = Flag(
        str,
        "calls that measure kernels of products on WebGPU, warmup or always; False: none",
        lambda: settings.autotune,
        _set_autotune,
        default="warmup",
    )
    plan_limit = Flag(
        int,
        "plans that are kept",
        lambda: runtime.plans.limit,
        _set_plan_limit,
        default=PLAN_LIMIT,
        least=1,
    )
    program_limit = _fact(
        int, "program_limit", "shaders that are kept although no plan uses them", 256
    )
    memory_limit = _fact(
        int,
        "memory_limit",
        "bytes of tensors above which a call is refused; a warning is shown at a quarter",
        4 << 30,
    )
    pool_limit = _fact(int, "pool_limit", "bytes of free textures that the pool keeps", 512 << 20)
    webgl_version = _fact(int, "webgl_version", "version of WebGL in use")
    max_texture_size = _fact(int, "max_texture_size", "texels along a side of the largest texture")
    texture_units = _fact(int, "texture_units", "textures that a shader can read")
    draw_buffers = _fact(int, "draw_buffers", "textures that a shader can write")
    float32_rendering = _fact(bool, "float32_rendering", "float32 textures can be written")
    float16_rendering = _fact(bool, "float16_rendering", "float16 textures can be written")
    float16_storage = _fact(
        bool,
        "float16_storage",
        "float32 values are stored as float16",
        default=False,
        set=_set_float16_storage,
    )
    fused_multiply_add = _fact(
        bool,
        "fused_multiply_add",
        "products on WebAssembly are rounded once, with their sum, if the processor can",
        default=True,
        set=lambda on: _configure_plans("fused_multiply_add", on),
    )
    fences = _fact(bool, "fences", "reads can wait without blocking")
    timer = _fact(bool, "timer", "the GPU measures kernels")
    parallel_compile = _fact(bool, "parallel_compile", "shaders compile in the background")
    renderer = _fact(str, "renderer", "name of the GPU")

    __slots__ = ()

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of all flags."""
        return iter(_FLAGS)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(_unknown(name))

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in _FLAGS:
            raise ArgumentError(_unknown(name))
        super().__setattr__(name, value)

    def set_from_query(self, query: str) -> None:
        """Change settings by the query of an address, as the import does by the page's.

        A worker has an address of its own: pass it the page's `location.search`.

        Args:
            query: Text such as "?py_tensor.flush_threshold=1000&py_tensor.debug=1". Other names are
                ignored.

        Raises:
            ArgumentError: If a name or a value is wrong.

        >>> import py_tensor as pt
        >>> pt.env.set_from_query("?py_tensor.host_elements=8&lang=en")
        >>> pt.env.host_elements
        8
        >>> pt.env.host_elements = 16
        """
        from urllib.parse import parse_qsl

        if not isinstance(query, str):
            raise wrong_type("env", "query", "text", query)
        for name, text in parse_qsl(query.removeprefix("?"), keep_blank_values=True):
            if name.startswith(PREFIX):
                name = name.removeprefix(PREFIX)
                known = _FLAGS.get(name)
                if name == "backend":
                    # A device of WebGPU is opened when the page's program can wait for it.
                    prefer(text)
                else:
                    setattr(self, name, text if known is None else known.parse(text))

    def _tables(self) -> list[Table]:
        rows = [
            (
                name,
                _shown(flag.get()),
                "read only" if flag.set is None else _shown(flag.default),
                _KINDS[flag.kind],
                flag.meaning,
            )
            for name, flag in _FLAGS.items()
        ]
        return [Table(("flag", "value", "default", "type", "meaning"), rows)]


_FLAGS: dict[str, Flag[Any]] = {
    name: value for name, value in vars(Environment).items() if isinstance(value, Flag)
}
env = Environment()
"""Settings and facts of the process."""


def _shown(value: Any) -> str:
    return "-" if value is None else str(value)


def _unknown(name: str) -> str:
    return f"env: unknown flag; got {described(name)}; use one of {', '.join(_FLAGS)}"


def apply_query(query: str) -> None:
    """Change settings by the page's address; a wrong value is a warning, not an error."""
    try:
        env.set_from_query(query)
    except TensorError as error:
        warnings.warn(f"{error} (in the page's address)", stacklevel=2)
