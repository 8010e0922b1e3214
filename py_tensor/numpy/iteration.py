"""`np.nditer` and texts about the package, which few programs use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .. import functions as F, late
from ..numpy_functions import ndindex
from ..tensor import Tensor, as_tensor
from ..typing import ArrayLike


class nditer:
    """Iterator over the elements of arrays that broadcast together.

    Elements are views without axes: `x[...] = 1` changes the array.

    Args:
        op: Array, or a sequence of arrays; None stands for a new array of the broadcast shape.
        flags: Ignored.
        op_flags: Ignored.

    >>> import py_tensor.numpy as np
    >>> it = np.nditer([np.arange(3).reshape(1, 3), np.arange(2).reshape(2, 1), None])
    >>> for x, y, z in it:
    ...     z[...] = x + y
    >>> it.operands[2].tolist()
    [[0, 1, 2], [1, 2, 3]]
    """

    def __init__(
        self,
        op: ArrayLike | Sequence[ArrayLike | None],
        flags: Sequence[str] = (),
        op_flags: Sequence[Any] = (),
    ) -> None:
        several = isinstance(op, list | tuple)
        arrays: Any = op if several else [op]
        tensors = [None if x is None else as_tensor("nditer", x) for x in arrays]
        given = [x for x in tensors if x is not None]
        self.shape = F.broadcast_shapes(*(x.shape for x in given))
        dtype = F.result_type(*given)
        self.operands: tuple[Tensor, ...] = tuple(
            F.zeros(self.shape, dtype=dtype) if x is None else x for x in tensors
        )
        self._several = several

    def __iter__(self) -> Iterator[Any]:
        for place in ndindex(self.shape):
            parts = tuple(x[_place_in(x.shape, place)] for x in self.operands)
            yield parts if self._several else parts[0]


def _place_in(shape: tuple[int, ...], place: tuple[int, ...]) -> Any:
    """Return the key of an element, as a view without axes, of an array that is broadcast."""
    own = place[len(place) - len(shape) :]
    return (*(at % length for at, length in zip(own, shape, strict=True)), ...)


def info(object: Any) -> None:
    """Print the documentation of a function or class.

    Args:
        object: Function or class.
    """
    print(object.__doc__)


def show_config() -> None:
    """Print the version of the package and the backend in use."""
    own: Any = late.namespace()
    print(f"py_tensor {own.__version__}, backend {own.get_backend()}")
