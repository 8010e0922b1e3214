"""Functions of kernels with groups: `pt.shared`, `pt.barrier` and `pt.local_index`.

They mean something in the function of a kernel only, which is read and not called.
"""

from __future__ import annotations

from typing import Any

from ..errors import KernelError
from ..typing import DTypeLike, ShapeLike


def _outside(name: str) -> KernelError:
    return KernelError(
        f"{name}: there are no groups in plain Python; got a call outside of a kernel; call it in "
        "the function of pt.kernel(shape=..., workgroup=...)"
    )


def shared(shape: ShapeLike, dtype: DTypeLike = "float32") -> Any:
    """Return an array that the elements of a group share, in a kernel with `workgroup`.

    It holds zeros at first. An element that one of the group writes may be read by the others after
    the next `pt.barrier()`. All shared arrays of a kernel take at most 16,384 bytes, four for each
    element.

    Args:
        shape: Lengths of the axes, which are constants.
        dtype: float32 (default), int32, uint32 or bool.

    Returns:
        Array whose elements are read and written, as in `tile[k] = x[i]`.

    Raises:
        KernelError: If it is called outside of a kernel.

    >>> import py_tensor as pt
    >>> @pt.kernel(shape=lambda x: x.shape, workgroup=4)
    ... def reversed_in_groups(i, x):
    ...     tile = pt.shared(4, "int32")
    ...     k = pt.local_index()
    ...     tile[k] = x[i]
    ...     pt.barrier()
    ...     return tile[3 - k]
    >>> reversed_in_groups(pt.arange(8)).tolist()
    [3, 2, 1, 0, 7, 6, 5, 4]
    """
    raise _outside("shared")


def barrier() -> None:
    """Let all elements of a group arrive here before one of them goes on, in a kernel.

    What they have written to shared arrays can then be read by all. No branch may be around it, nor
    a loop whose number of iterations is not constant.

    Raises:
        KernelError: If it is called outside of a kernel.

    >>> import py_tensor as pt
    >>> @pt.kernel(shape=lambda x: x.shape, workgroup=2)
    ... def swapped(i, x):
    ...     tile, k = pt.shared(2, "int32"), pt.local_index()
    ...     tile[k] = x[i]
    ...     pt.barrier()
    ...     return tile[1 - k]
    >>> swapped(pt.arange(4)).tolist()
    [1, 0, 3, 2]
    """
    raise _outside("barrier")


def local_index() -> Any:
    """Return the indices of the element in its group, in a kernel with `workgroup`.

    Returns:
        Tuple with the index along each axis; the index itself if the index space has one axis.

    Raises:
        KernelError: If it is called outside of a kernel.

    >>> import py_tensor as pt
    >>> @pt.kernel(shape=(2, 4), workgroup=(2, 2))
    ... def numbers(i, j):
    ...     k, l = pt.local_index()
    ...     return 2 * k + l
    >>> numbers().tolist()
    [[0, 1, 0, 1], [2, 3, 2, 3]]
    """
    raise _outside("local_index")
