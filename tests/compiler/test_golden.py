"""Shaders of typical kernels compared with stored text; `make golden` rewrites them."""

from __future__ import annotations

import zlib
from pathlib import Path

import numpy as np
import plans
import pytest
from plans import DEVICE, plan_of

import py_tensor as pt
from py_tensor.compiler.buffers.target import BufferTarget
from py_tensor.compiler.workgroups.target import WorkgroupTarget
from py_tensor.ir.node import node_of
from py_tensor.ops.gathers import SCATTER_ADD
from py_tensor.runtime import executor
from py_tensor.runtime.backends.numpy import NumpyBackend

FOLDER = Path(__file__).parent.parent / "golden"
WORKGROUPS = WorkgroupTarget(buffers=10, packed_products=True)


def leaf(*shape, dtype="float32"):
    return plans.leaf(*shape, dtype=dtype)


def scattered(x, indices, length):
    return pt.Tensor(node_of(SCATTER_ADD, (x._node, indices._node), (0, length)))


@pt.kernel(shape=lambda u, v: u.shape, border="wrap")
def diffusion(i, j, u, v):
    spread = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4.0 * u[i, j]
    return u[i, j] + 0.1 * spread * v[i, j], int(v[i, j] > 0.5)


@pt.kernel(shape=lambda u, limit: u.shape)
def way(i, j, u, limit):
    total = 0.0
    for k in range(20):
        if abs(u[i, j + k]) > limit:
            return total, k > 2
        total += 0.5 * pt.sigmoid(u[i, j + k])
    return total, False


def bend(x, by):
    """Return a value and the number of steps to it."""
    for k in range(9):
        # An error does not grow from step to step: the derivative is below 1.
        x = x * 0.5 + 0.1 * pt.sin(x * by)
        if x < 0.25:
            return x * by, k
    return x, 9


@pt.kernel
def bends(x, y):
    a, m = bend(x, 2.0)
    for k in range(6):
        if a + k > y:
            b, n = bend(a + k, 3.0)
            return b, m + n
    return a, m


KERNELS = {
    "chain": lambda: pt.exp(leaf(5, 7) * 2.0 + leaf(5, 7)) - 1.0,
    "broadcast": lambda: leaf(5, 8) * leaf(8) + leaf(5, 1),
    "small_integers": lambda: leaf(5, 7, dtype="int8") + leaf(7, dtype="uint8"),
    "halves": lambda: leaf(5, 7, dtype="float16") * leaf(7, dtype="float16"),
    "transposed": lambda: leaf(6, 8).T + 1.0,
    "strided_across_texture_rows": lambda: leaf(24, 20).T + 1.0,
    "strided": lambda: leaf(64, 64).T + leaf(16, 64)[:, ::16].T.reshape((1, 64)),
    "sum_of_rows": lambda: pt.sqrt(pt.square(leaf(64, 32)).sum(axis=1)),
    "sum_of_odd_rows": lambda: leaf(64, 30).sum(axis=1),
    "sum_of_columns": lambda: leaf(64, 33).sum(axis=0),
    "sum_of_outer_axes": lambda: leaf(6, 7, 20).sum(axis=(0, 2)),
    "sum_of_long_rows": lambda: leaf(1024, 1024).sum(axis=1),
    "sum_of_long_columns": lambda: leaf(5000, 6).sum(axis=0),
    "sum_of_views": lambda: leaf(6, 8, 20).T.reshape((20, 48))[:, ::2].sum(axis=0),
    "sum_of_everything": lambda: leaf(1000, 1000).sum(),
    "cumulative_sum": lambda: pt.cumulative_sum(leaf(70, 64), axis=1),
    "cumulative_sum_of_columns": lambda: pt.cumulative_sum(leaf(70, 64), axis=0),
    "argmax": lambda: leaf(64, 32).argmax(axis=1),
    "argmax_of_long_rows": lambda: leaf(256, 1024).argmax(axis=1),
    "softmax": lambda: pt.softmax(leaf(50, 12)),
    "matmul": lambda: pt.relu(leaf(16, 20) @ leaf(20, 24) + leaf(24)),
    "transposed_matmul": lambda: leaf(64, 32).T @ leaf(64, 48),
    "odd_matmul": lambda: leaf(17, 21) @ leaf(21, 23),
    "batched_matmul": lambda: leaf(3, 17, 20) @ leaf(3, 20, 24),
    "large_matmul": lambda: leaf(512, 512) @ leaf(512, 512),
    "convolution": lambda: pt.conv2d(leaf(2, 9, 9, 8), leaf(3, 3, 8, 16), padding="same"),
    "strided_convolution": lambda: pt.conv2d(
        leaf(1, 16, 16, 8), leaf(3, 3, 8, 16), stride=2, padding="same"
    ),
    "dilated_convolution": lambda: pt.conv2d(
        leaf(1, 12, 12, 8), leaf(3, 3, 8, 32), padding="same", dilation=3
    ),
    "grouped_convolution": lambda: pt.conv2d(
        leaf(2, 16, 16, 32), leaf(3, 3, 16, 128), groups=2, padding="same"
    ),
    "convolution_on_processor": lambda: pt.conv2d(leaf(2, 8, 8, 16), leaf(3, 3, 16, 128), stride=2),
    "depthwise_convolution": lambda: pt.conv2d(
        leaf(2, 9, 12, 6), leaf(3, 2, 1, 6), stride=2, dilation=2, padding="same", groups=6
    ),
    "concat": lambda: pt.concat([leaf(5, 3), leaf(5, 4)], axis=1),
    "concat_with_an_empty_part": lambda: pt.concat([leaf(5, 3), leaf(5, 0), leaf(5, 4)], axis=1),
    "take": lambda: pt.take(leaf(9, 8), leaf(5, dtype="int32"), axis=0),
    "take_along_axis": lambda: pt.take_along_axis(leaf(9, 8), leaf(5, 8, dtype="int32"), axis=0),
    "assignment": lambda: leaf(6, 8).at[1:4, ::3].set(2.0),
    "complex_product": lambda: leaf(5, 7, dtype="complex64") * leaf(5, 7, dtype="complex64"),
    "complex_size": lambda: pt.abs(leaf(5, 8, dtype="complex64") - 1j),
    "neighbours": lambda: diffusion(leaf(9, 8), leaf(9, 8)),
    "loop_of_one_element": lambda: way(leaf(9, 8), 1.5),
    "functions": lambda: bends(leaf(9, 8), leaf(9, 8)),
    "random": lambda: pt.random.uniform((9,), key=pt.random.key(7)),
}
ONLY_WORKGROUPS = {
    "sort_of_one_block": lambda: pt.argsort(leaf(5, 300), axis=1),
    "sort_of_long_lines": lambda: pt.argsort(leaf(3000)),
    "scatter": lambda: scattered(leaf(1000, 8), leaf(1000, dtype="int32"), 10_000),
    "scatter_of_integers": lambda: scattered(
        leaf(1000, dtype="int32"), leaf(1000, dtype="int32"), 10_000
    ),
    "rows": lambda: pt.nn.layer_norm(leaf(6, 64) + leaf(6, 64), scale=leaf(64)),
    "attention": lambda: pt.nn.scaled_dot_product_attention(
        leaf(2, 32, 16), leaf(2, 40, 16), leaf(2, 40, 20), causal=True
    ),
    "attention_of_few_queries": lambda: pt.nn.scaled_dot_product_attention(
        leaf(2, 1, 64), leaf(2, 2000, 64), leaf(2, 2000, 64)
    ),
    "packed_matmul": lambda: (
        leaf(40, 48, dtype="int8").astype("int32") @ leaf(48, 36, dtype="int8").astype("int32")
    ),
}
"""Kernels that only devices with workgroups have; textures compose them of others."""
TARGETS = {
    "glsl": (DEVICE, KERNELS),
    "wgsl": (WORKGROUPS, KERNELS | ONLY_WORKGROUPS),
}
"""Target and kernels by the extension of the stored texts."""


def made(name):
    results = (KERNELS | ONLY_WORKGROUPS)[name]()
    return results if isinstance(results, tuple) else (results,)


def planned(name, device):
    return plan_of(*made(name), device=device)


def is_for_processors(name):
    return name.endswith("_on_processor")


def text_of(name, target):
    plan = planned(name, target._replace(on_processor=is_for_processors(name)))
    texts = (
        f"// {draw.kernel.kind} {draw.shader.name}\n{draw.shader.source}" for draw in plan.draws
    )
    return "\n".join(dict.fromkeys(texts))


@pytest.mark.host
@pytest.mark.parametrize(
    ("language", "name"),
    [(language, name) for language, (_, kernels) in TARGETS.items() for name in kernels],
)
def test_shaders_equal_stored_text(language, name, request):
    path = FOLDER / f"{name}.{language}"
    text = text_of(name, TARGETS[language][0])
    if request.config.getoption("rewrite_golden"):
        path.write_text(text)
    assert text == path.read_text()


@pytest.mark.host
@pytest.mark.parametrize("language", TARGETS)
def test_every_file_has_its_kernel(language):
    assert {path.stem for path in FOLDER.glob(f"*.{language}")} == TARGETS[language][1].keys()


@pytest.mark.host
@pytest.mark.parametrize("name", KERNELS)
def test_explain_shows_valid_modules_of_webassembly(name):
    wasmtime = pytest.importorskip("wasmtime")
    config = wasmtime.Config()
    config.wasm_relaxed_simd = True
    engine, target = wasmtime.Engine(config), BufferTarget(has_fma=True)
    for draw in planned(name, target).draws:
        wasmtime.Module(engine, target.listing(draw.shader.source))


def random_leaf(rng):
    """Return a function that makes leaves of random numbers instead of ones."""

    def leaf(*shape, dtype="float32"):
        values = rng.normal(size=shape) if "float" in dtype else rng.integers(0, 5, shape)
        if dtype == "complex64":
            values = values + 1j * rng.normal(size=shape)
        tensor = pt.asarray(values.astype(dtype))
        pt.realize(tensor)
        return tensor

    return leaf


def values_of(name, monkeypatch):
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    monkeypatch.setattr(plans, "leaf", random_leaf(rng))
    return [tensor.numpy() for tensor in made(name)]


@pytest.mark.parametrize("name", KERNELS | ONLY_WORKGROUPS)
def test_values_equal_those_of_numpy(name, engine, monkeypatch):
    if is_for_processors(name) and engine.name in ("webgl", "webgpu"):
        monkeypatch.setattr(engine, "device", engine.device._replace(on_processor=True))
    results = values_of(name, monkeypatch)
    executor.use(NumpyBackend())
    try:
        expected = values_of(name, monkeypatch)
    finally:
        executor.use(engine)
    for values, wanted in zip(results, expected, strict=True):
        assert values.dtype == wanted.dtype
        # Sums of up to a million terms are added in another order.
        size = np.abs(wanted).max() if wanted.dtype.kind in "fc" else 0
        np.testing.assert_allclose(values, wanted, rtol=2e-5, atol=2e-5 * size)
