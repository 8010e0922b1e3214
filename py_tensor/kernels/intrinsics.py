"""Functions that kernels can call, built from elementwise operations."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from functools import partial, reduce

from ..dtypes import as_dtype, float32, int32, uint32
from ..functions import elementwise, searching
from ..ops import OP_DEFS
from ..ops.op_def import Elementwise
from ..typing import DTypeLike
from . import values
from .builder import ATOMS, KERNEL_DTYPES, NUMBERS, Builder, Mismatch, Operand, typed
from .values import MASK, Vector

Intrinsic = Callable[..., object]
"""Function of the builder and the values of the arguments; raises TypeError for wrong ones."""


def _plain(name: str) -> Intrinsic:
    return lambda builder, *values: builder.apply(name, *values)


def _whole(name: str) -> Intrinsic:
    """Return a rounding function whose result is an int, as in Python."""
    return lambda builder, x: builder.cast(builder.apply(name, x), int32)


def _extreme(name: str) -> Intrinsic:
    def chosen(builder: Builder, *values: object) -> Operand:
        first = values[0] if len(values) == 1 else values
        numbers = [_number(value) for value in (first if isinstance(first, tuple) else values)]
        if len(numbers) < 2:
            raise Mismatch("at least two values are needed", "give two numbers or more")
        return reduce(partial(builder.apply, name), numbers)

    return chosen


def _log(builder: Builder, x: Operand, base: Operand | None = None) -> Operand:
    result = builder.apply("log", x)
    return result if base is None else builder.apply("divide", result, builder.apply("log", base))


def _sum(builder: Builder, values: object, start: Operand = 0) -> Operand:
    if not isinstance(values, tuple):
        raise Mismatch("sum takes a tuple", "add the numbers with +")
    return reduce(partial(builder.apply, "add"), values, start)


def _divmod(builder: Builder, a: Operand, b: Operand) -> tuple[Operand, Operand]:
    return builder.apply("floor_divide", a, b), builder.apply("remainder", a, b)


def _astype(builder: Builder, x: Operand, dtype: DTypeLike) -> Operand:
    target = as_dtype(dtype, "astype")
    if target not in KERNEL_DTYPES:
        raise Mismatch(f"kernels have no {target}", "use float32, int32, uint32 or bool")
    return builder.cast(x, target)


def _clip(builder: Builder, x: Operand, low: Operand, high: Operand) -> Operand:
    return builder.apply("minimum", builder.apply("maximum", x, low), high)


def power(builder: Builder, x: Operand, y: Operand) -> Operand:
    """Return x ** y; the square is a product, and a negative integer constant gives a float."""
    if isinstance(x, NUMBERS) and isinstance(y, NUMBERS):
        try:
            result: object = x**y
        except (ArithmeticError, ValueError):
            raise Mismatch("the power is not a number", "use other numbers") from None
        if isinstance(result, NUMBERS):
            return result
        raise Mismatch("the power is complex", "use a base that is not negative")
    if type(y) is int and y == 2:
        return builder.apply("multiply", x, x)
    if type(y) is int and y < 0:
        y = float(y)
    return builder.apply("pow", x, y)


def _absolute(builder: Builder, x: Operand) -> Operand:
    return abs(x) if isinstance(x, NUMBERS) else builder.apply("abs", x)


_MATH: dict[str, Intrinsic] = {
    **{name: _plain(name) for name in ("sin", "cos", "tan", "asin", "acos", "atan", "atan2")},
    **{name: _plain(name) for name in ("sinh", "cosh", "tanh", "asinh", "acosh", "atanh")},
    **{name: _plain(name) for name in ("exp", "expm1", "log1p", "log2", "log10", "sqrt", "hypot")},
    **{name: _plain(name) for name in ("copysign", "erf", "erfc", "lgamma")},
    **{name: _plain(name) for name in ("isnan", "isinf", "isfinite")},
    **{name: _whole(name) for name in ("floor", "ceil", "trunc")},
    "log": _log,
    "exp2": lambda builder, x: builder.apply("pow", 2.0, x),
    "fabs": lambda builder, x: builder.apply("abs", builder.cast(x, float32)),
    "pow": lambda builder, x, y: builder.apply("pow", builder.cast(x, float32), y),
    "degrees": lambda builder, x: builder.apply("multiply", x, 180.0 / math.pi),
    "radians": lambda builder, x: builder.apply("multiply", x, math.pi / 180.0),
}
_BUILTINS: dict[str, Intrinsic] = {
    "abs": _absolute,
    "min": _extreme("minimum"),
    "max": _extreme("maximum"),
    "round": lambda builder, x: builder.cast(builder.apply("round", x), int32),
    "pow": power,
    "divmod": _divmod,
    "sum": _sum,
    "float": lambda builder, x: builder.cast(x, float32),
    "int": lambda builder, x: builder.cast(x, int32),
    "bool": lambda builder, x: builder.truth(x),
}


def product(builder: Builder, a: object, b: object) -> object:
    """Return a @ b, of vectors and matrices."""
    if not (isinstance(a, Vector) and isinstance(b, Vector)):
        raise Mismatch("@ takes vectors", "make them with py_tensor.kernels.vec")
    if isinstance(a[0], Vector):
        return Vector(product(builder, row, b) for row in a)
    if len(a) != len(b):
        raise Mismatch(f"lengths {len(a)} and {len(b)} differ", "use vectors of one length")
    terms = [arithmetic(builder, "multiply", x, y) for x, y in zip(a, b, strict=True)]
    return reduce(partial(arithmetic, builder, "add"), terms)


def arithmetic(builder: Builder, name: str, a: object, b: object) -> object:
    """Apply an operation to numbers, or to the parts of vectors."""
    if not isinstance(a, Vector) and not isinstance(b, Vector):
        if isinstance(a, tuple) or isinstance(b, tuple):
            raise Mismatch("a tuple is not a number", "make a vector with py_tensor.kernels.vec")
        return builder.apply(name, _number(a), _number(b))
    x = a if isinstance(a, Vector) else (a,) * len(b if isinstance(b, Vector) else ())
    y = b if isinstance(b, Vector) else (b,) * len(x)
    if len(x) != len(y):
        raise Mismatch(f"lengths {len(x)} and {len(y)} differ", "use vectors of one length")
    return Vector(arithmetic(builder, name, p, q) for p, q in zip(x, y, strict=True))


def _number(value: object) -> Operand:
    if not isinstance(value, ATOMS):
        raise TypeError
    return value


def _length(builder: Builder, a: object) -> Operand:
    return builder.apply("sqrt", _number(product(builder, a, a)))


def _normalize(builder: Builder, a: object) -> object:
    return arithmetic(builder, "divide", a, _length(builder, a))


def _cross(builder: Builder, a: object, b: object) -> Vector:
    if not (isinstance(a, Vector) and isinstance(b, Vector) and len(a) == len(b) == 3):
        raise Mismatch("cross takes vectors of three parts", "use vec(x, y, z)")

    def minor(p: int, q: int) -> Operand:
        first = builder.apply("multiply", a[p], b[q])
        return builder.apply("subtract", first, builder.apply("multiply", a[q], b[p]))

    return Vector((minor(1, 2), minor(2, 0), minor(0, 1)))


def _vec(builder: Builder, *parts: object) -> Vector:
    if not parts or len({len(p) if isinstance(p, Vector) else 0 for p in parts}) > 1:
        raise Mismatch("the parts differ in kind", "give numbers, or vectors of one length")
    return Vector(parts)


def _uniform(builder: Builder, seed: Operand, i: Operand, j: Operand = 0) -> Operand:
    words = [builder.cast(value, int32) for value in (seed, j, i)]
    bits = builder.apply(
        "threefry2x32",
        *(
            typed(word & MASK, uint32) if type(word) is int else builder.cast(word, uint32)
            for word in words
        ),
    )
    return builder.apply("bits_to_unit_float", bits)


_VALUES: dict[str, Intrinsic] = {
    "vec": _vec,
    "dot": product,
    "length": _length,
    "normalize": _normalize,
    "cross": _cross,
    "uniform": _uniform,
}


def _elementwise_functions() -> dict[object, Intrinsic]:
    """Return py_tensor's own elementwise functions, which are named as their operations."""
    intrinsics: dict[object, Intrinsic] = {}
    for name, definition in OP_DEFS.items():
        if not isinstance(definition, Elementwise):
            continue
        for chapter in (elementwise, searching):
            function = vars(chapter).get(name)
            if function is not None:
                intrinsics[function] = partial(_checked, definition)
    intrinsics[elementwise.astype] = _astype
    intrinsics[elementwise.clip] = _clip
    intrinsics[elementwise.pow] = power
    intrinsics[elementwise.square] = lambda builder, x: builder.apply("multiply", x, x)
    intrinsics[elementwise.reciprocal] = lambda builder, x: builder.apply("divide", 1.0, x)
    return intrinsics


def _checked(definition: Elementwise, builder: Builder, *values: Operand) -> Operand:
    if len(values) != definition.arity:
        raise TypeError
    return builder.apply(definition, *values)


INTRINSICS: dict[object, Intrinsic] = _elementwise_functions()
for _module, _functions in ((math, _MATH), (builtins, _BUILTINS), (values, _VALUES)):
    INTRINSICS |= {getattr(_module, name): built for name, built in _functions.items()}
"""Function that builds a call, by the Python function that is called."""
