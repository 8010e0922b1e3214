"""Convolutions on devices with workgroups: which kernels compute them, and their values."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from plans import leaf, plan_of

import py_tensor as pt
from py_tensor.compiler.workgroups.target import WorkgroupTarget
from py_tensor.ops.contractions import CONVOLVE, Window
from py_tensor.runtime.executor import runtime

TARGET = WorkgroupTarget(buffers=10)


def kernels(*tensors, device=TARGET):
    """Kind and name of each kernel."""
    plan = plan_of(*tensors, device=device)
    return [f"{draw.kernel.kind} {draw.shader.name}" for draw in plan.draws]


def shader(tensor):
    (draw,) = plan_of(tensor, device=TARGET).draws
    return draw.shader


def test_bias_and_activation_are_in_the_kernel_of_a_depthwise_convolution():
    def convolved():
        return pt.conv2d(leaf(1, 14, 14, 32), leaf(3, 3, 1, 32), padding="same", groups=32)

    result = pt.clip(convolved() + leaf(32), 0, 6)
    assert kernels(result) == ["contract convolve+clip"]


def test_padding_by_zeros_is_read_by_the_convolution():
    around = ((0, 0), (0, 1), (0, 1), (0, 0))
    y = pt.conv2d(pt.pad(leaf(1, 14, 14, 16), around), leaf(3, 3, 16, 64), stride=2)
    assert kernels(y) == ["contract convolve"]
    y = pt.nn.conv1d(pt.pad(leaf(1, 100, 16), ((0, 0), (3, 1), (0, 0))), leaf(5, 16, 32))
    assert kernels(y) == ["contract convolve"]


def test_padding_by_other_numbers_is_stored():
    padded = pt.pad(leaf(1, 14, 14, 16), ((0, 0), (0, 1), (0, 1), (0, 0)), constant_values=1.0)
    assert kernels(pt.conv2d(padded, leaf(3, 3, 16, 64))) == ["map pad", "contract convolve"]


def test_slices_of_images_are_not_copied():
    x = leaf(1, 16, 16, 32)[:, 1:-1, ::2, 8:24]
    assert kernels(pt.conv2d(x, leaf(3, 3, 16, 64))) == ["contract convolve"]


def test_convolution_of_places_of_blocks_is_a_dilated_one():
    block, around = (2, 2), ((2, 2), (2, 2))

    def convolved():
        places = pt.nn.space_to_batch(leaf(1, 12, 12, 8), block, around)
        return pt.nn.depthwise_conv2d(places, leaf(3, 3, 8, 1))

    result = pt.relu(pt.nn.batch_to_space(convolved(), block))
    assert kernels(result) == ["contract convolve+relu"]


def test_long_sums_of_few_results_are_split_on_a_gpu():
    def convolved():
        return pt.conv2d(leaf(1, 7, 7, 512), leaf(3, 3, 512, 64), padding="same")

    assert kernels(convolved()) == ["contract convolve", "reduce sum"]
    processor = TARGET._replace(on_processor=True)
    assert kernels(convolved(), device=processor) == ["contract convolve"]


def test_shaders_of_images_of_other_sizes_are_equal():
    first, second = (
        shader(pt.conv2d(leaf(1, n, n, 32), leaf(3, 3, 1, 32), padding="same", groups=32))
        for n in (14, 18)
    )
    assert first.source == second.source
    assert first.sizes != second.sizes


def test_long_grids_are_folded():
    y = pt.conv2d(leaf(1, 2200, 2200, 1), leaf(2, 1, 1, 7))
    (draw,) = (d for d in plan_of(y, device=TARGET).draws if d.kernel.kind == "contract")
    assert max(draw.shader.grid) < 1 << 16


class Case(NamedTuple):
    image: tuple[int, ...]
    kernel: tuple[int, ...]
    groups: int = 1
    stride: int = 1
    padding: str = "same"
    dilation: int = 1


CASES = {
    "runs": Case((2, 9, 9, 8), (3, 3, 8, 16)),
    "runs_of_three_channels": Case((1, 17, 15, 3), (7, 7, 3, 32), stride=2),
    "taps": Case((1, 12, 12, 8), (3, 3, 8, 32), dilation=3),
    "taps_of_five_channels": Case((1, 12, 11, 5), (3, 3, 5, 8), dilation=2),
    "one_column": Case((2, 9, 1, 8), (3, 3, 8, 16)),
    "parts": Case((1, 7, 7, 128), (3, 3, 128, 64)),
    "wide_groups": Case((1, 9, 9, 128), (3, 3, 64, 128), groups=2),
    "narrow_groups": Case((1, 14, 14, 32), (3, 3, 8, 16), groups=4, stride=2),
    "uneven_groups": Case((1, 12, 12, 10), (3, 3, 5, 6), groups=2),
    "depthwise": Case((2, 65, 64, 32), (5, 5, 1, 32), groups=32),
    "depthwise_of_few_pixels": Case((1, 7, 7, 32), (3, 3, 1, 32), groups=32, stride=2),
    "depthwise_valid": Case((2, 65, 63, 32), (3, 3, 1, 32), groups=32, padding="valid"),
    "depthwise_dilated": Case((1, 15, 13, 32), (3, 3, 1, 32), groups=32, dilation=4),
    "wide_depthwise": Case((2, 30, 30, 8), (11, 11, 1, 8), groups=8),
    "multiplier_of_two": Case((2, 10, 10, 8), (3, 3, 1, 16), groups=8),
    "multiplier_of_four": Case((2, 10, 10, 6), (3, 3, 1, 24), groups=6),
    "depthwise_of_three_channels": Case((2, 20, 21, 3), (5, 5, 1, 3), groups=3),
    "one_channel_to_many": Case((1, 20, 21, 1), (3, 3, 1, 32)),
    "one_channel_to_one": Case((1, 20, 21, 1), (5, 5, 1, 1)),
    "many_channels_to_one": Case((2, 20, 21, 32), (7, 3, 32, 1), stride=2),
    "many_channels_to_eight": Case((1, 40, 52, 16), (3, 3, 16, 8)),
}


@pytest.fixture(params=[False, True], ids=["gpu", "processor"])
def device(request, engine, monkeypatch):
    """Let WebGPU run the kernels of a GPU and those of a processor, whatever computes them."""
    monkeypatch.setattr(runtime, "plans", {})
    if engine.name == "webgpu":
        chosen = engine.device._replace(on_processor=request.param)
        monkeypatch.setattr(engine, "device", chosen)


@pytest.mark.usefixtures("device")
@pytest.mark.parametrize("name", CASES)
def test_values_equal_those_of_numpy(name, rng):
    case = CASES[name]
    x, w = (rng.normal(size=shape).astype("float32") for shape in case[:2])
    y = pt.conv2d(x, w, **dict(zip(Case._fields[2:], case[2:], strict=True)))
    expected = reference(x, w, case, y.shape[1:3])
    np.testing.assert_allclose(
        np.asarray(y.tolist()), expected, rtol=1e-4, atol=1e-5 * abs(expected).max()
    )


def reference(x, w, case, out):
    """Return a convolution by the definition of the operation, on NumPy."""
    stride, dilation = (case.stride,) * 2, (case.dilation,) * 2
    window = Window(w.shape[:2], stride, (0, 0), dilation, out, case.groups)
    missing = [max(0, n - own) for n, own in zip(window.reach, x.shape[1:3], strict=True)]
    low = tuple(n // 2 for n in missing) if case.padding == "same" else (0, 0)
    result = CONVOLVE.reference(np, x, w, window._replace(pad=low))
    return result.transpose(1, 0, 2).reshape(x.shape[0], *out, -1)
