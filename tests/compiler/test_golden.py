"""Shaders of typical kernels compared with stored text; `make golden` rewrites them."""

from __future__ import annotations

from pathlib import Path

import pytest
from plans import DEVICE, leaf, plan_of

import py_tensor as pt
from py_tensor.compiler.buffers.target import BufferTarget

FOLDER = Path(__file__).parent.parent / "golden"


def assigned():
    x = leaf(6, 8)
    x[1:4, ::3] = 2.0
    return x


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
    "assignment": assigned,
    "complex_product": lambda: leaf(5, 7, dtype="complex64") * leaf(5, 7, dtype="complex64"),
    "complex_size": lambda: pt.abs(leaf(5, 8, dtype="complex64") - 1j),
    "neighbours": lambda: diffusion(leaf(9, 8), leaf(9, 8)),
    "loop_of_one_element": lambda: way(leaf(9, 8), 1.5),
    "random": lambda: pt.random.uniform((9,), key=pt.random.key(7)),
}


def planned(name, device):
    results = KERNELS[name]()
    return plan_of(*(results if isinstance(results, tuple) else (results,)), device=device)


def text_of(name):
    device = DEVICE._replace(on_processor=name.endswith("_on_processor"))
    plan = planned(name, device)
    return "\n".join(
        f"// {draw.kernel.kind} {draw.shader.name}\n{draw.shader.source}" for draw in plan.draws
    )


@pytest.mark.parametrize("name", KERNELS)
def test_shaders_equal_stored_text(name, request):
    path = FOLDER / f"{name}.glsl"
    text = text_of(name)
    if request.config.getoption("rewrite_golden"):
        path.write_text(text)
    assert text == path.read_text()


def test_every_file_has_its_kernel():
    assert {path.stem for path in FOLDER.glob("*.glsl")} == KERNELS.keys()


@pytest.mark.parametrize("name", KERNELS)
def test_explain_shows_valid_modules_of_webassembly(name):
    wasmtime = pytest.importorskip("wasmtime")
    config = wasmtime.Config()
    config.wasm_relaxed_simd = True
    engine, target = wasmtime.Engine(config), BufferTarget(has_fma=True)
    for draw in planned(name, target).draws:
        wasmtime.Module(engine, target.listing(draw.shader.source))
