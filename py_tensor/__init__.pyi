"""Written by tools/make_stubs.py; `make stubs` writes it anew."""

import builtins
from typing import Any

from py_tensor import data as data
from py_tensor import errors, random
from py_tensor import fft as fft
from py_tensor import graph as graph
from py_tensor import linalg as linalg
from py_tensor import nn as nn
from py_tensor import optim as optim
from py_tensor import saving as saving
from py_tensor import train as train
from py_tensor.accounting import (
    CacheInfo,
    Memory,
    cache_info,
    dispose,
    keep,
    memory,
    memory_trace,
    tidy,
)
from py_tensor.autodiff import (
    checkpoint,
    custom_gradient,
    grad,
    jvp,
    stop_gradient,
    value_and_grad,
    vjp,
)
from py_tensor.debugging import enable_debug_mode, enable_production_mode
from py_tensor.dtypes import bool_ as bool
from py_tensor.dtypes import complex64, float16, float32, int8, int16, int32, uint8, uint16, uint32
from py_tensor.explaining import explain
from py_tensor.functions.complexes import angle, complex, imag, iscomplex, isreal, real
from py_tensor.functions.convolution import conv2d
from py_tensor.functions.convolution_transpose import conv2d_transpose
from py_tensor.functions.counting import bincount, histogram
from py_tensor.functions.creation import (
    arange,
    copy,
    empty,
    empty_like,
    eye,
    from_dlpack,
    full,
    full_like,
    linspace,
    ones,
    ones_like,
    zeros,
    zeros_like,
)
from py_tensor.functions.curves import interp, trapezoid
from py_tensor.functions.data_types import can_cast, finfo, iinfo, isdtype, result_type
from py_tensor.functions.einsum import contraction_path, einsum
from py_tensor.functions.elementwise import astype, clip
from py_tensor.functions.grids import meshgrid, tril, triu
from py_tensor.functions.indexing import take, take_along_axis
from py_tensor.functions.inspection import VERSION as __array_api_version__
from py_tensor.functions.inspection import __array_namespace_info__
from py_tensor.functions.joining import concat, stack, unstack
from py_tensor.functions.linear_algebra import cov, kron, matmul, tensordot, vecdot
from py_tensor.functions.manipulation import (
    broadcast_to,
    expand_dims,
    flatten,
    flip,
    matrix_transpose,
    moveaxis,
    pad,
    permute_dims,
    reshape,
    squeeze,
    transpose,
)
from py_tensor.functions.nan_statistics import nanmean, nanstd, nanvar
from py_tensor.functions.neural import softmax
from py_tensor.functions.order_statistics import median, nanmedian, nanquantile, quantile
from py_tensor.functions.pooling import avg_pool2d, max_pool2d
from py_tensor.functions.repetition import broadcast_arrays, broadcast_shapes, repeat, roll, tile
from py_tensor.functions.searching import count_nonzero, nonzero
from py_tensor.functions.sets import isin, unique_all, unique_counts, unique_inverse, unique_values
from py_tensor.functions.sorting import argsort, searchsorted, sort, topk
from py_tensor.functions.statistical import mean, std, var
from py_tensor.functions.utility import diff
from py_tensor.jitting import jit
from py_tensor.pixels import draw, from_pixels
from py_tensor.pytree import tree_flatten, tree_leaves, tree_map, tree_unflatten
from py_tensor.runtime import get_backend, set_backend
from py_tensor.tensor import Tensor, asarray, realize
from py_tensor.warming import ShapeDtype, warmup

def abs(x: Any, /) -> Tensor:
    """Absolute value; the modulus of complex numbers."""

def acos(x: Any, /) -> Tensor:
    """Inverse cosine; radians."""

def acosh(x: Any, /) -> Tensor:
    """Inverse hyperbolic cosine."""

def add(x1: Any, x2: Any, /) -> Tensor:
    """Sum, element by element."""

def all(x: Any, /, *, axis: Any = None, keepdims: builtins.bool = False) -> Tensor:
    """Whether all elements along axes are not zero."""

def any(x: Any, /, *, axis: Any = None, keepdims: builtins.bool = False) -> Tensor:
    """Whether any element along axes is not zero."""

def argmax(x: Any, /, *, axis: int | None = None, keepdims: builtins.bool = False) -> Tensor:
    """Position of the first largest element along one axis."""

def argmin(x: Any, /, *, axis: int | None = None, keepdims: builtins.bool = False) -> Tensor:
    """Position of the first smallest element along one axis."""

def asin(x: Any, /) -> Tensor:
    """Inverse sine; radians."""

def asinh(x: Any, /) -> Tensor:
    """Inverse hyperbolic sine."""

def atan(x: Any, /) -> Tensor:
    """Inverse tangent; radians."""

def atan2(x1: Any, x2: Any, /) -> Tensor:
    """Angle of the point (x2, x1); radians."""

def atanh(x: Any, /) -> Tensor:
    """Inverse hyperbolic tangent."""

def bitwise_and(x1: Any, x2: Any, /) -> Tensor:
    """Bits set in both."""

def bitwise_invert(x: Any, /) -> Tensor:
    """Every bit changed."""

def bitwise_left_shift(x1: Any, x2: Any, /) -> Tensor:
    """Bits moved up by the second operand."""

def bitwise_or(x1: Any, x2: Any, /) -> Tensor:
    """Bits set in either."""

def bitwise_right_shift(x1: Any, x2: Any, /) -> Tensor:
    """Bits moved down by the second operand, the sign kept."""

def bitwise_xor(x1: Any, x2: Any, /) -> Tensor:
    """Bits set in exactly one."""

def ceil(x: Any, /) -> Tensor:
    """Rounded up to an integer."""

def conj(x: Any, /) -> Tensor:
    """Complex conjugate; real numbers are their own."""

def copysign(x1: Any, x2: Any, /) -> Tensor:
    """First operand's size with the second's sign."""

def cos(x: Any, /) -> Tensor:
    """Cosine; radians."""

def cosh(x: Any, /) -> Tensor:
    """Hyperbolic cosine."""

def cumulative_prod(
    x: Any, /, *, axis: int | None = None, dtype: Any = None, include_initial: builtins.bool = False
) -> Tensor:
    """Product of each element and all before it along an axis."""

def cumulative_sum(
    x: Any, /, *, axis: int | None = None, dtype: Any = None, include_initial: builtins.bool = False
) -> Tensor:
    """Sum of each element and all before it along an axis."""

def divide(x1: Any, x2: Any, /) -> Tensor:
    """Quotient, element by element."""

e: float

def equal(x1: Any, x2: Any, /) -> Tensor:
    """Whether operands are equal."""

def erf(x: Any, /) -> Tensor:
    """Gauss error function."""

def erfinv(x: Any, /) -> Tensor:
    """Inverse of the Gauss error function."""

def exp(x: Any, /) -> Tensor:
    """e to the power of the operand."""

def expm1(x: Any, /) -> Tensor:
    """exp(x) - 1, accurate near 0."""

def floor(x: Any, /) -> Tensor:
    """Rounded down to an integer."""

def floor_divide(x1: Any, x2: Any, /) -> Tensor:
    """Quotient rounded down; integers over 0 give 0."""

def greater(x1: Any, x2: Any, /) -> Tensor:
    """Whether the first is larger."""

def greater_equal(x1: Any, x2: Any, /) -> Tensor:
    """Whether the first is not smaller."""

def hypot(x1: Any, x2: Any, /) -> Tensor:
    """sqrt(x1**2 + x2**2) without overflow."""

inf: float

def isfinite(x: Any, /) -> Tensor:
    """Whether neither infinite nor NaN."""

def isinf(x: Any, /) -> Tensor:
    """Whether infinite."""

def isnan(x: Any, /) -> Tensor:
    """Whether NaN."""

def less(x1: Any, x2: Any, /) -> Tensor:
    """Whether the first is smaller."""

def less_equal(x1: Any, x2: Any, /) -> Tensor:
    """Whether the first is not larger."""

def log(x: Any, /) -> Tensor:
    """Natural logarithm."""

def log10(x: Any, /) -> Tensor:
    """Logarithm to base 10."""

def log1p(x: Any, /) -> Tensor:
    """log(1 + x), accurate near 0."""

def log2(x: Any, /) -> Tensor:
    """Logarithm to base 2."""

def logaddexp(x1: Any, x2: Any, /) -> Tensor:
    """log(exp(x1) + exp(x2)) without overflow."""

def logical_and(x1: Any, x2: Any, /) -> Tensor:
    """Whether both hold."""

def logical_not(x: Any, /) -> Tensor:
    """Whether the operand does not hold."""

def logical_or(x1: Any, x2: Any, /) -> Tensor:
    """Whether either holds."""

def logical_xor(x1: Any, x2: Any, /) -> Tensor:
    """Whether exactly one holds."""

def max(x: Any, /, *, axis: Any = None, keepdims: builtins.bool = False) -> Tensor:
    """Largest element along axes; NaN if any is."""

def maximum(x1: Any, x2: Any, /) -> Tensor:
    """The larger operand; NaN if either is."""

def min(x: Any, /, *, axis: Any = None, keepdims: builtins.bool = False) -> Tensor:
    """Smallest element along axes; NaN if any is."""

def minimum(x1: Any, x2: Any, /) -> Tensor:
    """The smaller operand; NaN if either is."""

def multiply(x1: Any, x2: Any, /) -> Tensor:
    """Product, element by element."""

nan: float

def nanargmax(x: Any, /, *, axis: int | None = None, keepdims: builtins.bool = False) -> Tensor:
    """Place of the first largest element along an axis that is not NaN; 0 for none; int32."""

def nanargmin(x: Any, /, *, axis: int | None = None, keepdims: builtins.bool = False) -> Tensor:
    """Place of the first smallest element along an axis that is not NaN; 0 for none; int32."""

def nanmax(x: Any, /, *, axis: Any = None, keepdims: builtins.bool = False) -> Tensor:
    """Largest of the elements along axes that are not NaN; NaN for none."""

def nanmin(x: Any, /, *, axis: Any = None, keepdims: builtins.bool = False) -> Tensor:
    """Smallest of the elements along axes that are not NaN; NaN for none."""

def nanprod(x: Any, /, *, axis: Any = None, keepdims: builtins.bool = False) -> Tensor:
    """Product of the elements along axes that are not NaN; 1 for none."""

def nansum(x: Any, /, *, axis: Any = None, keepdims: builtins.bool = False) -> Tensor:
    """Sum of the elements along axes that are not NaN; 0 for none."""

def negative(x: Any, /) -> Tensor:
    """Sign changed, element by element."""

newaxis: None

def nextafter(x1: Any, x2: Any, /) -> Tensor:
    """Next number of the dtype from the first operand towards the second."""

def not_equal(x1: Any, x2: Any, /) -> Tensor:
    """Whether operands differ."""

pi: float

def positive(x: Any, /) -> Tensor:
    """The operand itself."""

def pow(x1: Any, x2: Any, /) -> Tensor:
    """First operand to the power of the second; negative integer exponents count as 0."""

def prod(
    x: Any, /, *, axis: Any = None, dtype: Any = None, keepdims: builtins.bool = False
) -> Tensor:
    """Product of the elements along axes."""

def reciprocal(x: Any, /) -> Tensor:
    """One over the operand."""

def relu(x: Any, /) -> Tensor:
    """The operand where positive, else 0."""

def remainder(x1: Any, x2: Any, /) -> Tensor:
    """Remainder with the sign of the divisor; integers modulo 0 give 0."""

def round(x: Any, /) -> Tensor:
    """Rounded to the nearest integer, halves to even."""

def rsqrt(x: Any, /) -> Tensor:
    """One over the square root."""

def sigmoid(x: Any, /) -> Tensor:
    """1 / (1 + exp(-x))."""

def sign(x: Any, /) -> Tensor:
    """-1, 0 or 1 by the sign; complex numbers over their modulus."""

def signbit(x: Any, /) -> Tensor:
    """Whether the sign bit is set, also for -0.0."""

def sin(x: Any, /) -> Tensor:
    """Sine; radians."""

def sinh(x: Any, /) -> Tensor:
    """Hyperbolic sine."""

def sqrt(x: Any, /) -> Tensor:
    """Square root."""

def square(x: Any, /) -> Tensor:
    """Product with itself."""

def subtract(x1: Any, x2: Any, /) -> Tensor:
    """Difference, element by element."""

def sum(
    x: Any, /, *, axis: Any = None, dtype: Any = None, keepdims: builtins.bool = False
) -> Tensor:
    """Sum of the elements along axes."""

def tan(x: Any, /) -> Tensor:
    """Tangent; radians."""

def tanh(x: Any, /) -> Tensor:
    """Hyperbolic tangent."""

def trunc(x: Any, /) -> Tensor:
    """Rounded towards zero."""

def where(x1: Any, x2: Any, x3: Any, /) -> Tensor:
    """Second operand where the first holds, else the third."""

__version__: str
__all__ = [
    "CacheInfo",
    "Memory",
    "ShapeDtype",
    "Tensor",
    "__array_api_version__",
    "__array_namespace_info__",
    "abs",
    "acos",
    "acosh",
    "add",
    "all",
    "angle",
    "any",
    "arange",
    "argmax",
    "argmin",
    "argsort",
    "asarray",
    "asin",
    "asinh",
    "astype",
    "atan",
    "atan2",
    "atanh",
    "avg_pool2d",
    "bincount",
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "bool",
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "cache_info",
    "can_cast",
    "ceil",
    "checkpoint",
    "clip",
    "complex",
    "complex64",
    "concat",
    "conj",
    "contraction_path",
    "conv2d",
    "conv2d_transpose",
    "copy",
    "copysign",
    "cos",
    "cosh",
    "count_nonzero",
    "cov",
    "cumulative_prod",
    "cumulative_sum",
    "custom_gradient",
    "diff",
    "dispose",
    "divide",
    "draw",
    "e",
    "einsum",
    "empty",
    "empty_like",
    "enable_debug_mode",
    "enable_production_mode",
    "equal",
    "erf",
    "erfinv",
    "errors",
    "exp",
    "expand_dims",
    "explain",
    "expm1",
    "eye",
    "finfo",
    "flatten",
    "flip",
    "float16",
    "float32",
    "floor",
    "floor_divide",
    "from_dlpack",
    "from_pixels",
    "full",
    "full_like",
    "get_backend",
    "grad",
    "greater",
    "greater_equal",
    "histogram",
    "hypot",
    "iinfo",
    "imag",
    "inf",
    "int8",
    "int16",
    "int32",
    "interp",
    "iscomplex",
    "isdtype",
    "isfinite",
    "isin",
    "isinf",
    "isnan",
    "isreal",
    "jit",
    "jvp",
    "keep",
    "kron",
    "less",
    "less_equal",
    "linspace",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "matmul",
    "matrix_transpose",
    "max",
    "max_pool2d",
    "maximum",
    "mean",
    "median",
    "memory",
    "memory_trace",
    "meshgrid",
    "min",
    "minimum",
    "moveaxis",
    "multiply",
    "nan",
    "nanargmax",
    "nanargmin",
    "nanmax",
    "nanmean",
    "nanmedian",
    "nanmin",
    "nanprod",
    "nanquantile",
    "nanstd",
    "nansum",
    "nanvar",
    "negative",
    "newaxis",
    "nextafter",
    "nonzero",
    "not_equal",
    "ones",
    "ones_like",
    "pad",
    "permute_dims",
    "pi",
    "positive",
    "pow",
    "prod",
    "quantile",
    "random",
    "real",
    "realize",
    "reciprocal",
    "relu",
    "remainder",
    "repeat",
    "reshape",
    "result_type",
    "roll",
    "round",
    "rsqrt",
    "searchsorted",
    "set_backend",
    "sigmoid",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "softmax",
    "sort",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "std",
    "stop_gradient",
    "subtract",
    "sum",
    "take",
    "take_along_axis",
    "tan",
    "tanh",
    "tensordot",
    "tidy",
    "tile",
    "topk",
    "transpose",
    "trapezoid",
    "tree_flatten",
    "tree_leaves",
    "tree_map",
    "tree_unflatten",
    "tril",
    "triu",
    "trunc",
    "uint8",
    "uint16",
    "uint32",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
    "unstack",
    "value_and_grad",
    "var",
    "vecdot",
    "vjp",
    "warmup",
    "where",
    "zeros",
    "zeros_like",
]
