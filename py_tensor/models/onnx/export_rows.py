"""Nodes of ONNX for each operation of a graph: one row per operation.

Input: an operation with the names of its operands. Output: nodes in a `NodeWriter`. Sources:
https://onnx.ai/onnx/operators, operator set 18.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from ...dtypes import DType, bool_, float32, int32
from ...io.element_formats import TRUTH
from ...ops import OP_DEFS
from ...ops.op_def import Elementwise, Reduction, Scan
from ...tensor import Tensor
from ..graph import DTYPE_OF_CODE, FORMATS
from .protobuf import Message
from .reader import ELEMENTS, SCHEMA
from .wire_writer import encoded

OPSET = 18
IR_VERSION = 8
NUMBERS = {DTYPE_OF_CODE[code]: number for number, code in reversed(ELEMENTS.items())}
"""ONNX's number of each dtype."""
INT64 = 7
LOWEST = -(1 << 63)
WIDE = {"int8": 6, "int16": 6, "uint8": 6, "uint16": 6, "uint32": INT64}
"""Number of the dtype in which operations of a dtype are computed, which few runtimes support."""


class Open(NamedTuple):
    """Length that is a multiple of the length of the first axis of the inputs."""

    factor: int


Length = Any
"""An int, or `Open`."""
Shape = tuple[Length, ...]


class Call(NamedTuple):
    """An operation: names, shapes and common dtype of its operands, and its result."""

    inputs: list[str]
    shapes: list[Shape]
    dtype: DType
    arg: Any
    shape: Shape
    result: DType


class NodeWriter:
    """Collects the messages of a graph."""

    def __init__(self, names: set[str]) -> None:
        self._names = names
        self._nodes: list[Message] = []
        self._constants: list[Message] = []
        self._known: dict[Any, str] = {}
        self._inputs: list[Message] = []
        self._outputs: list[Message] = []
        self.made: dict[str, tuple[str, Call]] = {}
        """Operation that computed a value, by the value's name; for windows."""

    def _name(self, kind: str) -> str:
        at = len(self._nodes) + len(self._constants)
        while (name := f"{kind}_{at}") in self._names:
            at += 1
        self._names.add(name)
        return name

    # --- nodes and constants ----------------------------------------------------------------------

    def op(self, operator: str, *inputs: str, outputs: int = 1, **attributes: Any) -> str:
        """Append a node and return the name of its last output; equal nodes are one node."""
        key = (operator, inputs, outputs, tuple(sorted(attributes.items())))
        if key not in self._known:
            names = [self._name(operator.lower()) for _ in range(outputs)]
            self._node(operator, inputs, names, attributes)
            self._known[key] = names[-1]
        return self._known[key]

    def _node(
        self, operator: str, inputs: Sequence[str], outputs: list[str], attributes: dict[str, Any]
    ) -> None:
        message: Message = {
            "input": list(inputs),
            "output": outputs,
            "name": outputs[-1],
            "op_type": operator,
        }
        if attributes:
            message["attribute"] = [_attribute(name, v) for name, v in attributes.items()]
        self._nodes.append(message)

    def _constant(self, number: int, shape: Sequence[int], raw: bytes) -> str:
        """Return the name of an initializer; equal ones are one."""
        key = ("constant", number, tuple(shape), raw)
        if key not in self._known:
            self._known[key] = name = self._name("constant")
            message = {"dims": list(shape), "data_type": number, "name": name, "raw_data": raw}
            self._constants.append(message)
        return self._known[key]

    def tensor(self, tensor: Tensor) -> str:
        """Return the name of an initializer with the values of a tensor."""
        data = bytes(tensor._bytes("to_onnx"))
        if tensor.dtype is bool_:
            data = data.translate(TRUTH)
        return self._constant(NUMBERS[tensor.dtype.name], tensor.shape, data)

    def number(self, value: Any, dtype: DType | int) -> str:
        """Return the name of an initializer of shape () with a number."""
        number = NUMBERS[dtype.name] if isinstance(dtype, DType) else dtype
        return self._constant(number, (), struct.pack(f"<{FORMATS[ELEMENTS[number]]}", value))

    def ints(self, values: Sequence[int], shape: Sequence[int] | None = None) -> str:
        """Return the name of an initializer with int64, by default a list of them."""
        raw = struct.pack(f"<{len(values)}q", *values)
        return self._constant(INT64, (len(values),) if shape is None else shape, raw)

    # --- shapes -----------------------------------------------------------------------------------

    def lengths(self, shape: Shape, *, rest: bool = False) -> str:
        """Return the name of a list of lengths; with `rest`, one open length is -1."""
        opened = [at for at, length in enumerate(shape) if isinstance(length, Open)]
        if not opened:
            return self.ints(shape)
        if rest and len(opened) == 1 and 0 not in shape:
            return self.ints([-1 if isinstance(length, Open) else length for length in shape])
        parts = [
            self._batch(length) if isinstance(length, Open) else self.ints([length])
            for length in shape
        ]
        return self.op("Concat", *parts, axis=0)

    def _batch(self, length: Open) -> str:
        first = self._inputs[0]["name"]
        count = self.op("Slice", self.op("Shape", first), self.ints([0]), self.ints([1]))
        return count if length.factor == 1 else self.op("Mul", count, self.ints([length.factor]))

    def cast(self, name: str, dtype: DType | int) -> str:
        """Return the name of a value converted to a dtype."""
        return self.op("Cast", name, to=NUMBERS[dtype.name] if isinstance(dtype, DType) else dtype)

    def reshape(self, name: str, shape: Shape) -> str:
        """Return the name of a value in another shape."""
        return self.op("Reshape", name, self.lengths(shape, rest=True))

    def transpose(self, name: str, axes: Sequence[int]) -> str:
        """Return the name of a value with permuted axes."""
        return self.op("Transpose", name, perm=tuple(axes))

    def pad(self, name: str, ndim: int, widths: Mapping[int, tuple[int, int]], value: str) -> str:
        """Return the name of a value with elements before and after some axes."""
        lows, highs = ([widths.get(axis, (0, 0))[end] for axis in range(ndim)] for end in (0, 1))
        return self.op("Pad", name, self.ints(lows + highs), value, mode="constant")

    # --- file -------------------------------------------------------------------------------------

    def input(self, name: str, shape: Shape, dtype: DType) -> None:
        """Declare an input."""
        self._inputs.append(_value_info(name, shape, dtype))

    def output(self, name: str, value: str, shape: Shape, dtype: DType) -> None:
        """Declare an output with the value of another name."""
        self._node("Identity", [value], [name], {})
        self._outputs.append(_value_info(name, shape, dtype))

    def file(self, name: str) -> bytes:
        """Return the bytes of the file."""
        graph = {
            "node": self._nodes,
            "name": name,
            "initializer": self._constants,
            "input": self._inputs,
            "output": self._outputs,
        }
        model = {
            "ir_version": IR_VERSION,
            "graph": graph,
            "opset_import": [{"domain": "", "version": OPSET}],
        }
        return encoded(SCHEMA, "Model", model)


def _attribute(name: str, value: Any) -> Message:
    if isinstance(value, int):
        return {"name": name, "i": value, "type": 2}
    if isinstance(value, float):
        return {"name": name, "f": struct.pack("<f", value), "type": 1}
    if isinstance(value, str):
        return {"name": name, "s": value.encode(), "type": 3}
    return {"name": name, "ints": list(value), "type": 7}


def _value_info(name: str, shape: Shape, dtype: DType) -> Message:
    lengths = [
        {"dim_param": "batch" if length.factor == 1 else f"batch*{length.factor}"}
        if isinstance(length, Open)
        else {"dim_value": length}
        for length in shape
    ]
    tensor = {"elem_type": NUMBERS[dtype.name], "shape": {"dim": lengths}}
    return {"name": name, "type": {"tensor_type": tensor}}


# --- elementwise ----------------------------------------------------------------------------------

Row = Callable[[NodeWriter, Call], str]


def _same(w: NodeWriter, call: Call) -> str:
    return call.inputs[0]


def _single(operator: str, **attributes: Any) -> Row:
    return lambda w, call: w.op(operator, *call.inputs, **attributes)


def _by_kind(of_floats: Row, of_integers: Row) -> Row:
    """Return the row of an operation that is written differently for floating numbers."""
    return lambda w, call: (of_floats if call.dtype.kind == "f" else of_integers)(w, call)


def _bits(operator: str, logical: str) -> Row:
    return lambda w, call: w.op(logical if call.dtype is bool_ else operator, *call.inputs)


class _Math:
    """Shorthand for expressions of one dtype."""

    def __init__(self, w: NodeWriter, dtype: DType | int) -> None:
        self._w, self._dtype = w, dtype

    def __getattr__(self, operator: str) -> Callable[..., str]:
        def apply(*operands: Any) -> str:
            names = [
                operand if isinstance(operand, str) else self._w.number(operand, self._dtype)
                for operand in operands
            ]
            return self._w.op(operator, *names)

        return apply


def _formula(write: Callable[..., str]) -> Row:
    """Return the row of an operation whose result is `write(math, *operands)`."""
    return lambda w, call: write(_Math(w, _computed(call.dtype)), *call.inputs)


def _computed(dtype: DType) -> DType | int:
    return WIDE.get(dtype.name, dtype)


def _floor_divide(m: _Math, a: str, b: str) -> str:
    """Return quotients of integers; those by 0 are 0, and remainders have the divisor's sign."""
    none = m.Equal(b, 0)
    divisor = m.Where(none, 1, b)
    return m.Where(none, 0, m.Div(m.Sub(a, m.Mod(a, divisor)), divisor))


def _remainder(m: _Math, a: str, b: str) -> str:
    none = m.Equal(b, 0)
    return m.Where(none, 0, m.Mod(a, m.Where(none, 1, b)))


def _log1p(m: _Math, x: str) -> str:
    """Return log(1 + x), near 0 as 2 atanh(x / (2 + x)), which has no cancellation."""
    near = m.Less(m.Abs(x), 0.5)
    series = m.Mul(m.Atanh(m.Div(m.Where(near, x, 0.0), m.Add(x, 2.0))), 2.0)
    return m.Where(near, series, m.Log(m.Add(x, 1.0)))


def _expm1(m: _Math, x: str) -> str:
    """Return exp(x) - 1, near 0 as 2 sinh(x / 2) exp(x / 2), which has no cancellation."""
    near = m.Less(m.Abs(x), 0.5)
    half = m.Mul(m.Where(near, x, 0.0), 0.5)
    return m.Where(near, m.Mul(m.Mul(m.Sinh(half), 2.0), m.Exp(half)), m.Sub(m.Exp(x), 1.0))


def _atan2(m: _Math, y: str, x: str) -> str:
    """Return the angle of (x, y) from the arc tangent of y / x."""
    axis = m.Equal(x, 0.0)
    angle = m.Atan(m.Div(y, m.Where(axis, 1.0, x)))
    half = m.Where(_negative(m, y), -math.pi, math.pi)
    angle = m.Where(m.Less(x, 0.0), m.Add(angle, half), angle)
    upright = m.Mul(m.Sign(y), math.pi / 2)
    return m.Where(axis, upright, angle)


def _negative(m: _Math, x: str) -> str:
    """Return True where the sign bit is set; the reciprocal of -0.0 is negative."""
    return m.Or(m.Less(x, 0.0), m.And(m.Equal(x, 0.0), m.Less(m.Reciprocal(x), 0.0)))


def _shift_right(m: _Math, x: str, y: str) -> str:
    power = m.Pow(2, y)
    return m.Div(m.Sub(x, m.Mod(x, power)), power)


def _is_finite(w: NodeWriter, call: Call) -> str:
    m = _Math(w, call.dtype)
    [x] = call.inputs
    return m.Not(m.Or(w.op("IsInf", w.cast(x, float32)), m.IsNaN(x)))


def _never_of_integers(operator: str) -> Row:
    def of_floats(w: NodeWriter, call: Call) -> str:
        [x] = call.inputs
        # IsInf does not take float16.
        return w.op(operator, x if call.dtype is float32 else w.cast(x, float32))

    return _by_kind(of_floats, _formula(lambda m, x: m.Not(m.Equal(x, x))))


_ELEMENTWISE: dict[str, Row] = {
    "add": _single("Add"),
    "subtract": _single("Sub"),
    "multiply": _single("Mul"),
    "divide": _single("Div"),
    "ratio": _single("Div"),
    "floor_divide": _by_kind(
        _formula(lambda m, a, b: m.Floor(m.Div(a, b))), _formula(_floor_divide)
    ),
    "remainder": _by_kind(
        _formula(lambda m, a, b: m.Sub(a, m.Mul(m.Floor(m.Div(a, b)), b))), _formula(_remainder)
    ),
    "pow": _by_kind(_single("Pow"), _formula(lambda m, a, b: m.Pow(a, m.Max(b, 0)))),
    "negative": _formula(lambda m, x: m.Neg(x)),
    "positive": _same,
    "conj": _same,
    "square": _formula(lambda m, x: m.Mul(x, x)),
    "not_equal": _formula(lambda m, a, b: m.Not(m.Equal(a, b))),
    "less_equal": _single("LessOrEqual"),
    "greater_equal": _single("GreaterOrEqual"),
    "maximum": _single("Max"),
    "minimum": _single("Min"),
    "logical_and": _single("And"),
    "logical_or": _single("Or"),
    "logical_xor": _single("Xor"),
    "logical_not": _single("Not"),
    "bitwise_and": _bits("BitwiseAnd", "And"),
    "bitwise_or": _bits("BitwiseOr", "Or"),
    "bitwise_xor": _bits("BitwiseXor", "Xor"),
    "bitwise_invert": _bits("BitwiseNot", "Not"),
    "bitwise_left_shift": _formula(lambda m, x, y: m.Mul(x, m.Pow(2, y))),
    "bitwise_right_shift": _formula(_shift_right),
    "ceil": _by_kind(_single("Ceil"), _same),
    "floor": _by_kind(_single("Floor"), _same),
    "round": _by_kind(_single("Round"), _same),
    "trunc": _by_kind(_formula(lambda m, x: m.Mul(m.Sign(x), m.Floor(m.Abs(x)))), _same),
    "isfinite": _by_kind(_is_finite, _formula(lambda m, x: m.Equal(x, x))),
    "isinf": _never_of_integers("IsInf"),
    "isnan": _never_of_integers("IsNaN"),
    "signbit": _formula(_negative),
    "copysign": _formula(lambda m, a, b: m.Mul(m.Abs(a), m.Where(_negative(m, b), -1.0, 1.0))),
    "expm1": _formula(_expm1),
    "log1p": _formula(_log1p),
    "log2": _formula(lambda m, x: m.Mul(m.Log(x), 1 / math.log(2))),
    "log10": _formula(lambda m, x: m.Mul(m.Log(x), 1 / math.log(10))),
    "logaddexp": _formula(
        lambda m, a, b: m.Add(m.Max(a, b), m.Softplus(m.Neg(m.Abs(m.Sub(a, b)))))
    ),
    "rsqrt": _formula(lambda m, x: m.Reciprocal(m.Sqrt(x))),
    "hypot": _formula(lambda m, a, b: m.Sqrt(m.Add(m.Mul(a, a), m.Mul(b, b)))),
    **{
        name: _single(name.capitalize())
        for name in (
            *("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh"),
            *("asinh", "acosh", "atanh", "sigmoid", "erf", "exp", "log", "sqrt", "abs", "sign"),
            *("reciprocal", "equal", "less", "greater", "where"),
        )
    },
    "atan2": _formula(_atan2),
    "relu": _by_kind(_single("Relu"), _formula(lambda m, x: m.Max(x, 0))),
    "clip": _formula(lambda m, x, low, high: m.Min(m.Max(x, low), high)),
    # The exporter has converted the operand already.
    "astype": _same,
}


# --- reductions and scans -------------------------------------------------------------------------


def _reduced(w: NodeWriter, call: Call, operator: str) -> str:
    if not call.arg:
        return call.inputs[0]
    return w.op(operator, call.inputs[0], w.ints(call.arg), keepdims=1)


def _sum(w: NodeWriter, call: Call) -> str:
    pooled = _pooled(w, call, "AveragePool")
    if pooled is None:
        return _reduced(w, call, "ReduceSum")
    count = math.prod(call.shapes[0][axis] for axis in call.arg)
    return w.op("Mul", pooled, w.number(float(count), call.dtype))


def _max(w: NodeWriter, call: Call) -> str:
    pooled = _pooled(w, call, "MaxPool")
    return _reduced(w, call, "ReduceMax") if pooled is None else pooled


def _pooled(w: NodeWriter, call: Call, operator: str) -> str | None:
    """Return the result of a pooling layer: a reduction of windows over the spatial axes."""
    permuted = w.made.get(call.inputs[0])
    if permuted is None or permuted[0] != "permute_dims" or call.dtype.kind != "f":
        return None
    windows = w.made.get(permuted[1].inputs[0])
    if windows is None or windows[0] != "window":
        return None
    x, taps = windows[1].inputs[0], windows[1].arg
    count = len(windows[1].shapes[0]) - 2
    order = (*range(count + 1), *range(count + 2, 2 * count + 2), count + 1)
    if (
        [axis for axis, *_ in taps] != list(range(1, count + 1))
        or permuted[1].arg != order
        or tuple(call.arg) != tuple(range(count + 1, 2 * count + 1))
        or (operator == "AveragePool" and any(dilation != 1 for *_, dilation in taps))
    ):
        return None
    options: dict[str, Any] = {
        "kernel_shape": tuple(size for _, size, _, _ in taps),
        "strides": tuple(step for _, _, step, _ in taps),
    }
    if operator == "MaxPool":
        options["dilations"] = tuple(dilation for *_, dilation in taps)
    first = w.transpose(x, (0, count + 1, *range(1, count + 1)))
    last = w.transpose(w.op(operator, first, **options), (0, *range(2, count + 2), 1))
    return w.reshape(last, call.shape)


def _logical(operator: str) -> Row:
    def row(w: NodeWriter, call: Call) -> str:
        numbers = w.cast(w.cast(call.inputs[0], bool_), int32)
        return w.cast(_reduced(w, call._replace(inputs=[numbers]), operator), bool_)

    return row


def _position(operator: str) -> Row:
    return lambda w, call: w.cast(
        w.op(operator, call.inputs[0], axis=call.arg[0], keepdims=1), int32
    )


def _cumulative_sum(w: NodeWriter, call: Call) -> str:
    axis, _ = call.arg
    return _initial(w, call, w.op("CumSum", call.inputs[0], w.number(axis, INT64)), 0)


def _cumulative_product(w: NodeWriter, call: Call) -> str:
    """Multiply each element with the one before it, then with the product two before it, ..."""
    axis, _ = call.arg
    shape, products = call.shapes[0], call.inputs[0]
    one = w.number(1, _computed(call.dtype))
    reach = 1
    while reach < shape[axis]:
        kept = _first(w, products, axis, shape[axis] - reach)
        products = w.op("Mul", products, w.pad(kept, len(shape), {axis: (reach, 0)}, one))
        reach *= 2
    return _initial(w, call, products, 1)


def _initial(w: NodeWriter, call: Call, result: str, start: int) -> str:
    axis, include_initial = call.arg
    if not include_initial:
        return result
    value = w.number(start, _computed(call.dtype))
    return w.pad(result, len(call.shape), {axis: (1, 0)}, value)


# --- views ----------------------------------------------------------------------------------------


def _iota(w: NodeWriter, call: Call) -> str:
    """Count along an open axis; other positions are constants."""
    opened = [length for length in call.shape if isinstance(length, Open)]
    [factor] = [length.factor for length in opened]
    rest = math.prod(length for length in call.shape if not isinstance(length, Open))
    count = w.op("Squeeze", w.lengths((Open(factor * rest),)))
    places = w.op("Range", w.number(0, INT64), count, w.number(1, INT64))
    return w.cast(w.reshape(places, call.shape), int32)


def _reshape(w: NodeWriter, call: Call) -> str:
    return call.inputs[0] if call.shape == call.shapes[0] else w.reshape(call.inputs[0], call.shape)


def _first(w: NodeWriter, x: str, axis: int, length: int) -> str:
    return w.op("Slice", x, *(w.ints([number]) for number in (0, length, axis)))


def _slice(w: NodeWriter, call: Call) -> str:
    x = call.inputs[0]
    starts, ends, axes, steps = [], [], [], []
    for axis, ((start, length, step), whole) in enumerate(
        zip(call.arg, call.shapes[0], strict=True)
    ):
        if (start, length, step) == (0, whole, 1):
            continue
        if isinstance(start, Open) or isinstance(length, Open):
            raise ValueError(f"a part of an axis of open length: {start}, {length}, {step}")
        end = start + length * step
        starts.append(start)
        ends.append(LOWEST if end < 0 else end)
        axes.append(axis)
        steps.append(step)
    if not axes:
        return x
    return w.op("Slice", x, *(w.ints(numbers) for numbers in (starts, ends, axes, steps)))


def _window(w: NodeWriter, call: Call) -> str:
    """Gather the elements of the windows of each axis, and move their axes to the end."""
    x, ndim = call.inputs[0], len(call.shapes[0])
    for axis, size, step, dilation in call.arg:
        count = call.shape[axis]
        places = [at * step + tap * dilation for at in range(count) for tap in range(size)]
        x = w.op("Gather", x, w.ints(places, (count, size)), axis=axis)
        # The axes of earlier windows are at the end already.
        ndim += 1
        x = w.transpose(x, (*(at for at in range(ndim) if at != axis + 1), axis + 1))
    return x


def _diagonal(w: NodeWriter, call: Call) -> str:
    first, second = call.arg
    shape = call.shapes[0]
    rest = [axis for axis in range(len(shape)) if axis not in call.arg]
    x = w.transpose(call.inputs[0], (*rest, first, second))
    x = w.reshape(x, (*(shape[axis] for axis in rest), shape[first] * shape[second]))
    places = [at * (shape[second] + 1) for at in range(min(shape[first], shape[second]))]
    return w.op("Gather", x, w.ints(places, (len(places),)), axis=len(rest))


def _pad(w: NodeWriter, call: Call) -> str:
    x, value = call.inputs
    ndim = len(call.shapes[0])
    lengths = list(call.shapes[0])
    for axis, (_, _, interior) in enumerate(call.arg):
        n = lengths[axis]
        if interior and n != 1:
            # Put the values after each element, and remove those after the last one.
            x = w.reshape(x, (*lengths[: axis + 1], 1, *lengths[axis + 1 :]))
            x = w.pad(x, ndim + 1, {axis + 1: (0, interior)}, value)
            lengths[axis] = n * (interior + 1)
            x = w.reshape(x, tuple(lengths))
            lengths[axis] -= interior
            x = _first(w, x, axis, lengths[axis])
    widths = {axis: (low, high) for axis, (low, high, _) in enumerate(call.arg) if low or high}
    return w.pad(x, ndim, widths, value) if widths else x


# --- gathers, scatters and sorts ------------------------------------------------------------------


def _scatter_add(w: NodeWriter, call: Call) -> str:
    """Add slices to zeros; those out of range go to an additional slice, which is removed."""
    x, places = call.inputs
    axis, length = call.arg
    count = len(call.shapes[1])
    rest = (*call.shape[:axis], *call.shape[axis + 1 :])
    zero = w.number(0, INT64)
    limit = w.number(length, INT64)
    index = w.cast(places, INT64)
    outside = w.op("Or", w.op("Less", index, zero), w.op("GreaterOrEqual", index, limit))
    index = w.op("Where", outside, limit, index)
    index = w.op("Unsqueeze", index, w.ints([count]))
    order = [*range(axis, axis + count), *range(axis), *range(axis + count, len(call.shapes[0]))]
    updates = w.transpose(x, order)
    zeros = w.op("Expand", w.number(0, call.dtype), w.lengths((length + 1, *rest)))
    summed = w.op("ScatterND", zeros, index, updates, reduction="add")
    kept = _first(w, summed, 0, length)
    ndim = len(call.shape)
    return w.transpose(kept, [*range(1, axis + 1), 0, *range(axis + 1, ndim)])


def _argsort(w: NodeWriter, call: Call) -> str:
    axis, descending = call.arg
    count = w.ints([call.shape[axis]])
    places = w.op(
        "TopK", call.inputs[0], count, outputs=2, axis=axis, largest=int(descending), sorted=1
    )
    return w.cast(places, int32)


def _search(w: NodeWriter, call: Call) -> str:
    x, values = (w.cast(name, _computed(call.dtype)) for name in call.inputs)
    length = call.shapes[0][1]
    count = w.op("Expand", w.number(0, INT64), w.lengths(call.shape))
    for level in reversed(range(length.bit_length())):
        end = w.op("Add", count, w.number(1 << level, INT64))
        limit = w.number(length, INT64)
        at = w.op("Sub", w.op("Min", end, limit), w.number(1, INT64))
        pair = w.op("GatherElements", x, at, axis=1), values
        less = w.op("Less", *(reversed(pair) if call.arg else pair))
        if call.dtype.kind == "f":
            # NaN is larger than all numbers.
            first, second = map(partial(w.op, "IsNaN"), reversed(pair) if call.arg else pair)
            less = w.op("Or", less, w.op("And", second, w.op("Not", first)))
        before = w.op("Not", less) if call.arg else less
        fits = w.op("And", before, w.op("LessOrEqual", end, limit))
        count = w.op("Where", fits, end, count)
    return w.cast(count, int32)


def _last_position(w: NodeWriter, call: Call) -> str:
    """Write positions into a vector of -1; those out of range go to an additional element."""
    length, _ = call.arg
    (count,) = call.shapes[0]
    limit = w.number(length, INT64)
    index = w.cast(call.inputs[0], INT64)
    outside = w.op("Or", w.op("Less", index, w.number(0, INT64)), w.op("Greater", index, limit))
    index = w.op("Where", outside, limit, index)
    start = w.op("Expand", w.number(-1, INT64), w.lengths((length + 1,)))
    positions = w.ints(range(count))
    last = w.op("ScatterElements", start, index, positions, axis=0, reduction="max")
    return w.cast(_first(w, last, 0, length), int32)


# --- contractions ---------------------------------------------------------------------------------


def _convolve(w: NodeWriter, call: Call) -> str:
    x, kernel = call.inputs
    window = call.arg
    pads = []
    for out, stride, size, dilation, low, length in zip(
        window.out, window.stride, window.kernel, window.dilation, window.pad, call.shapes[0][1:3],
        strict=True,
    ):  # fmt: skip
        pads.append(max(0, (out - 1) * stride + (size - 1) * dilation + 1 - length - low))
    sums = w.op(
        "Conv",
        w.transpose(x, (0, 3, 1, 2)),
        w.transpose(kernel, (3, 2, 0, 1)),
        kernel_shape=window.kernel,
        strides=window.stride,
        pads=(*window.pad, *pads),
        dilations=window.dilation,
        group=window.groups,
    )
    sums = w.transpose(sums, (0, 2, 3, 1))
    groups, pixels, channels = call.shape
    if groups == 1:
        return w.reshape(sums, call.shape)
    return w.transpose(w.reshape(sums, (pixels, groups, channels)), (1, 0, 2))


ROWS: dict[str, Row] = {
    **_ELEMENTWISE,
    "sum": _sum,
    "prod": lambda w, call: _reduced(w, call, "ReduceProd"),
    "max": _max,
    "min": lambda w, call: _reduced(w, call, "ReduceMin"),
    "any": _logical("ReduceMax"),
    "all": _logical("ReduceMin"),
    "argmax": _position("ArgMax"),
    "argmin": _position("ArgMin"),
    "cumulative_sum": _cumulative_sum,
    "cumulative_prod": _cumulative_product,
    "iota": _iota,
    "reshape": _reshape,
    "permute_dims": lambda w, call: w.transpose(call.inputs[0], call.arg),
    "broadcast_to": lambda w, call: w.op("Expand", call.inputs[0], w.lengths(call.shape)),
    "slice": _slice,
    "window": _window,
    "diagonal": _diagonal,
    "stop_gradient": _reshape,
    "barrier": _same,
    "barrier_view": _reshape,
    "pad": _pad,
    "concat": lambda w, call: w.op("Concat", *call.inputs, axis=call.arg),
    "take": lambda w, call: w.op("Gather", *call.inputs, axis=call.arg),
    "take_along_axis": lambda w, call: w.op("GatherElements", *call.inputs, axis=call.arg[0]),
    "scatter_add": _scatter_add,
    "argsort": _argsort,
    "search": _search,
    "last_position": _last_position,
    "dot": _single("MatMul"),
    "convolve": _convolve,
    "det": _single("Det"),
}
"""Row of each operation by its name."""
_KEEPS = (Elementwise, Reduction, Scan)


def written(w: NodeWriter, name: str, call: Call) -> str:
    """Append the nodes of an operation, and return the name of its result.

    Arithmetic on small integers is done in a wider dtype, whose results wrap as they should.
    """
    wide = WIDE.get(call.dtype.name) if isinstance(OP_DEFS.get(name), _KEEPS) else None
    if wide is None or name in ("astype", "where"):
        result = ROWS[name](w, call)
    else:
        inputs = [w.cast(operand, wide) for operand in call.inputs]
        result = ROWS[name](w, call._replace(inputs=inputs))
        if call.result.name in WIDE:
            result = w.cast(result, call.result)
    w.made[result] = (name, call)
    return result
