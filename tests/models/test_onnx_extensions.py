"""Operators of ONNX without cases in the onnx package: ONNX Runtime's, and random numbers."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import helper

import py_tensor as pt
from py_tensor.errors import ModelError
from py_tensor.models.onnx.operators import OPERATORS

FOLDER = Path(__file__).parents[1] / "reference_data"
FILES = ("onnx_extensions.json", "onnx_language_models.json")
CASES = [case for name in FILES for case in json.loads((FOLDER / name).read_text())]


def array(packed: dict[str, Any]) -> np.ndarray[Any, Any]:
    data = np.frombuffer(base64.b64decode(packed["data"]), packed["dtype"])
    return data.reshape(packed["shape"])


@pytest.mark.parametrize("operator", sorted({case["operator"] for case in CASES}))
def test_results_are_those_of_onnx_runtime(operator, engine):
    for case in (case for case in CASES if case["operator"] == operator):
        model = pt.models.loads(base64.b64decode(case["model"]))
        given = model.run({name: array(each) for name, each in case["inputs"].items()})
        outputs = [*map(array, case["outputs"])]
        for tensor, expected in zip([*given.values()][: len(outputs)], outputs, strict=True):
            found = tensor.numpy()
            assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
            if expected.dtype.kind in "iu":
                # ONNX Runtime rounds some results from tables: off by one step.
                assert np.abs(found.astype(int) - expected.astype(int)).max() <= 1
            else:
                size = np.abs(expected).max()
                np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5 * size)


BY_FORMULA = {"GroupNorm", "Irfft", "NhwcConv", "Rfft", "SkipGroupNorm"}
"""Operators that ONNX Runtime computes on a GPU only."""


def test_every_extension_has_a_case():
    assert {case["operator"] for case in CASES} == {
        *(name for name in OPERATORS if name.startswith("com.microsoft.")),
        "SimplifiedLayerNormalization",
    } - {f"com.microsoft.{name}" for name in BY_FORMULA}


def microsoft_model(operator: str, inputs: list[Any], outputs: int = 1, **attributes: Any) -> Any:
    """Return a model of one operator, with inputs of any shape; None is an omitted one."""
    names = ["" if x is None else f"i{at}" for at, x in enumerate(inputs)]
    results = [f"o{at}" for at in range(outputs)]
    node = helper.make_node(operator, names, results, domain="com.microsoft", **attributes)
    infos = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(x.dtype), None)
        for name, x in zip(names, inputs, strict=True)
        if x is not None
    ]
    outs = [helper.make_empty_tensor_value_info(name) for name in results]
    graph = helper.make_graph([node], operator, infos, outs)
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    return pt.models.loads(helper.make_model(graph, opset_imports=imports).SerializeToString())


def check(expected: Any, operator: str, inputs: list[Any], **options: Any) -> None:
    """Assert the results of an operator."""
    model = microsoft_model(operator, inputs, **options)
    found = model(*(x for x in inputs if x is not None))
    for tensor, array in zip(
        found if isinstance(found, tuple) else (found,), expected, strict=True
    ):
        np.testing.assert_allclose(tensor.numpy(), array, rtol=0, atol=1e-5 * np.abs(array).max())


def normalized(x: np.ndarray, groups: int) -> np.ndarray:
    """Normalize groups of channels, which are last."""
    parts = x.astype("float64").reshape((x.shape[0], -1, groups, x.shape[-1] // groups))
    parts = parts - parts.mean((1, 3), keepdims=True)
    return (parts / np.sqrt((parts**2).mean((1, 3), keepdims=True) + 1e-5)).reshape(x.shape)


@pytest.mark.parametrize("last", [0, 1])
@pytest.mark.parametrize("activation", [0, 1])
def test_group_norm_normalizes_groups_of_channels(last, activation, rng, engine):
    x = rng.normal(size=(2, 3, 5, 8)).astype("float32")
    skip, bias, scale, offset = (rng.normal(size=n).astype("float32") for n in ((2, 8), 8, 8, 8))

    def wanted(total: np.ndarray) -> np.ndarray:
        y = normalized(total, 4) * scale + offset
        return y / (1 + np.exp(-y)) if activation else y

    def placed(images: np.ndarray) -> np.ndarray:
        return images if last else np.moveaxis(images, -1, 1)

    options = {"groups": 4, "activation": activation, "channels_last": last}
    check([placed(wanted(x))], "GroupNorm", [placed(x), scale, offset], **options)
    total = x + skip[:, None, None] + bias
    inputs = [placed(x), scale, offset, skip, bias]
    check([placed(wanted(total)), placed(total)], "SkipGroupNorm", inputs, outputs=2, **options)
    images = rng.normal(size=x.shape).astype("float32")
    inputs = [placed(x), scale, offset, placed(images)]
    check([placed(wanted(x + images))], "SkipGroupNorm", inputs, **options)


def test_nhwc_conv_is_conv_of_images_with_their_channels_last(rng, engine):
    x = rng.normal(size=(2, 6, 5, 4)).astype("float32")
    w, b = (rng.normal(size=shape).astype("float32") for shape in ((6, 2, 3, 2), 6))
    padded = np.pad(x, ((0, 0), (1, 1), (0, 1), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 2), (1, 2))[:, ::2]
    halves = np.split(windows, 2, axis=3), np.split(w, 2)
    parts = [np.einsum("bhwcij,ocij->bhwo", *pair) for pair in zip(*halves, strict=True)]
    options = {"group": 2, "pads": [1, 0, 1, 1], "strides": [2, 1], "kernel_shape": [3, 2]}
    check([np.concatenate(parts, -1) + b], "NhwcConv", [x, w, b], **options)


@pytest.mark.parametrize("axes", [1, 2])
def test_rfft_and_irfft_transform_the_last_axes(axes, rng, engine):
    x = rng.normal(size=(3, 4, 8)).astype("float32")
    values = np.fft.rfftn(x, axes=range(-axes, 0))
    parts = np.stack([values.real, values.imag], -1).astype("float32")
    check([parts], "Rfft", [x], signal_ndim=axes, normalized=0, onesided=1)
    check([x], "Irfft", [parts], signal_ndim=axes, normalized=0, onesided=1)


def test_packed_queries_keys_and_values(rng, engine):
    q, k, v = (rng.normal(size=(2, 5, 3, 4)).astype("float32") for _ in range(3))
    flat = [x.reshape(2, 5, 12) for x in (q, k, v)]
    model = microsoft_model("MultiHeadAttention", flat, num_heads=3)
    expected = [model(*flat).numpy()]
    check(expected, "MultiHeadAttention", [flat[0], np.stack([k, v], 3)], num_heads=3)
    check(expected, "MultiHeadAttention", [np.stack([q, k, v], 3)], num_heads=3)


@pytest.mark.parametrize("bits", [2, 4, 8])
def test_blocks_of_reordered_rows_have_their_own_zero_points(bits, rng, engine):
    per_byte, outputs = 8 // bits, 3
    a = rng.normal(size=(2, 32)).astype("float32")
    scales = rng.normal(size=(outputs, 2)).astype("float32")
    levels = rng.integers(0, 1 << bits, size=(outputs, 32))
    zeros = rng.integers(0, 1 << bits, size=(outputs, 2))
    order = rng.permutation(np.repeat(np.int32([0, 1]), 16))

    def packed(numbers: np.ndarray) -> np.ndarray:
        missing = -numbers.shape[1] % per_byte
        rows = np.pad(numbers, ((0, 0), (0, missing))).reshape((outputs, -1, per_byte))
        return (rows << bits * np.arange(per_byte)).sum(-1).astype("uint8")

    weights = (levels - zeros[:, order]) * scales[:, order]
    inputs = [a, packed(levels).reshape((outputs, 2, -1)), scales.ravel(), packed(zeros), order]
    options = {"K": 32, "N": outputs, "bits": bits, "block_size": 16}
    check([a @ weights.T], "MatMulNBits", inputs, **options)


@pytest.mark.host
@pytest.mark.parametrize(
    ("operator", "options", "named"),
    [
        ("MatMulNBits", {"K": 1, "N": 1, "block_size": 16, "bits": 3}, "bits = 3"),
        ("Attention", {"num_heads": 1, "do_rotary": 1}, "do_rotary = 1"),
        ("Attention", {"num_heads": 1, "rotary_embedding_dim": 8}, "rotary_embedding_dim"),
        ("Rfft", {"onesided": 0}, "onesided = 0"),
        ("FusedConv", {"activation": "Swish"}, "activation = 'Swish'"),
        ("QLinearGlobalAveragePool", {"channels_last": 1}, "channels_last = 1"),
        ("PagedAttention", {}, "operator com.microsoft.PagedAttention"),
    ],
)
def test_unsupported_options_are_refused_on_loading(operator, options, named):
    inputs = [np.float32(0)] * {"Rfft": 1, "QLinearGlobalAveragePool": 4}.get(operator, 3)
    with pytest.raises(ModelError, match=rf"load: model needs what is not supported; .*{named}"):
        microsoft_model(operator, inputs, **options)


def random_model(operator: str, inputs: list[str], **attributes: Any) -> pt.models.Model:
    infos = [helper.make_tensor_value_info(name, 1, [100, 100]) for name in inputs]
    node = helper.make_node(operator, inputs, ["y"], **attributes)
    result = helper.make_empty_tensor_value_info("y")
    graph = helper.make_graph([node], "random", infos, [result])
    return pt.models.loads(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)]).SerializeToString()
    )


@pytest.mark.parametrize(
    ("operator", "options", "mean", "deviation"),
    [
        ("RandomNormal", {"shape": [100, 100], "mean": 2.0, "scale": 3.0}, 2, 3),
        ("RandomNormalLike", {"mean": 2.0, "scale": 3.0}, 2, 3),
        ("RandomUniform", {"shape": [100, 100], "low": 1.0, "high": 3.0}, 2, 3**-0.5),
        ("RandomUniformLike", {"low": 1.0, "high": 3.0}, 2, 3**-0.5),
        ("Bernoulli", {}, 0.25, 0.25**0.5 * 0.75**0.5),
    ],
)
def test_random_numbers(operator, options, mean, deviation, engine):
    inputs = [] if "shape" in options else ["x"]
    given = {} if "shape" in options else {"x": pt.full((100, 100), 0.25)}
    model = random_model(operator, inputs, seed=3.0, **options)
    first = model.run(given)["y"].numpy()
    assert abs(first.mean() - mean) < 0.1 * deviation
    assert abs(first.std() - deviation) < 0.05 * deviation
    assert (first == model.run(given)["y"].numpy()).all()
    other = random_model(operator, inputs, seed=4.0, **options).run(given)["y"].numpy()
    assert (first != other).any()


def test_multinomial(engine):
    model = random_model("Multinomial", ["x"], sample_size=50, seed=1.0)
    logits = np.full((100, 100), -100, "float32")
    logits[:, 7] = 0
    found = model(logits)
    assert found.shape == (100, 50)
    assert found.dtype is pt.int32
    assert (found.numpy() == 7).all()
