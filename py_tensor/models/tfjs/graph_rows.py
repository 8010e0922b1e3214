"""Write nodes of TensorFlow for the nodes of an exported ONNX file: one row per operator.

Input: a file of `to_onnx`, which has the operators of `onnx.export_rows` only. Output: the nodes,
the signature and the weights of a graph model. Images have their channels last in TensorFlow.js;
transposes that undo each other are left out.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from typing import Any

from ...dtypes import DType, bool_, float16, float32, int32
from ...errors import ModelError
from ...functions.conversion import asarray
from ...tensor import Tensor
from ..graph import ModelConstant, ModelNode, ValueInfo
from ..onnx import reader
from ..onnx.export_rows import LOWEST

_TYPES = {float32: "DT_FLOAT", float16: "DT_FLOAT", int32: "DT_INT32", bool_: "DT_BOOL"}
_NUMBERS = {1: "DT_FLOAT", 10: "DT_FLOAT", 6: "DT_INT32", 7: "DT_INT32", 9: "DT_BOOL"}
"""TensorFlow's dtypes, by ONNX's numbers."""
_SAME = {
    **{
        name: name
        for name in (
            *("Abs", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Ceil", "Cos", "Cosh"),
            *("Equal", "Erf", "Exp", "Floor", "Greater", "Identity", "Less", "Log", "Mul", "Neg"),
            *("Pow", "Range", "Reciprocal", "Relu", "Round", "Shape", "Sigmoid", "Sign", "Sin"),
            *("Sinh", "Softplus", "Sqrt", "Sub", "Tan", "Tanh"),
        )
    },
    "Add": "AddV2",
    "And": "LogicalAnd",
    "Div": "RealDiv",
    "Expand": "BroadcastTo",
    "GreaterOrEqual": "GreaterEqual",
    "IsInf": "IsInf",
    "IsNaN": "IsNan",
    "LessOrEqual": "LessEqual",
    "MatMul": "BatchMatMulV2",
    "Max": "Maximum",
    "Min": "Minimum",
    "Mod": "FloorMod",
    "Not": "LogicalNot",
    "Or": "LogicalOr",
    "Reshape": "Reshape",
    "Where": "SelectV2",
    "Xor": "NotEqual",
}
"""Operators with the same inputs and no attributes."""
_REDUCED = {"ReduceMax": "Max", "ReduceMin": "Min", "ReduceProd": "Prod", "ReduceSum": "Sum"}


class GraphWriter:
    """The nodes, weights and signature of the graph model of an ONNX file."""

    def __init__(self, data: bytes) -> None:
        graph = reader.read(reader.parse(data), {})
        self._constants = graph.constants
        self._names: dict[str, str] = {}
        """Values of TensorFlow by their names in the file."""
        self._used = {name for node in graph.nodes for name in node.outputs}
        self._used |= {info.name for info in (*graph.inputs, *graph.outputs)}
        self._permuted: dict[str, tuple[str, tuple[int, ...]]] = {}
        """Operand and order of axes of each transpose."""
        self.nodes: list[dict[str, Any]] = []
        self.weights: dict[str, Tensor] = {}
        unknown = sorted({node.operator for node in graph.nodes} - {*_SAME, *_ROWS})
        if unknown:
            raise ModelError(
                "to_tfjs: operations cannot be exported; got "
                f"{', '.join(unknown)}, which TensorFlow.js lacks; write the function without them"
            )
        for info in graph.inputs:
            attributes = {"dtype": _type(info), "shape": {"shape": _dimensions(info)}}
            self._append("Placeholder", info.name, [], attributes)
        for node in graph.nodes:
            if node.operator in _SAME:
                self._names[node.outputs[0]] = self.op(
                    _SAME[node.operator], *map(self.value, node.inputs), name=node.outputs[0]
                )
            else:
                self._names[node.outputs[-1]] = _ROWS[node.operator](self, node)
        self._drop_unused({info.name for info in (*graph.inputs, *graph.outputs)})
        self.signature = {
            key: {
                info.name: {
                    "name": f"{info.name}:0",
                    "dtype": _type(info)["type"],
                    "tensorShape": _dimensions(info),
                }
                for info in infos
            }
            for key, infos in (("inputs", graph.inputs), ("outputs", graph.outputs))
        }

    def _drop_unused(self, wanted: set[str]) -> None:
        """Remove nodes that the others do not need, for example transposes before others."""
        kept = []
        for node in reversed(self.nodes):
            if node["name"] in wanted:
                kept.append(node)
                wanted.update(name.partition(":")[0] for name in node["input"])
        self.nodes = kept[::-1]
        self.weights = {name: x for name, x in self.weights.items() if name in wanted}

    # --- values -----------------------------------------------------------------------------------

    def value(self, name: str) -> str:
        """Return the name of a value; constants become weights when they are needed."""
        if name not in self._names and name in self._constants:
            constant = self._constants[name]
            dtype = int32 if constant.dtype.kind in "iu" else constant.dtype
            self._names[name] = self._weight(name, constant.tensor().astype(dtype))
        return self._names.get(name, name)

    def numbers(self, name: str) -> list[Any]:
        """Return the elements of a constant."""
        constant: ModelConstant = self._constants[name]
        return constant.numbers

    def ints(self, numbers: Any) -> str:
        """Return the name of a constant of integers: a list, nested lists, or a number."""
        return self._weight(self._fresh("constant"), asarray(numbers, dtype="int32"))

    def _weight(self, name: str, tensor: Tensor) -> str:
        tensor = tensor.astype(float32) if tensor.dtype is float16 else tensor
        if tensor.dtype not in _TYPES:
            raise _of_dtype(str(tensor.dtype))
        self.weights[name] = tensor
        kind = _TYPES[tensor.dtype]
        shape = {"dim": [{"size": str(length)} for length in tensor.shape]}
        value = {"tensor": {"dtype": kind, "tensorShape": shape}}
        self._append("Const", name, [], {"dtype": {"type": kind}, "value": value})
        return name

    def _fresh(self, stem: str) -> str:
        at = len(self.nodes)
        while (name := f"{stem}_tf{at}") in self._used:
            at += 1
        self._used.add(name)
        return name

    # --- nodes ------------------------------------------------------------------------------------

    def op(self, operator: str, *inputs: str, name: str = "", **attributes: Any) -> str:
        """Append a node, and return its name."""
        name = name or self._fresh(operator.lower())
        self._append(operator, name, list(inputs), attributes)
        return name

    def _append(
        self, operator: str, name: str, inputs: list[str], attributes: dict[str, Any]
    ) -> None:
        node = {"name": name, "op": operator, "input": inputs, "attr": attributes}
        self.nodes.append(node)

    def transpose(self, x: str, order: Sequence[int], name: str = "") -> str:
        """Return a value with its axes in another order; two transposes are one."""
        order = tuple(order)
        if x in self._permuted:
            x, before = self._permuted[x]
            order = tuple(before[axis] for axis in order)
        if order == tuple(range(len(order))):
            return x
        y = self.op("Transpose", x, self.ints(order), name=name)
        self._permuted[y] = x, order
        return y


def _of_dtype(dtype: str) -> ModelError:
    return ModelError(
        f"to_tfjs: TensorFlow.js has no tensors of a dtype; got {dtype}; use float32, int32 or bool"
    )


def _type(info: ValueInfo) -> dict[str, str]:
    dtype: DType | None = info.dtype
    if dtype not in _TYPES:
        raise _of_dtype(f"{dtype} of {info.name!r}")
    return {"type": _TYPES[dtype]}


def _dimensions(info: ValueInfo) -> dict[str, Any]:
    lengths = info.shape or ()
    return {"dim": [{"size": str(n) if isinstance(n, int) else "-1"} for n in lengths]}


def _integer(number: int) -> dict[str, str]:
    return {"i": str(number)}


def _text(text: str) -> dict[str, str]:
    return {"s": base64.b64encode(text.encode()).decode()}


def _integers(numbers: Sequence[int]) -> dict[str, Any]:
    return {"list": {"i": [str(number) for number in numbers]}}


# --- rows -----------------------------------------------------------------------------------------


def _cast(w: GraphWriter, node: ModelNode) -> str:
    number = node.attributes["to"]
    if number not in _NUMBERS:
        raise _of_dtype(f"number {number} of onnx.TensorProto.DataType")
    kind = {"type": _NUMBERS[number]}
    return w.op("Cast", w.value(node.inputs[0]), name=node.outputs[0], DstT=kind)


def _transpose(w: GraphWriter, node: ModelNode) -> str:
    return w.transpose(w.value(node.inputs[0]), node.attributes["perm"], node.outputs[0])


def _concat(w: GraphWriter, node: ModelNode) -> str:
    values = [*map(w.value, node.inputs)]
    axis = w.ints(node.attributes["axis"])
    return w.op("ConcatV2", *values, axis, name=node.outputs[0], N=_integer(len(values)))


def _slice(w: GraphWriter, node: ModelNode) -> str:
    x, *rest = node.inputs
    starts, ends = map(w.numbers, rest[:2])
    axes = w.numbers(rest[2]) if len(rest) > 2 else [*range(len(starts))]
    steps = w.numbers(rest[3]) if len(rest) > 3 else [1] * len(starts)
    count = max(axes) + 1
    begin, end, stride = [0] * count, [0] * count, [1] * count
    open_ends = (1 << count) - 1
    open_starts = open_ends
    for axis, start, stop, step in zip(axes, starts, ends, steps, strict=True):
        begin[axis], stride[axis] = start, step
        open_starts &= ~(1 << axis)
        if stop != LOWEST:
            end[axis] = stop
            open_ends &= ~(1 << axis)
    masks = {"begin_mask": open_starts, "end_mask": open_ends}
    masks |= dict.fromkeys(("ellipsis_mask", "new_axis_mask", "shrink_axis_mask"), 0)
    attributes = {key: _integer(mask) for key, mask in masks.items()}
    numbers = map(w.ints, (begin, end, stride))
    return w.op("StridedSlice", w.value(x), *numbers, name=node.outputs[0], **attributes)


def _pad(w: GraphWriter, node: ModelNode) -> str:
    x, pads, value = node.inputs
    widths = w.numbers(pads)
    count = len(widths) // 2
    pairs = [[*pair] for pair in zip(widths[:count], widths[count:], strict=True)]
    return w.op("PadV2", w.value(x), w.ints(pairs), w.value(value), name=node.outputs[0])


def _gather(w: GraphWriter, node: ModelNode) -> str:
    axis = w.ints(node.attributes["axis"])
    values = map(w.value, node.inputs)
    return w.op("GatherV2", *values, axis, name=node.outputs[0], batch_dims=_integer(0))


def _reduce(w: GraphWriter, node: ModelNode) -> str:
    x, axes = map(w.value, node.inputs)
    kept = {"b": True}
    return w.op(_REDUCED[node.operator], x, axes, name=node.outputs[0], keep_dims=kept)


def _position(w: GraphWriter, node: ModelNode) -> str:
    axis = w.ints(node.attributes["axis"])
    place = w.op(node.operator, w.value(node.inputs[0]), axis)
    return w.op("ExpandDims", place, axis, name=node.outputs[0])


def _cumulative_sum(w: GraphWriter, node: ModelNode) -> str:
    values = map(w.value, node.inputs)
    options = {"exclusive": {"b": False}, "reverse": {"b": False}}
    return w.op("Cumsum", *values, name=node.outputs[0], **options)


def _unsqueeze(w: GraphWriter, node: ModelNode) -> str:
    [axis] = w.numbers(node.inputs[1])
    return w.op("ExpandDims", w.value(node.inputs[0]), w.ints(axis), name=node.outputs[0])


def _squeeze(w: GraphWriter, node: ModelNode) -> str:
    x = w.value(node.inputs[0])
    return w.op("Squeeze", x, name=node.outputs[0], squeeze_dims=_integers([0]))


def _windows(sizes: Sequence[int]) -> dict[str, Any]:
    return _integers([1, *sizes, 1])


def _image_options(count: int) -> dict[str, Any]:
    return {"padding": _text("VALID"), "data_format": _text("NDHWC" if count == 3 else "NHWC")}


def _convolution(w: GraphWriter, node: ModelNode) -> str:
    options = node.attributes
    x = w.transpose(w.value(node.inputs[0]), (0, 2, 3, 1))
    pads = options["pads"]
    if any(pads):
        pairs = [[0, 0], [pads[0], pads[2]], [pads[1], pads[3]], [0, 0]]
        x = w.op("Pad", x, w.ints(pairs))
    attributes = {
        "strides": _windows(options["strides"]),
        "dilations": _windows(options["dilations"]),
        **_image_options(2),
    }
    kernel = w.transpose(w.value(node.inputs[1]), (2, 3, 1, 0))
    groups = options["group"]
    if groups == 1:
        y = w.op("Conv2D", x, kernel, **attributes)
    else:
        # TensorFlow.js has no groups: the channels of each are convolved alone.
        parts = [w.op("Split", w.ints(3), v, num_split=_integer(groups)) for v in (x, kernel)]
        sums = [
            w.op("Conv2D", *(f"{part}:{at}" if at else part for part in parts), **attributes)
            for at in range(groups)
        ]
        y = w.op("ConcatV2", *sums, w.ints(3), N=_integer(groups))
    return w.transpose(y, (0, 3, 1, 2))


def _pool(w: GraphWriter, node: ModelNode) -> str:
    options = node.attributes
    size, strides = options["kernel_shape"], options["strides"]
    count = len(size)
    if any(step != 1 for step in options.get("dilations", ())):
        raise ModelError(
            "to_tfjs: TensorFlow.js has no pooling with dilations; got "
            f"{options['dilations']}; use a dilation of 1"
        )
    name = {"AveragePool": "AvgPool", "MaxPool": "MaxPool"}[node.operator]
    x = w.transpose(w.value(node.inputs[0]), (0, *range(2, count + 2), 1))
    if count == 1:
        x, size, strides = w.op("ExpandDims", x, w.ints(2)), [*size, 1], [*strides, 1]
    attributes = {"ksize": _windows(size), "strides": _windows(strides), **_image_options(count)}
    y = w.op(f"{name}3D" if count == 3 else name, x, **attributes)
    if count == 1:
        y = w.op("Squeeze", y, squeeze_dims=_integers([2]))
    return w.transpose(y, (0, count + 1, *range(1, count + 1)))


_ROWS: dict[str, Callable[[GraphWriter, ModelNode], str]] = {
    "ArgMax": _position,
    "ArgMin": _position,
    "AveragePool": _pool,
    "Cast": _cast,
    "Concat": _concat,
    "Conv": _convolution,
    "CumSum": _cumulative_sum,
    "Gather": _gather,
    "MaxPool": _pool,
    "Pad": _pad,
    **dict.fromkeys(_REDUCED, _reduce),
    "Slice": _slice,
    "Squeeze": _squeeze,
    "Transpose": _transpose,
    "Unsqueeze": _unsqueeze,
}
