"""Sums of products whose blocks share a scale: values, and the kernel of linear memory."""

from __future__ import annotations

import numpy as np
import pytest
from plans import plan_of

import py_tensor as pt
from py_tensor.compiler.buffers.target import BufferTarget

NUMBERS = np.random.default_rng(5)
HALF = "5.192296858534828e+33"
"""Number by which a kernel multiplies the bits of a float16."""


def normal(*shape: int) -> np.ndarray:
    return NUMBERS.standard_normal(shape).astype("float32")


def scaled_sum(x, integers, scales):
    """Return the sums of rows of x times integers, whose blocks have scales."""
    rows, blocks, _ = integers.shape
    values = integers.astype("float32") * scales.astype("float32").reshape((rows, blocks, 1))
    return pt.sum(x * values.reshape((rows, -1)), axis=-1)


def kernel_of(result: pt.Tensor, has_fma: bool = False) -> str:
    """Return the text of the only kernel of a result in linear memory."""
    (draw,) = plan_of(result, device=BufferTarget(has_fma)).draws
    return draw.shader.source


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16"])
@pytest.mark.parametrize("blocks", [1, 2, 3, 4, 7, 18, 300])
@pytest.mark.parametrize("block", [4, 8, 12, 32, 64, 80])
def test_scaled_blocks_are_added_up(dtype: str, blocks: int, block: int) -> None:
    integers = NUMBERS.integers(0, 100, (5, blocks, block)).astype(dtype)
    scales = normal(5, blocks).astype("float16")
    x = normal(blocks * block)
    got = scaled_sum(pt.asarray(x), pt.asarray(integers), pt.asarray(scales)).numpy()
    want = (x * (integers * scales.astype("float64")[:, :, None]).reshape(5, -1)).sum(1)
    largest = np.abs(x).sum() * 100 * np.abs(scales).max()
    np.testing.assert_allclose(got, want, atol=1e-6 * largest)


@pytest.mark.host
@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_four_blocks_convert_their_scales_at_once(dtype: str) -> None:
    integers = pt.asarray(np.ones((5, 18, 32), dtype))
    scales = pt.asarray(np.ones((5, 18), "float16"))
    x = pt.asarray(normal(18 * 32))
    text = kernel_of(scaled_sum(x, integers, scales))
    # Four groups of four blocks are a loop; two blocks are left.
    assert text.count(HALF) == 2
    assert text.count(f"v128.load8x8_{dtype[0].replace('i', 's')}") == (4 + 2) * 32 // 8
    fused = kernel_of(scaled_sum(x, integers, scales), has_fma=True)
    assert fused.count("relaxed_madd") == (4 + 2) * 32 // 4
    assert "relaxed_madd" not in text


def test_blocks_of_packed_bits_share_loads_and_shift_nothing() -> None:
    layer = pt.quantize(pt.nn.Dense(128, 8, bias=False), bits=4)
    text = kernel_of(layer(pt.asarray(normal(1, 128))))
    # A byte holds two elements of a block.
    assert text.count("v128.load8x8_u") == 4 * 16 // 8
    assert "i32.shr" not in text and "i32x4.shr" not in text


def test_scales_of_float32_are_multiplied_before_adding() -> None:
    # Sums of the first two factors are infinite.
    x = np.full(64, 1e30, "float32")
    integers = np.full((1, 2, 32), 100, "int8")
    scales = np.full((1, 2), 1e-30, "float32")
    x[0] = 3e38
    scales[0, 0] = 2.0**-110
    got = scaled_sum(pt.asarray(x), pt.asarray(integers), pt.asarray(scales)).numpy()
    want = (x * (integers * scales.astype("float64")[:, :, None]).reshape(-1)).sum()
    np.testing.assert_allclose(got, [want], rtol=1e-5)


@pytest.mark.parametrize("bits", [2, 4, 8])
def test_products_of_packed_rows_are_those_of_unpacked_ones(bits: int) -> None:
    # Sums of more than 64 blocks, and rows with more columns than elements.
    for columns in (32 * 150, 32 * 7, 100):
        layer = pt.nn.Dense(columns, 6, bias=False)
        layer.weight = pt.asarray(normal(columns, 6))
        pt.quantize(layer, bits=bits)
        x = normal(2, columns)
        want = x.astype("float64") @ layer.weight.unpacked().numpy()
        np.testing.assert_allclose(layer(pt.asarray(x)).numpy(), want, atol=3e-6 * columns)
