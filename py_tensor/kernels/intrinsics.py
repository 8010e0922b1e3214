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
from .builder import (
    ATOMS,
    KERNEL_DTYPES,
    NUMBERS,
    Builder,
    Mismatch,
    Operand,
    Truth,
    dtype_of,
    typed,
)
from .locals import MOST_CONSTANTS
from .values import MASK, Vector

Intrinsic = Callable[..., object]
"""Function of the builder and the values of the arguments; raises TypeError for wrong ones."""


def _plain(name: str) -> Intrinsic:
    return lambda builder, *values: builder.apply(name, *values)


def _whole(name: str) -> Intrinsic:
    """Return a rounding function whose result is an int, as in Python."""
    return lambda builder, x: builder.cast(builder.apply(name, x), int32)


def _on_parts(function: Intrinsic) -> Intrinsic:
    """Return a function of numbers that takes vectors, too."""
    return lambda builder, *values: on_parts(partial(function, builder), *values)


def _extreme(name: str) -> Intrinsic:
    def chosen(builder: Builder, *values: object) -> object:
        parts = _sequence("min and max", values[0]) if len(values) == 1 else values
        if not parts:
            raise Mismatch("there are no values", "give one number or more")
        return reduce(partial(arithmetic, builder, name), parts)

    return chosen


def _sequence(name: str, values: object) -> tuple[object, ...]:
    """Return the parts of a tuple, or the keys of a dict."""
    if isinstance(values, dict):
        return tuple(values)
    if not isinstance(values, tuple):
        raise Mismatch(f"{name} takes a tuple", "use a for loop over range(...)")
    return values


def _range(builder: Builder, *limits: Operand) -> tuple[int, ...]:
    """Return the numbers of a range outside of the head of a for loop."""
    whole = [limit for limit in limits if isinstance(limit, int)]
    if len(whole) < len(limits):
        raise Mismatch("the range is not constant here", "write for k in range(...) as a statement")
    numbers = range(*whole)
    if len(numbers) > MOST_CONSTANTS:
        raise Mismatch(f"the range has {len(numbers)} numbers", "use a for loop")
    return tuple(numbers)


def _holds(every: bool) -> Intrinsic:
    """Return `all` or `any`."""

    def holds(builder: Builder, values: object) -> Truth:
        truths = [builder.truth(_number(part)) for part in _sequence("any and all", values)]
        if not every:
            truths = [builder.inverse(truth) for truth in truths]
        joined: Truth = True
        for truth in truths:
            joined = builder.both(joined, truth)
        return joined if every else builder.inverse(joined)

    return holds


def _log(builder: Builder, x: Operand, base: Operand | None = None) -> Operand:
    result = builder.apply("log", x)
    return result if base is None else builder.apply("divide", result, builder.apply("log", base))


def _sum(builder: Builder, values: object, start: object = 0) -> object:
    return reduce(partial(arithmetic, builder, "add"), _sequence("sum", values), start)


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
    **{name: _on_parts(_whole(name)) for name in ("floor", "ceil", "trunc")},
    "log": _log,
    "exp2": lambda builder, x: builder.apply("pow", 2.0, x),
    "fabs": lambda builder, x: builder.apply("abs", builder.cast(x, float32)),
    "pow": lambda builder, x, y: builder.apply("pow", builder.cast(x, float32), y),
    "degrees": lambda builder, x: builder.apply("multiply", x, 180.0 / math.pi),
    "radians": lambda builder, x: builder.apply("multiply", x, math.pi / 180.0),
}
_BUILTINS: dict[str, Intrinsic] = {
    "abs": _on_parts(_absolute),
    "min": _extreme("minimum"),
    "max": _extreme("maximum"),
    "round": _on_parts(lambda builder, x: builder.cast(builder.apply("round", x), int32)),
    "pow": _on_parts(power),
    "divmod": _divmod,
    "sum": _sum,
    "any": _holds(False),
    "all": _holds(True),
    "enumerate": lambda builder, values, start=0: tuple(
        enumerate(_sequence("enumerate", values), start)
    ),
    "zip": lambda builder, *values, strict=False: tuple(
        zip(*[_sequence("zip", part) for part in values], strict=strict)
    ),
    "reversed": lambda builder, values: _sequence("reversed", values)[::-1],
    "range": _range,
    "tuple": lambda builder, values=(): tuple(_sequence("tuple", values)),
    "list": lambda builder, values=(): tuple(_sequence("list", values)),
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
    return on_parts(partial(builder.apply, name), a, b)


def on_parts(function: Callable[..., object], *values: object) -> object:
    """Apply a function to numbers, or to the parts of vectors, with numbers to each part."""
    vectors = [value for value in values if isinstance(value, Vector)]
    if not vectors:
        return function(*map(_number, values))
    lengths = [*dict.fromkeys(map(len, vectors))]
    if len(lengths) > 1:
        problem = f"lengths {lengths[0]} and {lengths[1]} differ"
        raise Mismatch(problem, "use vectors of one length")
    if len({isinstance(part, Vector) for vector in vectors for part in vector}) > 1:
        raise Mismatch("a matrix and a vector have no common parts", "use @, or two matrices")
    rows = [value if isinstance(value, Vector) else (value,) * lengths[0] for value in values]
    return Vector(on_parts(function, *parts) for parts in zip(*rows, strict=True))


def _number(value: object) -> Operand:
    if isinstance(value, tuple):
        raise Mismatch("a tuple is not a number", "make a vector with py_tensor.kernels.vec")
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


def _transpose(builder: Builder, a: object) -> Vector:
    if not (isinstance(a, Vector) and a and isinstance(a[0], Vector)):
        raise Mismatch("transpose takes a matrix", "make one with vec(vec(...), vec(...))")
    transposed: Vector = a.T
    return transposed


def _uniform(
    builder: Builder, seed: Operand, i: Operand, j: Operand = 0, *further: Operand
) -> Operand:
    def word(value: Operand) -> Operand:
        if dtype_of(value) is uint32:
            return value
        whole = builder.cast(value, int32)
        return typed(whole & MASK, uint32) if type(whole) is int else builder.cast(whole, uint32)

    def hashed(*words: Operand) -> Operand:
        return builder.apply("threefry2x32", *map(word, words))

    if len(further) > 2:
        raise Mismatch("uniform takes a seed and up to four integers", "combine some of them")
    return builder.apply("bits_to_unit_float", values.bits_of(hashed, seed, i, j, *further))


_VALUES: dict[str, Intrinsic] = {
    "vec": _vec,
    "dot": product,
    "length": _length,
    "normalize": _normalize,
    "cross": _cross,
    "transpose": _transpose,
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
    intrinsics[elementwise.clip] = _on_parts(_clip)
    intrinsics[elementwise.pow] = _on_parts(power)
    intrinsics[elementwise.square] = lambda builder, x: arithmetic(builder, "multiply", x, x)
    intrinsics[elementwise.reciprocal] = lambda builder, x: arithmetic(builder, "divide", 1.0, x)
    return intrinsics


def _checked(definition: Elementwise, builder: Builder, *values: object) -> object:
    if len(values) != definition.arity:
        raise TypeError
    return on_parts(partial(builder.apply, definition), *values)


INTRINSICS: dict[object, Intrinsic] = _elementwise_functions()
for _module, _functions in ((math, _MATH), (builtins, _BUILTINS), (values, _VALUES)):
    INTRINSICS |= {getattr(_module, name): built for name, built in _functions.items()}
"""Function that builds a call, by the Python function that is called."""
