"""Types of elementwise functions for type checkers: NumPy's arguments and methods of ufuncs."""

from __future__ import annotations

from typing import Any, Protocol, overload

from ..tensor import Tensor
from ..typing import ArrayLike, Axis, DTypeLike, IndexLike


class UnaryMethod(Protocol):
    """Elementwise function of one operand as a method of `Tensor`."""

    def __call__(
        self,
        /,
        out: Tensor | None = None,
        where: ArrayLike = True,
        dtype: DTypeLike | None = None,
        casting: str = "same_kind",
    ) -> Tensor: ...


class UnaryFunction(Protocol):
    """Elementwise function of one operand."""

    __name__: str
    nin: int

    def __call__(
        self,
        x: ArrayLike,
        /,
        out: Tensor | None = None,
        where: ArrayLike = True,
        dtype: DTypeLike | None = None,
        casting: str = "same_kind",
    ) -> Tensor: ...
    @overload
    def __get__(self, instance: None, owner: type[Any], /) -> UnaryFunction: ...
    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None, /) -> UnaryMethod: ...


class BinaryMethod(Protocol):
    """Elementwise function of two operands as a method of `Tensor`."""

    def __call__(
        self,
        x2: ArrayLike,
        /,
        out: Tensor | None = None,
        where: ArrayLike = True,
        dtype: DTypeLike | None = None,
        casting: str = "same_kind",
    ) -> Tensor: ...


class BinaryFunction(Protocol):
    """Elementwise function of two operands, with the methods of NumPy's ufuncs."""

    __name__: str
    nin: int

    def __call__(
        self,
        x1: ArrayLike,
        x2: ArrayLike,
        /,
        out: Tensor | None = None,
        where: ArrayLike = True,
        dtype: DTypeLike | None = None,
        casting: str = "same_kind",
    ) -> Tensor: ...
    @overload
    def __get__(self, instance: None, owner: type[Any], /) -> BinaryFunction: ...
    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None, /) -> BinaryMethod: ...
    def reduce(
        self,
        array: ArrayLike,
        axis: Axis = 0,
        dtype: DTypeLike | None = None,
        out: Tensor | None = None,
        keepdims: bool = False,
        initial: Any = None,
        where: ArrayLike = True,
    ) -> Tensor: ...
    def accumulate(
        self,
        array: ArrayLike,
        axis: int = 0,
        dtype: DTypeLike | None = None,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def reduceat(
        self,
        array: ArrayLike,
        indices: ArrayLike,
        axis: int = 0,
        dtype: DTypeLike | None = None,
        out: Tensor | None = None,
    ) -> Tensor: ...
    def outer(self, a: ArrayLike, b: ArrayLike, /, **options: Any) -> Tensor: ...
    def at(self, a: Tensor, indices: IndexLike, b: ArrayLike, /) -> None: ...
