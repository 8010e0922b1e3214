"""Calls of composite functions are cached: a repeated call makes its nodes without parsing."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import assert_raises, assert_values

import py_tensor as pt
from py_tensor import errors
from py_tensor.functions import decorators
from py_tensor.functions.conversion import asarray
from py_tensor.functions.decorators import documented, remembered


def counted(function):
    """Return the cached function and the list of arguments with which it really ran."""
    calls = []

    def noted(*args, **kwargs):
        calls.append((args, kwargs))
        return function(*args, **kwargs)

    return remembered(noted), calls


def scaled_sum(x, y, /, *, axis=0):
    return pt.sum(x * 2.0 + y, axis=axis)


def test_a_repeated_call_makes_its_nodes_from_the_cache():
    f, calls = counted(scaled_sum)
    for factor in (1.0, 3.0):
        x, y = np.float32([[1, 2], [3, 4]]) * factor, np.float32([[5, 6], [7, 8]])
        assert_values(f(pt.asarray(x), pt.asarray(y), axis=1), (x * 2 + y).sum(axis=1))
    assert len(calls) == 1


@pytest.mark.parametrize(
    ("name", "dtype"), [("hypot", "uint8"), ("atan2", "bool"), ("logical_and", "int32")]
)
def test_repeated_calls_convert_their_operands(name, dtype):
    x, y = (np.asarray(values).astype(dtype) for values in ([1, 0, 3], [2, 2, 0]))
    function = getattr(pt, name)
    first, again = (function(pt.asarray(x), pt.asarray(y)) for _ in range(2))
    kinds = {src.spec.dtype for result in (first, again) for src in result._node.srcs}
    assert len(kinds) == 1
    assert again.tolist() == first.tolist()


def test_other_shapes_dtypes_and_arguments_miss_the_cache():
    f, calls = counted(scaled_sum)
    x, y = pt.ones((2, 3)), pt.ones((2, 3), dtype="float16")
    for given in ((x, x, 0), (x, x, 1), (x[:1], x, 0), (x, y, 0)):
        f(given[0], given[1], axis=given[2])
    assert len(calls) == 4


def test_one_tensor_passed_twice_differs_from_two():
    f, calls = counted(lambda x, y: x - y)
    x, y = pt.asarray([3.0, 5.0]), pt.asarray([1.0, 1.0])
    assert f(x, x).tolist() == [0.0, 0.0]
    assert f(x, y).tolist() == [2.0, 4.0]
    assert f(y, x).tolist() == [-2.0, -4.0]
    assert f(y, y).tolist() == [0.0, 0.0]
    assert len(calls) == 2


@pytest.mark.parametrize(
    ("known", "given"),
    [(1, True), (1, 1.0), (1, "1"), ((1, 1), (1, True)), (((0, 1), 2), ((0.0, 1), 2))],
    ids=repr,
)
def test_equal_arguments_of_another_type_miss_the_cache(known, given):
    f, calls = counted(lambda x, argument: x + 1.0)
    x = pt.ones((2,))
    f(x, known)
    f(x, known)
    f(x, given)
    assert len(calls) == 2


def test_tensors_in_a_tuple_are_neither_read_nor_kept(state):
    f, calls = counted(lambda x, pair: x + pair[0])
    x, pair = pt.ones((2,)), (pt.exp(pt.ones((2,))),)
    before = state()["live tensors"]
    f(x, pair)
    f(x, pair)
    assert len(calls) == 2
    assert state()["live tensors"] == before
    assert pair[0]._node.buffer is None


def test_uncacheable_calls_are_computed_each_time():
    f, calls = counted(lambda x, ys: x + asarray(ys))
    x = pt.ones((2,))
    assert f(x, [1.0, 2.0]).tolist() == [2.0, 3.0]
    assert f(x, [3.0, 4.0]).tolist() == [4.0, 5.0]
    assert len(calls) == 2


def test_captured_tensors_are_read_each_time():
    others = [pt.asarray([1.0]), pt.asarray([2.0])]
    f, calls = counted(lambda x: x + others[len(calls) - 1])
    x = pt.asarray([10.0])
    assert [f(x).item(), f(x).item()] == [11.0, 12.0]


def test_errors_are_raised_each_time():
    x = pt.ones((2, 3))
    pt.softmax(x, axis=1)
    for _ in range(2):
        assert_raises(
            errors.ShapeError,
            "softmax: axis out of range; got axis 2 for 2 axes; use -2 to 1",
            lambda: pt.softmax(x, axis=2),
        )


def test_a_disposed_tensor_raises_in_a_cached_call():
    f, _ = counted(lambda x: pt.exp(x) + 1.0)
    x = pt.ones((2,))
    f(x)
    x.dispose()
    with pytest.raises(errors.DisposedError):
        f(x)


def test_debug_mode_sees_every_operation(caplog):
    x = pt.asarray([[1.0, 2.0], [3.0, 5.0]])
    pt.softmax(x)
    with pt.enable_debug_mode():
        pt.softmax(x)
    names = [record.getMessage().split(":")[0] for record in caplog.records]
    assert {"max", "subtract", "exp", "sum", "divide"} <= set(names)


def test_oldest_call_is_dropped(monkeypatch):
    monkeypatch.setattr(decorators, "LIMIT", 3)
    f, calls = counted(lambda x, number: x + 1.0)
    x = pt.ones((2,))
    for number in (0, 1, 2, 0, 1, 2):
        f(x, number)
    assert len(calls) == 3
    f(x, 3)
    f(x, 3)
    f(x, 0)
    assert len(calls) == 5


WINDOWS = """
Args:
    stride: Step between windows.
    size: Size of a window.
    padding: Elements around the
        image.

Returns:
    Tensor.

Raises:
    ShapeError: If the shape does not fit.
    ArgumentError: If the stride is 0.
"""
POOLED = """Pool windows.

Args:
    x: An image.
    size: Size of a window; 2 by default.
    stride: Step between windows.

Returns:
    Tensor.

Raises:
    DTypeError: If x is bool.
    ShapeError: If the shape does not fit.
    ArgumentError: If the stride is 0.

>>> 1 + 1
2"""


def test_shared_contract_completes_a_docstring():
    """Its entries are in the order of the signature; the docstring's own ones stay."""

    @documented(WINDOWS)
    def pooled(x, size=2, *, stride=1):
        """Pool windows.

        Args:
            x: An image.
            size: Size of a window; 2 by default.

        Raises:
            DTypeError: If x is bool.

        >>> 1 + 1
        2
        """

    assert pooled.__doc__ == POOLED


def test_shared_contract_completes_the_docstring_of_a_class():
    @documented(WINDOWS)
    class Pool:
        """Layer that pools windows."""

        def __init__(self, padding):
            pass

    assert "Args:\n    padding: Elements around the\n        image.\n\nReturns:" in Pool.__doc__
    assert "stride:" not in Pool.__doc__


def test_functions_without_docstrings_have_no_contract():
    """Python leaves docstrings out with -OO."""
    assert documented(WINDOWS)(lambda x: x).__doc__ is None


@pytest.mark.parametrize("name", ["exp", "add", "round", "less"])
def test_elementwise_functions_say_their_whole_contract(name):
    text = getattr(pt, name).__doc__
    sections = [text.index(part) for part in ("Args:\n", "Returns:\n", "Raises:\n", ">>> ")]
    assert sections == sorted(sections)
    assert getattr(pt.Tensor, name).__doc__ == text
