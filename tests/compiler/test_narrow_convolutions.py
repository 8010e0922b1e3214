"""Convolutions of few channels or outputs: the same values in every form, fewest fetches chosen."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import assert_values
from plans import kernels, leaf, plan_of
from reference_convolution import convolve

import py_tensor as pt
from py_tensor.compiler.textures.lowering import contractions
from py_tensor.compiler.textures.lowering.narrow_convolutions import PLAIN, Form, _forms, best_form
from py_tensor.ops.contractions import CONVOLVE
from py_tensor.runtime.executor import runtime

CASES = [
    ((1, 9, 11, 1), (3, 3, 1, 1), {"padding": "same"}),
    ((2, 8, 10, 1), (5, 4, 1, 2), {"stride": (2, 3), "padding": 2}),
    ((1, 1, 70, 1), (1, 37, 1, 1), {"stride": (1, 2)}),
    ((1, 1, 70, 1), (1, 37, 1, 5), {"stride": (1, 4), "padding": ((0, 0), (5, 2))}),
    ((2, 1, 41, 1), (1, 20, 1, 3), {"padding": ((0, 0), (3, 0))}),
    ((2, 7, 6, 2), (2, 3, 2, 3), {"stride": (1, 2), "padding": ((0, 1), (1, 0))}),
    ((1, 6, 9, 3), (3, 3, 3, 1), {"stride": 2, "padding": "same"}),
    ((1, 9, 7, 5), (3, 2, 5, 2), {"stride": 2, "dilation": 2}),
    ((1, 9, 9, 4), (2, 3, 4, 1), {"stride": (1, 3), "dilation": (2, 3), "padding": "same"}),
    ((1, 6, 8, 6), (4, 4, 6, 7), {"padding": "same"}),
    ((3, 5, 5, 8), (3, 1, 8, 3), {"padding": ((3, 2), (2, 1))}),
    ((1, 40, 1, 1), (16, 1, 1, 2), {"stride": (4, 1)}),
    ((1, 5, 60, 2), (2, 39, 2, 2), {"padding": "same"}),
]


def call_of(x, w, options):
    """Return the op instance of a convolution."""
    graph = plan_of(pt.conv2d(leaf(*x), leaf(*w), **options)).lowered.graph
    return next(call for call in graph.calls if getattr(call, "op", None) is CONVOLVE)


@pytest.mark.parametrize("dtype", ["float32", "int32"])
@pytest.mark.parametrize(("image", "kernel", "options"), CASES, ids=str)
def test_all_forms_have_the_same_values(image, kernel, options, dtype, rng, monkeypatch):
    x = rng.integers(-4, 5, image).astype(dtype)
    w = rng.integers(-4, 5, kernel).astype(dtype)
    every = {key: (n, n) if type(n) is int else n for key, n in options.items()}
    if type(options.get("padding")) is int:
        every["padding"] = options["padding"]
    wanted = convolve(x, w, **every)
    forms = list(_forms(call_of(image, kernel, options)))
    assert len(forms) > 1
    for form in forms:
        monkeypatch.setattr(runtime, "plans", {})
        monkeypatch.setattr(contractions, "best_form", lambda call, form=form: form)
        assert_values(pt.conv2d(pt.asarray(x), pt.asarray(w), **options), wanted)


CHOSEN = {
    "few taps of small images": ((1, 8, 8, 1), (3, 3, 1, 8), {}, PLAIN),
    "enough channels": ((1, 64, 64, 8), (3, 3, 8, 8), {}, PLAIN),
    "texels of a long row": ((1, 1, 9000, 1), (1, 256, 1, 36), {"stride": (1, 64)}, (1, 1, True)),
    "half a texel per step": ((1, 1, 9000, 1), (1, 256, 1, 1), {"stride": (1, 2)}, (1, 4, True)),
    "rows of a high kernel": ((1, 128, 128, 32), (7, 3, 32, 1), {}, (4, 1, False)),
    "columns of a wide kernel": ((1, 128, 128, 32), (1, 9, 32, 1), {}, (1, 4, False)),
    "columns of colors": ((1, 256, 256, 3), (3, 3, 3, 1), {}, (1, 4, True)),
}


@pytest.mark.parametrize(("x", "w", "options", "wanted"), CHOSEN.values(), ids=CHOSEN)
def test_the_form_with_the_fewest_fetches_is_chosen(x, w, options, wanted):
    assert best_form(call_of(x, w, options)) == Form(*wanted)


def test_a_convolution_of_one_row_is_a_product():
    names = kernels(pt.conv2d(leaf(1, 1, 9000, 1), leaf(1, 256, 1, 36), stride=(1, 64)))
    assert any("dot" in name for name in names)
    assert not any("convolve" in name for name in names)


@pytest.mark.parametrize("shape", [(3, 3, 3, 1), (5, 5, 1, 2)], ids=str)
def test_gradients_of_narrow_convolutions(shape, rng):
    image = (1, 96, 96, shape[2])
    x, w = (rng.integers(-2, 3, each).astype("float32") for each in (image, shape))
    g = rng.integers(-2, 3, (1, 97 - shape[0], 97 - shape[1], shape[3])).astype("float32")

    def loss(x, w):
        return pt.sum(pt.conv2d(x, w) * pt.asarray(g))

    to_image, to_kernel = pt.grad(loss, argnums=(0, 1))(pt.asarray(x), pt.asarray(w))
    wanted_image, wanted_kernel = np.zeros_like(x), np.zeros_like(w)
    height, width = g.shape[1:3]
    for i in range(shape[0]):
        for j in range(shape[1]):
            part = (slice(None), slice(i, i + height), slice(j, j + width))
            wanted_image[part] += g @ w[i, j].T
            wanted_kernel[i, j] = np.einsum("bhwc,bhwo->co", x[part], g)
    assert_values(to_image, wanted_image)
    assert_values(to_kernel, wanted_kernel)
