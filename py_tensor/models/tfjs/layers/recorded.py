"""Operations that Keras 2 records as layers: `TFOpLambda` and `SlicingOpLambda`.

Their configuration has the name of a function of TensorFlow in Python, and calls have its
arguments. The rows of TensorFlow's operators run them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from .... import functions as F, nn
from ....tensor import Tensor
from ..operators import OPERATORS


class Operation(NamedTuple):
    """A function of TensorFlow in Python."""

    function: Callable[..., Any]
    parameters: tuple[str, ...]
    """Parameters of TensorFlow's function in the order in which this one takes them."""
    options: Mapping[str, str] = {}
    """Names of keywords by the parameters of TensorFlow's function."""


def _operator(name: str, *parameters: str, **options: str) -> Operation:
    return Operation(OPERATORS[name].function, parameters, options)


def _same(prefix: str, names: str, *parameters: str) -> dict[str, Operation]:
    """Return functions that have the names of operators in small letters."""
    return {f"{prefix}.{name.lower()}": _operator(name, *parameters) for name in names.split()}


def _matmul(a: Tensor, b: Tensor, transpose_a: bool = False, transpose_b: bool = False) -> Tensor:
    a = F.matrix_transpose(a) if transpose_a else a
    return a @ (F.matrix_transpose(b) if transpose_b else b)


def _cast(x: Tensor, dtype: str) -> Tensor:
    narrow = {"bfloat16": "float32", "float16": "float32", "float64": "float32", "int64": "int32"}
    return x.astype(narrow.get(dtype, dtype))


def sliced(x: Tensor, slice_spec: Any) -> Tensor:
    """Return `x[slice_spec]`; a slice is a dict."""
    keys = slice_spec if isinstance(slice_spec, list) else [slice_spec]
    return x[tuple(map(_key, keys))]


def _key(key: Any) -> Any:
    if isinstance(key, dict):
        if "class_name" in key:
            return ...
        return slice(key.get("start"), key.get("stop"), key.get("step"))
    return key


_PAIRS = {
    "add": "AddV2", "divide": "RealDiv", "equal": "Equal", "floordiv": "FloorDiv",
    "floormod": "FloorMod", "greater": "Greater", "greater_equal": "GreaterEqual", "less": "Less",
    "less_equal": "LessEqual", "logical_and": "LogicalAnd", "logical_or": "LogicalOr",
    "maximum": "Maximum", "minimum": "Minimum", "mod": "FloorMod", "multiply": "Mul",
    "not_equal": "NotEqual", "pow": "Pow", "squared_difference": "SquaredDifference",
    "subtract": "Sub", "truediv": "RealDiv",
}  # fmt: skip
_SYMBOLS = {
    "add": "AddV2", "eq": "Equal", "floordiv": "FloorDiv", "ge": "GreaterEqual", "gt": "Greater",
    "le": "LessEqual", "lt": "Less", "mod": "FloorMod", "mul": "Mul", "ne": "NotEqual",
    "pow": "Pow", "sub": "Sub", "truediv": "RealDiv",
}  # fmt: skip

OPERATIONS: dict[str, Operation] = {
    **_same("math", "Abs Acos Asin Atan Ceil Cos Cosh Erf Exp Expm1 Floor Log Log1p Reciprocal"
            " Round Rsqrt Sigmoid Sign Sin Sinh Sqrt Square Tan Tanh", "x"),
    **_same("nn", "Relu Relu6 Elu Selu Softplus Softsign", "features"),
    **_same("nn", "Sigmoid Tanh", "x"),
    **{f"math.{name}": _operator(row, "x", "y") for name, row in _PAIRS.items()},
    **{f"__operators__.{name}": _operator(row, "x", "y") for name, row in _SYMBOLS.items()},
    **{
        f"math.reduce_{name.lower()}": _operator(name, "input_tensor", "axis", keepdims="keep_dims")
        for name in ("All", "Any", "Max", "Mean", "Min", "Prod", "Sum")
    },
    "__operators__.getitem": Operation(sliced, ("input", "slice_spec")),
    "__operators__.neg": _operator("Neg", "x"),
    "cast": Operation(_cast, ("x", "dtype")),
    "clip_by_value": _operator("ClipByValue", "t", "clip_value_min", "clip_value_max"),
    "concat": Operation(F.concat, ("values",), {"axis": "axis"}),
    "expand_dims": _operator("ExpandDims", "input", "axis"),
    "identity": _operator("Identity", "input"),
    "linalg.matmul": Operation(
        _matmul, ("a", "b"), {"transpose_a": "transpose_a", "transpose_b": "transpose_b"}
    ),
    "math.argmax": _operator("ArgMax", "input", "axis"),
    "math.argmin": _operator("ArgMin", "input", "axis"),
    "math.negative": _operator("Neg", "x"),
    "math.softplus": _operator("Softplus", "features"),
    "nn.leaky_relu": _operator("LeakyRelu", "features", alpha="alpha"),
    "nn.silu": Operation(nn.silu, ("features",)),
    "nn.softmax": Operation(F.softmax, ("logits",), {"axis": "axis"}),
    "reshape": _operator("Reshape", "tensor", "shape"),
    "squeeze": _operator("Squeeze", "input", axis="axis"),
    "stack": Operation(F.stack, ("values",), {"axis": "axis"}),
    "tile": _operator("Tile", "input", "multiples"),
    "transpose": _operator("Transpose", "a", "perm"),
    "where": _operator("SelectV2", "condition", "x", "y"),
}  # fmt: skip
"""Operations by the name of their function."""
PREFIX = "compat.v1."
"""Before the names of functions of TensorFlow 1, which are like their successors."""


def recorded(
    *tensors: Tensor, function: str, names: Sequence[str], options: Mapping[str, Any]
) -> Any:
    """Run a function; `names` are the parameters that are tensors, lists of them with a star."""
    arguments = dict(options)
    for name, tensor in zip(names, tensors, strict=True):
        if name.endswith("*"):
            arguments.setdefault(name[:-1], []).append(tensor)
        else:
            arguments[name] = tensor
    run, parameters, keywords = OPERATIONS[function]
    for name, step in (("axis", 1), ("perm", -1)):
        if name in parameters and arguments.get(name) is None:
            # All axes, whose number the file does not have.
            arguments[name] = [*range(tensors[0].ndim)][::step]
    by_name = {
        keyword: arguments[name]
        for name, keyword in keywords.items()
        if arguments.get(name) is not None
    }
    return run(*(arguments[name] for name in parameters), **by_name)


INTERNAL = {"recorded operation": recorded}
