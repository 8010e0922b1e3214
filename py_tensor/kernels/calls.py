"""Functions of tensors that kernels make: their arguments, calls and gradients.

Input: what the user passes to a kernel. Output: numbers, tensors and nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..dtypes import DTYPES, OF_PYTHON, DType, bool_, described, float32, int32, uint32
from ..errors import ArgumentError, DTypeError
from ..functions.arguments import function_of
from ..ir.node import OpNode, scalar_node
from ..ir.tracer import ScalarTracer, fitting, kind_of
from ..tensor import Tensor, as_tensor, node_behind
from ..transforms.autodiff.custom_vjp import custom_gradient
from ..typing import ArrayLike
from .builder import NUMBERS, PythonNumber

KernelArgument = Tensor | PythonNumber | ScalarTracer
KernelResult = Tensor | tuple[Tensor, ...]


class TensorFunction:
    """A kernel as a function of tensors; subclasses say what a call does."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._rule: Callable[..., object] | None = None

    def __call__(self, *args: ArrayLike, **kwargs: ArrayLike) -> Any:
        """Return the kernel's result for each element; a tuple if the function returns one."""
        values = self._bound(args, kwargs)
        rule = self._rule
        if rule is None:
            return self._apply(values)

        def with_rule(
            *tensors: KernelArgument,
        ) -> tuple[KernelResult, Callable[[object], object]]:
            return self._apply(tensors), lambda g: rule(g, *tensors)

        return custom_gradient(with_rule)(*values)

    def gradient[Rule: Callable[..., object]](self, rule: Rule) -> Rule:
        """Decorate the function that computes this kernel's gradient.

        Args:
            rule: Function of the cotangent of the result (a tuple of them for several results),
                followed by the kernel's arguments in order. It returns a tuple with one cotangent
                for each argument, None for zero.

        Returns:
            The rule itself.

        Raises:
            ArgumentTypeError: If the rule is not a function.

        >>> import py_tensor as pt
        >>> @pt.kernel(shape=lambda u: u.shape)
        ... def reverse(i, u):
        ...     return u[u.shape[0] - 1 - i]
        >>> @reverse.gradient
        ... def back(g, u):
        ...     return (reverse(g),)
        >>> pt.grad(lambda u: (reverse(u) * pt.asarray([1.0, 2.0])).sum())(pt.ones(2)).tolist()
        [2.0, 1.0]
        """
        self._rule = function_of("gradient", "rule", rule)
        return rule

    def _bound(
        self, args: tuple[ArrayLike, ...], kwargs: dict[str, ArrayLike]
    ) -> list[KernelArgument]:
        """Return the arguments in the order of the parameters: numbers and tensors."""
        raise NotImplementedError

    def _apply(self, values: Sequence[KernelArgument]) -> KernelResult:
        """Return the results for arguments in the order of the parameters."""
        raise NotImplementedError


def argument(operation: str, name: str, value: ArrayLike) -> KernelArgument:
    """Return a number, or a tensor of anything else."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, bool | int | float | ScalarTracer) and kind_of(value) in NUMBERS:
        return value
    if value is None or isinstance(value, str):
        raise ArgumentError(
            f"{operation}: {name} is not a number or a tensor; got {described(value)}; pass a "
            "number or a tensor"
        )
    return as_tensor(operation, value)


def dtype_inside(operation: str, value: KernelArgument) -> DType:
    """Return the dtype that an argument has inside of a kernel, which is one of 32 bits."""
    if not isinstance(value, Tensor):
        dtype = OF_PYTHON[kind_of(value)]
        if dtype is int32 and type(value) is int and not int32.lowest <= value <= int32.highest:
            raise DTypeError(
                f"{operation}: integer does not fit int32; got {value}; pass a float or a tensor"
            )
        return dtype
    inside = INSIDE.get(value.dtype)
    if inside is None:
        raise DTypeError(
            f"{operation}: kernels have no complex numbers; got dtype {value.dtype}; use "
            "pt.real(x) and pt.imag(x)"
        )
    return inside


def type_inside(operation: str, value: KernelArgument, indexed: bool = True) -> ArgumentType:
    """Return the dtype of an argument inside of a kernel, and the rank at which it is read."""
    rank = len(value.shape) if indexed and isinstance(value, Tensor) else 0
    return ArgumentType(dtype_inside(operation, value), rank)


INSIDE = {
    dtype: dtype if dtype in (uint32, bool_) else float32 if dtype.kind == "f" else int32
    for dtype in DTYPES
    if dtype.kind != "c"
}
"""The dtype that elements of each dtype have inside of a kernel."""


class ArgumentType(NamedTuple):
    """Dtype of an argument, and its rank if it is a tensor that is read at positions, else 0."""

    dtype: DType
    rank: int


def node_of_argument(operation: str, value: KernelArgument) -> OpNode:
    """Return the node of a tensor, or a new one of a number."""
    if isinstance(value, Tensor):
        return node_behind(operation, value)
    dtype = dtype_inside(operation, value)
    return scalar_node(fitting(operation, value, dtype), dtype)
