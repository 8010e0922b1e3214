"""Compute matrix products and convolutions with operands of half the memory.

Input: the float32 operands of a contraction. Output: its node, of float16 operands inside
`autocast`. All other operations keep float32.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from contextlib import ContextDecorator
from contextvars import ContextVar, Token
from typing import Any, Self

from ..dtypes import DType, as_dtype, float16, float32
from ..errors import DTypeError
from ..ir.node import OpNode, node_of
from ..ops.elementwise import CAST
from ..ops.op_def import OpDef
from ..runtime.scopes import unwatch, watch
from ..typing import DTypeLike

autocast_dtype: ContextVar[DType | None] = ContextVar("py_tensor_autocast", default=None)
"""Dtype of the operands of contractions in the running task; None outside `autocast`."""


class autocast(ContextDecorator):
    """Convert float32 operands of matrix products and convolutions to float16 in a `with` block.

    This covers what is built from them: `matmul`, `einsum`, `conv2d`, dense, recurrent and
    attention layers. Their results are float32 again, and so are reductions, normalization, softmax
    and losses. Parameters keep their dtype. Gradients of small values may underflow in float16; see
    `pt.optim.LossScaler`. A function under `pt.jit` is traced again inside the block. Also usable
    as a decorator.

    Args:
        dtype: float16 (default), or float32 to end the effect of an enclosing block.

    Raises:
        DTypeError: If the dtype is another one.

    >>> import py_tensor as pt
    >>> x = pt.asarray([[1.0001, 2.0]])
    >>> with pt.autocast():
    ...     product = x @ x.mT
    >>> product.tolist(), product.dtype
    ([[5.0]], float32)
    """

    def __init__(self, dtype: DTypeLike = float16) -> None:
        self.dtype = as_dtype(dtype, "autocast")
        if self.dtype not in (float16, float32):
            raise DTypeError(
                f"autocast: dtype must be float16 or float32; got {self.dtype}; use pt.float16"
            )
        self._entered: list[tuple[Token[DType | None], Callable[[Any], None]]] = []

    def __enter__(self) -> Self:
        token = autocast_dtype.set(None if self.dtype is float32 else self.dtype)

        def ignore(tensor: Any) -> None:
            """Do nothing: a watcher of tensors turns off the caches of calls with other nodes."""

        self._entered.append((token, ignore))
        watch(ignore)
        return self

    def __exit__(self, *error: object) -> None:
        token, watcher = self._entered.pop()
        unwatch(watcher)
        autocast_dtype.reset(token)


def contraction(op: OpDef, operands: tuple[OpNode, ...], arg: Hashable = None) -> OpNode:
    """Make the node of a contraction; inside `autocast`, one of converted operands."""
    target = autocast_dtype.get()
    dtypes = {node.spec.dtype for node in operands}
    if target is None or not float32 in dtypes <= {float32, target}:
        return node_of(op, operands, arg)
    narrow = tuple(node_of(CAST, (node,), target) for node in operands)
    return node_of(CAST, (node_of(op, narrow, arg),), float32)
