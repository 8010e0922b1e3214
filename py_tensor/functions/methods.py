"""Methods and operators of `Tensor`, bound to the functions of the chapters.

The functions need `Tensor`, so they cannot exist before it: `bind_methods` sets them as attributes
of `Tensor` when this package is imported. Chapters that a first computation does not need are
imported when one of their methods is first used.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, cast

from ..errors import DTypeError, ShapeError
from ..late import LateFunction, LateModule
from ..tensor import Tensor
from ..typing import ArrayLike, Scalar
from . import conversion, elementwise
from .decorators import can_convert, named

if TYPE_CHECKING:
    from ..display import html
    from ..numpy_functions import grids, memory, products, selection, shapes, statistics
    from . import (
        complex_numbers,
        convolution,
        copies,
        indexing,
        inspection,
        interchange,
        joining,
        linear_algebra,
        manipulation,
        neural,
        parts,
        searching,
        segments,
        sorting,
        statistical,
    )
else:
    complex_numbers = LateModule("functions.complex_numbers")
    convolution = LateModule("functions.convolution")
    copies = LateModule("functions.copies")
    grids = LateModule("numpy_functions.grids")
    html = LateModule("display.html")
    indexing = LateModule("functions.indexing")
    inspection = LateModule("functions.inspection")
    interchange = LateModule("functions.interchange")
    joining = LateModule("functions.joining")
    linear_algebra = LateModule("functions.linear_algebra")
    manipulation = LateModule("functions.manipulation")
    memory = LateModule("numpy_functions.memory")
    neural = LateModule("functions.neural")
    parts = LateModule("functions.parts")
    products = LateModule("numpy_functions.products")
    searching = LateModule("functions.searching")
    segments = LateModule("functions.segments")
    selection = LateModule("numpy_functions.selection")
    shapes = LateModule("numpy_functions.shapes")
    sorting = LateModule("functions.sorting")
    statistical = LateModule("functions.statistical")
    statistics = LateModule("numpy_functions.statistics")

type Binary = Callable[[Any, ArrayLike], Tensor]


def _operator(function: Any) -> Binary:
    """Return the operator of a `ufunc`; it returns NotImplemented for operands of other types."""
    operator_of: Binary = function.operator
    return operator_of


def _reflected(function: Binary) -> Binary:
    def reflected(self: Tensor, other: Any) -> Any:
        return function(other, self) if can_convert(other) else NotImplemented

    return reflected


_multiplied = _reflected(elementwise.multiply)


def _times(self: Tensor, other: Any) -> Tensor:
    """Multiply; but an integer without axes after a list or tuple repeats it, as in `[0] * n`."""
    repeats = isinstance(other, list | tuple) and not self.shape and self.dtype.kind in "iu"
    return cast("Tensor", NotImplemented) if repeats else _multiplied(self, other)


def _in_place(function: Binary, symbol: str) -> Binary:
    name = function.__name__

    def in_place(self: Tensor, other: Any) -> Any:
        if not can_convert(other):
            return NotImplemented
        result = function(self, other)
        spec, new = self._spec, result._spec
        if new is not spec:
            advice = f"write x = x {symbol} y"
            if new.dtype is not spec.dtype:
                raise DTypeError(
                    f"{name}: assignment in place cannot change the dtype; got {spec.dtype} and a "
                    f'result of {new.dtype}; {advice}, or x = x.astype("{new.dtype}") before'
                )
            raise ShapeError(
                f"{name}: assignment in place cannot change the shape; got {spec.shape} and a "
                f"result of shape {new.shape}; {advice}"
            )
        self._move(result._node)
        return self

    return in_place


class FlatIterator:
    """Elements of a tensor in row-major order; assigning to them changes the tensor."""

    def __init__(self, tensor: Any) -> None:
        self._tensor = tensor

    def __len__(self) -> int:
        return int(self._tensor.size)

    def __iter__(self) -> Iterator[Any]:
        return iter(manipulation.flatten(self._tensor))

    def __getitem__(self, key: Any) -> Any:
        return manipulation.flatten(self._tensor)[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        flat = indexing.assigned(manipulation.flatten(self._tensor), key, value)
        self._tensor[...] = manipulation.reshape(flat, self._tensor.shape)


class TensorOperators:
    """Operators and special methods of `Tensor` that are also functions."""

    __slots__ = ()

    # --- notebooks --------------------------------------------------------------------------------
    _repr_html_ = html.tensor_html
    _repr_mimebundle_ = html.mimebundle

    # --- operators --------------------------------------------------------------------------------
    __pos__ = elementwise.positive
    __neg__ = elementwise.negative
    __abs__ = elementwise.abs
    __invert__ = elementwise.bitwise_invert

    __add__ = _operator(elementwise.add)
    __sub__ = _operator(elementwise.subtract)
    __mul__ = _operator(elementwise.multiply)
    __truediv__ = _operator(elementwise.divide)
    __floordiv__ = _operator(elementwise.floor_divide)
    __mod__ = _operator(elementwise.remainder)
    __pow__ = _operator(elementwise.pow)
    __and__ = _operator(elementwise.bitwise_and)
    __or__ = _operator(elementwise.bitwise_or)
    __xor__ = _operator(elementwise.bitwise_xor)
    __lshift__ = _operator(elementwise.bitwise_left_shift)
    __rshift__ = _operator(elementwise.bitwise_right_shift)

    __radd__ = _reflected(elementwise.add)
    __rsub__ = _reflected(elementwise.subtract)
    __rmul__ = _times
    __rtruediv__ = _reflected(elementwise.divide)
    __rfloordiv__ = _reflected(elementwise.floor_divide)
    __rmod__ = _reflected(elementwise.remainder)
    __rpow__ = _reflected(elementwise.pow)
    __rand__ = _reflected(elementwise.bitwise_and)
    __ror__ = _reflected(elementwise.bitwise_or)
    __rxor__ = _reflected(elementwise.bitwise_xor)
    __rlshift__ = _reflected(elementwise.bitwise_left_shift)
    __rrshift__ = _reflected(elementwise.bitwise_right_shift)

    __iadd__ = _in_place(elementwise.add, "+")
    __isub__ = _in_place(elementwise.subtract, "-")
    __imul__ = _in_place(elementwise.multiply, "*")
    __itruediv__ = _in_place(elementwise.divide, "/")
    __ifloordiv__ = _in_place(elementwise.floor_divide, "//")
    __imod__ = _in_place(elementwise.remainder, "%")
    __ipow__ = _in_place(elementwise.pow, "**")
    __iand__ = _in_place(elementwise.bitwise_and, "&")
    __ior__ = _in_place(elementwise.bitwise_or, "|")
    __ixor__ = _in_place(elementwise.bitwise_xor, "^")
    __ilshift__ = _in_place(elementwise.bitwise_left_shift, "<<")
    __irshift__ = _in_place(elementwise.bitwise_right_shift, ">>")

    __eq__: ClassVar[Binary] = _operator(elementwise.equal)  # type: ignore[assignment]
    __ne__: ClassVar[Binary] = _operator(elementwise.not_equal)  # type: ignore[assignment]
    __lt__ = _operator(elementwise.less)
    __le__ = _operator(elementwise.less_equal)
    __gt__ = _operator(elementwise.greater)
    __ge__ = _operator(elementwise.greater_equal)

    def __divmod__(self: Any, other: Any) -> tuple[Tensor, Tensor]:
        return elementwise.floor_divide(self, other), elementwise.remainder(self, other)

    def __rdivmod__(self: Any, other: Any) -> tuple[Tensor, Tensor]:
        return elementwise.floor_divide(other, self), elementwise.remainder(other, self)

    def __round__(self: Any, ndigits: int | None = None) -> Any:
        rounded = elementwise.round(self, ndigits or 0)
        return int(rounded) if ndigits is None and not self.ndim else rounded

    def __contains__(self: Any, value: Any) -> bool:
        return bool(statistical.any(elementwise.equal(self, value)))

    __matmul__ = linear_algebra.matmul_operator
    __imatmul__ = _in_place(operator.matmul, "@")
    __rmatmul__ = linear_algebra.reflected_matmul
    __hash__ = interchange.element_hash
    __getitem__ = indexing.get
    __setitem__ = indexing.set_items
    __array_namespace__ = inspection.namespace
    __copy__ = conversion.copy
    __deepcopy__ = copies.deep_copy
    __reduce__ = copies.reduced

    # --- other libraries --------------------------------------------------------------------------
    __array__ = interchange.as_array
    __buffer__ = interchange.as_memoryview
    __dlpack__ = interchange.as_dlpack
    __dlpack_device__ = interchange.dlpack_device
    __jax_array__ = interchange.as_jax_array


class TensorMemory(TensorOperators):
    """Facts of NumPy about the memory of arrays, and views."""

    __slots__ = ()

    @property
    def base(self: Any) -> Tensor | None:
        """Tensor that shares its elements with this one, a view; None for a value of its own.

        >>> import py_tensor as pt
        >>> x = pt.ones(3)
        >>> x[1:].base is x, x.base
        (True, None)
        """
        return parts.whole_of(self)

    @property
    def flags(self: Any) -> memory.Flags:
        """Facts about the memory that NumPy would use.

        >>> import py_tensor as pt
        >>> pt.ones((2, 3)).flags.c_contiguous
        True
        """
        return memory.flags(self)

    @property
    def strides(self: Any) -> tuple[int, ...]:
        """Distance of neighbours along each axis in bytes.

        >>> import py_tensor as pt
        >>> pt.ones((2, 3)).strides
        (12, 4)
        """
        return memory.strides(self)

    view = memory.view


class TensorMethods(TensorMemory):
    """Methods of `Tensor` that are also functions, and properties."""

    __slots__ = ()

    # --- elementwise ------------------------------------------------------------------------------
    abs = elementwise.abs
    acos = elementwise.acos
    acosh = elementwise.acosh
    add = elementwise.add
    asin = elementwise.asin
    asinh = elementwise.asinh
    astype = elementwise.astype
    atan = elementwise.atan
    atan2 = elementwise.atan2
    atanh = elementwise.atanh
    bitwise_and = elementwise.bitwise_and
    bitwise_invert = elementwise.bitwise_invert
    bitwise_left_shift = elementwise.bitwise_left_shift
    bitwise_or = elementwise.bitwise_or
    bitwise_right_shift = elementwise.bitwise_right_shift
    bitwise_xor = elementwise.bitwise_xor
    ceil = elementwise.ceil
    clip = elementwise.clip
    conj = elementwise.conj
    copysign = elementwise.copysign
    cos = elementwise.cos
    cosh = elementwise.cosh
    divide = elementwise.divide
    equal = elementwise.equal
    digamma = elementwise.digamma
    erf = elementwise.erf
    erfc = elementwise.erfc
    erfinv = elementwise.erfinv
    i0 = elementwise.i0
    lgamma = elementwise.lgamma
    exp = elementwise.exp
    expm1 = elementwise.expm1
    floor = elementwise.floor
    floor_divide = elementwise.floor_divide
    greater = elementwise.greater
    greater_equal = elementwise.greater_equal
    hypot = elementwise.hypot
    isfinite = elementwise.isfinite
    isinf = elementwise.isinf
    isnan = elementwise.isnan
    less = elementwise.less
    less_equal = elementwise.less_equal
    log = elementwise.log
    log10 = elementwise.log10
    log1p = elementwise.log1p
    log2 = elementwise.log2
    logaddexp = elementwise.logaddexp
    logical_and = elementwise.logical_and
    logical_not = elementwise.logical_not
    logical_or = elementwise.logical_or
    logical_xor = elementwise.logical_xor
    maximum = elementwise.maximum
    minimum = elementwise.minimum
    multiply = elementwise.multiply
    negative = elementwise.negative
    nextafter = elementwise.nextafter
    not_equal = elementwise.not_equal
    positive = elementwise.positive
    pow = elementwise.pow
    reciprocal = elementwise.reciprocal
    relu = elementwise.relu
    remainder = elementwise.remainder
    round = elementwise.round
    rsqrt = elementwise.rsqrt
    sigmoid = elementwise.sigmoid
    sign = elementwise.sign
    signbit = elementwise.signbit
    sin = elementwise.sin
    sinh = elementwise.sinh
    sqrt = elementwise.sqrt
    square = elementwise.square
    subtract = elementwise.subtract
    tan = elementwise.tan
    tanh = elementwise.tanh
    trunc = elementwise.trunc

    # --- statistical ------------------------------------------------------------------------------
    all = statistical.all
    any = statistical.any
    argmax = statistical.argmax
    argmin = statistical.argmin
    cumulative_prod = statistical.cumulative_prod
    cumulative_sum = statistical.cumulative_sum
    max = statistical.max
    mean = statistical.mean
    min = statistical.min
    prod = statistical.prod
    std = statistical.std
    sum = statistical.sum
    var = statistical.var

    # --- manipulation -----------------------------------------------------------------------------
    broadcast_to = manipulation.broadcast_to
    expand_dims = manipulation.expand_dims
    flatten = manipulation.flatten
    flip = manipulation.flip
    matrix_transpose = manipulation.matrix_transpose
    moveaxis = manipulation.moveaxis
    pad = manipulation.pad
    permute_dims = manipulation.permute_dims
    squeeze = manipulation.squeeze
    transpose = manipulation.transpose_to
    reshape = manipulation.reshape_to

    # --- indexing ---------------------------------------------------------------------------------
    take = indexing.take
    take_along_axis = indexing.take_along_axis

    # --- other libraries --------------------------------------------------------------------------
    data = interchange.data
    numpy = interchange.numpy
    to_device = interchange.to_device
    block_until_ready = interchange.block_until_ready
    devices = interchange.devices

    # --- linear algebra ---------------------------------------------------------------------------
    matmul = linear_algebra.matmul

    @property
    def at(self: Any) -> segments.IndexUpdater:
        """Updates of selected elements: `x.at[key].add(v)` returns a copy with v added.

        >>> import py_tensor as pt
        >>> pt.zeros(3).at[1].set(5.0).tolist()
        [0.0, 5.0, 0.0]
        """
        return segments.IndexUpdater(self)

    @property
    def T(self: Any) -> Tensor:
        """View with all axes in reverse order, as in NumPy; a 1-d tensor stays as it is.

        >>> import py_tensor as pt
        >>> pt.asarray([[1, 2]]).T.tolist()
        [[1], [2]]
        """
        return linear_algebra.transposed(self)

    @property
    def mT(self: Any) -> Tensor:
        """View with the last two axes swapped.

        Raises AxesError for fewer than two axes, which is an AttributeError, too.

        >>> import py_tensor as pt
        >>> pt.ones((4, 2, 3)).mT.shape
        (4, 3, 2)
        """
        return linear_algebra.matrix_transposed(self)

    # --- NumPy ------------------------------------------------------------------------------------
    argpartition = selection.argpartition
    argsort = sorting.argsort
    choose = selection.choose
    conjugate = elementwise.conj
    copy = conversion.copy
    cumprod = statistics.cumprod
    cumsum = statistics.cumsum
    diagonal = grids.diagonal
    dot = products.dot
    nonzero = searching.nonzero
    put = selection.put
    ravel = shapes.ravel
    repeat = joining.repeat
    searchsorted = searching.searchsorted
    swapaxes = shapes.swapaxes
    trace = grids.trace

    @classmethod
    def __init_subclass__(cls, **options: Any) -> None:
        """Let a class with `__new__` alone, as NumPy's subclasses have, ignore its arguments."""
        if "__new__" in vars(cls) and "__init__" not in vars(cls):
            setattr(cls, "__init__", lambda self, *args, **kwargs: None)  # noqa: B010

    def compress(self: Any, condition: ArrayLike, axis: int | None = None) -> Tensor:
        """Return the slices along an axis for which a condition is true, as `pt.compress` does.

        >>> import py_tensor as pt
        >>> pt.arange(3).compress([True, False, True]).tolist()
        [0, 2]
        """
        return selection.compress(condition, self, axis)

    @named
    def fill(self: Any, value: Scalar) -> None:
        """Assign one number to all elements.

        >>> import py_tensor as pt
        >>> x = pt.zeros(2)
        >>> x.fill(5)
        >>> x.tolist()
        [5.0, 5.0]
        """
        self[...] = value

    @named
    def sort(self: Any, axis: int = -1, kind: str | None = None) -> None:
        """Sort the elements along an axis in place; `pt.sort` returns them instead.

        >>> import py_tensor as pt
        >>> x = pt.asarray([3, 1, 2])
        >>> x.sort()
        >>> x.tolist()
        [1, 2, 3]
        """
        self[...] = sorting.sort(self, axis)

    @named
    def partition(self: Any, kth: Any, axis: int = -1) -> None:
        """Sort the elements along an axis in place, which also puts the k-th one in its place.

        >>> import py_tensor as pt
        >>> x = pt.asarray([3, 1, 2])
        >>> x.partition(1)
        >>> x.tolist()
        [1, 2, 3]
        """
        self[...] = sorting.sort(self, axis)

    @named
    def tobytes(self: Any) -> bytes:
        """Return the elements as bytes; blocks until they are computed.

        >>> import py_tensor as pt
        >>> pt.asarray([1, 2], "uint8").tobytes()
        b'\\x01\\x02'
        """
        return bytes(self)

    @property
    def flat(self: Any) -> FlatIterator:
        """Elements in row-major order, to iterate over, read and assign.

        >>> import py_tensor as pt
        >>> x = pt.zeros((2, 2))
        >>> x.flat[3] = 5
        >>> x.tolist()
        [[0.0, 0.0], [0.0, 5.0]]
        """
        return FlatIterator(self)

    @property
    def itemsize(self: Any) -> int:
        """Size of an element in bytes.

        >>> import py_tensor as pt
        >>> pt.ones(3).itemsize
        4
        """
        return int(self.dtype.itemsize)

    @property
    def real(self: Any) -> Tensor:
        """Real parts, as `pt.real` returns them.

        >>> import py_tensor as pt
        >>> pt.asarray([1 + 2j]).real.tolist()
        [1.0]
        """
        return complex_numbers.real(self)

    @property
    def imag(self: Any) -> Tensor:
        """Imaginary parts, as `pt.imag` returns them.

        >>> import py_tensor as pt
        >>> pt.asarray([1 + 2j]).imag.tolist()
        [2.0]
        """
        return complex_numbers.imag(self)

    # --- neural -----------------------------------------------------------------------------------
    avg_pool2d = neural.avg_pool2d
    max_pool2d = neural.max_pool2d
    softmax = neural.softmax

    # --- convolution ------------------------------------------------------------------------------
    conv2d = convolution.conv2d
    conv2d_transpose = convolution.conv2d_transpose


def bind_methods() -> None:
    """Set the methods and operators as attributes of `Tensor`; those that it defines stay."""
    own = set(vars(Tensor))
    for methods in (TensorOperators, TensorMemory, TensorMethods):
        for name, value in vars(methods).items():
            if name not in own:
                setattr(Tensor, name, value)
                if isinstance(value, LateFunction):
                    value.__set_name__(Tensor, name)
    setattr(Tensor, "shape", vars(Tensor)["shape"].setter(memory.set_shape))  # noqa: B010
