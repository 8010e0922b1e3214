"""Print and inspect values inside of traced functions, under the names of `jax.debug`.

>>> import py_tensor as pt
>>> @pt.jit
... def double(x):
...     pt.debug.print("x is {}", x)
...     return x * 2
>>> double(pt.asarray(3.0)).item()
x is 3.0
6.0
"""

from __future__ import annotations

import builtins
import pdb
from collections.abc import Callable
from typing import Any

from .functions.arguments import function_of
from .transforms.effects import emit

__all__ = ["breakpoint", "callback", "print"]


def print(fmt: str, *args: Any, ordered: bool = False, **kwargs: Any) -> None:
    """Print values, also inside of traced functions.

    Inside of `jit` the text is printed after each call has computed the values, in `vmap` once for
    each example, and in loops for each iteration after the loop.

    Args:
        fmt: Text with fields for `str.format`.
        args: Values of the fields by position.
        ordered: For compatibility; texts are printed in order.
        kwargs: Values of the fields by name.

    >>> import py_tensor as pt
    >>> _ = pt.vmap(lambda x: pt.debug.print("{x}", x=x))(pt.asarray([1.0, 2.0]))
    1.0
    2.0
    """
    emit(lambda *values, **named: builtins.print(fmt.format(*values, **named)), args, kwargs)


def callback(
    callback: Callable[..., object], *args: Any, ordered: bool = False, **kwargs: Any
) -> None:
    """Call a Python function with values, also inside of traced functions, see `print`.

    Args:
        callback: Function, whose result is ignored.
        args: Arguments; tensors are passed as tensors, which can be read.
        ordered: For compatibility; functions are called in order.
        kwargs: Keyword arguments.

    >>> import py_tensor as pt
    >>> seen = []
    >>> pt.jit(lambda x: pt.debug.callback(lambda v: seen.append(v.item()), x))(pt.asarray(2.0))
    >>> seen
    [2.0]
    """
    emit(function_of("callback", "callback", callback), args, kwargs)


def breakpoint() -> None:
    """Start Python's debugger, inside of traced functions after the call has computed its results.

    >>> import py_tensor as pt
    >>> pt.lax.cond(pt.asarray(False), pt.debug.breakpoint, lambda: None)
    """
    emit(pdb.set_trace, (), {})
