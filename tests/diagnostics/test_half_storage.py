"""float32 stored as float16: rounding, warnings of lost numbers, and the flag that forces it."""

from __future__ import annotations

import asyncio
import inspect
import warnings

import numeric_exceptions
import numpy as np
import pytest

import py_tensor as pt
from py_tensor.runtime.executor import stores_halves

ALL_HALVES = np.arange(1 << 16, dtype="uint16").view("float16").astype("float32")
RANDOM_BITS = np.random.default_rng(3).integers(0, 1 << 32, 40_001, "uint32").view("float32")
BEYOND = (
    "{}: float32 is stored as float16 here, so numbers beyond 65504 become infinite; scale them"
)
BELOW = "{}: float32 is stored as float16 here, so numbers below 3e-8 become zero; scale them"


@pytest.fixture(autouse=True)
def half(engine):
    """Store float32 as float16 during a test, which only WebGL does; return True on WebGL."""
    before = stores_halves()
    pt.env.float16_storage = True
    yield engine.name == "webgl"
    pt.enable_production_mode()
    pt.env.float16_storage = before


def rounded(values, half):
    with np.errstate(over="ignore", invalid="ignore"):
        return values.astype("float16").astype("float32") if half else values


def warned(call):
    """Return the texts of the warnings of two calls and, from the call's first, their lines."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        call()
        call()
    first = inspect.getsourcelines(call)[1]
    assert {each.filename for each in caught} <= {__file__}
    return [(str(each.message), each.lineno - first) for each in caught]


@pytest.mark.filterwarnings("ignore:upload")
@pytest.mark.parametrize("values", [ALL_HALVES, RANDOM_BITS, RANDOM_BITS[:7]])
def test_values_are_rounded_to_the_nearest(values, half, backend_name):
    with np.errstate(invalid="ignore"):
        got = (pt.asarray(values) + 0.0).numpy()
        wanted = numeric_exceptions.flushed(rounded(values, half), backend_name)
        np.testing.assert_array_equal(got, wanted + np.float32(0), strict=True)


def test_results_are_rounded_to_the_nearest(half):
    x = np.float32(np.linspace(0.0, 3.0, 1000))
    got = (pt.asarray(x) * pt.asarray(np.float32(1 / 3))).numpy()
    wanted = rounded(rounded(x, half) * rounded(np.float32(1 / 3), half), half)
    np.testing.assert_array_equal(got, wanted, strict=True)


def test_infinities_are_stored():
    x = pt.asarray([np.inf, -np.inf, 1.0, np.nan])
    got = (x * 2.0).tolist()
    assert got[:3] == [np.inf, -np.inf, 2.0] and np.isnan(got[3])
    assert (pt.asarray([[1.0, np.inf]]) @ pt.asarray([[1.0], [1.0]])).item() == np.inf


def test_integers_are_exact():
    n = np.int32([1, -7, 2**31 - 1, 123_456_789])
    assert (pt.asarray(n) * 1 + 0).tolist() == n.tolist()
    assert pt.sum(pt.ones(3001, dtype="int32")).item() == 3001
    assert pt.argmax(pt.arange(4999, dtype="int32")).item() == 4998
    m = np.random.default_rng(0).integers(-9999, 9999, (40, 30)).astype("int32")
    np.testing.assert_array_equal((pt.asarray(m) @ pt.asarray(m.T.copy())).numpy(), m @ m.T)


def test_textures_take_half_the_memory(half, state, backend_name):
    x = pt.asarray(np.ones((64, 64), "float32"))
    before = state()["bytes in textures"]
    y = x + 1.0
    pt.realize(y)
    grown = state()["bytes in textures"] - before
    nbytes = {"webgl": 2, "webgpu": 4, "wasm": 4}.get(backend_name, 0)
    assert grown == 2 * 64 * 64 * nbytes
    assert (y.dtype, y.nbytes) == (pt.float32, 64 * 64 * 4)


def test_the_flag_changes_later_results_only(half):
    third = pt.asarray(np.float32(1 / 3))
    step = pt.jit(lambda x: x * 1.0)
    coarse, jitted = third + 0.0, step(third)
    pt.realize(coarse)
    pt.env.float16_storage = False
    assert pt.env.float16_storage is (False if half else None)
    fresh = pt.asarray(np.float32(1 / 3))
    fine = [(fresh + 0.0).item(), step(fresh).item()]
    assert fine == [np.float32(1 / 3)] * 2
    assert coarse.item() == jitted.item() == rounded(np.float32(1 / 3), half)


def test_uploads_warn_once_a_line(half):
    def call():
        pt.realize(pt.asarray([1e6, 1.0]) * 2.0)
        pt.realize(pt.asarray([1e-9, 1.0]) * 2.0)
        pt.realize(pt.asarray([float("inf"), 0.0, 65504.0, 6e-8]) * 0.5)

    wanted = [(BEYOND.format("upload"), 1), (BELOW.format("upload"), 2)]
    assert warned(call) == (wanted if half else [])


def read(t):
    return t.tolist()


def read_async(t):
    async def main():
        return await t.data()

    return asyncio.run(main())


def dense(weight):
    """Return a module with this weight, loaded from a state."""
    layer = pt.nn.Dense(1, 2)
    layer.load_state_dict({"weight": weight, "bias": np.zeros(2, "float32")})
    return layer


def loaded(weight):
    """Return a model with this weight, loaded from a file."""
    data = pt.models.to_onnx(lambda x: x * weight, pt.ShapeDtype((1, 2)))
    return pt.models.loads(data)


USES = {
    "complex numbers": lambda w: pt.asarray(w.astype("complex64")) * 1.0,
    "weights of a module": lambda w: dense(w)(pt.ones((1, 1))),
    "weights of a model": lambda w: loaded(w)(pt.ones((1, 2))),
    "constants of jit": lambda w: pt.jit(lambda x: x + pt.asarray(w))(pt.ones((1, 2))),
    "arguments of jit": lambda w: pt.jit(lambda x: x + 1.0)(pt.asarray(w)),
    "assigned arrays": lambda w: pt.ones((2, 2)).at[0].set(w[0]),
    "gradients": lambda w: pt.grad(lambda x: pt.sum(x * x))(pt.asarray(w)),
    "slices": lambda w: pt.asarray(w)[:, ::-1] + 0.0,
    "kernels": lambda w: quarter_of(pt.asarray(w)),
}


@pt.kernel
def quarter_of(x: float):
    return x / 4.0


@pytest.mark.parametrize("reading", [read, read_async])
@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_every_upload_warns(half, use, reading):
    both = np.float32([[1e6, 1e-9]])

    def call():
        reading(use(both))

    text = BEYOND.format("upload").replace(";", " and numbers below 3e-8 become zero;")
    assert [each for each, _ in warned(call)] == [text] * half


def assigned(x, value):
    t = pt.copy(x)
    t[0] = value


@pt.kernel
def larger(x: float):
    return x * 300.0


RESULTS = {
    "multiply": (lambda x, m: x * 300.0, BEYOND),
    "divide": (lambda x, m: 1e-6 / x, BELOW),
    "exp": (lambda x, m: pt.exp(x / 20.0), BEYOND),
    "sum": (lambda x, m: pt.sum(x), BEYOND),
    "dot": (lambda x, m: m @ m, BEYOND),
    "prod": (lambda x, m: pt.prod(m[:2, :4] * 1e-4, axis=1), BELOW),
    "subtract": (lambda x, m: pt.asarray([6e4j]) - pt.asarray([-6e4j]), BEYOND),
    "scalar": (lambda x, m: assigned(x, 1e6), BEYOND),
    "where": (lambda x, m: pt.where(x > 0.0, 1e6, x), BEYOND),
    "pow": (lambda x, m: pt.grad(lambda y: pt.sum(y**3 / 300.0))(x), BEYOND),
    "larger": (lambda x, m: larger(x), BEYOND),
    "cumulative_sum": (lambda x, m: pt.cumulative_sum(x), BEYOND),
}


@pytest.mark.parametrize("name", RESULTS)
def test_debug_mode_warns_of_results(half, name):
    result, text = RESULTS[name]
    x, m = pt.full((300,), 300.0) + 0.0, pt.full((300, 300), 30.0) + 0.0
    pt.realize(x, m)

    def call():
        with pt.enable_debug_mode():
            result(x, m)

    # The line is that of the function above.
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        call(), call()
    assert [str(each.message) for each in caught] == ([text.format(name)] if half else [])
    assert [each.filename for each in caught] == [__file__] * len(caught)


def test_debug_mode_does_not_warn_of_infinities_and_zeros_of_its_operands():
    x = pt.asarray([0.0, 1.0, float("inf")])
    pt.realize(x)

    def call():
        with pt.enable_debug_mode():
            pt.log(x), pt.exp(x), x * 0.5, pt.sum(x), pt.max(x), 1.0 / x
            x.reshape((3, 1)) @ pt.ones((1, 3))

    assert warned(call) == []


def test_the_query_of_an_address_forces_it(half):
    pt.env.set_from_query("?py_tensor.float16_storage=0")
    assert pt.env.float16_storage is (False if half else None)
    pt.env.set_from_query("?py_tensor.float16_storage=1")
    assert pt.env.float16_storage is (True if half else None)
