"""Classes of op definitions, one for each kind of operation.

Input: the specs of the operands and the static argument. Output: the shape and dtype of the
result, or the error that the user reads.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, dataclass_transform

from ..dtypes import CATEGORIES, DType, bool_, complex64, float32, int32, promote, uint32
from ..errors import DTypeError, ShapeError
from ..late import LateModule

if TYPE_CHECKING:
    from . import complex_rules as complex_rules
    from .index_map import View
    from .rule_types import GradientRule, Spec
else:
    complex_rules = LateModule("ops.complex_rules")

Shape = tuple[int, ...]

ComplexRule = Callable[..., Any]
"""Function in `complex_rules`, whose arguments that module describes."""


class InferredResult(NamedTuple):
    """Shape and dtype of a result, and the dtype to which each operand is converted."""

    shape: Shape
    dtype: DType
    operands: tuple[DType, ...]


@dataclass_transform(kw_only_default=True, frozen_default=True, eq_default=False)
class Facts:
    """Immutable object whose attributes are given by keyword.

    Type checkers treat subclasses as frozen dataclasses. They are not dataclasses because generated
    code compiles slowly in Pyodide: it would take most of the package's import time in a page.
    """

    def __init__(self, **facts: Any) -> None:
        kinds = [kind for kind in type(self).__mro__ if issubclass(kind, Facts)]
        known = {name for kind in kinds for name in kind.__annotations__}
        missing = {name for name in known - facts.keys() if not hasattr(type(self), name)}
        if missing or facts.keys() - known:
            raise TypeError(f"{facts}: missing {missing}, unknown {facts.keys() - known}")
        self.__dict__.update(facts)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{self!r}: frozen; got {name} = {value!r}; make another one")


class OpDef(Facts):
    """Definition of an operation; the base class of all kinds.

    `reference` computes the result with an array namespace `xp` (NumPy). It is the name of a
    function of `xp`, or a callable `(xp, *arrays, arg)`.
    `jax` is the function `(*arrays, arg)` that computes it on arrays of JAX, or the name of one in
    `ops/jax_functions`. Without it the reference does, with `jax.numpy` as `xp`.
    `gradient` has one rule per operand that returns the operand's cotangent, or None if the
    operation has no gradient with respect to it.
    `doc` is the first line of the public docstring.
    `weight` is the cost in scalar floating-point operations per element. Fusion uses it to choose
    between recomputing and materializing.
    `length` is the share of `FusionLimits.length` that the operation takes in a shader. It is above
    1 if the expression contains loops, which make compilers slow.
    `rereads` is True for operations that may read an element of an operand many times.
    `listing` is the source of an operation that the user wrote; `pt.explain` prints it.
    Operations of one `family` on the same operands are results of one function. Kernels that
    compute them are drawn at once.

    If `partwise` is True, the operation applies to the real and the imaginary parts of complex
    operands separately. Otherwise `complex` is its rule from `ops/complex_rules.py`. Operations
    with neither refuse complex operands.

    Gradient rules are called as `rule(pt, g, y, *operands, arg)`. `pt` has the public functions and
    `apply`; `g` is the cotangent of the result `y`. A result of None stands for zero. Operations
    with a variable number of operands have one rule, which takes the operand's position before
    `arg`.
    """

    name: str
    reference: str | Callable[..., Any] = ""
    jax: str | Callable[..., Any] = ""
    gradient: tuple[GradientRule | None, ...] | GradientRule | None = None
    complex: ComplexRule | None = None
    partwise: bool = False
    doc: str = ""
    weight: int = 1
    length: int = 1
    public: bool = True
    rereads: bool = False
    family: object = None
    listing: str = ""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name})"

    def infer(self, specs: Sequence[Spec], arg: Hashable) -> InferredResult:
        """Return the specs of the result and of the converted operands, or raise an error.

        By default, operands keep their dtypes and the result has the first operand's.
        """
        dtypes = tuple(spec.dtype for spec in specs)
        return InferredResult(self.result_shape(specs, arg), dtypes[0], dtypes)

    def result_shape(self, specs: Sequence[Spec], arg: Any) -> Shape:
        """Return the shape of the result, or raise an error."""
        raise NotImplementedError

    def check(self, dtype: DType, category: str) -> None:
        """Raise DTypeError unless `dtype` belongs to `category`."""
        if dtype.kind in CATEGORIES[category]:
            return
        if dtype.kind == "c":
            if self.partwise or self.complex is not None:
                return
            raise DTypeError(
                f"{self.name}: dtype {dtype} is not real; use pt.real(x), pt.imag(x) or pt.abs(x)"
            )
        target = {"floating": "float32", "boolean": "bool"}.get(category, "int32")
        raise DTypeError(f'{self.name}: dtype {dtype} is not {category}; use x.astype("{target}")')


class ComplexJoin(OpDef):
    """Complex numbers made of two real operands, which are broadcast together.

    The static argument is the name of the operation whose complex rule created this node, or None.
    """

    def infer(self, specs: Sequence[Spec], arg: Hashable) -> InferredResult:
        return InferredResult(
            broadcast(self.name, [spec.shape for spec in specs]), complex64, (float32, float32)
        )


class ComplexPart(OpDef):
    """Real (`part` 0) or imaginary (`part` 1) part of a complex operand."""

    part: int

    def infer(self, specs: Sequence[Spec], arg: Hashable) -> InferredResult:
        return InferredResult(specs[0].shape, float32, (complex64,))


class Interleave(OpDef):
    """Elements of both operands stacked along a new last axis, as complex numbers are stored."""

    def infer(self, specs: Sequence[Spec], arg: Hashable) -> InferredResult:
        return InferredResult((*specs[0].shape, 2), specs[0].dtype, (specs[0].dtype,) * 2)


class Elementwise(OpDef):
    """Expression of the operands, element by element, with broadcasting.

    `formula` is an expression of the operands x, y and z in the language of `py_tensor.language`,
    which may call those of `language/functions`. A dict gives one formula for each kind
    of dtype or each dtype. Shaders are printed from it, and the function of Python numbers uses the
    functions of the same names in `ops/host_functions`.
    `sample` is the range from which tests draw operands; `tolerance` is the relative error that
    they allow for float32.
    `result` is "bool", "real" for float32 of complex operands, or "same" as the operands' dtype.
    `dunder` is the Python operator.
    `gradient` rules get no `arg` and need not sum along broadcast axes.
    `factors` are the operands' factors if the result is a weighted sum of them, up to rounding.
    """

    arity: int = 1
    formula: str | dict[str, str]
    dtypes: str = "numeric"
    result: str = "same"
    factors: tuple[int, ...] = ()
    wraps: bool = False
    """True if results can leave the range of an 8- or 16-bit dtype and are wrapped back into it."""
    sample: tuple[float, float] | tuple[tuple[float, float], ...] = (-4.0, 4.0)
    tolerance: float = 1e-6
    dunder: str = ""

    def infer(self, specs: Sequence[Spec], arg: Hashable) -> InferredResult:
        shape = broadcast(self.name, [spec.shape for spec in specs])
        dtype = specs[0].dtype
        for spec in specs[1:]:
            dtype = promote(self.name, dtype, spec.dtype)
        self.check(dtype, self.dtypes)
        real = self.result == "real" and dtype is complex64
        dtype_of_result = bool_ if self.result == "bool" else float32 if real else dtype
        return InferredResult(shape, dtype_of_result, (dtype,) * len(specs))

    def host(self, dtype: DType) -> Callable[..., Any]:
        """Return the function of plain Python numbers whose result is rounded to `dtype`."""
        return host_function(self.formula, dtype, self.arity)


class Where(Elementwise):
    """Elementwise choice. The first operand is the condition, whose dtype is bool."""

    def infer(self, specs: Sequence[Spec], arg: Hashable) -> InferredResult:
        if specs[0].dtype is not bool_:
            raise DTypeError(
                f"{self.name}: condition must be boolean; got dtype {specs[0].dtype}; use a "
                "comparison such as x != 0"
            )
        shape = broadcast(self.name, [spec.shape for spec in specs])
        dtype = promote(self.name, specs[1].dtype, specs[2].dtype)
        return InferredResult(shape, dtype, (bool_, dtype, dtype))


class Cast(Elementwise):
    """Conversion to the dtype given as the static argument."""

    def infer(self, specs: Sequence[Spec], arg: Hashable) -> InferredResult:
        assert isinstance(arg, DType)
        if specs[0].dtype.kind == "c" and arg.kind not in "cb":
            raise DTypeError(
                f"{self.name}: cannot convert complex numbers to dtype {arg}; got "
                f"{specs[0].dtype}; use pt.real(x), pt.imag(x) or pt.abs(x)"
            )
        return InferredResult(specs[0].shape, arg, (arg,))


class Fixed(Elementwise):
    """Elementwise operation with fixed operand dtypes `takes` and a fixed result dtype `gives`."""

    takes: tuple[DType, ...]
    gives: DType

    def infer(self, specs: Sequence[Spec], arg: Hashable) -> InferredResult:
        for spec, dtype in zip(specs, self.takes, strict=True):
            if spec.dtype is not dtype:
                raise DTypeError(
                    f"{self.name}: dtype must be {dtype}; got {spec.dtype}; use .astype"
                )
        return InferredResult(
            broadcast(self.name, [spec.shape for spec in specs]), self.gives, self.takes
        )


class Reduction(OpDef):
    """Combination of elements along axes. The static argument is the sorted tuple of axes.

    `identity` returns the identity element for a dtype. `combine` is the formula that combines x
    and y, as in `Elementwise`.
    If `index` is True, the result is the position along one axis of the first element that wins
    against all others: `combine` tells whether the element x at position y replaces the element z
    at position w. `extreme` is the reduction that returns that element.
    """

    dtypes: str = "numeric"
    result: str = "same"
    identity: Callable[[DType], int | float]
    combine: str | dict[str, str]
    index: bool = False
    extreme: Reduction | None = None
    tolerance: float = 1e-5

    def infer(self, specs: Sequence[Spec], arg: Hashable) -> InferredResult:
        assert isinstance(arg, tuple)
        self.check(specs[0].dtype, self.dtypes)
        shape = tuple(1 if axis in arg else n for axis, n in enumerate(specs[0].shape))
        dtype = self.result_dtype(specs[0].dtype)
        return InferredResult(shape, dtype, (specs[0].dtype if self.index else dtype,))

    def result_dtype(self, dtype: DType) -> DType:
        if self.result == "bool":
            return bool_
        if self.index:
            return int32
        return accumulated(dtype) if self.result == "sum" else dtype

    def host(self, dtype: DType) -> Callable[[Any, Any], Any]:
        """Return the function that combines two plain Python numbers; the extreme's if `index`."""
        return host_function((self.extreme or self).combine, dtype, 2)


class Scan(OpDef):
    """Combination of each element along an axis with all before it by the operation `join`.

    The static argument is (axis, include_initial). If `include_initial` is True, the result starts
    with the identity element and is one element longer. `identity` is as in `Reduction`.
    """

    join: Elementwise
    identity: Callable[[DType], int | float]
    dtypes: str = "all"
    tolerance: float = 1e-5

    def infer(self, specs: Sequence[Spec], arg: Any) -> InferredResult:
        axis, include_initial = arg
        self.check(specs[0].dtype, self.dtypes)
        shape = list(specs[0].shape)
        shape[axis] += include_initial
        dtype = accumulated(specs[0].dtype)
        return InferredResult(tuple(shape), dtype, (dtype,))


class ViewOp(OpDef):
    """Index map without a copy; `view(shape, arg)` returns the new shape and the map to the old."""

    view: Callable[[Shape, Any], tuple[Shape, View]]
    weight: int = 0
    partwise: bool = True

    def __init__(self, **facts: Any) -> None:
        super().__init__(**{**facts, "view": lru_cache(4096)(facts["view"])})

    def result_shape(self, specs: Sequence[Spec], arg: Any) -> Shape:
        return self.view(specs[0].shape, arg)[0]


class Pad(OpDef):
    """Padding around and between the elements of the first operand with the second operand's value.

    The static argument has (low, high, interior) for each axis; `low` and `high` are not negative.
    """

    partwise: bool = True

    def infer(self, specs: Sequence[Spec], arg: Any) -> InferredResult:
        shape = tuple(
            low + high + n + max(n - 1, 0) * interior
            for n, (low, high, interior) in zip(specs[0].shape, arg, strict=True)
        )
        dtype = specs[0].dtype
        return InferredResult(shape, dtype, (dtype, dtype))


class Concat(OpDef):
    """Concatenation of the operands along the axis given as the static argument."""

    partwise: bool = True

    def infer(self, specs: Sequence[Spec], arg: Any) -> InferredResult:
        first = specs[0].shape
        dtype = specs[0].dtype
        for spec in specs[1:]:
            rest = (first[:arg] + first[arg + 1 :], spec.shape[:arg] + spec.shape[arg + 1 :])
            if len(first) != len(spec.shape) or rest[0] != rest[1]:
                raise ShapeError(
                    f"{self.name}: shapes must be equal except along axis {arg}; got {first} and "
                    f"{spec.shape}; make all other axes equal"
                )
            dtype = promote(self.name, dtype, spec.dtype)
        size = sum(spec.shape[arg] for spec in specs)
        shape = (*first[:arg], size, *first[arg + 1 :])
        return InferredResult(shape, dtype, (dtype,) * len(specs))


class Gather(OpDef):
    """Slices of the first operand at the indices in the second.

    The static argument is the axis, which the axes of the indices replace in the result. Negative
    indices count from the end. Indices out of range are clamped, since a shader cannot raise.
    """

    partwise: bool = True

    def result_shape(self, specs: Sequence[Spec], arg: Any) -> Shape:
        x, indices = specs
        if indices.dtype.kind not in "iu":
            raise DTypeError(
                f"{self.name}: indices must be integers; got dtype {indices.dtype}; use "
                'indices.astype("int32")'
            )
        if x.shape[arg] == 0 and indices.size:
            raise ShapeError(
                f"{self.name}: cannot take from an empty axis; got length 0 of axis {arg} of shape "
                f"{x.shape} and {indices.size} indices; use an axis with elements"
            )
        return (*x.shape[:arg], *indices.shape, *x.shape[arg + 1 :])


class GatherAlong(OpDef):
    """Elements of the first operand at the indices along an axis in the second.

    The static argument is (axis, permutes). `permutes` is True if each index occurs exactly once.
    All other axes have equal lengths in both operands. Indices are in range.
    """

    partwise: bool = True

    def result_shape(self, specs: Sequence[Spec], arg: Any) -> Shape:
        shape: Shape = specs[1].shape
        return shape


class Scatter(OpDef):
    """Slices of the first operand, added up at the indices in the second.

    The static argument is (axis, length of the axis in the result). In the first operand the axes
    of the indices replace that axis. Slices whose index is out of range are ignored.
    """

    partwise: bool = True

    def result_shape(self, specs: Sequence[Spec], arg: Any) -> Shape:
        x, indices = specs
        axis, length = arg
        return (*x.shape[:axis], length, *x.shape[axis + len(indices.shape) :])


class OptimizationBarrier(OpDef):
    """First operand, computed no earlier than the second."""

    partwise: bool = True

    def result_shape(self, specs: Sequence[Spec], arg: Any) -> Shape:
        shape: Shape = specs[0].shape
        return shape


class Sort(OpDef):
    """Indices that sort the elements along an axis; the sort is stable.

    The static argument is (axis, descending). NaN is larger than all numbers.
    """

    def infer(self, specs: Sequence[Spec], arg: Hashable) -> InferredResult:
        self.check(specs[0].dtype, "all")
        return InferredResult(specs[0].shape, int32, (specs[0].dtype,))


class Search(OpDef):
    """For each element of the second operand, the number of elements that come before it.

    They are counted in the same row of the first operand.

    Both operands are matrices with as many rows, and have one real dtype. Rows of the first are
    sorted, and NaN is larger than all numbers. The static argument is True if equal elements count.
    """

    def infer(self, specs: Sequence[Spec], arg: Hashable) -> InferredResult:
        return InferredResult(specs[1].shape, int32, (specs[0].dtype,) * 2)


class LastPosition(OpDef):
    """Position in a vector of integers at which each of 0, 1, 2, ... occurs last, or -1.

    The static argument is (length of the result, ascending). `ascending` is True if the integers
    are known to be distinct and in ascending order.
    """

    def infer(self, specs: Sequence[Spec], arg: Any) -> InferredResult:
        return InferredResult((arg[0],), int32, (int32,))


class Decomposition(OpDef):
    """Operation that is lowered into others, which are then fused with the operations around them.

    `shape` returns the result's shape, given the operands' shapes and the static argument. Operands
    and result are float32, or float64 if an operand is. `lowering` takes a `LoweredGraph`, the
    positions of the operands and the static argument, and returns the position of the result.
    `method` names the algorithm of a kernel that some targets have for real operands instead.
    """

    method: str = ""
    shape: Callable[..., Shape]
    lowering: Callable[..., int]
    public: bool = False

    def infer(self, specs: Sequence[Spec], arg: Hashable) -> InferredResult:
        shape = self.shape(*[spec.shape for spec in specs], arg)
        wide = [spec.dtype for spec in specs if spec.dtype.kind == "f" and spec.dtype.itemsize > 4]
        dtype = wide[0] if wide else float32
        return InferredResult(shape, dtype, (dtype,) * len(specs))


class SourceOp(OpDef):
    """Operation without operands. The static argument is the shape, the values are positions."""

    dtype: DType

    def infer(self, specs: Sequence[Spec], arg: Any) -> InferredResult:
        return InferredResult(arg, self.dtype, ())


class Literal(OpDef):
    """Number known when the shader is generated. It is the static argument."""

    def infer(self, specs: Sequence[Spec], arg: Any) -> InferredResult:
        return InferredResult((), float32, ())


class Contraction(OpDef):
    """Sums of products, computed by the tiled kernel."""

    rule: Callable[[Shape, Shape, Any], Shape]
    """Callable `rule(a, b, arg)` of the operands' shapes that returns (groups, rows, columns)."""
    tolerance: float = 1e-5

    def infer(self, specs: Sequence[Spec], arg: Any) -> InferredResult:
        dtype = promote(self.name, specs[0].dtype, specs[1].dtype)
        self.check(dtype, "numeric")
        return InferredResult(self.rule(specs[0].shape, specs[1].shape, arg), dtype, (dtype, dtype))


def by_kind(f: str, i: str, u: str | None = None) -> dict[str, str]:
    """Return a formula for each kind of dtype; bool has that of unsigned integers."""
    return {"f": f, "i": i, "u": i if u is None else u, "b": i if u is None else u}


def for_dtype(formula: str | dict[str, str], dtype: DType) -> str:
    """Return the formula for a dtype or its kind."""
    if isinstance(formula, str):
        return formula
    return formula.get(dtype.name) or formula[dtype.kind]


@lru_cache(None)
def _host_function(formula: str, arity: int) -> Callable[..., Any]:
    from ..language import plain
    from .host_functions import FUNCTIONS

    return plain.function(formula, arity, FUNCTIONS)


def host_function(formula: str | dict[str, str], dtype: DType, arity: int) -> Callable[..., Any]:
    """Return the function of plain Python numbers of a formula.

    The functions of floats compute integers, too.
    """
    if not isinstance(formula, str):
        formula = formula.get(dtype.name) or formula["f"]
    return _host_function(formula, arity)


def entry_of(table: Mapping[type[OpDef], Any], op: OpDef) -> Any:
    """Return the entry of a table for the kind of `op` or its nearest base class, or None."""
    return next((table[kind] for kind in type(op).__mro__ if kind in table), None)


def accumulated(dtype: DType) -> DType:
    """Return the dtype in which elements are summed: at least 32 bits for integers and bool."""
    if dtype.kind in "cf" or dtype.itemsize > 4:
        return dtype
    return uint32 if dtype.kind == "u" else int32


def broadcast(name: str, shapes: Sequence[Shape]) -> Shape:
    """Return the shape to which `shapes` broadcast by NumPy's rule; raise ShapeError if none."""
    result = shapes[0]
    for shape in shapes[1:]:
        if shape == result:
            continue
        longest = max(len(result), len(shape))
        a = (1,) * (longest - len(result)) + result
        b = (1,) * (longest - len(shape)) + shape
        for axis, (m, n) in enumerate(zip(a, b, strict=True)):
            if m != n and m != 1 and n != 1:
                raise ShapeError(
                    f"{name}: shapes {result} and {shape} do not broadcast; "
                    f"axis {axis - longest} is {m} and {n}"
                )
        result = tuple(n if m == 1 else m for m, n in zip(a, b, strict=True))
    return result
