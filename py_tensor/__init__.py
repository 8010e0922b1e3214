"""py_tensor: tensors for Python in the page, computed on WebGL2; on CPython, through NumPy.

The rooms, in the order a call walks through them:

    ops          the table: one row is one operation
    nodes        nodes of pending work, and the key under which a graph is seen again
    schedule     which operations share a draw
    glsl         the text of each draw's shader
    plan         draws in order, with the textures between them
    backends     where plans run: webgl (through the bridge) and numpy
    runtime      finds or makes the plan, and runs it
    tensor       the handle users hold
    functions    the array API standard's functions, chapter by chapter
    data         datasets; imported when first used
    linalg       linear algebra; imported when first used
    saving       safetensors files; imported when first used
    nn           layers, losses and models; imported when first used

>>> import py_tensor as pt
>>> x = pt.asarray([[1.0, 2.0], [3.0, 4.0]])
>>> (x @ x + 1).tolist()
[[8.0, 11.0], [16.0, 23.0]]
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from . import errors, random
from .accounting import CacheInfo, Memory, cache_info, dispose, keep, memory, memory_trace, tidy
from .autodiff import (
    checkpoint,
    custom_gradient,
    grad,
    jvp,
    stop_gradient,
    value_and_grad,
    vjp,
)
from .debugging import enable_debug_mode, enable_production_mode
from .dtypes import bool_ as bool
from .dtypes import complex64, float16, float32, int8, int16, int32, uint8, uint16, uint32
from .explaining import explain
from .functions import PUBLIC as _PUBLIC
from .functions.inspection import VERSION as __array_api_version__
from .functions.inspection import __array_namespace_info__
from .jitting import jit
from .pixels import draw, from_pixels
from .pytree import tree_flatten, tree_leaves, tree_map, tree_unflatten
from .runtime import get_backend, set_backend
from .tensor import Tensor, realize
from .warming import ShapeDtype, warmup

e = 2.718281828459045
"""Euler's number, the base of natural logarithms; a Python float."""
inf = float("inf")
"""Positive infinity; a Python float."""
nan = float("nan")
"""Not a number, which equals nothing; a Python float."""
newaxis = None
"""As an index, a new axis of length 1: `x[:, pt.newaxis]`."""
pi = 3.141592653589793
"""Half a turn in radians: a circle's circumference over its diameter; a Python float."""

# fmt: off
__all__ = [
    "__array_api_version__", "__array_namespace_info__",
    "CacheInfo", "Memory", "ShapeDtype", "Tensor", "bool", "cache_info", "checkpoint", "complex64",
    "custom_gradient", "dispose", "draw", "e", "enable_debug_mode", "enable_production_mode",
    "errors", "explain", "float16", "float32", "from_pixels", "get_backend", "grad", "inf", "int8",
    "int16", "int32", "jit", "jvp", "keep", "memory", "memory_trace", "nan", "newaxis", "pi",
    "random", "realize", "set_backend", "stop_gradient", "tidy", "tree_flatten", "tree_leaves",
    "tree_map", "tree_unflatten", "uint8", "uint16", "uint32", "value_and_grad", "vjp", "warmup",
    *_PUBLIC,
]
# fmt: on

globals().update(_PUBLIC)


_LAZY = frozenset(("data", "fft", "graph", "linalg", "nn", "optim", "saving", "train"))
"""Subpackages imported when they are first used; most pages need none of them."""


def __getattr__(name: str) -> Any:
    """A subpackage, or the version: importlib.metadata would be a fifth of the import."""
    if name in _LAZY:
        return import_module(f"{__name__}.{name}")
    if name == "__version__":
        from importlib.metadata import version

        return version("py_tensor")
    raise AttributeError(f"module 'py_tensor' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
