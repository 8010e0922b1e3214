"""Functions under `jit` compute the same as without; each kind of arguments is traced once."""

from __future__ import annotations

import gc
import math
from collections import namedtuple
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from helpers import assert_raises, assert_spec, assert_values

import py_tensor as pt
from py_tensor import errors
from py_tensor.runtime import executor, scopes
from py_tensor.runtime.backends.numpy import NumpyBackend

X = np.float32([[1, 2], [3, 4]])
UNKNOWN = (
    "jit: the value of a traced {} is unknown; got {}; use pt.where, or make "
    "the argument static with static_argnums"
)


class Counted:
    """A function under jit that counts its traces."""

    def __init__(self, function, **options):
        self.traces = 0

        def counting(*args, **kwargs):
            self.traces += 1
            return function(*args, **kwargs)

        # jit looks up the names of the arguments on the function.
        counting.__name__ = function.__name__
        self.call = pt.jit(counting, **options)

    def __call__(self, *args, **kwargs):
        return self.call(*args, **kwargs)


# --- results ----------------------------------------------------------------------------------


def chain(x, y):
    return pt.relu(x @ y + 1.0) / 2.0


def test_jit_computes_the_same():
    f = Counted(chain)
    for scale in (1.0, -2.0, 3.0):
        x, y = pt.asarray(X * scale), pt.asarray(X + scale)
        assert_values(f(x, y), chain(x, y).numpy())
    assert f.traces == 1


def test_a_repeated_call_makes_no_plan_and_compiles_nothing():
    f = pt.jit(chain)
    x = pt.asarray(X)
    gc.collect()  # drop plans of earlier tests' functions now, not while plans are counted
    before = pt.cache_info()
    f(x, x).tolist()
    first = pt.cache_info()
    assert (first.plan_misses - before.plan_misses, first.plan_hits - before.plan_hits) == (1, 0)
    assert first.plans == before.plans + 1
    for _ in range(5):
        f(x, x).tolist()
    after = pt.cache_info()
    assert (after.plan_misses, after.programs, after.plans) == (
        first.plan_misses,
        first.programs,
        first.plans,
    )
    assert after.plan_hits == first.plan_hits + 5


def test_decorators():
    @pt.jit
    def one(x):
        "Doubles."
        return x * 2

    @pt.jit(static_argnames="times")
    def many(x, times):
        return x * times

    x = pt.asarray(X)
    assert (one.__name__, one.__doc__) == ("one", "Doubles.")
    assert_values(one(x), X * 2)
    assert_values(many(x, times=3), X * 3)
    assert_values(many(x, 4), X * 4)
    assert repr(one).startswith("jit(<function ")


@pytest.mark.parametrize(
    ("other", "traces"),
    [
        (np.ones((2, 2), "float32"), 1),
        (np.ones((2, 3), "float32"), 2),
        (np.ones((2, 2), "int32"), 2),
        (np.ones((4,), "float32"), 2),
    ],
)
def test_one_trace_for_each_shape_and_dtype(other, traces):
    f = Counted(lambda x: x + x)
    f(pt.asarray(X))
    assert_values(f(pt.asarray(other)), other + other)
    f(pt.asarray(X))
    assert f.traces == traces


def test_keyword_arguments():
    f = Counted(lambda x, *, y, z=2.0: x * y + z)
    x = pt.asarray(X)
    assert_values(f(x, y=x), X * X + 2)
    assert_values(f(x, y=x, z=3.0), X * X + 3)
    assert_values(f(x, z=4.0, y=x), X * X + 4)
    assert f.traces == 2


def test_keyword_arguments_are_told_apart_by_name():
    f = pt.jit(lambda x, y=1.0, z=2.0: x * y + z)
    x = pt.asarray(X)
    assert_values(f(x, y=3.0), X * 3 + 2)
    assert_values(f(x, z=3.0), X + 3)


@pytest.mark.parametrize("wrap", [lambda x: [x], lambda x: {"x": x}, lambda x: (1.0, (x,))])
def test_tensors_in_containers_are_told_apart_by_shape_and_dtype(wrap):
    f = pt.jit(lambda tree: pt.tree_leaves(tree)[-1] * 2)
    for array in (X, X[:1], X.astype("int32")):
        assert_values(f(wrap(pt.asarray(array))), array * array.dtype.type(2))


def test_arguments_that_are_pending():
    f = pt.jit(lambda x, y: x + y)
    x = pt.asarray(X)
    for _ in range(2):
        assert_values(f(x * 2, x + 1), X * 2 + X + 1)


Pair = namedtuple("Pair", "first second")


@dataclass
class Layer:
    w: Any
    b: Any
    name: str = field(default="", metadata={"static": True})


def test_containers_in_and_out():
    def swapped(tree):
        return {
            "list": [tree["pair"].second, tree["pair"].first * 2],
            "layer": Layer(tree["layer"].b, tree["layer"].w, tree["layer"].name + "!"),
            "none": None,
            "empty": (),
        }

    f = Counted(swapped)
    for step in range(2):
        x, y = pt.asarray(X + step), pt.asarray(X * 3)
        got = f({"pair": Pair(x, y), "layer": Layer(x, 2.5, "dense"), "other": [None, (3,)]})
        assert list(got) == ["list", "layer", "none", "empty"]
        assert (got["none"], got["empty"]) == (None, ())
        assert_values(got["list"][0], X * 3)
        assert_values(got["list"][1], (X + step) * 2)
        assert isinstance(got["layer"], Layer) and got["layer"].name == "dense!"
        assert got["layer"].w == 2.5
        assert_values(got["layer"].b, X + step)
    assert f.traces == 1
    f({"pair": Pair(x, y), "layer": Layer(x, 2.5, "other"), "other": [None, (3,)]})
    assert f.traces == 2


def test_results_of_every_kind():
    constant = pt.asarray([7.0])

    def f(x, n):
        y = x + 1
        return x, y, y, pt.copy(y), None, 5, n, n * 2 + 0.5, constant, pt.zeros(2), x.reshape((4,))

    x = pt.asarray(X)
    for n, jitted in ((3, pt.jit(f)), (4, pt.jit(f))):
        for _ in range(2):
            got = jitted(x, n)
            assert got[0] is x
            assert got[1] is got[2] and got[3] is not got[1]
            assert got[4:8] == (None, 5, n, n * 2 + 0.5)
            assert_values(got[3], X + 1)
            assert_values(got[8], np.float32([7]))
            assert_values(got[9], np.float32([0, 0]))
            assert_values(got[10], X.reshape(4))
    got[8].dispose()
    assert_values(jitted(x, 1)[8], np.float32([7]))
    assert constant.tolist() == [7]


def test_functions_without_tensors():
    f = pt.jit(lambda n: n + 1)
    assert [f(1), f(2), f(2.5)] == [2, 3, 3.5]
    assert pt.jit(lambda: None)() is None
    ones = pt.jit(lambda: pt.ones(2))
    assert ones().tolist() == ones().tolist() == [1, 1]


def test_empty_tensors():
    f = pt.jit(lambda x: (x * 2, x.sum()))
    for _ in range(2):
        y, total = f(pt.zeros((0, 3)))
        assert (y.tolist(), y.shape, total.item()) == ([], (0, 3), 0)


# --- Python numbers ---------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "int8", "bool"])
@pytest.mark.parametrize("value", [2, 2.0, True], ids=["int", "float", "bool"])
def test_numbers_promote_as_without_jit(dtype, value):
    x = pt.asarray([1, 0, 1], dtype=dtype)

    def functions():
        yield lambda x, n: pt.maximum(x, n)
        yield lambda x, n: pt.where(x != 0, x, n)
        yield lambda x, n: pt.where(n > 1, x, x)
        yield lambda x, n: x == n
        yield lambda x, n: x < n
        yield lambda x, n: pt.greater_equal(n, n)
        yield lambda x, n: x + n
        yield lambda x, n: n * x
        yield lambda x, n: (n + n) * x - n

    for function in functions():
        try:
            want = function(x, value)
        except errors.DTypeError as error:
            assert_raises(errors.DTypeError, str(error), lambda f=function: pt.jit(f)(x, value))
            continue
        f = Counted(function)
        assert_values(f(x, value), want.numpy())
        assert_values(f(x, type(value)(3)), function(x, type(value)(3)).numpy())
        assert f.traces == 1


def test_another_number_is_not_traced_again():
    f = Counted(lambda x, rate: x * rate)
    x = pt.asarray(X)
    before = pt.cache_info().programs
    for rate in (0.1, 0.2, 1e39, float("nan")):
        with np.errstate(over="ignore"):
            assert_values(f(x, rate), X * np.float32(rate))
    assert f.traces == 1
    assert pt.cache_info().programs - before <= 1
    f(x, 1)
    assert f.traces == 2


def test_integers_are_checked_at_each_call():
    f = pt.jit(lambda x, n: x + n)
    x = pt.asarray([1, 2], dtype="int8")
    assert f(x, 100).tolist() == [101, 102]
    text = "add: Python integer 300 does not fit dtype int8; got 300; int8 holds -128 to 127"
    assert_raises(errors.DTypeError, text, lambda: f(x, 300))
    assert_raises(errors.DTypeError, text, lambda: pt.jit(lambda x, n: x + n)(x, 300))
    assert f(x, 1).tolist() == [2, 3]


def test_arithmetic_of_numbers_equals_pythons():
    def schedule(step, rate, decay):
        warm = (step + 1) % 10 * 0.1 - step // 3
        return (
            rate / (1 - decay**step),
            abs(-warm),
            step >> 1 | 4,
            ~step ^ 3,
            step < 5,
            round(rate, 2),
            +step & 6,
            2**step,
            step != 3,
            1 << step,
        )

    f = Counted(schedule)
    for step in range(1, 6):
        assert f(step, 0.123, 0.999) == schedule(step, 0.123, 0.999)
    assert f.traces == 1
    x = pt.asarray(X)
    adam = Counted(lambda x, step: x / (1 - 0.999**step))
    for step in range(1, 5):
        assert_values(adam(x, step), X / np.float32(1 - 0.999**step), rtol=1e-6)
    assert adam.traces == 1


def test_errors_of_arithmetic_are_raised_at_the_call():
    f = pt.jit(lambda x, n: x * (1 / n))
    x = pt.asarray(X)
    assert_values(f(x, 2), X / 2)
    with pytest.raises(ZeroDivisionError):
        f(x, 0)
    power = pt.jit(lambda x, n: x * 2**n)
    assert_values(power(x, 3), X * 8)
    text = (
        "pow: the result's type depends on the values; got 2 ** -1 = 0.5, and int when traced; "
        "make one of them a float, or static"
    )
    assert_raises(errors.ArgumentError, text, lambda: power(x, -1))


def test_numbers_make_tensors():
    def f(n):
        return pt.asarray(n), pt.full((2,), n), pt.full((2,), n, dtype="int32"), pt.exp(n)

    for value in (2, 2.5, True):
        jitted = pt.jit(f)
        for _ in range(2):
            for got, want in zip(jitted(value), f(value), strict=True):
                assert_values(got, want.numpy())
    padded = pt.jit(lambda x, n: pt.pad(x, 1, constant_values=n))
    x = pt.asarray([1, 2])
    assert [padded(x, n).tolist() for n in (3, 4)] == [[3, 1, 2, 3], [4, 1, 2, 4]]
    clipped = pt.jit(lambda x, low, high: pt.clip(x, low, high))
    assert [clipped(x, n, 5).tolist() for n in (2, 0)] == [[2, 2], [1, 2]]

    def put(x, n):
        x = pt.copy(x)
        x[0] = n
        return x

    put = pt.jit(put)
    assert [put(x, n).tolist() for n in (8, 9)] == [[8, 2], [9, 2]]


def test_numbers_of_numpy():
    f = Counted(lambda x, rate: x * rate)
    x = pt.asarray(X, dtype="float16")
    for rate in (np.float64(2.0), 2.0):
        assert_spec(f(x, rate), (2, 2), "float16")
    assert f.traces == 1


# --- unknown values ---------------------------------------------------------------------------

READS = {
    "bool of bool[]": lambda x: 1 if x.sum() > 0 else 2,
    "int of float32[]": lambda x: int(x[0, 0]),
    "float of float32[]": lambda x: float(x.sum()),
    "item of float32[]": lambda x: x[0, 0].item(),
    "tolist of float32[2, 2]": lambda x: (x + 1).tolist(),
    "numpy of float32[2, 2]": lambda x: x.numpy(),
    "index of int32[]": lambda x: x[: x[0, 0].astype("int32")],
    "memoryview of float32[2, 2]": lambda x: memoryview(x),
    "bytes of float32[2, 2]": lambda x: bytes(x),
    "complex of float32[]": lambda x: complex(x[0, 0]),
}


@pytest.mark.parametrize("got", READS)
def test_reading_a_traced_tensor_raises(got, state):
    x = pt.asarray(X)
    f = pt.jit(READS[got])
    before = state()
    for _ in range(2):
        assert_raises(errors.TraceError, UNKNOWN.format("tensor", got), lambda: f(x))
    assert state() == before
    assert_values(x * 2, X * 2)


NUMBER_READS = {
    "if": (lambda n: 1 if n > 3 else 2, "bool"),
    "int": (lambda n: int(n), "float"),
    "sqrt": (lambda n: math.sqrt(n), "float"),
    "max": (lambda n: max(n, 0.5), "bool"),
    "range": (lambda n: range(n // 1), "float"),
    "shape": (lambda n: pt.zeros(n), "float"),
    "format": (lambda n: f"{n:.2f}", "float"),
    "key": (lambda n: {n: 1}, "float"),
}


@pytest.mark.parametrize("name", NUMBER_READS)
def test_reading_a_traced_number_raises(name):
    function, kind = NUMBER_READS[name]
    text = UNKNOWN.format("number", f"a {kind}")
    assert_raises(errors.TraceError, text, lambda: pt.jit(function)(4.0))


def test_the_error_is_raised_at_the_users_line():
    def f(x):
        y = x * 2
        return float(y.sum())

    with pytest.raises(errors.TraceError) as raised:
        pt.jit(f)(pt.asarray(X))
    lines = [entry.lineno for entry in raised.traceback if entry.path.name == "test_jit.py"]
    assert f.__code__.co_firstlineno + 1 in lines


def test_awaiting_a_traced_tensor_raises():
    def f(x):
        x.data().send(None)

    text = UNKNOWN.format("tensor", "data of float32[2, 2]")
    assert_raises(errors.TraceError, text, lambda: pt.jit(f)(pt.asarray(X)))


def test_repr_of_traced_values():
    shown = []

    def f(x, n):
        shown.append((repr(x), f"{x + 1}", repr(n), f"{n * 2}"))
        pt.realize(x)
        return x + n

    assert_values(pt.jit(f)(pt.asarray(X), 2.0), X + 2)
    tensor = "tensor(traced, shape=(2, 2), dtype=float32)"
    assert shown == [(tensor, tensor, "traced float", "traced float")]


def test_known_attributes_may_be_read():
    captured = pt.asarray([2.0, 3.0])

    def f(x):
        scale = captured.sum().item() + float(pt.arange(3).sum())
        return x * scale if captured.tolist() == [2, 3] else x

    assert_values(pt.jit(f)(pt.asarray(X)), X * 8)


def test_foreign_operands_are_left_to_python():
    for other in (None, "a", [1], np.ones(2)):
        with pytest.raises(TypeError):
            pt.jit(lambda n, other=other: n + other)(1)
    assert pt.jit(lambda n: n == None)(1) is False  # noqa: E711


# --- static arguments ---------------------------------------------------------------------------


def test_static_arguments():
    def f(x, axis, name):
        return x.sum(axis=axis) if name == "sum" else x.max(axis=axis)

    for options, call in [
        ({"static_argnums": (1, 2)}, lambda f, x, *rest: f(x, *rest)),
        ({"static_argnums": (1, -1)}, lambda f, x, *rest: f(x, *rest)),
        ({"static_argnums": (1, 2)}, lambda f, x, axis, name: f(x, axis=axis, name=name)),
        ({"static_argnames": ("axis", "name")}, lambda f, x, *rest: f(x, *rest)),
        ({"static_argnames": "axis", "static_argnums": 2}, lambda f, x, a, n: f(x, a, name=n)),
    ]:
        jitted = pt.jit(f, **options)
        x = pt.asarray(X)
        before = pt.cache_info().plan_misses
        for _ in range(2):
            assert_values(call(jitted, x, 0, "sum"), X.sum(0))
            assert_values(call(jitted, x, 1, "sum"), X.sum(1))
            assert_values(call(jitted, x, 1, "max"), X.max(1))
        assert pt.cache_info().plan_misses - before == 3


def test_equal_static_values_of_other_types_differ():
    f = Counted(lambda x, n: x * n, static_argnums=1)
    x = pt.asarray([1, 2])
    assert [f(x, n).dtype for n in (1, 1.0, True)] == [pt.int32, pt.float32, pt.int32]
    assert f.traces == 3


@pytest.mark.parametrize(
    ("argument", "options", "text"),
    [
        (
            [1, 2],
            {"static_argnums": 0},
            "static argument is not hashable; got list [1, 2] in argument 0 of f; pass a tuple or "
            "another immutable value",
        ),
        (
            "relu",
            {},
            "arguments must contain only tensors and numbers; got str 'relu' in argument 0 of f; "
            "make it static with static_argnums=0, a dataclass field with "
            'field(metadata={"static": True})',
        ),
        (
            Layer(1.0, 2.0, []),
            {},
            "static field or key is not hashable; got tuple (<class 'test_jit.Layer'>, ((<class "
            "'list'>, []),), 2) in argument 0 of f; pass a tuple or another immutable value",
        ),
    ],
)
def test_arguments_that_are_refused(argument, options, text):
    def f(x):
        raise AssertionError("it was traced")

    assert_raises(errors.ArgumentError, f"jit: {text}", lambda: pt.jit(f, **options)(argument))


def test_other_arguments_that_are_refused():
    def f(x, mode="a"):
        raise AssertionError("it was traced")

    assert_raises(
        errors.ArgumentError,
        "jit: arguments must contain only tensors and numbers; got str 'b' in argument mode of f; "
        'make it static with static_argnames="mode", a dataclass field with '
        'field(metadata={"static": True})',
        lambda: pt.jit(f)(1, mode="b"),
    )
    x = pt.ones(2)
    assert_raises(
        errors.ArgumentError,
        "jit: static argument must not be a tensor; got Tensor float32[2] in argument 0 of f; do "
        "not make it static",
        lambda: pt.jit(f, static_argnums=0)(x),
    )
    x.dispose()
    with pytest.raises(
        errors.DisposedError, match=r"^jit: tensor was disposed; got a tensor disposed"
    ):
        pt.jit(f)(x)


def test_options_that_are_refused():
    def f(x, *, y):
        return x

    for options, text in [
        (
            {"static_argnums": 1},
            "static_argnums does not match an argument; got 1 for the arguments ('x',); count "
            "them from 0, self included",
        ),
        (
            {"static_argnames": "z"},
            "static_argnums does not match an argument; got 'z' for the arguments ('x', 'y'); use "
            "one of these",
        ),
        (
            {"donate_argnums": -2},
            "donate_argnums does not match an argument; got -1 for the arguments ('x',); count "
            "them from 0, self included",
        ),
    ]:
        assert_raises(errors.ArgumentError, f"jit: {text}", lambda o=options: pt.jit(f, **o))

    async def later():
        return 1

    def one_by_one():
        yield 1

    for function in (later, one_by_one):
        text = (
            f"jit: the function must be neither asynchronous nor a generator; got {function!r}; "
            "move the code between two awaits into separate functions"
        )
        assert_raises(errors.ArgumentError, text, lambda function=function: pt.jit(function))


# --- methods ------------------------------------------------------------------------------------


@dataclass
class Dense:
    w: Any
    rate: float
    activation: str = field(default="relu", metadata={"static": True})

    @pt.jit
    def __call__(self, x):
        return getattr(pt, self.activation)(x @ self.w) * self.rate

    @pt.jit
    def step(self, gradient):
        self.w -= gradient * self.rate


def test_methods_of_dataclasses():
    x, layer = pt.asarray(X), Dense(pt.asarray(X - 2), 2.0)
    assert_values(layer(x), np.maximum(X @ (X - 2), 0) * 2)
    layer.w, layer.rate = pt.asarray(X), 3.0
    before = pt.cache_info().plan_misses
    assert_values(layer(x), (X @ X) * 3)
    assert pt.cache_info().plan_misses == before
    layer.step(x)
    assert_values(layer.w, X - 3 * X)
    other = Dense(pt.asarray(X), 1.0, "tanh")
    assert_values(other(x), np.tanh(X @ X), rtol=1e-5)


def test_methods_of_other_classes():
    class Model:
        def __init__(self, w):
            self.w = w

        @pt.jit(static_argnums=0)
        def __call__(self, x):
            return x @ self.w

        @pt.jit
        def call(self, x):
            return x @ self.w

    x, model = pt.asarray(X), Model(pt.asarray(X))
    assert_values(model(x), X @ X)
    assert_values(Model(pt.asarray(X + 1))(x), X @ (X + 1))
    with pytest.raises(errors.ArgumentError, match=r"got Model .* make it static with static_argn"):
        model.call(x)


# --- captured values ----------------------------------------------------------------------------


def test_captured_tensors_are_constants():
    captured = [pt.asarray(X)]
    f = pt.jit(lambda x: x + captured[0])
    x = pt.asarray(X)
    assert_values(f(x), X + X)
    captured[0] += 100
    assert_values(f(x), X + X)
    captured.clear()
    assert_values(f(x), X + X)


def test_pending_captured_work_runs_once():
    c = pt.asarray(X)
    held = pt.exp(c) * 3.0
    f = pt.jit(lambda x: x + held + pt.sqrt(held))
    x = pt.asarray(X)
    want = X + np.exp(X) * 3 + np.sqrt(np.exp(X) * 3)
    assert_values(f(x), want, rtol=1e-5)
    assert "exp(" not in f.explain(x) and "sqrt(" in f.explain(x)
    f.explain(x)
    before = pt.cache_info()
    assert_values(f(x), want, rtol=1e-5)
    assert pt.cache_info().draws == before.draws + 1
    assert_values(held, np.exp(X) * 3, rtol=1e-5)


def draws_of(call):
    """Return the number of draws of a call that computes new values."""
    before = pt.cache_info().draws
    pt.realize(call())
    return pt.cache_info().draws - before


def padded_product(rng):
    """Return captured operands whose rows have no whole texels, and a function that pads them."""
    w = rng.integers(-4, 5, (8, 6)).astype("float32")
    captured = [pt.asarray(w)]
    return w, captured, pt.jit(lambda x, n: x @ captured[0] + x @ (captured[0] * n))


def test_what_depends_on_captured_values_alone_is_computed_once(engine, rng):
    w, captured, f = padded_product(rng)
    x = rng.integers(-4, 5, (8, 8)).astype("float32")
    given = pt.asarray(x)
    counts = [draws_of(lambda n=n: f(given, n)) for n in (2.0, 3.0, 4.0)]
    # The first call also pads the captured matrix. Its product with a number is padded each time.
    assert counts[0] - counts[1] == (engine.name == "webgl")
    assert counts[1] == counts[2]
    captured[0] *= 100.0
    for n in (5.0, 6.0):
        assert_values(f(given, n), x @ w * (1 + n))


def test_results_that_depend_on_captured_values_alone_are_new_in_each_call():
    c = pt.asarray(X)
    f = pt.jit(lambda x: (x @ c, pt.exp(c) @ c))
    x = pt.asarray(X)
    want = np.exp(X) @ X
    first, second = f(x)[1], f(x)[1]
    assert_values(first, want, rtol=1e-5)
    first.dispose()
    second += 1.0
    assert_values(second, want + 1, rtol=1e-5)
    assert_values(f(x)[1], want, rtol=1e-5)


def test_values_computed_once_are_freed_with_the_function(engine, rng):
    gc.collect()
    start = pt.memory().num_bytes_in_gpu
    captured = [pt.asarray(rng.integers(-4, 5, (8, 6)).astype("float32")) * 2.0]
    pt.realize(*captured)
    f = pt.jit(lambda x: x @ captured[0])
    x = pt.asarray(np.ones((8, 8), "float32"))
    has_memory = pt.env.pool_limit is not None
    # Textures hold a copy with rows of 8 numbers.
    matrix, copy = 192, 256 * engine.runs_glsl
    for _ in range(2):
        f(x).tolist()
        assert pt.memory().num_bytes_in_gpu - start == (256 + matrix + copy) * has_memory
    # The copy alone is needed now: the captured matrix was on the GPU only, like the copy.
    captured.clear()
    assert pt.memory().num_bytes_in_gpu - start == (256 + (copy or matrix)) * has_memory
    assert_spec(f(x), (8, 6), "float32")
    del f
    assert pt.memory().num_bytes_in_gpu - start == 256 * has_memory


def test_creation_inside():
    def f(x):
        return x + pt.arange(4).reshape((2, 2)) + pt.ones((2, 2)) + pt.eye(2) + [[1, 0], [0, 0]]

    want = X + np.arange(4).reshape(2, 2) + 1 + np.eye(2) + [[1, 0], [0, 0]]
    jitted = pt.jit(f)
    for _ in range(2):
        assert_values(jitted(pt.asarray(X)), want.astype("float32"))


def test_escaped_tensors_raise():
    kept = []

    def f(x, n):
        y = x @ x
        kept.extend([x, y, y * 2, pt.keep(pt.zeros(2)), n, n + 1])
        return y + 1

    x = pt.asarray(X)
    assert_values(pt.jit(f)(x, 1), X @ X + 1)
    for tensor in kept[:4]:
        text = (
            "{}: tensor outlived the trace it belongs to; got one made inside of f; return it from "
            "there"
        )
        assert_raises(errors.TraceError, text.format("add"), lambda t=tensor: t + 1)
        assert_raises(errors.TraceError, text.format("tolist"), tensor.tolist)
    for number in kept[4:]:
        text = (
            "jit: a traced number was used after its trace; got a int made in f; return it from "
            "the function"
        )
        for use in (lambda n: n + 1, lambda n: x * n, int, bool, lambda n: pt.asarray(n)):
            assert_raises(errors.TraceError, text, lambda n=number, use=use: use(n))
        assert_raises(errors.TraceError, text, lambda n=number: pt.jit(lambda m: m + n)(1))
    pt.realize(x)
    assert_values(x * 2, X * 2)


def test_assignment_to_a_tensor_from_outside():
    total = pt.zeros((2, 2))

    def added(x):
        nonlocal total
        total += x

    def put(x):
        total[0] = x[0]

    text = (
        "jit: cannot assign in place to a tensor from outside {}; got float32[2, 2]; pass it as an "
        "argument, or return the new value"
    )
    x = pt.asarray(X)
    for function in (added, put):
        assert_raises(
            errors.TraceError,
            text.format(function.__name__),
            lambda f=function: pt.jit(f)(x),
        )
    assert_values(total, np.zeros((2, 2), "float32"))


def test_assignment_to_an_argument():
    def step(params, gradient, rate):
        params["w"] -= rate * gradient
        params["b"][0] = rate
        return params["w"].sum()

    jitted = Counted(step)
    states = []
    for function in (step, jitted):
        params = {"w": pt.asarray(X), "b": pt.zeros(2), "untouched": pt.ones(1)}
        same = dict(params)
        for rate in (0.5, 0.25):
            total = function(params, pt.asarray(X), rate)
        assert all(params[name] is same[name] for name in params)
        states.append([params["w"].tolist(), params["b"].tolist(), total.item()])
    assert states[0] == states[1] == [(X * 0.25).tolist(), [0.25, 0], 2.5]
    assert jitted.traces == 1


def test_assignment_returned_and_swapped():
    def f(x, y):
        x += 1
        y[...] = x * 10
        return y, x

    for function in (f, pt.jit(f)):
        x, y = pt.asarray([1.0]), pt.asarray([2.0])
        for _ in range(2):
            got = function(x, y)
            assert got[0] is y and got[1] is x
        assert (x.tolist(), y.tolist()) == ([3], [30])


def test_assignment_to_an_argument_passed_twice():
    def f(x, y):
        x += 1
        return x + y

    x = pt.asarray([1.0])
    text = (
        "jit: an argument that is assigned was passed twice; got float32[1] twice in f; pass "
        "pt.copy(x) once"
    )
    assert_raises(errors.ArgumentError, text, lambda: pt.jit(f)(x, x))
    assert pt.jit(f)(x, pt.copy(x)).tolist() == [3]


def test_containers_changed_inside():
    def append(values):
        values.append(values[0] + 1)

    def replace(values):
        values[0] = values[0] + 1

    for function in (append, replace):
        text = (
            "jit: the function must not modify a container argument; got other values after "
            f"{function.__name__}; return the new values instead"
        )
        assert_raises(errors.TraceError, text, lambda f=function: pt.jit(f)([pt.ones(2)]))


def test_disposing_of_an_argument_inside():
    x = pt.ones(2)
    with pytest.raises(
        errors.TraceError, match=r"^jit: the function must not dispose of an argument; got"
    ):
        pt.jit(lambda x: x.dispose())(x)
    assert x.tolist() == [1, 1]


def test_results_that_are_refused():
    text = (
        "jit: result must contain only tensors and numbers; got str 'a' from <lambda>; return only "
        "tensors and numbers"
    )
    assert_raises(errors.TraceError, text, lambda: pt.jit(lambda x: (x, "a"))(1))


# --- random numbers -----------------------------------------------------------------------------


def draws(x):
    a = pt.random.normal((2, 2))
    return x + a, pt.random.integers(0, 1000, (3,)), pt.random.uniform((2,), dtype="float16")


def test_numbers_without_a_key_are_drawn_again():
    x, jitted = pt.asarray(X), Counted(draws)
    runs = []
    for function in (draws, jitted):
        pt.random.seed(5)
        runs.append([[t.tolist() for t in function(x)] for _ in range(3)])
    for eager, traced in zip(*runs, strict=True):
        assert traced[1:] == eager[1:]
        # Other programs may round logarithms and cosines of normal numbers differently.
        np.testing.assert_allclose(traced[0], eager[0], rtol=1e-6, atol=1e-6)
    assert runs[1][0] != runs[1][1]
    assert jitted.traces == 1


def test_keys_are_arguments():
    def f(key):
        first, second = pt.random.split(key)
        return pt.random.uniform((3,), key=first), pt.random.bits(second, (2,))

    jitted = Counted(f)
    for seed in (0, 7, 2**63):
        key = pt.random.key(seed)
        for got, want in zip(jitted(key), f(key), strict=True):
            assert_values(got, want.numpy())
    assert jitted.traces == 1


def test_seeding_inside():
    def f(seed):
        pt.random.seed(seed)
        return pt.random.uniform((3,))

    jitted = pt.jit(f)
    for seed in (1, 2, 1):
        assert jitted(seed).tolist() == f(seed).tolist()


# --- scopes, debug mode, nesting ----------------------------------------------------------------


def test_results_belong_to_the_open_scope():
    f = pt.jit(lambda x: (x + 1, x * 2))
    x = pt.asarray(X)
    for _ in range(2):
        with pt.tidy():
            first, second = f(x)
            pt.keep(second)
        assert first.is_disposed and not second.is_disposed
        total = pt.tidy(lambda: f(x)[0].sum())
        assert total.item() == 14
    assert not x.is_disposed


def test_scopes_around_calls():
    @pt.tidy
    @pt.jit(static_argnames="n")
    def f(x, n):
        return x * n

    for _ in range(2):
        assert_values(f(pt.asarray(X), n=2), X * 2)


def test_scopes_inside():
    @pt.jit
    @pt.tidy
    def f(x):
        with pt.tidy():
            y = pt.keep(x * 2)
        return y + 1

    for _ in range(2):
        assert_values(f(pt.asarray(X)), X * 2 + 1)


def test_counts_are_exact():
    f = pt.jit(lambda x: (pt.exp(x) @ x, x.T))
    x = pt.asarray(np.ones((4, 4), "float32"))
    f(x)
    pt.realize(x)
    before = pt.memory()
    y, z = f(x)
    now = pt.memory()
    assert now.num_tensors - before.num_tensors == 2
    assert now.num_data_buffers - before.num_data_buffers == 2
    assert now.num_bytes - before.num_bytes == 128
    has_memory = pt.env.pool_limit is not None
    assert now.num_bytes_in_gpu - before.num_bytes_in_gpu == 128 * has_memory
    del y, z
    after = pt.memory()
    assert (after.num_tensors, after.num_bytes, after.num_bytes_in_gpu) == (
        before.num_tensors,
        before.num_bytes,
        before.num_bytes_in_gpu,
    )


def test_an_error_inside_leaks_nothing(state):
    calls = []

    def f(x):
        calls.append(x)
        y = x * 2
        with pt.tidy():
            return y + pt.zeros(5)

    x = pt.asarray(X)
    pending = x * 3
    before = state()
    jitted = pt.jit(f)
    for _ in range(2):
        with pytest.raises(errors.ShapeError, match="do not broadcast"):
            jitted(x)
    gc.collect()
    assert len(calls) == 2
    calls.clear()
    assert state() == before
    assert_values(pending, X * 3)


def test_long_functions_are_one_plan():
    def f(x):
        for _ in range(700):
            x = x * 0.5 + 0.5
        return x

    before = pt.cache_info().plan_misses
    anchor = scopes.state.anchor
    jitted = pt.jit(f)
    for _ in range(2):
        assert_values(jitted(pt.asarray(X)), np.ones((2, 2), "float32"))
    assert pt.cache_info().plan_misses == before + 1
    assert scopes.state.anchor is anchor


def test_results_are_not_pending_work():
    f = pt.jit(lambda x: (x + 1, x * 2))
    x = pt.asarray(X)
    held = x * 3
    for _ in range(1200):
        f(x)
    assert held._node.buffer is None


def test_debug_mode_finds_the_operation():
    def f(x):
        y = pt.exp(x)
        return pt.log(y - y - 1.0) + 1

    jitted = pt.jit(f)
    x = pt.asarray([1.0])
    jitted(x).tolist()
    line = f.__code__.co_firstlineno + 2
    with pytest.raises(errors.NumericError) as raised, pt.enable_debug_mode():
        jitted(x)
    assert str(raised.value).startswith("log: result is not finite; got nan at element 0")
    assert f"test_jit.py:{line}" in str(raised.value)
    assert math.isnan(jitted(x).item())


def test_nesting():
    inner = Counted(lambda x, n: pt.exp(x) * n)
    outer = Counted(lambda x, n: inner(x, n) + inner(x, 2.0))
    x = pt.asarray(X)
    for n in (1.0, 3.0):
        assert_values(outer(x, n), np.exp(X) * (n + 2), rtol=1e-5)
    assert (outer.traces, inner.traces) == (1, 2)
    assert "kernel 1" not in outer.call.explain(x, 1.0)
    assert_values(pt.jit(pt.jit(lambda x: x + 1))(x), X + 1)


def test_explain_runs_nothing():
    f = pt.jit(lambda x: pt.exp(x) * 2.0)
    x = pt.asarray(X)
    before, pending = pt.cache_info().draws, scopes.state.pending
    assert "kernel 0: map" in f.explain(x)
    assert (pt.cache_info().draws, scopes.state.pending) == (before, pending)
    assert pt.jit(lambda x: x).explain(x) == "graph\n  nothing to compute\n"


# --- lifetime of traces -------------------------------------------------------------------------


def plans(engine):
    registered = engine.bridge.stats()["plans"] if engine.name in ("webgl", "webgpu") else 0
    return pt.memory().num_plans, pt.cache_info().plans, registered


def test_traces_are_freed_with_the_function(engine):
    gc.collect()
    captured = [pt.asarray(X) * 2]
    pt.realize(*captured)
    f = pt.jit(lambda x: x + captured[0])
    x = pt.asarray(X)
    before = plans(engine)
    f(x).tolist()
    registered = engine.name in ("webgl", "webgpu")
    assert plans(engine) == (before[0] + 1, before[1] + 1, before[2] + registered)
    textures = pt.memory().num_bytes_in_gpu
    captured.clear()
    assert pt.memory().num_bytes_in_gpu == textures
    del f
    assert plans(engine) == before
    assert pt.memory().num_bytes_in_gpu == textures - 16 * (pt.env.pool_limit is not None)


def test_number_of_traces_is_bounded():
    f = Counted(lambda x, n: x + n, static_argnums=1)
    x = pt.asarray(X)
    for n in range(64):
        f(x, n)
    before = pt.memory().num_plans
    with pytest.warns(UserWarning, match="has been traced for 64 kinds of arguments") as warned:
        for n in range(64, 70):
            f(x, n)
    assert warned[0].filename == __file__
    assert pt.memory().num_plans == before
    assert f.traces == 70
    f(x, 69)
    assert f.traces == 70
    f(x, 0)
    assert f.traces == 71


def test_another_backend(engine):
    f = Counted(lambda x: x * 2 + c)
    c = pt.asarray(X)
    x = pt.asarray(X)
    assert_values(f(x), X * 3)
    executor.use(NumpyBackend())
    try:
        assert_values(f(x), X * 3)
        assert f.traces == 2
    finally:
        executor.use(engine)
    assert_values(f(x), X * 3)
    assert f.traces == 2


# --- donation -----------------------------------------------------------------------------------


def updated(params, grads, rate):
    return [p - rate * g for p, g in zip(params, grads, strict=True)]


def test_donated_tensors_are_disposed_by_the_call():
    step = pt.jit(updated, donate_argnums=0)
    params, grads = [pt.asarray(X), pt.asarray(X + 1)], [pt.asarray(X), pt.asarray(X)]
    for _ in range(2):
        old = params
        params = step(old, grads, 0.5)
        line = test_donated_tensors_are_disposed_by_the_call.__code__.co_firstlineno + 5
        text = (
            f"add: tensor was donated; got a tensor given to updated at test_jit.py:{line}; use "
            "the result of the call"
        )
        assert_raises(errors.DisposedError, text, lambda t=old[0]: t + 1)
    assert_values(params[1], X + 1 - X)
    assert not grads[0].is_disposed


def test_other_handles_keep_a_donated_value():
    f = pt.jit(lambda x: (x + 1, x.reshape((4,))), donate_argnums=(0,))
    returned = pt.jit(lambda x: (x + 1, pt.copy(x)), donate_argnums=(0,))
    y, view = f(pt.asarray(X) * 1)
    assert_values(y, X + 1)
    assert_values(view, X.reshape(4))
    y, same = returned(pt.asarray(X) * 1)
    assert_values(y, X + 1)
    assert_values(same, X)
    plus = pt.jit(lambda x: x + 1, donate_argnums=0)
    for other, want in [
        (pt.copy, X),
        (lambda x: x * 3, X * 3),
        (lambda x: x.reshape((4,)), X.reshape(4)),
    ]:
        for realized in (True, False):
            x = pt.asarray(X) * 1
            pt.realize(x)
            kept = other(x)
            if realized:
                pt.realize(kept)
            assert_values(plus(x), X + 1)
            assert x.is_disposed
            assert_values(kept, want)
    kept = pt.jit(lambda x: x, donate_argnums=0)
    x = pt.asarray(X)
    assert_values(kept(x), X)
    assert x.is_disposed


def test_donated_by_name_and_in_nested_calls():
    def f(w, x):
        return w + x

    step = pt.jit(f, donate_argnums=0)
    w = pt.asarray(X)
    assert_values(step(w=w, x=pt.asarray(X)), X + X)
    assert w.is_disposed
    used = pt.jit(lambda w: step(w, w * 2) + w)
    with pytest.raises(errors.DisposedError, match=r"^add: tensor was donated; got a tensor given"):
        used(pt.asarray(X))


def test_donated_and_passed_twice():
    f = pt.jit(lambda x, y: x + y, donate_argnums=0)
    x = pt.asarray(X)
    text = (
        "jit: an argument that is donated was passed twice; got float32[2, 2] twice in <lambda>; "
        "pass pt.copy(x) once"
    )
    assert_raises(errors.ArgumentError, text, lambda: f(x, x))
    assert_values(f(x, pt.copy(x)), X + X)


def peak(engine, count, n, **options):
    """GPU bytes taken by a loop of updates, including those in the pool."""
    step = pt.jit(updated, **options)
    params = [pt.asarray(np.full((n, n), i, "float32")) * 1 for i in range(count)]
    grads = [pt.asarray(np.ones((n, n), "float32")) for _ in range(count)]
    pt.realize(*params, *grads)
    if engine.name in ("webgl", "webgpu"):
        engine.bridge.trim()
    for _ in range(3):
        params = step(params, grads, 1.0)
    memory = pt.memory()
    for i, value in enumerate(params):
        assert_values(value, np.full((n, n), i - 3, "float32"))
    return memory.num_bytes_in_gpu + memory.num_bytes_in_gpu_free


def test_donation_lowers_the_peak(engine):
    n, count = 128, 8
    without, donated = peak(engine, count, n), peak(engine, count, n, donate_argnums=0)
    # All old tensors and all new ones at once, compared with one extra at a time.
    assert without - donated == (count - 1) * n * n * 4 * (engine.name in ("webgl", "webgpu"))


def test_arrays_of_numpy_are_arguments():
    total = pt.jit(lambda x, y: pt.sum(x["a"] * y))
    x = np.float32([1, 2, 3])
    for y in (np.float32(2), np.float64(2), np.int32(2), np.full(3, 2.0, "float32")):
        assert total({"a": x}, y).item() == 12.0
    assert pt.grad(total)({"a": x}, np.float32([1, 2, 3]))["a"].tolist() == [1.0, 2.0, 3.0]
    # An array and a tensor of its shape and dtype share an executable.
    misses = pt.cache_info().plan_misses
    total({"a": pt.asarray(x)}, pt.asarray(np.float32(2)))
    assert pt.cache_info().plan_misses == misses


def test_arrays_of_numpy_are_tensors_where_jit_does_not_compile():
    seen = []

    @pt.jit(static_argnames="table")
    def function(x, table):
        seen.append((type(x), type(table)))
        return pt.sum(x)

    pt.grad(lambda scale: function(np.ones(2), table=(1, 2)) * scale)(1.0)
    assert seen == [(pt.Tensor, tuple)]
