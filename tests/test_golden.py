"""Shaders of typical kernels as written down, to show changes; `make golden` rewrites them."""

from __future__ import annotations

from pathlib import Path

import pytest
from plans import leaf, plan_of

import py_tensor as pt

FOLDER = Path(__file__).parent / "golden"


def assigned():
    x = leaf(6, 8)
    x[1:4, ::3] = 2.0
    return x


KERNELS = {
    "chain": lambda: pt.exp(leaf(5, 7) * 2.0 + leaf(5, 7)) - 1.0,
    "broadcast": lambda: leaf(5, 8) * leaf(8) + leaf(5, 1),
    "small_integers": lambda: leaf(5, 7, dtype="int8") + leaf(7, dtype="uint8"),
    "halves": lambda: leaf(5, 7, dtype="float16") * leaf(7, dtype="float16"),
    "transposed": lambda: leaf(6, 8).T + 1.0,
    "strided": lambda: leaf(64, 64).T + leaf(16, 64)[:, ::16].T.reshape((1, 64)),
    "sum_of_rows": lambda: pt.sqrt(pt.square(leaf(64, 32)).sum(axis=1)),
    "sum_of_columns": lambda: leaf(64, 33).sum(axis=0),
    "cumulative_sum": lambda: pt.cumulative_sum(leaf(70, 64), axis=1),
    "cumulative_sum_of_columns": lambda: pt.cumulative_sum(leaf(70, 64), axis=0),
    "argmax": lambda: leaf(64, 32).argmax(axis=1),
    "softmax": lambda: pt.softmax(leaf(50, 12)),
    "matmul": lambda: pt.relu(leaf(16, 20) @ leaf(20, 24) + leaf(24)),
    "convolution": lambda: pt.conv2d(leaf(2, 9, 9, 8), leaf(3, 3, 8, 16), padding="same"),
    "concat": lambda: pt.concat([leaf(5, 3), leaf(5, 4)], axis=1),
    "take": lambda: pt.take(leaf(9, 8), leaf(5, dtype="int32"), axis=0),
    "assignment": assigned,
    "complex_product": lambda: leaf(5, 7, dtype="complex64") * leaf(5, 7, dtype="complex64"),
    "complex_size": lambda: pt.abs(leaf(5, 8, dtype="complex64") - 1j),
    "random": lambda: pt.random.uniform((9,), key=pt.random.key(7)),
}


def text_of(build):
    plan = plan_of(build())
    return "\n".join(
        f"// {draw.kernel.kind} {draw.shader.name}\n{draw.shader.source}" for draw in plan.draws
    )


@pytest.mark.parametrize("name", KERNELS)
def test_shaders_are_as_written_down(name, request):
    path = FOLDER / f"{name}.glsl"
    text = text_of(KERNELS[name])
    if request.config.getoption("rewrite_golden"):
        path.write_text(text)
    assert text == path.read_text()


def test_every_file_has_its_kernel():
    assert {path.stem for path in FOLDER.glob("*.glsl")} == KERNELS.keys()
