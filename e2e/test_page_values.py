"""Test that values computed in a page agree with NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from page_python import PagePython

pytest_plugins = ["page_fixtures"]

NUMBERS = np.random.default_rng(7)


def uniform(*shape: int) -> np.ndarray:
    """Return random numbers that float32 and JSON represent exactly."""
    return NUMBERS.uniform(-2, 2, shape).astype("float32")


def arithmetic(a: Any, b: Any) -> dict[str, Any]:
    import py_tensor as pt

    x, y = pt.asarray(a), pt.asarray(b)
    chain = (x * y + 0.5 - x / (pt.abs(y) + 1.0)) * 3.0
    return {
        "chain": chain.tolist(),
        "row": (x + y[0]).tolist(),
        "column": (x * y[:, :1]).tolist(),
        "exact": (pt.asarray(2**24 + 1) + pt.asarray([0, 2])).tolist(),
        "functions": pt.tanh(pt.exp(x) * pt.sin(y)).tolist(),
        "where": pt.where(x > y, x, -y).tolist(),
        "slice": x[::-2, 1:4].tolist(),
        "transposed": (x.T @ x).tolist(),
    }


def test_elementwise_and_views(python: PagePython) -> None:
    x, y = uniform(6, 5), uniform(6, 5)
    seen = python.call(arithmetic, x.tolist(), y.tolist())
    np.testing.assert_allclose(
        seen["chain"], (x * y + 0.5 - x / (np.abs(y) + 1)) * 3, rtol=1e-5, atol=1e-5
    )
    np.testing.assert_array_equal(np.float32(seen["row"]), x + y[0])
    np.testing.assert_array_equal(np.float32(seen["column"]), x * y[:, :1])
    assert seen["exact"] == [2**24 + 1, 2**24 + 3]
    np.testing.assert_allclose(seen["functions"], np.tanh(np.exp(x) * np.sin(y)), atol=1e-5)
    np.testing.assert_array_equal(np.float32(seen["where"]), np.where(x > y, x, -y))
    np.testing.assert_array_equal(np.float32(seen["slice"]), x[::-2, 1:4])
    np.testing.assert_allclose(seen["transposed"], x.T @ x, rtol=1e-5, atol=1e-5)


def assignments(names: list[str]) -> dict[str, Any]:
    import py_tensor as pt

    results = {}
    before = pt.get_backend()
    for name in names:
        pt.set_backend(name)
        x = pt.zeros((4, 6))
        inner, row = x[1:-1, 1:-1], x[2]
        inner += 1
        for column in range(6):
            row[column] = row[column] + column
            x[3, column] += 10
        copied, pending = x.copy(), x * 2
        x[0, 0] = 5
        x[0, 1] = 6
        rest = [copied[0, :2].tolist(), pending[0, :2].tolist(), inner.tolist()]
        results[name] = [x.tolist(), rest]
    pt.set_backend(before)
    return results


def test_views_and_elements_that_are_assigned_to(python: PagePython) -> None:
    want = np.zeros((4, 6))
    want[1:-1, 1:-1] += 1
    want[2] += np.arange(6)
    want[3] = 10
    rest = [[0, 0], [0, 0], want[1:-1, 1:-1].tolist()]
    want[0, :2] = 5, 6
    names = ["webgl", "wasm", "python"]
    assert python.call(assignments, names) == {name: [want.tolist(), rest] for name in names}


def products(a: Any, b: Any) -> Any:
    import py_tensor as pt

    return (pt.asarray(a) @ pt.asarray(b)).tolist()


def test_matmul(python: PagePython) -> None:
    for left, right in [
        ((1, 1), (1, 1)),
        ((33, 17), (17, 29)),
        ((3, 8, 16), (16, 8)),
        ((5,), (5,)),
    ]:
        a, b = uniform(*left), uniform(*right)
        seen = python.call(products, a.tolist(), b.tolist())
        np.testing.assert_allclose(seen, a @ b, rtol=1e-5, atol=1e-5)


def convolved(x: Any, w: Any, stride: int, padding: str) -> Any:
    import py_tensor as pt

    return pt.conv2d(pt.asarray(x), pt.asarray(w), stride=stride, padding=padding).tolist()


def convolution(x: np.ndarray, w: np.ndarray, stride: int) -> np.ndarray:
    """Return the valid convolution of (N, H, W, C) with (H, W, C, O), by its definition."""
    windows = np.lib.stride_tricks.sliding_window_view(x, w.shape[:2], axis=(1, 2))
    return np.einsum("nhwcij,ijco->nhwo", windows[:, ::stride, ::stride], w)


def test_conv2d(python: PagePython) -> None:
    x, w = uniform(2, 9, 11, 5), uniform(3, 3, 5, 6)
    for stride in (1, 2):
        seen = python.call(convolved, x.tolist(), w.tolist(), stride, "valid")
        np.testing.assert_allclose(seen, convolution(x, w, stride), rtol=1e-4, atol=1e-4)
    seen = python.call(convolved, x.tolist(), w.tolist(), 1, "same")
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    np.testing.assert_allclose(seen, convolution(padded, w, 1), rtol=1e-4, atol=1e-4)


def reduced(a: Any) -> dict[str, Any]:
    import py_tensor as pt

    x = pt.asarray(a)
    return {
        "sum": pt.sum(x).item(),
        "rows": pt.sum(x, axis=1).tolist(),
        "columns": pt.mean(x, axis=0, keepdims=True).tolist(),
        "max": pt.max(x, axis=0).tolist(),
        "argmax": pt.argmax(x, axis=1).tolist(),
        "std": pt.std(x).item(),
        "any": bool(pt.any(x > 1.9)),
        "softmax": pt.softmax(x).tolist(),
    }


def test_reductions_and_softmax(python: PagePython) -> None:
    x = uniform(13, 301)
    seen = python.call(reduced, x.tolist())
    wide = x.astype("float64")
    np.testing.assert_allclose(seen["sum"], wide.sum(), rtol=1e-5, atol=1e-3)
    np.testing.assert_allclose(seen["rows"], wide.sum(1), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(seen["columns"], wide.mean(0, keepdims=True), atol=1e-5)
    np.testing.assert_array_equal(np.float32(seen["max"]), x.max(0))
    assert seen["argmax"] == x.argmax(1).tolist()
    np.testing.assert_allclose(seen["std"], wide.std(), rtol=1e-5)
    assert seen["any"] == bool((x > 1.9).any())
    powers = np.exp(wide - wide.max(1, keepdims=True))
    np.testing.assert_allclose(seen["softmax"], powers / powers.sum(1, keepdims=True), rtol=1e-4)


def draws(seed: int) -> dict[str, Any]:
    import py_tensor as pt

    pt.random.seed(seed)
    uniform = pt.random.uniform((2000,))
    normal = pt.random.normal((2000,))
    return {
        "bits": pt.random.bits(pt.random.key(0), (4,)).tolist(),
        "uniform": [pt.min(uniform).item(), pt.max(uniform).item(), pt.mean(uniform).item()],
        "normal": [pt.mean(normal).item(), pt.std(normal).item()],
        "first": uniform[:3].tolist(),
    }


def test_random_numbers(python: PagePython) -> None:
    seen = python.call(draws, 5)
    low, high, mean = seen["uniform"]
    assert 0 <= low < 0.01
    assert 0.99 < high < 1
    assert abs(mean - 0.5) < 0.03
    assert abs(seen["normal"][0]) < 0.1
    assert abs(seen["normal"][1] - 1) < 0.1
    assert python.call(draws, 5) == seen
    assert python.call(draws, 6)["first"] != seen["first"]


def mistakes() -> list[str]:
    import py_tensor as pt

    def message(function: Any) -> str:
        try:
            function()
        except pt.errors.TensorError as error:
            return f"{type(error).__name__}: {error}"
        return "no error"

    return [
        message(lambda: pt.ones((3, 4)) + pt.ones(5)),
        message(lambda: pt.bitwise_invert(pt.ones(3))),
        message(lambda: pt.asarray([[1.0], [1.0, 2.0]])),
        message(lambda: pt.set_backend("numpy")),
    ]


def test_mistakes_say_how_to_fix_them(python: PagePython) -> None:
    assert python.call(mistakes) == [
        "ShapeError: add: shapes (3, 4) and (5,) do not broadcast; axis -1 is 4 and 5",
        "DTypeError: bitwise_invert: dtype float32 is not integer or boolean; "
        'use x.astype("int32")',
        "ShapeError: asarray: ragged input; got length 2 at index [1] and 1 before it; "
        "make all rows equally long",
        'BackendError: set_backend: numpy is not installed; got "numpy"; install NumPy',
    ]


def javascript_arguments() -> list[list[str]]:
    """Return [function, argument, text of a wrong error] of calls with objects of JavaScript."""
    import js

    import py_tensor as pt

    x = pt.asarray([[1.0, 2.0], [3.0, 4.0]])
    calls = {
        "sum": lambda value: pt.sum(x, axis=value),
        "reshape": lambda value: pt.reshape(x, value),
        "concat": lambda value: pt.concat(value),
        "full": lambda value: pt.full((2,), value),
        "arange": lambda value: pt.arange(value),
        "asarray": lambda value: pt.asarray(value),
        "tree_map": lambda value: pt.tree_map(value, [1]),
        "uniform": lambda value: pt.random.uniform((2,), low=value),
        "Dense": lambda value: pt.nn.Dense(value, 2),
        "step_decay": lambda value: pt.optim.step_decay(1.0, value, 0.5),
    }
    wrong = []
    for kind, source in {
        "array": "['text', 1]",
        "numbers": "new Float32Array([0.5, 2.5])",
        "object": "({a: 1})",
        "shape": "({shape: 1, dtype: 2, item: 3})",
    }.items():
        value = js.eval(source)
        for name, call in calls.items():
            try:
                pt.realize(pt.ones(1) if call(value) is None else pt.ones(2))
            except pt.errors.TensorError as error:
                if not str(error).startswith(f"{name}: "):
                    wrong.append([name, kind, f"{type(error).__name__}: {error}"])
            except Exception as error:
                wrong.append([name, kind, f"{type(error).__name__}: {error}"])
    return wrong


def test_objects_of_javascript_as_arguments(python: PagePython) -> None:
    assert python.call(javascript_arguments) == []
