"""Debug mode: run and log each operation separately; raise at the first NaN."""

from __future__ import annotations

import cmath
import logging
import math
import sys
import time
from contextlib import ExitStack
from typing import TextIO

from ..compiler.fusion.traits import traits_of
from ..dtypes import bool_, complex64, float32
from ..errors import NumericError
from ..ir.node import OpNode, node_of, pending_for, tapes
from ..ops import OP_DEFS
from ..ops.op_def import ComplexJoin, Fixed, ViewOp
from ..runtime import scopes
from ..runtime.executor import backend, realize_nodes, stores_halves
from ..runtime.host_data import unpack
from ..runtime.scopes import user_line, warn_of_losses
from ..tensor import Tensor
from .recorder import BackendRecording
from .tables import milliseconds

__all__ = ["enable_debug_mode", "enable_production_mode"]

logger = logging.getLogger("py_tensor")


def _computed(node: OpNode) -> OpNode:
    """Return the node that computes a value, without the views that functions add."""
    while node.call is not None and isinstance(node.call.op, ViewOp) and node.srcs[0].call:
        node = node.srcs[0]
    return node


def _name(node: OpNode) -> str:
    """Return the operation that computes a value."""
    if node.call is None:
        return "scalar"
    op, arg = node.call.op, node.call.arg
    return arg if isinstance(op, ComplexJoin) and isinstance(arg, str) else op.name


OVERFLOW = Fixed(
    name="overflow_of_half",
    formula="is_finite(x) and abs(x) >= 65520.0",
    takes=(float32,),
    gives=bool_,
)
UNDERFLOW = Fixed(
    name="underflow_of_half",
    formula="x != 0.0 and abs(x) <= 2.9802322387695312e-08",
    takes=(float32,),
    gives=bool_,
)
"""Operations that find numbers which become infinite, or zero, when they are rounded to float16."""


class _RangeCheck:
    """Finds numbers that a pending value loses when it is stored as float16.

    Twins of the node are inlined into kernels that look at the numbers before they are stored.
    """

    def __init__(self, name: str, node: OpNode) -> None:
        self.name = name
        self.srcs = node.srcs
        self.stores_sums = node.call is not None and traits_of(node.call.op).kernel is not None
        self.overflows = _any(OVERFLOW, node)
        self.underflows = _any(UNDERFLOW, node)

    def warn(self, values: list[float]) -> None:
        """Warn of lost numbers; `values` are those that were stored."""
        overflows = self.overflows
        if self.stores_sums and not overflows:
            # Products and sums of finite numbers are infinite because a part of them was stored.
            overflows = any(map(math.isinf, values)) and all(map(_is_finite, self.srcs))
        warn_of_losses(self.name, overflows, self.underflows)


def _any(op: Fixed, node: OpNode) -> bool:
    """Return True if the operation finds a number in a twin of the node.

    The operation is the twin's only consumer, so that it is the epilogue if the twin is a sum.
    """
    twin = node if node.call is None else OpNode(node.call, node.srcs, node.spec)
    parts = [twin] if node.spec.dtype is float32 else [_op("real", twin), _op("imag", twin)]
    flags = [
        node_of(OP_DEFS["any"], (node_of(op, (part,)),), tuple(range(len(node.spec.shape))))
        for part in parts
    ]
    # A twin on a tape would be stored for the backward pass, before the operation sees it.
    hidden = tapes[:]
    for tape in hidden:
        tape.keep(pending_for([node]))
    tapes.clear()
    try:
        realize_nodes(flags)
    finally:
        tapes.extend(hidden)
    return any(backend().read(flag.buffer)[0] for flag in flags)


def _op(name: str, *srcs: OpNode) -> OpNode:
    return node_of(OP_DEFS[name], srcs)


def _is_finite(node: OpNode) -> bool:
    if node.spec.dtype is not float32:
        return True
    if node.buffer is None:
        realize_nodes([node])
    return all(map(math.isfinite, unpack(backend().read(node.buffer), float32)))


def _stored_as_half(node: OpNode) -> bool:
    return stores_halves() and node.spec.dtype in (float32, complex64)


class _Inspector:
    """Watcher that runs, measures, logs and checks each new tensor.

    If `infinities` is True, infinite values raise, too.
    """

    def __init__(self, infinities: bool) -> None:
        self.infinities = infinities
        self.recording = BackendRecording(draws=True, timer=False)
        self.recording.open()

    def __call__(self, tensor: Tensor) -> None:
        node = tensor._node
        if node.buffer is not None:
            return
        computed = _computed(node)
        name = _name(computed)
        check = _RangeCheck(name, computed) if _stored_as_half(computed) else None
        start = time.perf_counter()
        data = tensor._bytes(name)
        wall = (time.perf_counter() - start) * 1e3
        gpu = self.recording.drain()
        spec = node.spec
        line = user_line()
        logger.info(
            "%s: %s, GPU %s, rank %d, shape %s, size %d, %d bytes (%s)",
            name,
            milliseconds(wall),
            milliseconds(gpu),
            len(spec.shape),
            spec.shape,
            spec.size,
            spec.nbytes,
            line,
        )
        if check is not None:
            check.warn(unpack(data, spec.dtype))
        if spec.dtype.kind not in "cf":
            return
        for position, value in enumerate(unpack(data, spec.dtype)):
            if cmath.isnan(value) or (self.infinities and not cmath.isfinite(value)):
                raise NumericError(
                    f"{name}: result is not finite; got {value} at element {position} of shape "
                    f"{spec.shape}, at {line}; check the operands, or call "
                    "pt.enable_production_mode()"
                )


class _OwnHandler(logging.StreamHandler[TextIO]):
    """Handler that debug mode installs, and removes when it ends."""


def is_debug_mode() -> bool:
    """Return True if debug mode is on."""
    return bool(_inspectors())


def _inspectors() -> list[_Inspector]:
    return [watcher for watcher in scopes.state.watchers if isinstance(watcher, _Inspector)]


def enable_debug_mode(*, infinities: bool = False) -> ExitStack:
    """Run each operation separately from now on; the first NaN raises NumericError.

    The error names the operation and the user's line. Each operation is logged to the logger
    "py_tensor": name, milliseconds by the clock and on the GPU, rank, shape, size and bytes. If the
    program has not configured logging, the log is written to standard output. WebGL errors are
    checked after each draw. Draws and plans appear in the browser's Performance panel. Debug mode
    is slow.

    Args:
        infinities: If True, infinite values raise NumericError, too. False by default, since
            attention masks and empty maxima are -inf on purpose.

    Returns:
        Context manager that turns debug mode off when its block ends; it need not be used.

    >>> import py_tensor as pt
    >>> with pt.enable_debug_mode():
    ...     x = pt.asarray([1.0]) / 2.0
    >>> x.tolist()
    [0.5]
    """
    enable_production_mode()
    logger.setLevel(logging.INFO)
    if not logger.hasHandlers():
        # Without a handler Python prints warnings only, and few programs in a page configure one.
        logger.addHandler(_OwnHandler(sys.stdout))
    scopes.watch(_Inspector(infinities))
    backend().configure("debug", True)
    restore = ExitStack()
    restore.callback(enable_production_mode)
    return restore


def enable_production_mode() -> None:
    """Turn debug mode off: operations are fused and their values are not validated.

    This is the default.

    >>> import py_tensor as pt
    >>> pt.enable_production_mode()
    >>> pt.log(pt.asarray([0.0])).tolist()
    [-inf]
    """
    for inspector in _inspectors():
        scopes.unwatch(inspector)
        inspector.recording.abandon()
    for handler in logger.handlers[:]:
        if isinstance(handler, _OwnHandler):
            logger.removeHandler(handler)
    backend().configure("debug", False)
