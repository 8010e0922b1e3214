"""What a row of the op table can say, one class a kind of operation.

Comes in: the specs of the operands and the static argument; goes out: shape and dtype of the
result, or the error the user reads.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, ClassVar, NamedTuple, dataclass_transform

from ..dtypes import CATEGORIES, DType, bool_, complex64, float32, int32, promote, uint32
from ..errors import DTypeError, ShapeError
from ..indexing import View

Shape = tuple[int, ...]
Rule = Callable[..., Any]


class Result(NamedTuple):
    """What an operation gives: its shape and dtype, and the dtype each operand is converted to."""

    shape: Shape
    dtype: DType
    operands: tuple[DType, ...]


@dataclass_transform(kw_only_default=True, frozen_default=True, eq_default=False)
class Facts:
    """Attributes given by keyword and fixed from then on.

    Type checkers see frozen dataclasses; real ones, one for each kind of row, would be most of the
    time that importing this package takes in the page, where generated code compiles slowly.
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


class Row(Facts):
    """Facts every operation has.

    `reference` computes the result with an array namespace `xp` (NumPy): the name of its function,
    or a callable `(xp, *arrays, arg)`. `gradient` has a rule for each operand that gives its
    cotangent; None where there is none. `doc` is the first line of the docstring. `weight` counts
    scalar floating-point operations an element, for the decision whether recomputing beats storing;
    `length` is what it takes of a shader's, where loops inside make compilers slow.
    `root` rows are the loop of a kernel, and `tiled` ones write the layout of `glsl/tiles.py`.

    `partwise` rows do the same to the real and the imaginary parts of complex operands; `complex`
    is the rule of others, as `ops/complexes.py` has it. Rows with neither refuse complex operands.

    Gradient rules are called as `rule(pt, g, y, *operands, arg)`: `pt` has the public functions and
    `apply`, `g` is the cotangent of the result `y`; None is for zero. Rows of any number of
    operands have one rule, which takes the operand's position before `arg`.
    """

    name: str
    reference: str | Callable[..., Any] = ""
    gradient: tuple[Rule | None, ...] | Rule | None = None
    complex: Rule | None = None
    partwise: bool = False
    doc: str = ""
    weight: int = 1
    length: int = 1
    public: bool = True
    root: ClassVar[bool] = False
    tiled: ClassVar[bool] = False

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name})"

    def infer(self, specs: Sequence[Any], arg: Hashable) -> Result:
        raise NotImplementedError

    def check(self, dtype: DType, category: str) -> None:
        """Raises DTypeError unless `dtype` belongs to `category`."""
        if dtype.kind in CATEGORIES[category]:
            return
        if dtype.kind == "c":
            if self.partwise or self.complex is not None:
                return
            raise DTypeError(
                f"{self.name}: dtype {dtype} is not real; use pt.real(x), pt.imag(x) or pt.abs(x)"
            )
        hint = {
            "floating": 'use x.astype("float32")',
            "numeric": 'use x.astype("int32")',
            "integer": 'use x.astype("int32")',
            "boolean": 'use x.astype("bool")',
            "integer or boolean": 'use x.astype("int32")',
        }[category]
        raise DTypeError(f"{self.name}: dtype {dtype} is not {category}; {hint}")


class Join(Row):
    """The complex numbers of two real operands, broadcast together.

    The static argument is the name of the operation that they are the result of, if another one.
    """

    def infer(self, specs: Sequence[Any], arg: Hashable) -> Result:
        return Result(
            broadcast(self.name, [spec.shape for spec in specs]), complex64, (float32, float32)
        )


class Part(Row):
    """The real or the imaginary part, number `part`, of a complex operand."""

    part: int

    def infer(self, specs: Sequence[Any], arg: Hashable) -> Result:
        return Result(specs[0].shape, float32, (complex64,))


class Interleave(Row):
    """Both operands' elements in turn, along one more axis: how complex numbers are stored."""

    def infer(self, specs: Sequence[Any], arg: Hashable) -> Result:
        return Result((*specs[0].shape, 2), specs[0].dtype, (specs[0].dtype,) * 2)


class Elementwise(Row):
    """An expression of its operands, element by element, with broadcasting.

    `glsl` is an expression of four lanes at once (vec4, ivec4, uvec4; bool is uvec4 of 0 and 1)
    with operands {0}, {1}, ...; a dict gives one for each kind of dtype, or dtype. Functions named
    `pt_*` come from `ops/helpers.py`. `host` computes one element from plain Python numbers, where
    that gives what the reference does; without it the row runs on the backend only. `sample` is the
    range tests draw from and `tolerance` the relative error they allow for float32. `dunder` is the
    Python operator. `gradient` rules get no `arg`, and may leave summing along broadcast axes out.
    """

    arity: int = 1
    glsl: str | dict[str, str]
    dtypes: str = "numeric"
    result: str = "same"
    host: Callable[..., Any] | None = None
    wraps: bool = False
    """The expression can leave the range of an 8- or 16-bit dtype and is wrapped back into it."""
    sample: tuple[float, float] | tuple[tuple[float, float], ...] = (-4.0, 4.0)
    tolerance: float = 1e-6
    dunder: str = ""

    def infer(self, specs: Sequence[Any], arg: Hashable) -> Result:
        shape = broadcast(self.name, [spec.shape for spec in specs])
        dtype = specs[0].dtype
        for spec in specs[1:]:
            dtype = promote(self.name, dtype, spec.dtype)
        self.check(dtype, self.dtypes)
        return Result(shape, bool_ if self.result == "bool" else dtype, (dtype,) * len(specs))


class Where(Elementwise):
    """Elementwise choice: the first operand is the condition and keeps its own dtype."""

    def infer(self, specs: Sequence[Any], arg: Hashable) -> Result:
        if specs[0].dtype is not bool_:
            raise DTypeError(
                f"{self.name}: condition is not boolean; got dtype {specs[0].dtype}; "
                "compare first, as in x != 0"
            )
        shape = broadcast(self.name, [spec.shape for spec in specs])
        dtype = promote(self.name, specs[1].dtype, specs[2].dtype)
        return Result(shape, dtype, (bool_, dtype, dtype))


class Cast(Elementwise):
    """Conversion to the dtype given as the static argument."""

    def infer(self, specs: Sequence[Any], arg: Hashable) -> Result:
        assert isinstance(arg, DType)
        if specs[0].dtype.kind == "c" and arg.kind not in "cb":
            raise DTypeError(
                f"{self.name}: complex numbers do not fit dtype {arg}; got {specs[0].dtype}; "
                "use pt.real(x), pt.imag(x) or pt.abs(x)"
            )
        return Result(specs[0].shape, arg, (arg,))


class Fixed(Elementwise):
    """Elementwise with operand and result dtypes that do not depend on each other."""

    takes: tuple[DType, ...]
    gives: DType

    def infer(self, specs: Sequence[Any], arg: Hashable) -> Result:
        for spec, dtype in zip(specs, self.takes, strict=True):
            if spec.dtype is not dtype:
                raise DTypeError(
                    f"{self.name}: dtype is not {dtype}; got {spec.dtype}; use .astype"
                )
        return Result(broadcast(self.name, [spec.shape for spec in specs]), self.gives, self.takes)


class Reduction(Row):
    """Combines elements along axes; the static argument is the sorted tuple of axes.

    `identity` gives the neutral element for a dtype as GLSL; `combine` joins {0} and {1}, four
    lanes at once. `index` rows return the position of the first element that beats all others by
    the comparison `combine`, along one axis; `extreme` is the reduction that gives that element.
    `host` joins two plain Python numbers as `combine` does, or the extreme's, for index rows.
    """

    dtypes: str = "numeric"
    result: str = "same"
    identity: Callable[[DType], str]
    combine: str
    host: Callable[[Any, Any], Any] | None = None
    index: bool = False
    extreme: Reduction | None = None
    tolerance: float = 1e-5
    root: ClassVar[bool] = True

    def infer(self, specs: Sequence[Any], arg: Hashable) -> Result:
        assert isinstance(arg, tuple)
        self.check(specs[0].dtype, self.dtypes)
        shape = tuple(1 if axis in arg else n for axis, n in enumerate(specs[0].shape))
        dtype = self.result_dtype(specs[0].dtype)
        return Result(shape, dtype, (specs[0].dtype if self.index else dtype,))

    def result_dtype(self, dtype: DType) -> DType:
        if self.result == "bool":
            return bool_
        if self.index:
            return int32
        return accumulated(dtype) if self.result == "sum" else dtype


class Scan(Row):
    """Combines each element along an axis with all before it, by the elementwise row `join`.

    The static argument is (axis, whether the identity stands before the first element). `identity`
    is as a reduction's.
    """

    join: Elementwise
    identity: Callable[[DType], str]
    dtypes: str = "all"
    tolerance: float = 1e-5
    root: ClassVar[bool] = True
    tiled: ClassVar[bool] = True

    def infer(self, specs: Sequence[Any], arg: Any) -> Result:
        axis, include_initial = arg
        self.check(specs[0].dtype, self.dtypes)
        shape = list(specs[0].shape)
        shape[axis] += include_initial
        dtype = accumulated(specs[0].dtype)
        return Result(tuple(shape), dtype, (dtype,))


class ViewRow(Row):
    """An index map, never a copy: `view(shape, arg)` gives the new shape and the map to the old."""

    view: Callable[[Shape, Any], tuple[Shape, View]]
    weight: int = 0
    partwise: bool = True

    def infer(self, specs: Sequence[Any], arg: Hashable) -> Result:
        shape, _ = self.view(specs[0].shape, arg)
        return Result(shape, specs[0].dtype, (specs[0].dtype,))


class Pad(Row):
    """Puts elements between and around the operand's; the second operand is the value.

    The static argument has (low, high, interior) for each axis; `low` and `high` are not negative.
    """

    partwise: bool = True

    def infer(self, specs: Sequence[Any], arg: Any) -> Result:
        shape = tuple(
            low + high + n + max(n - 1, 0) * interior
            for n, (low, high, interior) in zip(specs[0].shape, arg, strict=True)
        )
        dtype = specs[0].dtype
        return Result(shape, dtype, (dtype, dtype))


class Concat(Row):
    """Joins operands along the axis given as the static argument."""

    partwise: bool = True

    def infer(self, specs: Sequence[Any], arg: Any) -> Result:
        first = specs[0].shape
        dtype = specs[0].dtype
        for spec in specs[1:]:
            rest = (first[:arg] + first[arg + 1 :], spec.shape[:arg] + spec.shape[arg + 1 :])
            if len(first) != len(spec.shape) or rest[0] != rest[1]:
                raise ShapeError(
                    f"{self.name}: shapes differ beside axis {arg}; got {first} and {spec.shape}; "
                    "make all other axes equal"
                )
            dtype = promote(self.name, dtype, spec.dtype)
        size = sum(spec.shape[arg] for spec in specs)
        shape = (*first[:arg], size, *first[arg + 1 :])
        return Result(shape, dtype, (dtype,) * len(specs))


class Gather(Row):
    """Slices of the first operand at the places the second names.

    The static argument is the axis; the second operand's axes take its place. Negative indices
    count from the end; indices out of range are held at the ends, since a shader cannot raise.
    """

    partwise: bool = True

    def infer(self, specs: Sequence[Any], arg: Any) -> Result:
        x, indices = specs
        if indices.dtype.kind not in "iu":
            raise DTypeError(
                f"{self.name}: indices are not integers; got dtype {indices.dtype}; "
                'use indices.astype("int32")'
            )
        if x.shape[arg] == 0 and indices.size:
            raise ShapeError(
                f"{self.name}: nothing to take from; got length 0 of axis {arg} of shape {x.shape} "
                f"and {indices.size} indices; give an axis with elements"
            )
        shape = (*x.shape[:arg], *indices.shape, *x.shape[arg + 1 :])
        return Result(shape, x.dtype, (x.dtype, indices.dtype))


class GatherAlong(Row):
    """Elements of the first operand whose places along an axis the second names, one by one.

    The static argument is (axis, whether each place occurs once). Other axes are equal in both;
    indices are in range.
    """

    partwise: bool = True

    def infer(self, specs: Sequence[Any], arg: Any) -> Result:
        x, indices = specs
        return Result(indices.shape, x.dtype, (x.dtype, indices.dtype))


class Scatter(Row):
    """Slices of the first operand, added up at the places of an axis that the second names.

    The static argument is (axis, its length in the result); the second operand's axes stand in the
    place of the axis in the first. What has no such place is left out.
    """

    partwise: bool = True

    def infer(self, specs: Sequence[Any], arg: Any) -> Result:
        x, indices = specs
        axis, length = arg
        shape = (*x.shape[:axis], length, *x.shape[axis + len(indices.shape) :])
        return Result(shape, x.dtype, (x.dtype, indices.dtype))


class Barrier(Row):
    """The first operand, computed no sooner than the second."""

    partwise: bool = True

    def infer(self, specs: Sequence[Any], arg: Hashable) -> Result:
        x, event = specs
        return Result(x.shape, x.dtype, (x.dtype, event.dtype))


class Sort(Row):
    """Places of the elements along an axis, in order; equal ones in the order they had.

    The static argument is (axis, whether the largest comes first). NaN is larger than all numbers.
    """

    def infer(self, specs: Sequence[Any], arg: Hashable) -> Result:
        self.check(specs[0].dtype, "all")
        return Result(specs[0].shape, int32, (specs[0].dtype,))


class Composite(Row):
    """An operation that is lowered into others, which then share draws with those around it.

    `shape` gives the result's shape from those of the operands and the static argument; operands
    and result are float32. `lowering` gets a `schedule.program.Program`, the positions of the
    operands and the static argument, and returns the position of the result.
    """

    shape: Callable[..., Shape]
    lowering: Callable[..., int]

    def infer(self, specs: Sequence[Any], arg: Hashable) -> Result:
        shape = self.shape(*[spec.shape for spec in specs], arg)
        return Result(shape, float32, (float32,) * len(specs))


class Source(Row):
    """A tensor out of nothing: the static argument is its shape, values are positions."""

    dtype: DType

    def infer(self, specs: Sequence[Any], arg: Any) -> Result:
        return Result(arg, self.dtype, ())


class Literal(Row):
    """A number known when the shader is written, the static argument."""

    def infer(self, specs: Sequence[Any], arg: Any) -> Result:
        return Result((), float32, ())


class Contraction(Row):
    """Sums of products by the tiled kernel; `rule` says how operands are addressed."""

    rule: Callable[[Shape, Shape, Any], Shape]
    """`rule(a, b, arg)`: the result's shape (groups, rows, columns)."""
    tolerance: float = 1e-5
    root: ClassVar[bool] = True
    tiled: ClassVar[bool] = True

    def infer(self, specs: Sequence[Any], arg: Any) -> Result:
        dtype = promote(self.name, specs[0].dtype, specs[1].dtype)
        self.check(dtype, "numeric")
        return Result(self.rule(specs[0].shape, specs[1].shape, arg), dtype, (dtype, dtype))


def accumulated(dtype: DType) -> DType:
    """The dtype in which many elements add up: integers and bool in 32 bits."""
    if dtype.kind in "cf":
        return dtype
    return uint32 if dtype.kind == "u" else int32


def broadcast(name: str, shapes: Sequence[Shape]) -> Shape:
    """The shape all `shapes` broadcast to, by NumPy's rule, or ShapeError."""
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
