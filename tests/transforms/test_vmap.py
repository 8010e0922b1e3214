"""vmap: every kind of operation gives, for each example, what the function gives for it alone."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from helpers import assert_raises, assert_values

import py_tensor as pt
from py_tensor import errors
from py_tensor.ops import OP_DEFS, views as view_ops
from py_tensor.tensor import apply
from py_tensor.transforms import vmap as vmap_module

SIZE = 3


def f(*shape):
    """Distinct numbers in random order, far enough apart that order and ties are exact."""
    rng = np.random.default_rng(sum(shape) + len(shape))
    return rng.permutation(np.prod(shape, dtype=int)).reshape(shape).astype("float32") / 4 - 1


def i(*shape, high=4, low=0):
    return np.random.default_rng(7).integers(low, high, shape).astype("int32")


def spd(*shape):
    x = f(*shape) * 0.1
    return (x @ np.swapaxes(x, -1, -2) + 2 * np.eye(shape[-1])).astype("float32")


def op(name, arg=None):
    return lambda *operands: apply(OP_DEFS[name], operands, arg)


WINDOWED = {"stride": (1, 2), "padding": ((1, 0), (2, 1))}
CASES = {
    "add": (pt.add, f(4), f(2, 4)),
    "add of different ranks": (pt.add, f(2, 4), f(4)),
    "where": (lambda a, b: pt.where(a > b, a, 2.0), f(2, 4), f(4)),
    "astype": (lambda x: x.astype("int32"), f(2, 4)),
    "complex": (lambda a, b: pt.complex(a, b) * pt.complex(b, 1.0), f(2, 4), f(4)),
    "abs of complex": (lambda a: pt.abs(pt.complex(a, 2.0)), f(2, 4)),
    "reshape": (lambda x: pt.reshape(x, (4, 3)), f(2, 6)),
    "permute": (lambda x: pt.permute_dims(x, (2, 0, 1)), f(2, 3, 4)),
    "broadcast": (lambda x: pt.broadcast_to(x, (5, 2, 3)), f(2, 1)),
    "slice": (lambda x: x[1:, ::-2], f(3, 5)),
    "window": (op("window", ((1, 2, 1, 2),)), f(2, 5)),
    "diagonal": (op("diagonal", (0, 2)), f(3, 2, 4)),
    "stop_gradient": (pt.stop_gradient, f(2, 3)),
    "pad": (lambda x: pt.pad(x, ((1, 2), (0, 1)), constant_values=3.0), f(2, 3)),
    "pad with an operand": (op("pad", ((1, 0, 1), (0, 2, 0))), f(2, 3), f()),
    "pad of integers": (op("pad", ((1, 0, 1),)), i(4), i()),
    "concat": (lambda a, b: pt.concat([a, b, a], axis=1), f(2, 3), f(2, 1)),
    "sum": (lambda x: pt.sum(x, axis=(0, -1)), f(2, 3, 4)),
    "max": (lambda x: pt.max(x, axis=1, keepdims=True), f(2, 3, 4)),
    "argmin": (lambda x: pt.argmin(x, axis=0), f(5, 2)),
    "any": (lambda x: pt.any(x > 0.5), f(4)),
    "cumulative_sum": (lambda x: pt.cumulative_sum(x, axis=1, include_initial=True), f(2, 5)),
    "cumulative_prod": (lambda x: pt.cumulative_prod(x, axis=0), f(3, 2)),
    "take": (lambda x, at: pt.take(x, at, axis=1), f(2, 4, 3), i(2, 2, low=-4)),
    "take along the first axis": (lambda x, at: pt.take(x, at, axis=0), f(4, 3), i(3)),
    "take by unsigned": (lambda x, at: pt.take(x, at, axis=0), f(4, 2), i(3).astype("uint32")),
    "take one": (lambda x, at: x[at], f(4, 2), i()),
    "take_along_axis": (
        lambda x, at: pt.take_along_axis(x, at, axis=1),
        f(2, 4),
        i(2, 3),
    ),
    "scatter_add": (op("scatter_add", (1, 4)), f(2, 3, 5), i(3, high=5, low=-1)),
    "scatter_add of rows": (op("scatter_add", (0, 3)), f(2, 2, 5), i(2, 2)),
    "sort": (lambda x: pt.sort(x, axis=0, descending=True), f(5, 2)),
    "argsort": (lambda x: pt.argsort(x), f(2, 6)),
    "searchsorted": (lambda x, v: pt.searchsorted(pt.sort(x), v), f(6), f(4)),
    "searchsorted on the right": (
        lambda x, v: pt.searchsorted(pt.sort(x), v, side="right"),
        i(2, 6),
        i(2, 3),
    ),
    "assignment at indices": (lambda x, at, v: x.at[at].set(v), f(4), i(5, high=4), f(5)),
    "matmul": (pt.matmul, f(3, 4), f(4, 2)),
    "matmul of stacks": (pt.matmul, f(2, 3, 4), f(2, 4, 5)),
    "vecdot": (pt.vecdot, f(4), f(4)),
    "einsum": (lambda a, b: pt.einsum("ij,jk->ki", a, b), f(2, 3), f(3, 4)),
    "conv2d": (lambda x, w: pt.conv2d(x, w, **WINDOWED), f(2, 5, 6, 2), f(3, 2, 2, 3)),
    "grouped conv2d": (lambda x, w: pt.conv2d(x, w, groups=2), f(1, 4, 4, 4), f(2, 2, 2, 6)),
    "conv2d_transpose": (
        lambda x, w: pt.conv2d_transpose(x, w, stride=2),
        f(1, 3, 3, 2),
        f(2, 2, 3, 2),
    ),
    "max_pool2d": (lambda x: pt.max_pool2d(x, 2), f(1, 4, 4, 2)),
    "solve": (pt.linalg.solve, spd(3, 3), f(3, 2)),
    "det": (pt.linalg.det, spd(2, 3, 3)),
    "cholesky": (pt.linalg.cholesky, spd(3, 3)),
    "eigvalsh": (pt.linalg.eigvalsh, spd(3, 3)),
    "softmax": (lambda x: pt.softmax(x, axis=0), f(4, 2)),
    "fft": (lambda x: pt.abs(pt.fft.fft(pt.complex(x, 0.0))), f(6)),
    "one_hot": (lambda at: pt.nn.one_hot(at, 4), i(3)),
    "assignment": (lambda x, v: x.at[1:].set(v), f(4), f(3)),
    "scattered update": (lambda x, at, v: x.at[at].add(v), f(4), i(2), f(2)),
    "a constant": (lambda x: pt.arange(3), f(2)),
}


def batches(array, count=SIZE):
    """Return different examples like this one, stacked."""
    if array.ndim >= 2 and array.shape[-1] == array.shape[-2] == 3:
        return np.stack([array * (k + 1) for k in range(count)]).astype(array.dtype)
    return np.stack([np.roll(array, k) if array.ndim else array + k for k in range(count)])


def expected(function, axes, arrays):
    """Apply a function to each example separately."""
    results = []
    for at in range(SIZE):
        given = [
            np.take(x, at, axis=axis) if axis is not None else x
            for x, axis in zip(arrays, axes, strict=True)
        ]
        results.append(function(*map(pt.asarray, given)).numpy())
    return np.stack(results)


def which_axes(arrays):
    """Yield an axis or None for each operand; at least one is mapped."""
    options = [[None, 0, x.ndim] for x in arrays]
    for axes in product(*options):
        if any(axis is not None for axis in axes):
            yield axes


@pytest.mark.parametrize("name", CASES)
def test_each_example_is_computed_as_if_alone(name):
    function, *examples = CASES[name]
    for axes in which_axes(examples):
        arrays = [
            x if axis is None else np.moveaxis(batches(x), 0, axis)
            for x, axis in zip(examples, axes, strict=True)
        ]
        want = expected(function, axes, arrays)
        got = pt.vmap(function, in_axes=axes)(*map(pt.asarray, arrays))
        exact = want.dtype.kind not in "fc"
        assert got.shape == want.shape, axes
        assert got.dtype.name == want.dtype.name
        np.testing.assert_allclose(
            got.numpy(),
            want,
            rtol=0 if exact else 2e-5,
            atol=0 if exact else 1e-5,
            err_msg=str(axes),
        )


def test_the_cases_use_every_rule(engine, monkeypatch):
    used = set()
    original = vmap_module._rule

    def noted(call):
        used.update(kind for kind in (call.op, *type(call.op).__mro__) if kind in vmap_module.RULES)
        return original(call)

    monkeypatch.setattr(vmap_module, "_rule", noted)
    for function, *examples in CASES.values():
        pt.vmap(function)(*[pt.asarray(batches(x)) for x in examples])
    x = pt.asarray(f(SIZE, 4))
    pt.vmap(lambda x: pt.lax.scan(lambda c, x: (c + x, c), 0.0, x))(x)
    pt.vmap(pt.grad(pt.checkpoint(lambda x: pt.sum(pt.sin(pt.exp(x))))))(x)
    monkeypatch.setattr(engine, "whole_programs", True)
    chosen = pt.vmap(lambda x: pt.lax.cond(x > 0, lambda: x * 2.0, lambda: -x))(x[:, 0] - 1.0)
    given = f(SIZE, 4)[:, 0] - np.float32(1)
    assert_values(chosen, np.where(given > 0, given * 2, -given))
    assert set(vmap_module.RULES) - used == set()


@pytest.mark.parametrize("kind", ["sum", "matmul", "sort", "permute"])
def test_kinds_without_a_rule_are_applied_to_each_example(monkeypatch, kind):
    function, *examples = CASES[kind]
    arrays = [pt.asarray(batches(x)) for x in examples]
    want = pt.vmap(function)(*arrays).numpy()
    monkeypatch.setattr(vmap_module, "RULES", {view_ops.RESHAPE: vmap_module._same_shape})
    np.testing.assert_allclose(pt.vmap(function)(*arrays).numpy(), want, rtol=1e-6)
    assert_raises(
        errors.ShapeError,
        "vmap: exp cannot be mapped over no examples; got a batch of length 0; "
        "give at least one example",
        lambda: pt.vmap(pt.exp)(pt.zeros((0, 2))),
    )


def test_an_empty_batch():
    x, w = pt.zeros((0, 2, 2)), pt.ones((2, 2))
    for function in (lambda x: x @ x, lambda x: x @ w, lambda x: w @ x):
        got = pt.vmap(lambda x, function=function: pt.sum(function(x)))(x)
        assert_values(got, np.zeros((0,), "float32"))


def test_trees_and_out_axes(rng):
    a, b = rng.normal(size=(2, 4, 3)).astype("float32")
    params = {"w": pt.asarray(a), "b": [pt.asarray(b), 2.0]}

    def function(params, x, *, y):
        return {"sum": params["w"] * x + y, "same": x}, (params["b"][0] * params["b"][1],)

    mapped = pt.vmap(
        function,
        in_axes=({"w": 0, "b": [1, None]}, None),
        out_axes=({"sum": 1, "same": None}, 0),
    )
    x = pt.asarray([1.0, 2.0, 3.0])
    params["b"][0] = pt.asarray(b.T.copy())
    named = rng.normal(size=(4, 3)).astype("float32")
    first, (second,) = mapped(params, x, y=pt.asarray(named))
    want = a * np.float32([1, 2, 3]) + named
    assert_values(first["sum"], np.ascontiguousarray(want.T), rtol=1e-6)
    assert_values(first["same"], np.float32([1, 2, 3]))
    assert_values(second, b * 2)


def test_one_entry_for_a_whole_tree():
    tree = {"a": pt.asarray(f(4, 2)), "b": pt.asarray(f(4))}
    got = pt.vmap(lambda t, k: t["a"] * t["b"] + k, in_axes=(0, None))(tree, 1.0)
    assert_values(got, f(4, 2) * f(4)[:, None] + 1)


def test_nested(rng):
    x, y = rng.normal(size=(4, 3)).astype("float32"), rng.normal(size=(5, 3)).astype("float32")
    table = pt.vmap(pt.vmap(pt.vecdot, in_axes=(None, 0)), in_axes=(0, None))
    assert_values(table(pt.asarray(x), pt.asarray(y)), x @ y.T, rtol=1e-5, atol=1e-6)


def test_results_that_are_numbers_or_constants_are_repeated():
    c = pt.asarray([1.0, 2.0])
    number, constant, both = pt.vmap(lambda x: (3, c * 2.0, x + c))(pt.asarray([10.0, 20.0]))
    assert_values(number, np.int32([3, 3]))
    assert_values(constant, np.float32([[2, 4], [2, 4]]))
    assert_values(both, np.float32([[11, 12], [21, 22]]))


def test_gradients_inside_and_outside(rng):
    x, w = rng.normal(size=(4, 3)).astype("float32"), rng.normal(size=3).astype("float32")

    def loss(w, x):
        return pt.sum(pt.tanh(w * x) ** 2)

    each = np.float32(2 * np.tanh(w * x) * (1 - np.tanh(w * x) ** 2) * x)
    got = pt.vmap(pt.grad(loss), in_axes=(None, 0))(pt.asarray(w), pt.asarray(x))
    assert_values(got, each, rtol=1e-4, atol=1e-6)
    outside = pt.grad(lambda w: pt.sum(pt.vmap(loss, in_axes=(None, 0))(w, pt.asarray(x))))
    assert_values(outside(pt.asarray(w)), each.sum(0), rtol=1e-4, atol=1e-6)
    second = pt.vmap(pt.grad(pt.grad(lambda x: x**4)))(pt.asarray(x[0]))
    assert_values(second, 12 * x[0] ** 2, rtol=1e-5)


def test_jit_inside_and_outside(rng):
    x = rng.normal(size=(4, 3)).astype("float32")
    function = pt.jit(lambda x, k: pt.sum(x * x) * k)
    inside = pt.vmap(function, in_axes=(0, None))
    outside = pt.jit(inside)
    for k in (2.0, 3.0):
        for got in (inside(pt.asarray(x), k), outside(pt.asarray(x), k)):
            assert_values(got, (x * x).sum(1) * np.float32(k), rtol=1e-5)


def test_one_plan_for_all_examples(rng):
    x = pt.asarray(rng.normal(size=(4, 3)).astype("float32"))
    explained = pt.explain(pt.vmap(lambda x: pt.exp(x) * 2.0 + x)(x))
    assert explained.count("\nkernel ") == 1


def test_custom_gradients_stay_inside():
    @pt.custom_gradient
    def clipped(x, w):
        return x * w, lambda g: (pt.clip(g * w, -1.0, 1.0), g * x)

    x = pt.asarray([1.0, 2.0, 3.0])

    def loss(x, w):
        return pt.sum(pt.vmap(lambda x: clipped(x, w) * 5.0)(x))

    by_x, by_w = pt.grad(loss, argnums=(0, 1))(x, pt.asarray(7.0))
    assert_values(by_x, np.float32([1, 1, 1]))
    assert_values(by_w, np.float32(30))


def test_checkpoints_stay_inside(rng):
    x = rng.normal(size=(4, 8)).astype("float32")
    weights = pt.asarray(rng.normal(size=(8, 8)).astype("float32"))

    def loss(x, wrap):
        inner = wrap(lambda x: pt.tanh(pt.tanh(x @ weights) @ weights))
        return pt.sum(pt.vmap(inner)(x) ** 2)

    plain, kept = (
        pt.grad(lambda x, wrap=wrap: loss(x, wrap))(pt.asarray(x))
        for wrap in (lambda f: f, pt.checkpoint)
    )
    draws = [pt.explain(found).count("\nkernel ") for found in (plain, kept)]
    assert draws[1] > draws[0], "values of the checkpointed function are computed again"
    assert_values(kept, plain.numpy(), rtol=1e-5, atol=1e-6)


def test_random_numbers_without_a_key_are_the_same_for_all_examples():
    got = pt.vmap(lambda x: x + pt.random.uniform((2,)))(pt.zeros(3)).numpy()
    assert (got == got[0]).all()
    assert got[0, 0] != got[0, 1]
    again = pt.vmap(lambda x: x + pt.random.uniform((2,)))(pt.zeros(3)).numpy()
    assert (again != got).any()


def test_random_numbers_in_jit_differ_between_calls():
    function = pt.jit(pt.vmap(lambda x: x + pt.random.uniform(())))
    first, second = (function(pt.zeros(2)).tolist() for _ in range(2))
    assert first != second


def test_values_cannot_be_read():
    x = pt.ones((2, 3))
    text = (
        "jit: the value of a traced tensor is unknown; got {} of {}; "
        "use pt.where, or make the argument static with static_argnums"
    )
    cases = {
        ("bool", "bool[]"): lambda x: x if pt.sum(x) > 0 else -x,
        ("tolist", "float32[3]"): lambda x: x.tolist(),
        ("float", "float32[]"): lambda x: float(x[0]),
    }
    for given, function in cases.items():
        assert_raises(
            errors.TraceError, text.format(*given), lambda function=function: pt.vmap(function)(x)
        )


def test_tensors_of_the_trace_end_with_it():
    kept = []
    pt.vmap(lambda x: kept.append(x) or x)(pt.ones((2, 3)))
    assert_raises(
        errors.TraceError,
        "add: tensor outlived the call it belongs to; got one made inside of vmap; "
        "return it from the function",
        lambda: kept[0] + 1.0,
    )


def test_assignment_in_place():
    def function(x, y):
        x[0] = y
        x += 1.0
        return x

    x = pt.asarray(f(2, 3))
    want = f(2, 3)
    want[:, 0] = 5.0
    assert_values(pt.vmap(function, in_axes=(0, None))(x, 5.0), want + 1)
    assert_values(x, f(2, 3))
    outside = pt.ones(2)

    def wrong(x):
        outside[0] = x
        return x

    assert_raises(
        errors.TraceError,
        "vmap: assignment in place to a tensor from outside of the function; got float32[2]; "
        "return the new value instead",
        lambda: pt.vmap(wrong)(pt.ones(2)),
    )


def test_debug_mode():
    with pt.enable_debug_mode():
        got = pt.vmap(lambda x: x * 2.0 + 1.0)(pt.asarray([1.0, 2.0]))
    assert got.tolist() == [3.0, 5.0]


def test_an_error_inside_leaves_no_trace():
    with pytest.raises(ZeroDivisionError):
        pt.vmap(lambda x: 1 / 0)(pt.ones(2))
    assert (pt.ones(2) + 1.0).tolist() == [2.0, 2.0]


@pytest.mark.parametrize(
    ("error", "text", "call"),
    [
        (
            errors.ShapeError,
            "vmap: lengths of mapped axes differ; got [2, 3]; map axes of one length",
            lambda: pt.vmap(pt.add)(pt.ones(2), pt.ones(3)),
        ),
        (
            errors.ShapeError,
            "vmap: argument has no axis to map over; got float32[]; pass None for it in in_axes",
            lambda: pt.vmap(pt.add)(pt.ones(2), pt.ones(())),
        ),
        (
            errors.ShapeError,
            "vmap: argument has no axis to map over; got 1.0; pass None for it in in_axes",
            lambda: pt.vmap(pt.add)(pt.ones(2), 1.0),
        ),
        (
            errors.ArgumentError,
            "vmap: no argument is mapped; got None for all of them; map one, or give axis_size",
            lambda: pt.vmap(pt.abs, in_axes=None)(pt.ones(2)),
        ),
        (
            errors.ArgumentError,
            "vmap: in_axes does not fit; got 1 for 2 positional arguments; give one for each",
            lambda: pt.vmap(pt.add, in_axes=(0,))(pt.ones(2), pt.ones(2)),
        ),
        (
            errors.ArgumentError,
            "vmap: in_axes does not fit; got [0] for Tensor; give an integer, None, or the same "
            "containers",
            lambda: pt.vmap(pt.abs, in_axes=([0],))(pt.ones(2)),
        ),
        (
            errors.ArgumentError,
            "vmap: result differs between examples; got out_axes None for float32[]; give an axis",
            lambda: pt.vmap(pt.abs, out_axes=None)(pt.ones(2)),
        ),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else "",
)
def test_errors(error, text, call):
    assert_raises(error, text, call)


def test_axis_size_without_mapped_arguments():
    assert_values(
        pt.vmap(lambda x: x + 1.0, in_axes=None, axis_size=2)(pt.asarray([1.0])),
        np.float32([[2], [2]]),
    )
