"""`autocast`: matrix products and convolutions with float16 operands, which take half the memory.

`contraction` makes the node of a contraction. Inside `autocast` it converts float32 operands to
float16, and the result back to float32. No other operation is affected.
"""

from __future__ import annotations

from collections.abc import Hashable
from contextlib import ContextDecorator
from contextvars import Token
from typing import Self

from ..dtypes import DType, as_dtype, float16, float32
from ..errors import DTypeError
from ..ir.node import OpNode, node_of
from ..ops.elementwise import CAST
from ..ops.op_def import OpDef
from ..typing import DTypeLike
from .decorators import autocast_dtype


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
        self._entered: list[Token[DType | None]] = []

    def __enter__(self) -> Self:
        self._entered.append(autocast_dtype.set(None if self.dtype is float32 else self.dtype))
        return self

    def __exit__(self, *error: object) -> None:
        autocast_dtype.reset(self._entered.pop())


def contraction(op: OpDef, operands: tuple[OpNode, ...], arg: Hashable = None) -> OpNode:
    """Make the node of a contraction; inside `autocast`, one of converted operands."""
    target = autocast_dtype.get()
    dtypes = {node.spec.dtype for node in operands}
    if target is None or not float32 in dtypes <= {float32, target}:
        return node_of(op, operands, arg)
    narrow = tuple(node_of(CAST, (node,), target) for node in operands)
    return node_of(CAST, (node_of(op, narrow, arg),), float32)
