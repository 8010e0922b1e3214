"""Test packed matrices and the quantization of modules."""

import numpy as np
import pytest
from brain_files import bits_of, truncated

import py_tensor as pt
from py_tensor.nn.quantization import BitPlane, PackedMatrix, Packing, bfloat16_matrix

NUMBERS = np.random.default_rng(0)


def normal(*shape: int) -> np.ndarray:
    return NUMBERS.standard_normal(shape).astype("float32")


def rounded(weight: np.ndarray, bits: int, block: int, symmetric: bool) -> np.ndarray:
    """Quantize the rows of a matrix as llama.cpp's Q4_0, Q4_1 and Q8_0 do, and undo it."""
    rows, columns = weight.shape
    padded = np.pad(weight, [(0, 0), (0, -columns % block)])
    blocks = padded.reshape(rows, -1, block)
    low, high = blocks.min(2, keepdims=True), blocks.max(2, keepdims=True)
    offset = np.float32(0)
    if not symmetric:
        scale = ((high - low) / np.float32(2**bits - 1)).astype("float16").astype("float32")
        offset = low.astype("float16").astype("float32")
        zero, least, most = 0, 0, 2**bits - 1
    elif bits == 8:
        scale = (np.maximum(high, -low) / np.float32(127)).astype("float16").astype("float32")
        zero, least, most = 0, -127, 127
    else:
        zero = 2 ** (bits - 1)
        extreme = np.where(high > -low, high, low)
        scale = (extreme / np.float32(-zero)).astype("float16").astype("float32")
        least, most = 0, 2**bits - 1
    with np.errstate(all="ignore"):
        integers = np.nan_to_num((blocks - offset) / scale) + zero
    values = (np.clip(np.round(integers), least, most) - zero) * scale + offset
    return values.reshape(rows, -1)[:, :columns]


@pytest.mark.parametrize("columns", [64, 50])
@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("bits", [2, 4, 8])
def test_weights_are_rounded_as_by_llama_cpp(bits: int, symmetric: bool, columns: int) -> None:
    weight = normal(24, columns)
    weight[3, :32] = 0
    layer = pt.nn.Dense(columns, 24, bias=False)
    layer.weight = pt.asarray(weight.T)
    x = normal(3, columns)
    pt.quantize(layer, bits=bits, symmetric=symmetric)
    want = rounded(weight, bits, 32, symmetric)
    values = layer.weight.unpacked().numpy().T
    # A quotient between two integers may be rounded to either on a GPU.
    step = np.abs(values - want) > 1e-5
    assert step.mean() < 0.01
    assert np.abs(values - want).max() <= 1.01 * np.ptp(weight) / (2**bits - 2)
    np.testing.assert_allclose(layer(pt.asarray(x)).numpy(), x @ values.T, atol=2e-5)


def test_products_of_many_rows_equal_those_of_few(monkeypatch: pytest.MonkeyPatch) -> None:
    layer = pt.quantize(pt.nn.Dense(64, 40))
    x = pt.asarray(normal(2, 3, 64))
    few = pt.concat([layer(x[:1]), layer(x[1:])])
    np.testing.assert_allclose(layer(x).numpy(), few.numpy(), rtol=1e-4, atol=1e-5)
    monkeypatch.setattr("py_tensor.nn.quantization.UNPACKED", 64 * 16)
    np.testing.assert_allclose(layer(x).numpy(), few.numpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("bits", [2, 4, 8])
def test_a_product_stores_no_unpacked_copy(bits: int) -> None:
    if pt.get_backend() not in ("webgl", "webgpu", "wasm"):
        pytest.skip("nothing is fused")
    layer = pt.quantize(pt.nn.Dense(256, 512, bias=False), bits=bits)
    x = pt.asarray(normal(1, 256))
    text = str(pt.explain(layer(x)))
    assert text.count("kernel ") and "0 bytes of temporaries" in text


def test_a_quantized_embedding_gives_its_rows_and_logits() -> None:
    table = pt.nn.Embedding(10, 40)
    pt.quantize(table, bits=8)
    values = table.weight.unpacked().numpy()
    np.testing.assert_array_equal(table([[3, 9]]).numpy(), values[[[3, 9]]])
    x = normal(2, 40)
    np.testing.assert_allclose(
        (pt.asarray(x) @ table.weight.T).numpy(), x @ values.T, rtol=1e-5, atol=1e-5
    )
    assert table.weight.T.take([1]).shape == (1, 10)


def test_two_planes_with_scales_of_scales() -> None:
    low, high = NUMBERS.integers(0, 256, (2, 3, 8), dtype="uint8")
    scales = NUMBERS.integers(-9, 9, (3, 2), dtype="int8")
    outer, offsets = normal(3, 1), NUMBERS.integers(0, 9, (3, 2), dtype="uint8")
    packing = Packing(8, (BitPlane(4, 4), BitPlane(4, 1)), 7)
    matrix = PackedMatrix(
        [pt.asarray(low), pt.asarray(high)],
        pt.asarray(scales),
        packing,
        15,
        offsets=pt.asarray(offsets),
        outer_scales=pt.asarray(outer),
        outer_offsets=pt.asarray(-outer),
    )
    lows = np.stack([low.reshape(3, 2, 4) & 15, low.reshape(3, 2, 4) >> 4], 2).reshape(3, 16)
    highs = np.stack([high & 15, high >> 4], 2).reshape(3, 16)
    integers = (lows + 16.0 * highs - 7).reshape(3, 2, 8)
    want = integers * (scales * outer)[:, :, None] - (offsets * outer)[:, :, None]
    np.testing.assert_allclose(
        matrix.unpacked().numpy(), want.reshape(3, 16)[:, :15], rtol=1e-5, atol=1e-4
    )


def test_matrices_of_bfloat16_have_16_bits_for_each_element() -> None:
    values = normal(7, 25)
    values[0, :4] = [np.inf, -np.inf, 0.0, 3e38]
    matrix = bfloat16_matrix(bits_of(values).tobytes(), 7, 25)
    assert str(matrix) == "PackedMatrix(7 x 25, 16 bits)"
    assert matrix.nbytes == 2 * values.size
    np.testing.assert_array_equal(matrix.unpacked().numpy(), truncated(values))
    np.testing.assert_array_equal(matrix.T.unpacked().numpy(), truncated(values).T)
    np.testing.assert_array_equal(matrix.take([[6, 0]]).numpy(), truncated(values)[[[6, 0]]])
    np.testing.assert_array_equal(matrix.rows(2, 5).unpacked().numpy(), truncated(values)[2:5])


@pytest.mark.parametrize("rows", [1, 3, 9])
def test_products_with_bfloat16_are_those_of_the_values(rows: int) -> None:
    values, x = normal(40, 36), normal(rows, 36)
    matrix = bfloat16_matrix(bits_of(values).tobytes(), 40, 36)
    want = x @ truncated(values).T
    run = pt.jit(lambda matrix, x: x @ matrix.T)
    np.testing.assert_allclose(run(matrix, pt.asarray(x)).numpy(), want, rtol=1e-4, atol=1e-4)


def test_layers_are_skipped_by_name_and_tied_weights_stay_tied() -> None:
    model = pt.nn.Sequential(pt.nn.Dense(32, 32), pt.relu, pt.nn.Dense(32, 32))
    model.layers[2].weight = model.layers[0].weight
    pt.quantize(model, skip=["layers.2"])
    assert isinstance(model.layers[0].weight, PackedMatrix)
    assert isinstance(model.layers[2].weight, pt.Tensor)
    both = pt.nn.Sequential(pt.nn.Dense(32, 32), pt.nn.Dense(32, 32))
    both.layers[1].weight = both.layers[0].weight
    pt.quantize(both)
    assert both.layers[0].weight.planes[0] is both.layers[1].weight.planes[0]


def test_dequantize_gives_the_rounded_weights() -> None:
    layer = pt.quantize(pt.nn.Dense(32, 8))
    values = layer.weight.unpacked().numpy()
    assert len(list(layer.parameters())) == 1  # the bias
    np.testing.assert_array_equal(pt.dequantize(layer).weight.numpy(), values)
    assert len(list(layer.parameters())) == 2


def test_gradients_pass_through_packed_weights() -> None:
    layer = pt.quantize(pt.nn.Dense(32, 8, bias=False))
    values = layer.weight.unpacked().numpy()
    for rows in (2, 6):
        gradient = pt.grad(lambda x: pt.sum(layer(x) * 2.0))(pt.ones((rows, 32)))
        want = np.broadcast_to(2 * values.sum(1), (rows, 32))
        np.testing.assert_allclose(gradient.numpy(), want, rtol=1e-4, atol=1e-5)


def test_a_jitted_model_takes_packed_weights() -> None:
    layer = pt.quantize(pt.nn.Dense(32, 8))
    x = pt.asarray(normal(1, 32))
    want = layer(x).numpy()
    run = pt.jit(lambda model, x: model(x))
    np.testing.assert_allclose(run(layer, x).numpy(), want, rtol=1e-5, atol=1e-5)


def test_packed_weights_are_saved_and_loaded() -> None:
    layer, other = (pt.quantize(pt.nn.Dense(32, 8)) for _ in range(2))
    data = pt.io.to_bytes(layer.state_dict())
    other.load_state_dict(pt.io.from_bytes(data))
    np.testing.assert_array_equal(other.weight.unpacked().numpy(), layer.weight.unpacked().numpy())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pt.quantize(pt.nn.Dense(4, 4), bits=3), "got 3; use 2, 4 or 8"),
        (lambda: pt.quantize(pt.nn.Dense(4, 4), block=24), "got 24; use 32"),
        (lambda: pt.quantize([1]), "module must be a module"),
        (lambda: pt.dequantize(3), "module must be a module"),
        (lambda: pt.quantize(pt.nn.Dense(32, 4))(pt.ones((2, 31))), "32 elements along"),
    ],
)
def test_bad_arguments_name_the_problem(call: object, message: str) -> None:
    with pytest.raises(pt.errors.TensorError, match=message):
        call()
