"""Errors of devices and shaders; errors leave what was there as it was."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import assert_raises, assert_values

import py_tensor as pt
from py_tensor import errors
from py_tensor.backends import webgl
from py_tensor.ops.rows import Elementwise
from py_tensor.tensor import apply

X = np.ones((3, 4), "float32")


def test_assignment_in_place_keeps_shape_and_dtype():
    x = pt.zeros((3, 1))
    with pytest.raises(
        errors.ShapeError, match=r"^add: assignment in place would change the tensor"
    ):
        x += pt.zeros((3, 4))
    i = pt.asarray([1, 2])
    with pytest.raises(
        errors.ShapeError, match=r"^multiply: assignment in place would change the tensor"
    ):
        i *= 1.5
    assert (x.shape, i.tolist()) == ((3, 1), [1, 2])


def test_errors_are_what_python_expects_too():
    for error, builtin in [
        (errors.ShapeError, ValueError),
        (errors.DTypeError, TypeError),
        (errors.ArgumentError, ValueError),
        (errors.DisposedError, RuntimeError),
        (errors.TraceError, TypeError),
        (errors.GradientError, TypeError),
        (errors.NumericError, ArithmeticError),
        (errors.BackendError, RuntimeError),
        (errors.ShaderError, errors.BackendError),
    ]:
        assert issubclass(error, builtin) and issubclass(error, errors.TensorError)


TOO_LARGE = {
    "numpy": "zeros: too many elements; got shape (70000, 70000); stay below 2**31",
    "webgl": (
        "zeros: tensor larger than the GPU; got shape (70000, 70000), 4900000000 elements; this "
        "GPU holds {} in one tensor; split it"
    ),
}


def test_larger_than_the_device(engine):
    text = TOO_LARGE[engine.name]
    if engine.name == "webgl":
        text = text.format(engine.limits["maxTextureSize"] * 2048 * 4)
    assert_raises(errors.BackendError, text, lambda: pt.zeros((70000, 70000)))


def test_no_page_no_webgl():
    with pytest.raises(errors.BackendError, match=r"^webgl: backend not available: ") as raised:
        webgl.create()
    assert "page" in str(raised.value)


BROKEN = Elementwise(name="broken", glsl="sqrt({0}", reference="sqrt", dtypes="floating")


def test_a_shader_that_does_not_compile_shows_where(engine):
    x = pt.asarray([4.0, 9.0])
    if engine.name == "numpy":
        assert_values(apply(BROKEN, (x,)), np.float32([2, 3]))  # NumPy has no shaders to break
        return
    with pytest.raises(errors.ShaderError) as raised:
        apply(BROKEN, (x,)).tolist()
    lines = str(raised.value).splitlines()
    assert lines[0].startswith("shader broken: ERROR: 0:")
    number = lines[0].split(":")[3]
    (at,) = [n for n, line in enumerate(lines) if line.startswith(f"{number} | ")]
    assert "sqrt(v1" in lines[at]
    assert "^" in lines[at + 1]
    assert pt.sqrt(x).tolist() == [2, 3]


def test_an_error_leaves_pending_work_as_it_was():
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
