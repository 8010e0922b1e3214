"""Contractions written for linear memory give NumPy's results for any sizes and strides."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from py_tensor import dtypes
from py_tensor.compiler.buffers.contractions import Operand, write_contraction
from py_tensor.ir.node import op_instance, tensor_spec
from py_tensor.language.wasm import WASM
from py_tensor.language.wasm_text import assemble
from py_tensor.ops import OP_DEFS
from py_tensor.ops.contractions import CONVOLVE, DOT, Window

wasmtime = pytest.importorskip("wasmtime")

RTOL = OP_DEFS["dot"].tolerance
START = 1 << 10
"""Address of the first buffer."""
SLACK = 16
"""Bytes after a buffer that may be read."""


class Machine:
    """A WebAssembly memory with arrays, in which kernels run."""

    def __init__(self, pages=4096):
        config = wasmtime.Config()
        config.wasm_relaxed_simd = True
        self.engine = wasmtime.Engine(config)
        self.store = wasmtime.Store(self.engine)
        kind = wasmtime.MemoryType(wasmtime.Limits(16, pages))
        self.memory = wasmtime.Memory(self.store, kind)
        self.used = START

    def reserve(self, size):
        address = self.used
        self.used += -(-size // 16) * 16 + SLACK
        pages = -(-self.used // 65536) + 1 - self.memory.size(self.store)
        if pages > 0:
            self.memory.grow(self.store, pages)
        return address

    def put(self, array):
        address = self.reserve(array.nbytes)
        self.memory.write(self.store, array.tobytes(), address)
        # Elements that are read but do not exist must not matter.
        self.memory.write(self.store, b"\xff" * SLACK, address + array.nbytes)
        return address

    def get(self, address, shape, dtype):
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        data = self.memory.read(self.store, address, address + size)
        return np.frombuffer(bytes(data), dtype).reshape(shape)

    def kernel(self, text):
        module = wasmtime.Module(self.engine, assemble(text))
        instance = wasmtime.Instance(self.store, module, [self.memory])
        return instance.exports(self.store)["kernel"]


def operand(machine, name, array):
    """Store the base of an array that is a view; return its address and the operand."""
    base = array
    while base.base is not None:
        base = base.base
    start = array.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    strides = tuple(
        step // array.itemsize if n > 1 else 0
        for step, n in zip(array.strides, array.shape, strict=True)
    )
    dtype = dtypes.as_dtype(array.dtype.name, "test")
    return machine.put(base), Operand(name, dtype, strides, start // array.itemsize)


def compute(op, a, b, arg=None, stored=None, order=(0, 1, 2), **options):
    """Run the kernel of a contraction of two arrays."""
    machine = Machine()
    (a_at, left), (b_at, right) = (operand(machine, *pair) for pair in (("A", a), ("B", b)))
    call = op_instance(
        op, (tensor_spec(a.shape, left.dtype), tensor_spec(b.shape, right.dtype)), arg
    )
    dtype = dtypes.as_dtype(stored, "test") if stored else call.spec.dtype
    shape = tuple(call.spec.shape[axis] for axis in order)
    view = np.empty(shape, dtype.name).transpose(np.argsort(order))
    out = Operand("C", dtype, tuple(n // view.itemsize for n in view.strides))
    text, scratch = write_contraction(call, left, right, out, "S", **options)
    c_at = machine.put(np.full(shape, 77, dtype.name))
    after = machine.put(np.full(64, 171, "uint8"))
    s_at = machine.put(np.full(scratch, 255, "uint8"))
    end = machine.put(np.full(64, 171, "uint8"))
    head = ".func:kernel A:i32 B:i32 C:i32 S:i32 ->"
    kernel = machine.kernel("\n".join([*WASM.included(text), head, text]))
    kernel(machine.store, a_at, b_at, c_at, s_at)
    for guard in (after, end):
        assert (machine.get(guard, (64,), "uint8") == 171).all(), "wrote after the end"
    assert s_at % 16 == 0
    return machine.get(c_at, shape, dtype.name).transpose(np.argsort(order))


def expected(op, a, b, arg=None):
    dtype = np.result_type(a, b)
    wide = "float64" if dtype.kind == "f" else "int64"
    return op.reference(np, a.astype(wide), b.astype(wide), arg), dtype


def check(op, a, b, arg=None, **options):
    got = compute(op, a, b, arg, **options)
    want, dtype = expected(op, a, b, arg)
    if dtype.kind != "f":
        np.testing.assert_array_equal(got, want.astype(got.dtype))
        return
    sizes, _ = expected(op, abs(a), abs(b), arg)
    # The smallest normal float16 is 2**-14; smaller numbers have the same spacing.
    rtol, least = (2.0**-10, 2.0**-14) if got.dtype.itemsize == 2 else (RTOL, 1e-30)
    assert got.shape == want.shape
    error = abs(got - want) - rtol * np.maximum(sizes, least)
    assert not (error > 0).any() and np.isfinite(got).all(), error.max()


def values(rng, shape, dtype="float32"):
    if np.dtype(dtype).kind == "f":
        return rng.standard_normal(shape).astype(dtype)
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)


SIZES = (1, 2, 3, 4, 5, 7, 8, 9, 12, 17, 33)


@pytest.mark.parametrize("rows", SIZES)
def test_sizes_of_products(rows, rng):
    for inner, columns in itertools.product((1, 3, 4, 9, 40), (1, 2, 4, 5, 8, 11, 33)):
        check(DOT, values(rng, (1, rows, inner)), values(rng, (1, inner, columns)))


@pytest.mark.parametrize("shape", [(0, 3, 4, 5), (2, 0, 4, 5), (2, 3, 0, 5), (2, 3, 4, 0)])
def test_axes_without_elements(shape, rng):
    groups, rows, inner, columns = shape
    check(DOT, values(rng, (groups, rows, inner)), values(rng, (groups, inner, columns)))


VIEWS = {
    "plain": lambda rng, g, m, n, dtype: values(rng, (g, m, n), dtype),
    "transposed": lambda rng, g, m, n, dtype: values(rng, (g, n, m), dtype).transpose(0, 2, 1),
    "one matrix": lambda rng, g, m, n, dtype: np.broadcast_to(
        values(rng, (m, n), dtype), (g, m, n)
    ),
    "one row": lambda rng, g, m, n, dtype: np.broadcast_to(
        values(rng, (g, 1, n), dtype), (g, m, n)
    ),
    "one column": lambda rng, g, m, n, dtype: np.broadcast_to(
        values(rng, (g, m, 1), dtype), (g, m, n)
    ),
    "flipped": lambda rng, g, m, n, dtype: values(rng, (g, m, n), dtype)[::-1, ::-1, ::-1],
    "every other": lambda rng, g, m, n, dtype: values(rng, (g, 2 * m, 2 * n + 1), dtype)[
        :, ::2, 1::2
    ],
    "inner groups": lambda rng, g, m, n, dtype: values(rng, (m, g, n), dtype).transpose(1, 0, 2),
}


@pytest.mark.parametrize("right", VIEWS)
@pytest.mark.parametrize("left", VIEWS)
def test_views(left, right, rng):
    for g, m, k, n in (
        (2, 5, 6, 7),
        (1, 1, 70, 45),
        (2, 3, 35, 37),
        (1, 70, 66, 1),
        (2, 35, 130, 67),
    ):
        a, b = VIEWS[left](rng, g, m, k, "float32"), VIEWS[right](rng, g, k, n, "float32")
        check(DOT, a, b)


DTYPES = ("float32", "float16", "int32", "uint32", "int16", "uint16", "int8", "uint8")


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(dtype, rng):
    for m, k, n in ((5, 6, 7), (1, 70, 45), (1, 40, 3), (33, 1, 5), (40, 70, 41)):
        for left, right in itertools.product(("plain", "transposed", "every other"), repeat=2):
            a, b = VIEWS[left](rng, 1, m, k, dtype), VIEWS[right](rng, 1, k, n, dtype)
            check(DOT, a, b)


@pytest.mark.parametrize(
    "pair",
    [
        ("int8", "float32"),
        ("float32", "float16"),
        ("bool", "int32"),
        ("uint8", "int16"),
        ("uint32", "float32"),
    ],
)
def test_operands_of_two_dtypes(pair, rng):
    a, b = values(rng, (1, 12, 40), pair[0]), values(rng, (1, 40, 33), pair[1])
    check(DOT, a, b)
    check(DOT, a[:, :2], b)


def test_random_products(rng):
    names = list(VIEWS)
    for _ in range(150):
        g = int(rng.integers(1, 4))
        m, k, n = (int(2 ** rng.uniform(0, 7.5)) for _ in range(3))
        left, right = (names[rng.integers(len(names))] for _ in range(2))
        dtype = "float32" if rng.random() < 0.6 else DTYPES[rng.integers(len(DTYPES))]
        a, b = VIEWS[left](rng, g, m, k, dtype), VIEWS[right](rng, g, k, n, dtype)
        order = tuple(rng.permutation(3)) if rng.random() < 0.3 else (0, 1, 2)
        check(DOT, a, b, fused=bool(rng.random() < 0.3), order=order)


@pytest.mark.parametrize(
    "shape",
    [
        (300, 700, 90),
        (1000, 30, 9),
        (9, 2000, 8),
        (1, 1000, 1000),
        (3, 999, 501),
        (20, 9000, 30),
        (40, 10001, 5),
        (5, 9001, 9),
    ],
)
def test_products_of_many_blocks(shape, rng):
    m, k, n = shape
    check(DOT, values(rng, (1, m, k)), values(rng, (1, k, n)))
    check(
        DOT,
        VIEWS["transposed"](rng, 1, m, k, "float32"),
        VIEWS["transposed"](rng, 1, k, n, "float32"),
    )


def test_float16_results_round_to_nearest_even(rng):
    bits = np.arange(1 << 16, dtype="uint16").view("float16")
    a = bits[np.isfinite(bits)].reshape(1, -1, 1)
    one = np.ones((1, 1, 1), "float16")
    np.testing.assert_array_equal(compute(DOT, a, one), a)
    wide = np.concatenate(
        [
            values(rng, (1, 4096, 1)) * 10.0 ** rng.uniform(-9, 6, (1, 4096, 1)),
            [[[np.inf], [65519.9], [65520.0], [2.0**-25], [3 * 2.0**-25]]],
        ],
        1,
    ).astype("float32")
    with np.errstate(over="ignore"):
        want = wide.astype("float16")
    np.testing.assert_array_equal(
        compute(DOT, wide, np.ones((1, 1, 1), "float32"), stored="float16"), want
    )
    assert np.isnan(compute(DOT, np.full((1, 1, 1), np.nan, "float16"), one)).all()


def window(image, kernel, stride=(1, 1), pads=((0, 0), (0, 0)), dilation=(1, 1), groups=1):
    """Return the geometry of a convolution with pads at both ends."""
    out = tuple(
        (n + sum(pad) - (k - 1) * d - 1) // s + 1
        for n, k, s, pad, d in zip(image, kernel, stride, pads, dilation, strict=True)
    )
    return Window(kernel, stride, tuple(low for low, _ in pads), dilation, out, groups)


def random_window(rng, size):
    while True:
        kernel = tuple(int(n) for n in rng.integers(1, 5, 2))
        stride = tuple(int(n) for n in rng.integers(1, 4, 2))
        dilation = tuple(int(n) for n in rng.integers(1, 3, 2))
        pads = tuple(tuple(int(n) for n in rng.integers(0, 3, 2)) for _ in range(2))
        if rng.random() < 0.3:
            pads = ((0, 0), (0, 0))
        found = window(size, kernel, stride, pads, dilation)
        if min(found.out) > 0:
            return found


IMAGES = {
    "plain": lambda rng, shape, dtype: values(rng, shape, dtype),
    "channels first": lambda rng, shape, dtype: values(
        rng, (shape[0], shape[3], *shape[1:3]), dtype
    ).transpose(0, 2, 3, 1),
    "flipped": lambda rng, shape, dtype: values(rng, shape, dtype)[:, ::-1, ::-1],
    "part": lambda rng, shape, dtype: values(rng, (*shape[:2], shape[2] + 2, shape[3] + 3), dtype)[
        :, :, 1:-1, :-3
    ],
    "broadcast": lambda rng, shape, dtype: np.broadcast_to(
        values(rng, (1, *shape[1:3], 1), dtype), shape
    ),
}


@pytest.mark.parametrize("kind", ["full", "grouped", "depthwise", "pointwise"])
def test_random_convolutions(kind, rng):
    names = list(IMAGES)
    for _ in range(80):
        batch = int(rng.integers(1, 3))
        size = tuple(int(n) for n in rng.integers(1, 14, 2))
        inputs, outs = (int(n) for n in rng.integers(1, 20, 2))
        groups = 1
        geometry = random_window(rng, size)
        if kind == "pointwise":
            geometry = window(size, (1, 1))
        if kind == "grouped":
            groups, inputs, outs = (
                int(rng.integers(2, 4)),
                int(rng.integers(1, 6)),
                int(rng.integers(1, 6)),
            )
        if kind == "depthwise":
            groups, inputs, outs = int(rng.integers(2, 14)), 1, int(rng.integers(1, 4))
        dtype = "float32" if rng.random() < 0.6 else DTYPES[rng.integers(len(DTYPES))]
        order = (1, 0, 2) if rng.random() < 0.5 else (0, 1, 2)
        x = IMAGES[names[rng.integers(len(names))]](rng, (batch, *size, groups * inputs), dtype)
        w = IMAGES[names[rng.integers(len(names))]](
            rng, (*geometry.kernel, inputs, groups * outs), dtype
        )
        check(CONVOLVE, x, w, geometry._replace(groups=groups), order=order)


@pytest.mark.parametrize(
    "shape",
    [(2, 30, 31, 16, 3, 24), (1, 24, 24, 3, 7, 16), (1, 40, 40, 20, 3, 1), (3, 9, 7, 130, 3, 33)],
)
def test_convolutions_of_many_blocks(shape, rng):
    batch, height, width, inputs, kernel, outs = shape
    for stride in (1, 2):
        geometry = window((height, width), (kernel,) * 2, (stride,) * 2, ((1, 1), (2, 0)))
        check(
            CONVOLVE,
            values(rng, (batch, height, width, inputs)),
            values(rng, (kernel, kernel, inputs, outs)),
            geometry,
        )


@pytest.mark.parametrize("length", [0, 80])
def test_epilogue_has_places_of_results(length, rng):
    """Each kind of kernel gives the index of every element that it stores."""

    def number(place, value):
        sizes = (rows * columns, columns, 1)
        first = " ".join(
            f"{text} i32.const:{size} i32.mul" for text, size in zip(place[:3], sizes, strict=True)
        )
        lanes = ",".join(str(lane * sizes[place.axis]) for lane in range(4))
        rest = "f32x4.neg " * length
        numbers = f"{first} i32.add i32.add i32x4.splat i32x4.const:{lanes} i32x4.add"
        return f"{numbers} f32x4.convert_i32x4_s {value} {value} f32x4.sub f32x4.add {rest}"

    for g, rows, k, columns in (
        (2, 21, 9, 19),
        (2, 1, 40, 50),
        (1, 3, 40, 50),
        (2, 50, 40, 1),
        (1, 300, 300, 40),
    ):
        for left, right in itertools.product(("plain", "transposed"), repeat=2):
            a, b = (
                VIEWS[left](rng, g, rows, k, "float32"),
                VIEWS[right](rng, g, k, columns, "float32"),
            )
            got = compute(DOT, a, b, epilogue=number)
            np.testing.assert_array_equal(got.ravel(), np.arange(got.size))
    for groups, inputs, outs in ((1, 3, 5), (3, 2, 4), (7, 1, 1), (7, 1, 2), (1, 5, 1)):
        geometry = window((9, 11), (3, 3), (1, 1), ((1, 1), (1, 1)), groups=groups)
        x, w = values(rng, (2, 9, 11, groups * inputs)), values(rng, (3, 3, inputs, groups * outs))
        rows, columns = 2 * 99, outs
        for order in ((0, 1, 2), (1, 0, 2)):
            got = compute(CONVOLVE, x, w, geometry, epilogue=number, order=order)
            np.testing.assert_array_equal(got.ravel(), np.arange(got.size))
