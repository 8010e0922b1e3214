"""Debug mode: every operation runs by itself, is logged, and the first NaN or infinity raises."""

from __future__ import annotations

import cmath
import logging
import sys
import time
from contextlib import ExitStack
from typing import Any

from . import lifetime
from .conversion import unpack
from .errors import NumericError
from .lifetime import user_line
from .nodes import Node
from .ops.rows import Join, ViewRow
from .runtime import backend
from .tensor import Tensor

logger = logging.getLogger("py_tensor")


def _name(node: Node) -> str:
    """The operation behind a value: functions put views behind what they compute."""
    while node.call is not None and isinstance(node.call.row, ViewRow) and node.srcs[0].call:
        node = node.srcs[0]
    if node.call is None:
        return "scalar"
    row, arg = node.call.row, node.call.arg
    return arg if isinstance(row, Join) and isinstance(arg, str) else row.name


def _inspect(tensor: Tensor) -> None:
    node = tensor._node
    if node.buffer is not None:
        return
    name = _name(node)
    start = time.perf_counter()
    data = tensor._bytes(name)
    milliseconds = (time.perf_counter() - start) * 1e3
    spec = node.spec
    line = user_line()
    logger.info(
        "%s: %.3f ms, rank %d, shape %s, size %d (%s)",
        name,
        milliseconds,
        len(spec.shape),
        spec.shape,
        spec.size,
        line,
    )
    if spec.dtype.kind not in "cf":
        return
    for position, value in enumerate(unpack(data, spec.dtype)):
        if not cmath.isfinite(value):
            raise NumericError(
                f"{name}: result is not finite; got {value} at element {position} of shape "
                f"{spec.shape}, at {line}; look at the operands, or use pt.enable_production_mode()"
            )


def is_debug_mode() -> bool:
    """Whether every operation runs by itself."""
    return _inspect in lifetime.state.watchers


def _bridge_checks(on: bool) -> None:
    bridge: Any = getattr(backend(), "bridge", None)
    if bridge is not None:
        bridge.checks(on)


def enable_debug_mode() -> ExitStack:
    """Runs each operation by itself from now on; the first NaN or infinity raises NumericError.

    The error names the operation and the user's line. Each operation is logged to the logger
    "py_tensor" (name, wall milliseconds, rank, shape, size), and each draw is checked. Slow. As a
    context manager, for a block only. Where the program has set up no logging, the log goes to
    standard output.

    >>> import py_tensor as pt
    >>> with pt.enable_debug_mode():
    ...     x = pt.asarray([1.0]) / 2.0
    >>> x.tolist()
    [0.5]
    """
    enable_production_mode()
    logger.setLevel(logging.INFO)
    if not logger.hasHandlers():
        # Python shows warnings only until a program sets up logging, and few in a page do.
        logger.addHandler(logging.StreamHandler(sys.stdout))
    lifetime.watch(_inspect)
    _bridge_checks(True)
    ending = ExitStack()
    ending.callback(enable_production_mode)
    return ending


def enable_production_mode() -> None:
    """No validation of values: operations are fused and run when asked for. The default.

    >>> import py_tensor as pt
    >>> pt.enable_production_mode()
    >>> pt.log(pt.asarray([0.0])).tolist()
    [-inf]
    """
    lifetime.unwatch(_inspect)
    _bridge_checks(False)
