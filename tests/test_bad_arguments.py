"""Bad arguments give a right answer, or an error of the project that names the function.

Each public function, constructor and method is called as in its docstring, with one argument after
the other replaced by bad values. The NumPy backend is enough, since checks come first.
"""

from __future__ import annotations

import inspect
import operator
from typing import Any

import numpy as np
import pytest
from bad_argument_calls import ABSTRACT, NO_ARGUMENTS, OTHER_NAMES, READ_IN_KERNELS, RESULTS, VALID
from bad_arguments import (
    Call,
    UserError,
    bad_values,
    findings,
    public_callables,
    recorded,
    user_function,
    wrong,
)
from helpers import assert_raises

import py_tensor as pt
from py_tensor import errors
from py_tensor.runtime import executor

PUBLIC = public_callables()
TESTED = sorted(PUBLIC.keys() - RESULTS - ABSTRACT - NO_ARGUMENTS - READ_IN_KERNELS)
BAD = list(bad_values())
"""Names of the bad values; the values themselves would keep tensors alive."""


@pytest.fixture(autouse=True)
def restored(tmp_path, monkeypatch, engine):
    """Let functions write files to a folder of their own, and restore the settings they change."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(executor, "_FACTORIES", dict(executor._FACTORIES))
    monkeypatch.setattr(executor.runtime, "backends", dict(executor.runtime.backends))
    before = pt.get_printoptions()
    yield
    executor.use(engine)
    pt.set_printoptions(**before)
    pt.memory_trace(False)


@pytest.mark.parametrize("name", TESTED)
def test_bad_arguments(name):
    calls = [VALID[name]()] if name in VALID else recorded(name, PUBLIC[name])
    assert calls, "the docstring has no call; add one to bad_argument_calls.VALID"
    found, count = findings(name, PUBLIC[name], calls, OTHER_NAMES.get(name, ())[:1])
    is_method = name.startswith("Tensor.")
    assert count or len(inspect.signature(PUBLIC[name]).parameters) == is_method
    assert not found, "\n".join(map(str, found))


@pytest.mark.parametrize(
    "table", [VALID, RESULTS, ABSTRACT, NO_ARGUMENTS, READ_IN_KERNELS, OTHER_NAMES]
)
def test_tables_name_public_functions(table):
    assert set(table) <= PUBLIC.keys()


BINARY = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "floor_divide": operator.floordiv,
    "remainder": operator.mod,
    "power": operator.pow,
    "matmul": operator.matmul,
    "bitwise_and": operator.and_,
    "bitwise_or": operator.or_,
    "bitwise_xor": operator.xor,
    "bitwise_left_shift": operator.lshift,
    "bitwise_right_shift": operator.rshift,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "equal": operator.eq,
    "not_equal": operator.ne,
}
MIRRORED = {"less": "greater", "less_equal": "greater_equal"}
MIRRORED |= {value: name for name, value in MIRRORED.items()}
"""Comparisons that Python calls if the operands are swapped."""


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("value", BAD)
def test_bad_operands(name, value):
    """Python raises its own TypeError for operands that neither side knows.

    Lists convert themselves with `asarray`; text and lists are repeated by the `index` of a tensor.
    """
    names = {name, MIRRORED.get(name, name), "pow", "asarray", "index"}
    for reflected in (False, True):
        pair = (pt.asarray([2, 3]), bad_values()[value])
        found = wrong(BINARY[name], names, Call(pair[:: -1 if reflected else 1], {}))
        assert found is None or (found[0] == "TypeError" and found[1].endswith("[at the call]"))


INDICES: dict[str, Any] = {
    "float": 0.5,
    "out of range": 7,
    "pair of text": (0, "text"),
    "too many": (0, 0, 0),
    "two ellipses": (..., ...),
    "slice of text": slice("a", None),
    "slice of fractions": slice(0.5, None),
    "slice of huge numbers": slice(2**2000, -(2**2000)),
    "step of zero": slice(None, None, 0),
    "mask of another shape": [True, False, True],
    "array out of range": np.asarray([5]),
    "array of fractions": np.asarray([0.5]),
    "nested": [[0], "a"],
}


@pytest.mark.parametrize("kind", [*BAD, *INDICES])
def test_bad_indices(kind):
    def index() -> Any:
        return (bad_values() | INDICES)[kind]

    x = pt.asarray([[1.0, 2.0], [3.0, 4.0]])
    for name, call in {
        "getitem": lambda: x[index()],
        "setitem": lambda: x.__setitem__(index(), 0.0),
    }.items():
        assert wrong(call, {name, "setitem", "getitem"}, Call((), {})) is None, name


@pytest.mark.parametrize("value", BAD)
def test_bad_values_of_an_assignment(value):
    x = pt.asarray([[1.0, 2.0], [3.0, 4.0]])
    call = Call((0, bad_values()[value]), {})
    assert wrong(x.__setitem__, {"setitem"}, call) is None


class TestTheCheck:
    """A wrong error is noticed."""

    def call(self, error: BaseException | None) -> Any:
        def function(x: Any) -> Any:
            if error is not None and x is not None:
                raise error

        return wrong(function, {"function"}, Call((1,), {}))

    def test_errors_of_python(self):
        for error in (TypeError("inner"), ValueError("inner"), AttributeError(), KeyError(1)):
            assert self.call(error)[0] == type(error).__name__

    def test_errors_with_another_name(self):
        assert self.call(errors.ShapeError("inner: wrong; got 1; use 2"))[0] == "name"

    def test_right_errors(self):
        assert self.call(errors.ShapeError("function: wrong; got 1; use 2")) is None
        assert self.call(UserError()) is None
        assert self.call(None) is None

    def test_endless_calls(self, monkeypatch):
        monkeypatch.setattr("bad_arguments.SECONDS", 0.01)

        def endless() -> None:
            while True:
                pass

        assert wrong(endless, {"endless"}, Call((), {}))[0] == "time"

    def test_a_function_that_does_not_check(self):
        def half(x: Any, count: int = 2) -> Any:
            """Divide.

            >>> import py_tensor as pt
            """
            return x / count

        found, count = findings("half", half, [Call((pt.ones(2),), {})])
        assert {f.kind for f in found} == {"TypeError", "OverflowError", "name"}
        assert {f.place for f in found} == {0, "count"}
        assert count > len(found)

    def test_results_are_computed(self):
        def late() -> Any:
            yield pt.ones(2)
            raise TypeError

        def later() -> Any:
            raise TypeError("late")
            yield

        assert wrong(late, {"late"}, Call((), {})) is None
        assert wrong(later, {"later"}, Call((), {}))[0] == "TypeError"


EXAMPLES = {
    "a value that is no number": (
        errors.ArgumentTypeError,
        lambda: pt.full((2,), None),
        "full: fill_value must be a number; got None; pass a number",
    ),
    "limits in the wrong order": (
        errors.ArgumentError,
        lambda: pt.random.uniform(low=3, high=1),
        "uniform: low is above high; got 3.0 and 1.0; exchange them",
    ),
    "NumPy's order of normal": (
        errors.ArgumentError,
        lambda: pt.random.normal(170, 10, 250),
        "normal: parameters after the shape have names; got (170, 10, 250); write "
        "pt.random.normal(250, mean=170, std=10), or import py_tensor.numpy as np and use "
        "np.random",
    ),
    "limits without names": (
        errors.ArgumentError,
        lambda: pt.random.uniform((3,), 0.0, 2.0),
        "uniform: parameters after the shape have names; got ((3,), 0.0, 2.0); write "
        "pt.random.uniform((3,), low=0.0, high=2.0), or import py_tensor.numpy as np and use "
        "np.random",
    ),
    "a negative deviation": (
        errors.ArgumentError,
        lambda: pt.random.normal(std=-1),
        "normal: std is negative; got -1.0; use a std of 0 or more",
    ),
    "a shape as the upper limit": (
        errors.ArgumentTypeError,
        lambda: pt.random.integers(3, (2,)),
        "integers: high must be an integer; got (2,); pass an int",
    ),
    "a huge operand": (
        errors.DTypeError,
        lambda: pt.asarray([1]) + 2**2000,
        "add: Python integer about 1e602 does not fit dtype int32; got about 1e602; int32 holds "
        "-2147483648 to 2147483647",
    ),
    "a huge shape": (
        errors.SizeError,
        lambda: pt.zeros((2, 2**2000)),
        "zeros: too many elements; got shape (2, about 1e602); use fewer than 2**31 elements",
    ),
    "an axis that is no integer": (
        errors.ArgumentTypeError,
        lambda: pt.sum(pt.ones(2), axis="text"),
        "sum: axis must be an integer; got 'text'; pass an int",
    ),
    "a tensor as an axis": (
        errors.ArgumentTypeError,
        lambda: pt.sum(pt.ones(2), axis=pt.ones((2, 3))),
        "sum: axis must be an integer; got Tensor of shape (2, 3), dtype float32; pass an int",
    ),
    "an object as a flag": (
        errors.ArgumentTypeError,
        lambda: pt.sum(pt.ones(2), keepdims=np.ones(2)),
        "sum: keepdims must be True or False; got ndarray of shape (2,), dtype float64; pass True "
        "or False",
    ),
    "a number as a function": (
        errors.ArgumentTypeError,
        lambda: pt.tree_map(3, [1]),
        "tree_map: function must be a function; got 3; pass a function",
    ),
    "a number as a sequence": (
        errors.ArgumentTypeError,
        lambda: pt.concat(3),
        "concat: arrays must be a sequence; got 3; pass a list or a tuple",
    ),
    "an argument of a layer": (
        errors.ArgumentTypeError,
        lambda: pt.nn.Dense(3, "text"),
        "Dense: outputs must be an integer; got 'text'; pass an int",
    ),
    "too small": (
        errors.ArgumentError,
        lambda: pt.optim.step_decay(1.0, 0, 0.5),
        "step_decay: every is too small; got 0; use 1 or more",
    ),
    "too large": (
        errors.ArgumentError,
        lambda: pt.random.split(pt.random.key(0), 2**40),
        "split: num is too large; got 1099511627776; use at most 1048576",
    ),
    "not finite": (
        errors.ArgumentError,
        lambda: pt.logspace(0.0, float("inf")),
        "logspace: stop must be finite; got inf; use a finite number",
    ),
    "an unknown name": (
        errors.ArgumentError,
        lambda: pt.convolve([1.0], [1.0], mode="middle"),
        'convolve: mode is unknown; got \'middle\'; use "full", "valid" or "same"',
    ),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_exact_text(name):
    error, call, text = EXAMPLES[name]
    assert_raises(error, text, call)


def test_sorting_without_an_axis_flattens():
    assert pt.sort([[3, 1], [2, 0]], axis=None).tolist() == [0, 1, 2, 3]
    assert pt.argsort([[3, 1], [2, 0]], axis=None).tolist() == [3, 1, 2, 0]


def test_errors_of_a_users_function_pass():
    with pytest.raises(UserError):
        pt.vmap(user_function)(pt.ones(2))
    with pytest.raises(TypeError, match="len"):
        pt.vmap(len)(pt.ones(2))


def test_errors_of_a_users_generator_pass():
    def late():
        yield 1
        raise TypeError("mine")

    with pytest.raises(TypeError, match="mine"):
        pt.concat(late())
    with pytest.raises(TypeError, match="mine"):
        pt.tree_unflatten(pt.tree_flatten([1, 2])[1], late())
