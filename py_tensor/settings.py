"""Settings of the process, which `pt.env` shows and changes.

The packages below read them; `diagnostics/env` checks values before it stores them here.
"""

from __future__ import annotations

import sys
from typing import Any

from .errors import BackendError


class Settings:
    """Present values of the settings."""

    __slots__ = ("autotune", "float16_storage", "flush_bytes", "flush_threshold", "host_elements")

    def __init__(self) -> None:
        self.flush_threshold = 500
        """New tensors after which pending work is run, so that a loop without reads cannot leak."""
        self.flush_bytes = 1 << 26
        """Bytes of new host data after which pending work is run."""
        self.host_elements = 16
        """Elements up to which host evaluation is faster than a draw and a read; 0 turns it off."""
        self.float16_storage = False
        """True if WebGL stores float32 values as float16 even if it need not."""
        self.autotune: Any = "warmup"
        """Calls that measure long kernels of matrix products and convolutions on WebGPU.

        Such a kernel is run in up to six ways, and the fastest is kept for the device. Results
        depend on it by rounding only. "warmup": only `pt.warmup` measures. "always": also the first
        run of such a kernel, where Python can wait. False: nothing is measured, and choices that
        were kept are not used, so that results do not depend on measurements at all.
        """


settings = Settings()


def page_query() -> str:
    """Return the query of the page's or worker's address, for example "?a=1"; "" without one."""
    if sys.platform != "emscripten":
        return ""
    import js

    return str(getattr(getattr(js, "location", None), "search", ""))


def require_page(backend: str) -> None:
    """Raise BackendError, which names the backend, outside of a web page."""
    try:
        import js as js
    except ImportError:
        raise BackendError(
            f"{backend}: backend not available: this Python does not run in a web page; "
            'got no module js; use pt.set_backend("numpy") here, or run under Pyodide'
        ) from None


def browser_storage() -> Any:
    """Return the page's `localStorage`; None in workers, outside of browsers, or if forbidden."""
    if sys.platform != "emscripten":
        return None
    import js
    from pyodide.ffi import JsException

    try:
        storage = getattr(js, "localStorage", None)
    except JsException:
        return None
    return storage if hasattr(storage, "getItem") else None
