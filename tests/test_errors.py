"""Errors of devices and shaders; an error leaves existing tensors unchanged."""

from __future__ import annotations

import operator

import numpy as np
import pytest
from helpers import assert_raises, assert_values

import py_tensor as pt
from py_tensor import errors
from py_tensor.compiler.textures.texture_layout import most_elements
from py_tensor.functions import foreign_names
from py_tensor.ops.op_def import Elementwise
from py_tensor.runtime.backends import webgl
from py_tensor.tensor import apply

X = np.ones((3, 4), "float32")


IN_PLACE = [
    (operator.iadd, "add", "+"),
    (operator.isub, "subtract", "-"),
    (operator.imul, "multiply", "*"),
    (operator.itruediv, "divide", "/"),
    (operator.ifloordiv, "floor_divide", "//"),
    (operator.imod, "remainder", "%"),
    (operator.ipow, "pow", "**"),
    (operator.imatmul, "matmul", "@"),
    (operator.iand, "bitwise_and", "&"),
    (operator.ior, "bitwise_or", "|"),
    (operator.ixor, "bitwise_xor", "^"),
    (operator.ilshift, "bitwise_left_shift", "<<"),
    (operator.irshift, "bitwise_right_shift", ">>"),
]


@pytest.mark.parametrize(("operate", "name", "symbol"), IN_PLACE, ids=[row[2] for row in IN_PLACE])
def test_assignment_in_place_keeps_the_dtype(operate, name, symbol):
    bits = symbol in ("&", "|", "^", "<<", ">>")
    small, wide = ("uint8", "int32") if bits else ("int32", "float32")
    x, y = pt.asarray([1, 2], dtype=small), pt.asarray([3, 4], dtype=wide)
    assert_raises(
        errors.DTypeError,
        f"{name}: assignment in place cannot change the dtype; got {small} and a result of "
        f'{wide}; write x = x {symbol} y, or x = x.astype("{wide}") before',
        lambda: operate(x, y),
    )
    assert (x.tolist(), x.dtype) == ([1, 2], small)


def test_assignment_in_place_of_numbers_keeps_the_dtype():
    x = pt.asarray([1, 2])
    with pytest.raises(TypeError, match=r'x = x \+ y, or x = x\.astype\("float32"\) before'):
        x += 1.5
    with pytest.raises(TypeError, match=r'x = x / y, or x = x\.astype\("float32"\) before'):
        x /= 2
    x = x.astype("float32")
    x /= 2
    x += 1.5
    assert x.tolist() == [2.0, 2.5]


def test_assignment_in_place_keeps_the_shape():
    x = pt.zeros((3, 1))
    with pytest.raises(errors.ShapeError) as raised:
        x += pt.zeros((3, 4))
    assert str(raised.value) == (
        "add: assignment in place cannot change the shape; got (3, 1) and a result of shape "
        "(3, 4); write x = x + y"
    )
    assert x.shape == (3, 1)


def test_errors_are_subclasses_of_python_errors():
    for error, builtin in [
        (errors.ShapeError, ValueError),
        (errors.DTypeError, TypeError),
        (errors.ArgumentError, ValueError),
        (errors.DisposedError, RuntimeError),
        (errors.TraceError, TypeError),
        (errors.GradientError, TypeError),
        (errors.NumericError, ArithmeticError),
        (errors.LeakError, AssertionError),
        (errors.BackendError, RuntimeError),
        (errors.ShaderError, errors.BackendError),
        (errors.SizeError, errors.BackendError),
    ]:
        assert issubclass(error, builtin) and issubclass(error, errors.TensorError)


TOO_LARGE = {
    "host": "zeros: too many elements; got shape (70000, 70000); use fewer than 2**31 elements",
    "webgl": (
        "zeros: tensor is too large for the GPU; got shape (70000, 70000), 4900000000 elements; "
        "split it into tensors of at most {} elements"
    ),
    "webgpu": (
        "zeros: tensor is too large for the GPU; got shape (70000, 70000), 19600000000 bytes; "
        "split it into tensors of at most {} bytes"
    ),
    "wasm": (
        "zeros: tensor is too large for WebAssembly; got shape (70000, 70000) of float32; split it "
        "into tensors of less than 536870912 elements"
    ),
}


def test_tensor_larger_than_the_device(engine):
    text = TOO_LARGE.get(engine.name, TOO_LARGE["host"])
    if engine.name == "webgl":
        text = text.format(most_elements(engine.limits["maxTextureSize"]))
    elif engine.name == "webgpu":
        text = text.format(engine.largest)
    assert_raises(errors.SizeError, text, lambda: pt.zeros((70000, 70000)))


def test_missing_webgl_raises():
    with pytest.raises(errors.BackendError, match=r"^webgl: backend not available: ") as raised:
        webgl.create()
    assert "page" in str(raised.value)


BROKEN = Elementwise(
    name="broken", formula="native.hypot(x, 0.0)", reference="abs", dtypes="floating"
)
"""Operation whose shader calls a function that GLSL lacks."""


def test_shader_compile_error_shows_the_line(engine):
    x = pt.asarray([4.0, 9.0])
    if engine.name not in ("webgl", "webgpu"):
        assert_values(apply(BROKEN, (x,)), np.float32([4, 9]))  # there are no shaders to break
        return
    with pytest.raises(errors.ShaderError) as raised:
        apply(BROKEN, (x,)).tolist()
    lines = str(raised.value).splitlines()
    assert lines[0].startswith("shader broken: ERROR: 0:")
    number = lines[0].split(":")[3]
    (at,) = [n for n, line in enumerate(lines) if line.startswith(f"{number} | ")]
    assert "hypot(" in lines[at]
    assert "^" in lines[at + 1]
    assert pt.sqrt(x).tolist() == [2, 3]


def test_an_error_leaves_pending_work_unchanged():
    x = pt.asarray(X) * 2
    with pytest.raises(errors.ShapeError):
        x + pt.zeros(5)
    with pytest.raises(errors.DTypeError):
        x << 1
    assert_values(x, X * 2)


def test_foreign_operands_are_left_to_python():
    x = pt.zeros(2)
    for operand in (None, "a", object(), {}):
        with pytest.raises(TypeError, match="unsupported operand"):
            x + operand


def test_names_of_pytorch_are_answered_with_ours():
    x = pt.ones(2)
    text = (
        "'Tensor' object has no attribute 'unsqueeze'; got a name of PyTorch; use "
        "pt.expand_dims(x, axis), or x[:, None], or py_tensor.torch, which has its tensors"
    )
    with pytest.raises(AttributeError) as raised:
        x.unsqueeze(0)
    assert str(raised.value) == text
    with pytest.raises(AttributeError, match=r"no attribute 'anything'$") as raised:
        x.anything  # noqa: B018
    assert (raised.value.name, raised.value.obj) == ("anything", x)
    assert not hasattr(x, "__cuda_array_interface__")


def test_names_of_pytorch_that_tensors_have_are_not_listed():
    assert not {name for name in foreign_names.OURS if hasattr(pt.Tensor, name)}
