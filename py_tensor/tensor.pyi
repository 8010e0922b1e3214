"""Written by tools/make_stubs.py; `make stubs` writes it anew."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

from py_tensor.backends.base import Buffer
from py_tensor.dtypes import DType
from py_tensor.lifetime import End
from py_tensor.nodes import Node, Spec
from py_tensor.ops.rows import Row, Shape

PENDING_LIMIT: int
PENDING_BYTES: int

class Tensor:
    """An n-dimensional array of one dtype, computed lazily."""
    def __hash__(self) -> int: ...
    def __init__(self, node: Node) -> None: ...
    def __del__(self) -> None: ...
    @property
    def _spec(self) -> Spec: ...
    @property
    def shape(self) -> Shape:
        """Length of each axis."""
    @property
    def dtype(self) -> DType:
        """Data type of the elements."""
    @property
    def ndim(self) -> int:
        """Number of axes."""
    @property
    def size(self) -> int:
        """Number of elements."""
    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
    @property
    def device(self) -> str:
        """Name of the backend that computes: "webgl" or "numpy"."""
    @property
    def is_disposed(self) -> bool:
        """Whether `dispose` or a scope ended this handle."""
    def dispose(self) -> None:
        """Ends this handle; pending work that took its value keeps it. Twice does nothing."""
    def _end(self, place: str, end: End = ...) -> None: ...
    def _move(self, node: Node) -> None:
        """Points this handle to another value."""
    def _buffer(self, operation: str) -> Buffer: ...
    def _read_buffer(self, operation: str) -> Buffer:
        """The buffer, on the host where that is the shorter way to a value that is read."""
    def _bytes(self, operation: str) -> memoryview: ...
    def tolist(self) -> Any:
        """The values as nested lists of Python numbers; the number itself for shape ()."""
    def item(self) -> Any:
        """The only element as a Python number. Raises ShapeError for other sizes."""
    def _first(self, operation: str) -> Any: ...
    def numpy(self) -> Any:
        """The values as a new NumPy array; waits for them. Raises ImportError without NumPy."""
    async def data(self) -> memoryview:
        """The values as a memoryview of this shape, without blocking the page."""
    def __buffer__(self, flags: int, /) -> memoryview: ...
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any: ...
    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """A DLPack capsule of a copy in the CPU's memory. Needs NumPy."""
    def __dlpack_device__(self) -> tuple[int, int]:
        """The CPU, where values are read to."""
    def to_device(self, device: Any, /, *, stream: Any = None) -> Tensor:
        """This tensor, for the device in use. Raises ArgumentError for others."""
    def _one(self, operation: str) -> Any: ...
    def __bool__(self) -> bool: ...
    def _one_real(self, operation: str) -> Any: ...
    def __int__(self) -> int: ...
    def __float__(self) -> float: ...
    def __complex__(self) -> complex: ...
    def __index__(self) -> int: ...
    def __bytes__(self) -> bytes: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Tensor]: ...
    def __repr__(self) -> str: ...
    def __format__(self, format_spec: str) -> str: ...
    _node: Any
    def add(self, x2: Any, /) -> Tensor:
        """Sum, element by element."""
    def subtract(self, x2: Any, /) -> Tensor:
        """Difference, element by element."""
    def multiply(self, x2: Any, /) -> Tensor:
        """Product, element by element."""
    def divide(self, x2: Any, /) -> Tensor:
        """Quotient, element by element."""
    def floor_divide(self, x2: Any, /) -> Tensor:
        """Quotient rounded down; integers over 0 give 0."""
    def remainder(self, x2: Any, /) -> Tensor:
        """Remainder with the sign of the divisor; integers modulo 0 give 0."""
    def pow(self, x2: Any, /) -> Tensor:
        """First operand to the power of the second; negative integer exponents count as 0."""
    def negative(self, /) -> Tensor:
        """Sign changed, element by element."""
    def positive(self, /) -> Tensor:
        """The operand itself."""
    def conj(self, /) -> Tensor:
        """Complex conjugate; real numbers are their own."""
    def abs(self, /) -> Tensor:
        """Absolute value; the modulus of complex numbers."""
    def sign(self, /) -> Tensor:
        """-1, 0 or 1 by the sign; complex numbers over their modulus."""
    def square(self, /) -> Tensor:
        """Product with itself."""
    def reciprocal(self, /) -> Tensor:
        """One over the operand."""
    def equal(self, x2: Any, /) -> Tensor:
        """Whether operands are equal."""
    def not_equal(self, x2: Any, /) -> Tensor:
        """Whether operands differ."""
    def less(self, x2: Any, /) -> Tensor:
        """Whether the first is smaller."""
    def less_equal(self, x2: Any, /) -> Tensor:
        """Whether the first is not larger."""
    def greater(self, x2: Any, /) -> Tensor:
        """Whether the first is larger."""
    def greater_equal(self, x2: Any, /) -> Tensor:
        """Whether the first is not smaller."""
    def maximum(self, x2: Any, /) -> Tensor:
        """The larger operand; NaN if either is."""
    def minimum(self, x2: Any, /) -> Tensor:
        """The smaller operand; NaN if either is."""
    def logical_and(self, x2: Any, /) -> Tensor:
        """Whether both hold."""
    def logical_or(self, x2: Any, /) -> Tensor:
        """Whether either holds."""
    def logical_xor(self, x2: Any, /) -> Tensor:
        """Whether exactly one holds."""
    def logical_not(self, /) -> Tensor:
        """Whether the operand does not hold."""
    def bitwise_and(self, x2: Any, /) -> Tensor:
        """Bits set in both."""
    def bitwise_or(self, x2: Any, /) -> Tensor:
        """Bits set in either."""
    def bitwise_xor(self, x2: Any, /) -> Tensor:
        """Bits set in exactly one."""
    def bitwise_invert(self, /) -> Tensor:
        """Every bit changed."""
    def bitwise_left_shift(self, x2: Any, /) -> Tensor:
        """Bits moved up by the second operand."""
    def bitwise_right_shift(self, x2: Any, /) -> Tensor:
        """Bits moved down by the second operand, the sign kept."""
    def ceil(self, /) -> Tensor:
        """Rounded up to an integer."""
    def floor(self, /) -> Tensor:
        """Rounded down to an integer."""
    def trunc(self, /) -> Tensor:
        """Rounded towards zero."""
    def round(self, /) -> Tensor:
        """Rounded to the nearest integer, halves to even."""
    def isfinite(self, /) -> Tensor:
        """Whether neither infinite nor NaN."""
    def isinf(self, /) -> Tensor:
        """Whether infinite."""
    def isnan(self, /) -> Tensor:
        """Whether NaN."""
    def signbit(self, /) -> Tensor:
        """Whether the sign bit is set, also for -0.0."""
    def copysign(self, x2: Any, /) -> Tensor:
        """First operand's size with the second's sign."""
    def nextafter(self, x2: Any, /) -> Tensor:
        """Next number of the dtype from the first operand towards the second."""
    def exp(self, /) -> Tensor:
        """e to the power of the operand."""
    def expm1(self, /) -> Tensor:
        """exp(x) - 1, accurate near 0."""
    def log(self, /) -> Tensor:
        """Natural logarithm."""
    def log1p(self, /) -> Tensor:
        """log(1 + x), accurate near 0."""
    def log2(self, /) -> Tensor:
        """Logarithm to base 2."""
    def log10(self, /) -> Tensor:
        """Logarithm to base 10."""
    def logaddexp(self, x2: Any, /) -> Tensor:
        """log(exp(x1) + exp(x2)) without overflow."""
    def sqrt(self, /) -> Tensor:
        """Square root."""
    def rsqrt(self, /) -> Tensor:
        """One over the square root."""
    def hypot(self, x2: Any, /) -> Tensor:
        """sqrt(x1**2 + x2**2) without overflow."""
    def sin(self, /) -> Tensor:
        """Sine; radians."""
    def cos(self, /) -> Tensor:
        """Cosine; radians."""
    def tan(self, /) -> Tensor:
        """Tangent; radians."""
    def asin(self, /) -> Tensor:
        """Inverse sine; radians."""
    def acos(self, /) -> Tensor:
        """Inverse cosine; radians."""
    def atan(self, /) -> Tensor:
        """Inverse tangent; radians."""
    def atan2(self, x2: Any, /) -> Tensor:
        """Angle of the point (x2, x1); radians."""
    def sinh(self, /) -> Tensor:
        """Hyperbolic sine."""
    def cosh(self, /) -> Tensor:
        """Hyperbolic cosine."""
    def tanh(self, /) -> Tensor:
        """Hyperbolic tangent."""
    def asinh(self, /) -> Tensor:
        """Inverse hyperbolic sine."""
    def acosh(self, /) -> Tensor:
        """Inverse hyperbolic cosine."""
    def atanh(self, /) -> Tensor:
        """Inverse hyperbolic tangent."""
    def relu(self, /) -> Tensor:
        """The operand where positive, else 0."""
    def sigmoid(self, /) -> Tensor:
        """1 / (1 + exp(-x))."""
    def erf(self, /) -> Tensor:
        """Gauss error function."""
    def erfinv(self, /) -> Tensor:
        """Inverse of the Gauss error function."""
    def astype(self, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Tensor:
        """The values converted to `dtype`; floats to integers truncate, integers wrap."""
    def clip(self, /, min: Any = None, max: Any = None) -> Tensor:
        """The values held between `min` and `max`, numbers or tensors; None for no limit."""
    def sum(self, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
        """Sum of the elements along axes."""
    def prod(self, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
        """Product of the elements along axes."""
    def max(self, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
        """Largest element along axes; NaN if any is."""
    def min(self, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
        """Smallest element along axes; NaN if any is."""
    def any(self, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
        """Whether any element along axes is not zero."""
    def all(self, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
        """Whether all elements along axes are not zero."""
    def argmax(self, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
        """Position of the first largest element along one axis."""
    def argmin(self, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
        """Position of the first smallest element along one axis."""
    def mean(self, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
        """Arithmetic mean of the elements along axes; floating and complex dtypes."""
    def var(
        self, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False
    ) -> Tensor:
        """Variance along axes: squared distances from the mean over (count - correction)."""
    def std(
        self, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False
    ) -> Tensor:
        """Standard deviation along axes: the square root of `var`."""
    def cumulative_sum(
        self, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
    ) -> Tensor:
        """Sum of each element and all before it along an axis."""
    def cumulative_prod(
        self, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
    ) -> Tensor:
        """Product of each element and all before it along an axis."""
    def broadcast_to(self, /, shape: Any) -> Tensor:
        """x repeated along axes of length 1 to the given shape."""
    def expand_dims(self, /, axis: int | Sequence[int] = 0) -> Tensor:
        """New axes of length 1 at the given places of the result."""
    def flatten(self, /) -> Tensor:
        """All elements along one axis."""
    def flip(self, /, *, axis: Any = None) -> Tensor:
        """Elements in reverse order along axes (all where None)."""
    def matrix_transpose(self, /) -> Tensor:
        """The last two axes swapped. Raises ShapeError for fewer than two axes."""
    def moveaxis(self, source: Any, destination: Any, /) -> Tensor:
        """Axes moved to new places, the others in their order."""
    def pad(self, /, pad_width: Any, *, constant_values: bool | int | float = 0) -> Tensor:
        """A value put around x."""
    def permute_dims(self, /, axes: Sequence[int]) -> Tensor:
        """Axes in another order: axis i of the result is axis `axes[i]` of x."""
    def reshape(self, /, *lengths: Any, shape: Any = None, copy: bool | None = None) -> Tensor:
        """The same elements in another shape, given as one sequence or as one number an axis."""
    def squeeze(self, /, axis: int | Sequence[int] | None = None) -> Tensor:
        """Axes of length 1 removed: the given ones, or all. Raises ShapeError for longer axes."""
    def transpose(self, /, axes: Sequence[int] | None = None) -> Tensor:
        """All axes in reverse order, or in the order given, as `permute_dims`."""
    def take(self, indices: Any, /, *, axis: int | None = None) -> Tensor:
        """Slices of x at places of an axis, in the order `indices` names them."""
    def take_along_axis(self, indices: Any, /, *, axis: int = -1) -> Tensor:
        """For each place, the element of x whose place along the axis `indices` names there."""
    def softmax(self, /, *, axis: int = -1) -> Tensor:
        """exp(x) over its sum along an axis, shifted by the maximum so that nothing overflows."""
    def conv2d(
        self,
        w: Any,
        /,
        *,
        stride: Any = 1,
        padding: Any = "valid",
        dilation: Any = 1,
        groups: int = 1,
    ) -> Tensor:
        """2-d convolution (cross-correlation, as all machine-learning libraries mean it)."""
    def conv2d_transpose(
        self,
        w: Any,
        /,
        *,
        stride: Any = 1,
        padding: Any = "valid",
        output_padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
    ) -> Tensor:
        """Transposed 2-d convolution: the gradient of `conv2d` with respect to its first operand."""
    def max_pool2d(
        self, size: Any, /, *, stride: Any = None, padding: Any = "valid", dilation: Any = 1
    ) -> Tensor:
        """The largest element of each window of each channel; NaN if any is."""
    def avg_pool2d(
        self,
        size: Any,
        /,
        *,
        stride: Any = None,
        padding: Any = "valid",
        dilation: Any = 1,
        count_include_pad: bool = False,
    ) -> Tensor:
        """The mean of each window of each channel."""
    def __add__(self, other: Any) -> Tensor: ...
    def __radd__(self, other: Any) -> Tensor: ...
    def __iadd__(self, other: Any) -> Tensor: ...
    def __sub__(self, other: Any) -> Tensor: ...
    def __rsub__(self, other: Any) -> Tensor: ...
    def __isub__(self, other: Any) -> Tensor: ...
    def __mul__(self, other: Any) -> Tensor: ...
    def __rmul__(self, other: Any) -> Tensor: ...
    def __imul__(self, other: Any) -> Tensor: ...
    def __truediv__(self, other: Any) -> Tensor: ...
    def __rtruediv__(self, other: Any) -> Tensor: ...
    def __itruediv__(self, other: Any) -> Tensor: ...
    def __floordiv__(self, other: Any) -> Tensor: ...
    def __rfloordiv__(self, other: Any) -> Tensor: ...
    def __ifloordiv__(self, other: Any) -> Tensor: ...
    def __mod__(self, other: Any) -> Tensor: ...
    def __rmod__(self, other: Any) -> Tensor: ...
    def __imod__(self, other: Any) -> Tensor: ...
    def __pow__(self, other: Any) -> Tensor: ...
    def __rpow__(self, other: Any) -> Tensor: ...
    def __ipow__(self, other: Any) -> Tensor: ...
    def __neg__(self, /) -> Tensor:
        """Sign changed, element by element."""
    def __pos__(self, /) -> Tensor:
        """The operand itself."""
    def __abs__(self, /) -> Tensor:
        """Absolute value; the modulus of complex numbers."""
    def __eq__(self, other: Any) -> Tensor: ...  # type: ignore[override]
    def __ne__(self, other: Any) -> Tensor: ...  # type: ignore[override]
    def __lt__(self, other: Any) -> Tensor: ...
    def __le__(self, other: Any) -> Tensor: ...
    def __gt__(self, other: Any) -> Tensor: ...
    def __ge__(self, other: Any) -> Tensor: ...
    def __and__(self, other: Any) -> Tensor: ...
    def __rand__(self, other: Any) -> Tensor: ...
    def __iand__(self, other: Any) -> Tensor: ...
    def __or__(self, other: Any) -> Tensor: ...
    def __ror__(self, other: Any) -> Tensor: ...
    def __ior__(self, other: Any) -> Tensor: ...
    def __xor__(self, other: Any) -> Tensor: ...
    def __rxor__(self, other: Any) -> Tensor: ...
    def __ixor__(self, other: Any) -> Tensor: ...
    def __invert__(self, /) -> Tensor:
        """Every bit changed."""
    def __lshift__(self, other: Any) -> Tensor: ...
    def __rlshift__(self, other: Any) -> Tensor: ...
    def __ilshift__(self, other: Any) -> Tensor: ...
    def __rshift__(self, other: Any) -> Tensor: ...
    def __rrshift__(self, other: Any) -> Tensor: ...
    def __irshift__(self, other: Any) -> Tensor: ...
    def __getitem__(self, key: Any) -> Tensor:
        """The elements a key of integers, slices of any step, ... and None names, as a view."""
    def __setitem__(self, key: Any, value: Any) -> None:
        """Moves this handle to its value with another in the place of what the key names."""
    def __matmul__(self, x2: Any, /) -> Tensor:
        """Matrix product over the last axis of x1 and the one before last of x2."""
    def __rmatmul__(self, other: Any) -> Tensor: ...
    @property
    def T(self) -> Tensor:
        """The transposed matrix. Raises ShapeError unless there are two axes, as the standard has it."""
    @property
    def mT(self, /) -> Tensor:
        """The last two axes swapped. Raises ShapeError for fewer than two axes."""
    def matmul(self, x2: Any, /) -> Tensor:
        """Matrix product over the last axis of x1 and the one before last of x2."""
    def __array_namespace__(self, /, *, api_version: str | None = None) -> Any:
        """The namespace of the array API standard's functions: this package."""

def node_behind(operation: str, tensor: Tensor) -> Node:
    """The node of a handle; raises DisposedError, naming where, if the handle has ended."""

def handle_on(node: Node) -> Tensor:
    """A handle on a value that an operation gave before: nobody is told of a new tensor."""

def realize_pending(nodes: list[Node]) -> None:
    """Runs pending work for the nodes, and counts pending work from zero."""

def flush_in_step() -> None:
    """Runs everything pending where the user's loop is as far as it was the last time."""

def flush() -> None:
    """Runs everything pending that a living handle can still ask for; a trace must end first."""

def realize(*tensors: Tensor) -> None:
    """Computes the tensors now, in one go, without reading them; inside `jit`, does nothing."""

def from_host(data: Any, shape: Shape, dtype: DType, operation: str) -> Tensor:
    """A tensor of flat host bytes, uploaded at first use."""

def asarray(
    obj: Any, /, *, dtype: Any = None, device: Any = None, copy: bool | None = None
) -> Tensor:
    """A tensor of numbers, nested sequences, a buffer, a NumPy array or another tensor."""

def as_tensor(operation: str, value: Any, dtype: DType | None = None) -> Tensor:
    """A tensor of what the user passed to that operation, whose name errors have."""

def operand_of(operation: str, value: Any) -> Any:
    """A tensor or a Python scalar out of what the user passed."""

def operand_nodes(row: Row, operands: tuple[Any, ...], operation: str = "") -> tuple[Node, ...]:
    """The nodes of an operation's operands; Python scalars take the dtype of tensors beside."""

def apply(row: Row, operands: tuple[Any, ...], arg: Hashable = None) -> Tensor:
    """A tensor for a row applied to what the user passed; raises the row's errors."""

def install(methods: dict[str, Callable[..., Any]]) -> None:
    """Puts functions on Tensor as methods and operators."""
