"""The engine of WebAssembly in Pyodide: the browser's own, on Python's own memory.

Input: the bytes of modules. Output: their functions, in a table. Kernels import the memory that
Python runs in, so values are never copied between the two.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...errors import BackendError, ShaderError
from ...language.wasm_text import EXPORT, MEMORY, TABLE, assemble
from ...settings import require_page
from .pyodide import PageTurns
from .wasm_kernels import DRIVER, FUSED, VECTORS
from .wasm_memory import PythonMemory

try:
    import js
    import pyodide_js
    from pyodide.ffi import JsException, to_js
except ImportError:  # ordinary CPython; load_engine raises the error
    js = None

END = (1 << 31) - (128 << 20)
"""Address before which all values end.

Pyodide takes addresses from 2 GiB on for negative numbers, and passes wrong bytes and texts to
JavaScript. The last 128 MiB before are left to Python's own objects.
"""
FIRST_TABLE = 256
"""Functions in the table at first."""


class PyodideEngine(PageTurns):
    """Modules of the browser, whose functions are in one table."""

    def __init__(self) -> None:
        super().__init__()
        self.memory = PythonMemory(END)
        self.failures: tuple[type[Exception], ...] = (JsException,)
        self._api = js.WebAssembly
        self._table = self._api.Table.new(_object(element="anyfunc", initial=FIRST_TABLE))
        self._imports = _object(
            **{MEMORY[0]: _object(**{MEMORY[1]: pyodide_js._module.memory, TABLE[1]: self._table})}
        )
        self.has_fma: bool = self._is_valid(FUSED)
        if not self._is_valid(VECTORS):
            raise BackendError(
                "wasm: backend not available: this browser has no vectors in WebAssembly; got "
                f"{js.navigator.userAgent}; use a newer browser"
            )
        # Looking up a JavaScript method takes a fifth of a call, so it is looked up once.
        self.run = self.compile("driver", assemble(DRIVER))

    def _is_valid(self, text: str) -> bool:
        return bool(self._api.validate(to_js(assemble(text))))

    def compile(self, name: str, code: bytes) -> Any:
        try:
            module = self._api.Module.new(to_js(code))
            return getattr(self._api.Instance.new(module, self._imports).exports, EXPORT)
        except JsException as error:
            raise ShaderError(
                f"compile: the browser refuses a kernel; got {error.message} in {name}; use "
                "another backend"
            ) from None

    def compile_async(self, code: bytes, done: Callable[[Any], None]) -> None:
        self._api.instantiate(to_js(code), self._imports).then(
            lambda result: done(getattr(result.instance.exports, EXPORT)), lambda _: done(None)
        )

    def place(self, number: int, function: Any) -> None:
        length = self._table.length
        if number >= length:
            self._table.grow(max(length, number + 1 - length))
        # None would become undefined, which is no function; without a value the entry is null.
        self._table.set(number, *[function] * (function is not None))

    def show(self, track: str, name: str, start: float, end: float) -> None:
        devtools = _object(dataType="track-entry", trackGroup="py_tensor", track=track)
        times = {"start": 1e3 * start, "end": 1e3 * end}
        js.performance.measure(name, _object(**times, detail=_object(devtools=devtools)))


def _object(**fields: Any) -> Any:
    """Return an object of JavaScript."""
    return to_js(fields, dict_converter=js.Object.fromEntries, depth=1)


def load_engine() -> PyodideEngine:
    """Create the engine; raise BackendError outside of Pyodide."""
    require_page("wasm")
    return PyodideEngine()
