"""The JAX backend: plans, memory shared with other libraries, loops, and dtypes that only it has.

`pytest tests --backend jax` runs the tests of values on it.
"""

from __future__ import annotations

import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from helpers import assert_raises, assert_values

import py_tensor as pt
from py_tensor import errors
from py_tensor.runtime import executor
from py_tensor.runtime.backends import jax as jax_backend
from py_tensor.runtime.backends.jax import JaxBackend

X = np.arange(12, dtype="float32").reshape(3, 4) / 4


@pytest.fixture
def backend(engine):
    """Use a JAX backend; tiny values are computed with it, too."""
    own = JaxBackend()
    executor.use(own)
    yield own
    executor.use(engine)


@pytest.fixture
def plans(backend, monkeypatch):
    """Return the list of plans that run."""
    found = []
    run = backend.run

    def noted(plan, *given):
        found.append(plan)
        return run(plan, *given)

    monkeypatch.setattr(backend, "run", noted)
    return found


def array_of(tensor):
    pt.realize(tensor)
    return tensor._node.buffer.handle


def lowered(plan):
    """Return the program that JAX compiles for a plan."""
    given = [jax.ShapeDtypeStruct(spec.shape, spec.dtype.name) for spec in plan.leaves]
    given += [jax.ShapeDtypeStruct((len(at),), dtype) for dtype, at in plan.scalars.items()]
    return plan.compiled[()].lower(*given).as_text()


def test_a_new_number_compiles_nothing(plans):
    x = pt.asarray(X)
    for rate in (0.5, 0.25, 3.0):
        np.testing.assert_allclose((pt.exp(x) * rate + x).numpy(), np.exp(X) * rate + X, rtol=1e-6)
    assert len(set(plans)) == 1
    assert plans[0].compiled[()]._cache_size() == 1


def test_a_jitted_step_is_one_program(plans):
    def loss(w, x):
        return pt.mean((pt.tanh(x @ w) - 1.0) ** 2)

    step = pt.jit(lambda w, x, rate: w - rate * pt.grad(loss)(w, x))
    w, x = pt.asarray(np.ones((4, 2), "float32")), pt.asarray(X)
    for _ in range(3):
        w = step(w, x, 0.1)
    assert len(plans) == 3
    assert len(set(plans)) == 1

    def plain(w, x):
        return jnp.mean((jnp.tanh(x @ w) - 1.0) ** 2)

    expected = jnp.ones((4, 2))
    for _ in range(3):
        expected = expected - 0.1 * jax.grad(plain)(expected, X)
    assert_values(w, np.asarray(expected), rtol=1e-5)


def test_donated_memory_is_reused(backend):
    step = pt.jit(lambda x, y: x + y, donate_argnums=0)
    x, y = pt.asarray(X) * 2.0, pt.asarray(X)
    before, other = array_of(x), array_of(y + 0.0)
    assert_values(step(x, y), X * 3)
    assert before.is_deleted()
    assert not other.is_deleted()


def test_shared_memory_is_not_donated(backend):
    step = pt.jit(lambda x: x + 1.0, donate_argnums=0)
    given = jnp.asarray(X)
    step(pt.asarray(given))
    np.testing.assert_array_equal(given, X)
    x = pt.asarray(X) * 2.0
    exported = jnp.asarray(x)
    step(x)
    np.testing.assert_array_equal(exported, X * 2)


def test_memory_is_shared_with_jax(backend):
    given = jnp.asarray(X)
    t = pt.asarray(given)
    assert_values(t + 1.0, X + 1)
    pointer = given.unsafe_buffer_pointer()
    for back in (jnp.asarray(t), jnp.from_dlpack(t), pt.from_dlpack(given)):
        array = back if isinstance(back, jax.Array) else array_of(back)
        assert array.unsafe_buffer_pointer() == pointer
    assert pt.asarray(given, copy=False).shape == (3, 4)


def test_memory_is_shared_with_numpy(backend):
    t = pt.asarray(X) * 2.0
    array = np.from_dlpack(t)
    np.testing.assert_array_equal(array, X * 2)
    assert array.ctypes.data == array_of(t).unsafe_buffer_pointer()
    assert_values(pt.from_dlpack(array), X * 2)
    assert array_of(pt.from_dlpack(array)).unsafe_buffer_pointer() == array.ctypes.data


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "int8", "uint8", "bool"])
def test_memory_is_shared_with_pytorch(backend, dtype):
    torch = pytest.importorskip("torch")
    values = np.arange(16).reshape(4, 4) % 3 != 1
    given = torch.tensor(values, dtype=getattr(torch, dtype))
    assert given.data_ptr() % 64 == 0
    pointer = given.data_ptr()
    t = pt.from_dlpack(given)
    assert array_of(t).unsafe_buffer_pointer() == pointer
    assert torch.from_dlpack(t).data_ptr() == pointer
    assert torch.equal(torch.from_dlpack(t), given)
    # The memory lives as long as one of them, and is never donated.
    del given
    flipped = pt.jit(pt.flip, donate_argnums=0)(t)
    assert_values(flipped, np.flip(values).astype(dtype))


def test_results_are_shared_with_pytorch(backend):
    torch = pytest.importorskip("torch")
    t = pt.asarray(X) * 2.0
    back = torch.from_dlpack(t)
    assert back.data_ptr() == array_of(t).unsafe_buffer_pointer()
    np.testing.assert_array_equal(back.numpy(), X * 2)
    rows = torch.arange(12.0).reshape(3, 4).T
    assert_values(pt.from_dlpack(rows) + 1.0, rows.numpy() + 1)


def test_arrays_of_jax_are_copied_elsewhere(engine):
    assert_values(pt.asarray(jnp.asarray(X)), X)
    np.testing.assert_array_equal(jnp.asarray(pt.asarray(X)), X)


def test_tensors_move_between_backends(engine, backend):
    x = pt.asarray(X) * 2.0
    pt.realize(x)
    executor.use(engine)
    y = x + 1.0
    assert_values(y, X * 2 + 1)
    executor.use(backend)
    assert_values(y * x, (X * 2 + 1) * X * 2)


def test_tiny_values_compile_nothing(plans, monkeypatch):
    monkeypatch.setattr(pt.env, "host_elements", 16)
    assert (pt.asarray([1.0, 2.0]) * 3.0 + 1.0).tolist() == [4.0, 7.0]
    assert not plans


def test_a_scan_is_a_loop_of_the_program(plans):
    @pt.jit
    def f(w, xs):
        return pt.lax.scan(lambda c, x: (pt.tanh(c @ w + x), pt.sum(c)), pt.zeros((4,)), xs)

    w, xs = np.eye(4, dtype="float32"), np.ones((50, 4), "float32")
    last, sums = f(pt.asarray(w), pt.asarray(xs))
    expected = jax.lax.scan(lambda c, x: (jnp.tanh(c @ w + x), c.sum()), jnp.zeros(4), xs)
    assert_values(last, np.asarray(expected[0]), rtol=1e-6)
    assert_values(sums, np.asarray(expected[1]), rtol=1e-6)
    text = lowered(plans[0])
    assert text.count("stablehlo.while") == 1
    assert text.count("stablehlo.tanh") == 1


def test_the_gradient_of_a_scan_is_a_loop(plans):
    def f(w):
        return pt.lax.scan(lambda c, x: (c * w + x, None), 0.0, pt.asarray(X.reshape(-1)))[0]

    got = pt.grad(f)(pt.asarray(0.5))
    expected = jax.grad(
        lambda w: jax.lax.scan(lambda c, x: (c * w + x, None), 0.0, X.reshape(-1))[0]
    )(0.5)
    assert_values(got, np.asarray(expected), rtol=1e-6)
    assert any("stablehlo.while" in lowered(plan) for plan in plans)


def test_branches_and_loops_without_limit_are_those_of_the_program(plans):
    """The matrix product of the branch that is not chosen is not computed."""

    @pt.jit
    def f(x):
        y = pt.lax.cond(x[0, 0] > 0, lambda x: x @ x, lambda x: x, x)
        return pt.lax.while_loop(lambda y: pt.sum(y) > 1.0, lambda y: y / 2.0, y)

    assert_values(f(pt.eye(4)), np.eye(4, dtype="float32") / 4)
    text = lowered(plans[-1])
    assert text.count("stablehlo.case") == 1
    assert text.count("stablehlo.while") == 1
    before, _, branch = text.partition("stablehlo.case")
    assert "stablehlo.dot_general" not in before
    assert "stablehlo.dot_general" in branch


def test_the_gradient_of_a_branch_is_a_branch(plans):
    f = pt.jit(pt.grad(lambda x: pt.sum(pt.lax.cond(x[0] > 0, pt.tanh, pt.exp, x))))
    assert_values(f(pt.asarray([-1.0, 2.0])), np.exp(np.float32([-1.0, 2.0])), rtol=1e-6)
    text = lowered(plans[0])
    before, _, branch = text.partition("stablehlo.case")
    assert "stablehlo.tanh" not in before
    assert "stablehlo.tanh" in branch


@pt.kernel
def steps_to_one(n: int):
    count = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        count += 1
    return count


def test_loops_of_kernels(backend):
    numbers = pt.asarray([1, 2, 3, 6, 7, 27])
    assert steps_to_one(numbers).tolist() == [0, 1, 7, 8, 16, 111]


def test_random_numbers_are_the_same(engine, backend):
    key = pt.random.key(7)

    def drawn():
        bits = pt.random.bits(key, (100,)).numpy()
        return bits, *(
            draw((100,), key=key).numpy() for draw in (pt.random.uniform, pt.random.normal)
        )

    bits, uniform, normal = drawn()
    executor.use(engine)
    expected = drawn()
    np.testing.assert_array_equal(bits, expected[0])
    np.testing.assert_array_equal(uniform, expected[1])
    np.testing.assert_allclose(normal, expected[2], rtol=2e-5)


def test_halves_are_rounded_after_each_operation(backend):
    x = pt.asarray([2048.0], dtype="float16")
    assert ((x + 1.0) - x).tolist() == [0.0]


# --- dtypes of 64 bits: they last until the process ends ---------------------------------------


def run(program):
    """Run a program in a process of its own and return what it prints."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_wide_dtypes():
    lines = run("""
import numpy as np, py_tensor as pt
pt.set_backend("jax")
print(pt.asarray(np.arange(2.0)).dtype, pt.float64)
pt.enable_x64()
x = pt.asarray(np.linspace(0, 1, 1000))
print(x.dtype, pt.mean(x).dtype, abs(pt.sum(pt.sin(x)).item() - np.sin(x.numpy()).sum()) < 1e-12)
print(pt.asarray([2**40], dtype=pt.int64) * 2, pt.asarray([2**63], dtype="uint64").tolist())
print((pt.ones(1, dtype="uint32") + pt.ones(1, dtype="int32")).dtype, pt.asarray([1.0]).dtype)
a = np.array([[2.0, 1.0], [1.0, 3.0]])
print(np.abs(pt.linalg.solve(pt.asarray(a), pt.asarray(a)).numpy() - np.eye(2)).max() < 1e-15)
print(pt.grad(lambda x: pt.sum(x * x))(x).dtype)
b = pt.asarray([1.0, 2.3456], dtype=pt.bfloat16)
print((b * b).tolist(), (b + pt.ones(2, dtype="float16")).dtype, b.numpy().dtype)
print(pt.finfo("float64").eps, pt.finfo(pt.bfloat16).eps, pt.iinfo("int64").max)
try:
    pt.set_backend("numpy")
except pt.errors.BackendError as error:
    print(error)
""")
    assert lines == [
        "float32 float32",
        "float64 float64 True",
        "[2199023255552] [9223372036854775808]",
        "int64 float32",
        "True",
        "float64",
        "[1.0, 5.5] float32 bfloat16",
        "2.220446049250313e-16 0.0078125 9223372036854775807",
        "set_backend: 64-bit dtypes exist on JAX alone; got 'numpy' after pt.enable_x64; start a "
        "new process for another backend",
    ]


def test_wide_dtypes_need_jax(engine):
    name = engine.name
    assert_raises(
        errors.BackendError,
        f"enable_x64: 64-bit dtypes exist on JAX alone; got backend {name}; call "
        'pt.set_backend("jax") first',
        pt.enable_x64,
    )


# --- imports -------------------------------------------------------------------------------------


def test_jax_is_imported_only_if_it_is_chosen():
    assert run("""
import sys, py_tensor as pt
pt.set_backend("numpy")
print((pt.ones(3) + 1.0).tolist(), "jax" in sys.modules)
""") == ["[2.0, 2.0, 2.0] False"]


def test_jax_may_be_missing(monkeypatch):
    monkeypatch.delitem(executor.runtime.backends, "jax", raising=False)
    monkeypatch.delitem(sys.modules, "py_tensor.runtime.backends.jax")
    monkeypatch.setitem(sys.modules, "jax", None)
    assert_raises(
        errors.BackendError,
        'set_backend: jax is not installed; got "jax"; pip install "py_tensor[jax]"',
        lambda: pt.set_backend("jax"),
    )


def test_small_graphs_are_compiled_when_they_come_again(backend, monkeypatch):
    compiled = []
    monkeypatch.setattr(
        "py_tensor.runtime.backends.jax.evaluator",
        lambda *args, of=jax_backend.evaluator: compiled.append(1) or of(*args),
    )
    x = pt.asarray(X)
    pt.realize(x)
    for count in (0, 1, 1):
        assert_values(x * 3.25 - 0.75, X * np.float32(3.25) - np.float32(0.75))
        assert len(compiled) == count
    assert pt.jit(lambda x: x * 1.625)(x).shape == X.shape
    assert len(compiled) == 2
