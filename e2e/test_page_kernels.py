"""Test kernels in a page: values, several results of one draw, hand-written shaders and errors."""

from __future__ import annotations

from typing import Any

import numpy as np
from page_python import WEBGL, PagePython

pytest_plugins = ["page_fixtures"]

NUMBERS = np.random.default_rng(11)


def elementwise(a: Any) -> dict[str, Any]:
    import py_tensor as pt

    @pt.kernel
    def smooth_min(a, b, k=32.0):
        h = max(k - abs(a - b), 0.0) / k
        return min(a, b) - h * h * k * 0.25

    @pt.kernel
    def steps(n):
        count = 0
        while n > 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            count += 1
        return count

    x = pt.asarray(a)
    return {
        "minimum": smooth_min(x, 2.0).tolist(),
        "hard": smooth_min(x, 2.0, 0.5).tolist(),
        "steps": steps(pt.arange(1, 50)).tolist(),
        "gradient": pt.grad(lambda x: smooth_min(x, 2.0).sum())(x).tolist(),
    }


def test_elementwise_kernels(python: PagePython) -> None:
    x = NUMBERS.uniform(-20, 20, (9, 7)).astype("float32")
    seen = python.call(elementwise, x.tolist())

    def smooth_min(a: Any, k: float) -> Any:
        h = np.maximum(k - np.abs(a - 2), 0) / k
        return np.minimum(a, 2) - h * h * k / 4

    np.testing.assert_allclose(seen["minimum"], smooth_min(x, 32.0), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(seen["hard"], smooth_min(x, 0.5), rtol=1e-5, atol=1e-5)
    wide = x.astype("float64")
    slope = (smooth_min(wide + 1e-4, 32.0) - smooth_min(wide - 1e-4, 32.0)) / 2e-4
    np.testing.assert_allclose(seen["gradient"], slope, rtol=1e-3, atol=1e-3)
    expected = []
    for n in range(1, 50):
        count = 0
        while n > 1:
            n, count = n // 2 if n % 2 == 0 else 3 * n + 1, count + 1
        expected.append(count)
    assert seen["steps"] == expected


def indexed(a: Any) -> dict[str, Any]:
    import py_tensor as pt

    @pt.kernel(shape=lambda u: u.shape, border="wrap")
    def neighbours(i, j, u):
        return u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]

    @pt.kernel(shape=lambda height, width, steps: (height, width))
    def mandelbrot(i, j, height, width, steps):
        x = y = 0.0
        for n in range(steps):
            if x * x + y * y > 4.0:
                return n
            x, y = x * x - y * y + 3.0 * j / width - 2.2, 2.0 * x * y + 2.25 * i / height - 1.125
        return steps

    return {
        "neighbours": neighbours(pt.asarray(a)).tolist(),
        "mandelbrot": mandelbrot(9, 13, 30).tolist(),
        "python": mandelbrot.python(9, 13, 30).tolist(),
    }


def test_indexed_kernels(python: PagePython) -> None:
    x = NUMBERS.integers(-50, 50, (6, 12)).astype("int32")
    seen = python.call(indexed, x.tolist())
    expected = sum(np.roll(x, s, axis) for s in (1, -1) for axis in (0, 1))
    np.testing.assert_array_equal(seen["neighbours"], expected)
    assert seen["mandelbrot"] == seen["python"]
    assert max(map(max, seen["mandelbrot"])) == 30


def several(u: Any, v: Any) -> dict[str, Any]:
    import py_tensor as pt
    from py_tensor.runtime.executor import backend

    @pt.kernel(shape=lambda u, v: u.shape, border="wrap")
    def gray_scott(i, j, u, v):
        lap_u = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4.0 * u[i, j]
        lap_v = v[i - 1, j] + v[i + 1, j] + v[i, j - 1] + v[i, j + 1] - 4.0 * v[i, j]
        r = u[i, j] * v[i, j] * v[i, j]
        fed, grown = 0.035 * (1.0 - u[i, j]), 0.1 * v[i, j]
        return u[i, j] + 0.16 * lap_u - r + fed, v[i, j] + 0.08 * lap_v + r - grown

    @pt.kernel
    def parts(x):
        return x - pt.floor(x), int(pt.floor(x)), x > 0.5

    a, b = pt.asarray(u), pt.asarray(v)
    pt.realize(a, b)
    before = backend().statistics()["draws"]
    for _ in range(5):
        a, b = gray_scott(a, b)
        pt.realize(a)
    draws = backend().statistics()["draws"] - before
    fraction, whole, large = parts(pt.asarray(u) * 3.0)
    return {
        "draws": draws,
        "u": a.tolist(),
        "v": b.tolist(),
        "fraction": fraction.tolist(),
        "whole": whole.tolist(),
        "large": large.tolist(),
    }


def test_several_results_of_one_draw(python: PagePython) -> None:
    u, v = (NUMBERS.random((8, 12), "float32") for _ in range(2))
    seen = python.call(several, u.tolist(), v.tolist())
    assert seen["draws"] == 5
    a, b = u.astype("float64"), v.astype("float64")
    for _ in range(5):
        first, second = (
            sum(np.roll(x, s, axis) for s in (1, -1) for axis in (0, 1)) - 4 * x for x in (a, b)
        )
        r = a * b * b
        a, b = a + 0.16 * first - r + 0.035 * (1 - a), b + 0.08 * second + r - 0.1 * b
    # Sums of numbers of about 1 may be near 0.
    np.testing.assert_allclose(seen["u"], a, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(seen["v"], b, rtol=1e-5, atol=1e-6)
    tripled = u * np.float32(3)
    np.testing.assert_allclose(seen["fraction"], tripled - np.floor(tripled), atol=1e-6)
    np.testing.assert_array_equal(seen["whole"], np.floor(tripled).astype("int32"))
    np.testing.assert_array_equal(seen["large"], tripled > 0.5)


CELL = """
import py_tensor as pt

@pt.kernel
def brighter(x):
    y = x * 2.0
    return {y, missing_name}

try:
    brighter(pt.ones(3))
except pt.errors.KernelError as error:
    message = str(error)

@pt.kernel
def doubled(x):
    return x * 2.0

result = doubled(pt.asarray([1.0, 2.5])).tolist()
message, result
"""


def run_cell(text: str) -> list[Any]:
    import pyodide_js

    message, result = pyodide_js.runPython(text)
    return [message, result]


def test_errors_of_cells_point_at_the_column(python: PagePython) -> None:
    message, result = python.call(run_cell, CELL)
    first, place, line, caret = message.splitlines()
    assert first == ("brighter: sets are not supported; got {y, missing_name}; use a tuple")
    assert place.endswith("line 7")
    assert line == "    return {y, missing_name}"
    assert caret == "           ^^^^^^^^^^^^^^^^^"
    assert result == [2.0, 5.0]


def hand_written(a: Any) -> dict[str, Any]:
    import py_tensor as pt

    def made(body: str) -> Any:
        return pt.glsl_kernel(
            "float mean(float a, float b) { return 0.5 * (a + b); }\n"
            f"float element(int i, int j) {{\n  return {body};\n}}",
            inputs={"u": "float32"},
            uniforms={"t": "float32"},
            shape=lambda u, t: u.shape,
            name="means",
        )

    values = made("t * mean(u(i, j), u(i, j + 1))")(pt.asarray(a), 3.0).tolist()
    try:
        made("mean(u(i, j), absent)")(pt.asarray(a), 3.0).tolist()
    except pt.errors.ShaderError as error:
        return {"values": values, "error": str(error)}
    raise AssertionError("the driver accepted an unknown name")


@WEBGL
def test_hand_written_shaders(python: PagePython) -> None:
    x = NUMBERS.random((5, 6), "float32")
    seen = python.call(hand_written, x.tolist())
    right = np.concatenate([x[:, 1:], x[:, -1:]], axis=1)
    np.testing.assert_allclose(seen["values"], 1.5 * (x + right), rtol=1e-5)
    assert "'absent' : undeclared identifier" in seen["error"]
    assert (
        "\n3 |   return mean(u(i, j), absent);\n  |                        ^^^^^^\n"
        in seen["error"]
    )
