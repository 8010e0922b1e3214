"""Control flow under the names of `jax.lax`.

A submodule keeps these names apart from the array functions: `map` is a builtin of Python, and
`pt.linalg.cond` is a condition number. Programs that call `jax.lax.scan` call `pt.lax.scan`.

>>> import py_tensor as pt
>>> pt.lax.fori_loop(0, 10, lambda i, total: total + i, 0).item()
45
"""

from .transforms.autodiff import stop_gradient
from .transforms.control_flow import (
    associative_scan,
    cond,
    fori_loop,
    map,
    scan,
    switch,
    while_loop,
)

__all__ = [
    "associative_scan",
    "cond",
    "fori_loop",
    "map",
    "scan",
    "stop_gradient",
    "switch",
    "while_loop",
]
