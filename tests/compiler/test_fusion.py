"""Tests of fusion: operations that share a draw, and values that are computed once.

Graphs are built outside of `assert`: pytest keeps every part of an assertion alive, and a tensor
that is alive may be read later, so it would be materialized.
"""

from __future__ import annotations

import numpy as np
import pytest
from plans import bytes_drawn, kernels, leaf, plan_of

import py_tensor as pt
from py_tensor.compiler.textures.plan import viewport

# --- how many kernels ---


def test_a_chain_is_one_kernel():
    x, y = leaf(5, 7), leaf(5, 7)
    names = kernels(pt.tanh(pt.exp(x * 2 + y) - 1) / (pt.abs(y) + 3) * x)
    assert names == ["map multiply"]


def test_views_cost_nothing():
    x = leaf(6, 8)
    names = kernels((x.T.reshape((-1,)) + 1)[::2] * 3)
    assert names == ["map multiply"]


def test_halving_is_one_kernel():
    names = kernels(pt.searchsorted(leaf(1000), leaf(5000)))
    assert names == ["map where"]


def test_broadcast_operands_are_computed_once():
    x = leaf(1000)

    def heavy():
        return pt.tanh(pt.exp(pt.sin(x)))

    names = kernels(heavy().reshape((1, 1000)) + leaf(500, 1))
    assert names == ["map tanh", "map add"]
    # Recomputing takes longer than a separate draw.
    small = kernels(heavy().reshape((1, 1000)) + leaf(4, 1))
    assert small == ["map add"]
    # A few elements are read many times, but no more reads are needed than for the whole value.
    few = kernels(pt.broadcast_to(heavy()[:10].reshape((1, 10)), (100, 10)))
    assert [name.split()[0] for name in few] == ["map"]


def test_ranks_are_summed_in_one_split_reduction():
    names = kernels(pt.argsort(leaf(1024)))
    # Ranks are read in a loop of 1024: the split reduction must not be repeated in each iteration.
    assert names == ["reduce sum"] * 4


@pytest.mark.parametrize("shape", [(50, 10), (64, 128)], ids=str)
def test_softmax(shape):
    names = kernels(pt.softmax(leaf(*shape)))
    assert len(names) <= 3


def test_matmul_bias_relu():
    x, w, b = leaf(16, 32), leaf(32, 24), leaf(24)
    names = kernels(pt.relu(x @ w + b))
    assert [name.split()[0] for name in names] == ["contract", "map"]


def test_odd_matmul_pads_first():
    names = kernels(leaf(17, 21) @ leaf(21, 23))
    assert [name.split()[0] for name in names] == ["map", "map", "contract", "map"]


def test_convolution_normalised_and_clipped():
    x, w = leaf(2, 8, 8, 16), leaf(3, 3, 16, 32)
    scale, shift = leaf(32), leaf(32)
    names = kernels(pt.clip(pt.conv2d(x, w, padding="same") * scale + shift, 0.0, 6.0))
    assert [name.split()[0] for name in names] == ["contract", "reduce"]


@pytest.mark.parametrize(
    ("view", "copies"),
    [
        (lambda x: x[0], 0),
        (lambda x: x.reshape((1, 16, 8, 16)), 0),
        (lambda x: x[:, ::-1], 1),
        (lambda x: pt.exp(x)[:, ::-1], 1),
    ],
    ids=["one picture", "reshaped", "flipped", "flipped expression"],
)
def test_convolution_copies_only_reordered_inputs(view, copies):
    x, w = leaf(2, 8, 8, 16), leaf(3, 3, 16, 32)
    names = kernels(pt.conv2d(view(x), w))
    assert [name.split()[0] for name in names] == ["map"] * copies + ["contract", "reduce"]


def test_layer_norm():
    x, scale, shift = leaf(32, 64), leaf(64), leaf(64)
    mean = pt.mean(x, axis=-1, keepdims=True)
    var = pt.var(x, axis=-1, keepdims=True)
    names = kernels((x - mean) * pt.rsqrt(var + 1e-5) * scale + shift)
    assert len(names) <= 4


def test_reduction_fuses_work_before_and_after():
    x, y = leaf(64, 32), leaf(64, 32)
    names = kernels(pt.sqrt(pt.sum(pt.square(x - y), axis=1)) * 2)
    assert names == ["reduce sum+multiply"]


def test_maximum_of_long_rows_is_combined_inside_argmax():
    names = kernels(pt.argmax(leaf(1024, 1024), axis=-1))
    assert names == ["reduce max", "reduce min", "reduce min"]


def test_shared_split_reduction_is_combined_once():
    x = leaf(1024, 1024)
    top = pt.max(x, axis=-1, keepdims=True)
    names = kernels(pt.sum(pt.exp(x - top), axis=-1, keepdims=True) + top)
    assert [name.split()[0] for name in names] == ["reduce"] * 4


def test_loop_invariant_values_are_computed_before_loops():
    x, rows = leaf(64, 256), leaf(64, 1)
    (draw,) = plan_of(pt.sum(pt.square(x - pt.exp(rows)), axis=-1)).draws
    body = draw.shader.source.split("void main")[1]
    _, before, inside = body.split("for (int ")
    assert "pt_exp(" in before
    assert "pt_exp(" not in inside


def test_long_sum_is_split():
    names = kernels(leaf(1000, 1000).sum())
    assert set(names) == {"reduce sum"}
    assert 2 <= len(names) <= 3


def test_setitem_is_one_kernel():
    # NumPy's backend assigns in place, but not here.
    assert len(kernels(leaf(6, 8).at[1:4, ::3].set(2.0))) == 1


def test_random_normal_is_one_kernel():
    names = kernels(pt.random.normal((100,), key=pt.random.key(0)))
    assert len(names) == 1


def test_no_operation_needs_no_kernel():
    assert kernels(leaf(3, 0) + 1) == []


# --- computed once or recomputed ---


def test_an_expensive_shared_node_is_computed_once():
    x = leaf(64, 64)

    def both():
        shared = pt.erfinv(pt.sin(x))
        return shared.sum(axis=0), shared.sum(axis=1)

    plan = plan_of(*both())
    bodies = "".join(draw.shader.source.split("void main")[1] for draw in plan.draws)
    assert bodies.count("pt_erfinv(") == 1
    assert len(plan.draws) == 3


def test_a_cheap_shared_node_is_recomputed():
    x = leaf(64, 64)

    def both():
        shared = x * 2
        return shared.sum(axis=0), shared.sum(axis=1)

    assert kernels(*both()) == ["reduce sum", "reduce sum"]


@pytest.mark.parametrize(
    ("function", "kept"),
    [(lambda x: x * 2.0, 1), (lambda x: pt.erfinv(pt.sin(x)), 2)],
    ids=["cheap", "expensive"],
)
def test_a_value_that_may_be_read_later_is_kept_if_it_is_expensive(function, kept):
    held = function(leaf(64, 64))
    plan = plan_of(held + 1.0)
    assert len(plan.keep) == len(plan.outputs) == kept


def test_an_expensive_node_is_not_repeated_by_broadcasting():
    x = leaf(8)
    y = leaf(64, 8)
    plan = plan_of(pt.erfinv(pt.sin(x)) + y)
    sizes = [
        plan.lowered.spec(draw.kernel.output).size
        for draw in plan.draws
        if "pt_erfinv(v" in draw.shader.source
    ]
    assert sizes == [8]


def test_shared_subexpressions_are_named_once():
    x = leaf(5, 8)
    shared = pt.exp(x)
    squared = shared * shared + shared
    del shared
    (draw,) = plan_of(squared).draws
    assert draw.shader.source.split("void main")[1].count("pt_exp(") == 1


def test_depthwise_convolution_fuses_following_operations():
    x, w, bias = leaf(1, 8, 8, 16), leaf(3, 3, 1, 16), leaf(16)
    names = kernels(pt.clip(pt.conv2d(x, w, padding="same", groups=16) + bias, 0.0, 6.0))
    assert names == ["reduce sum+clip"]


def test_padding_is_read_not_stored():
    """Expensive operands of a padding are stored without it."""
    x, w = leaf(1, 8, 8, 16), leaf(3, 3, 1, 16)
    plan = plan_of(pt.conv2d(pt.tanh(pt.exp(x)), w, padding="same", groups=16))
    assert [draw.kernel.kind for draw in plan.draws] == ["map", "reduce"]
    assert plan.lowered.spec(plan.draws[0].kernel.output).size == 8 * 8 * 16


def residual_blocks(channels, count):
    """Depthwise and 1x1 convolutions with a residual, as in BlazeFace."""
    x = pt.relu(leaf(1, 16, 16, channels) + leaf(channels))
    for _ in range(count):
        w, v, bias = leaf(3, 3, channels, 1), leaf(1, 1, channels, channels), leaf(channels)
        y = pt.nn.depthwise_conv2d(x, w, padding="same")
        x = pt.relu(pt.conv2d(y, v) + bias + x)
    return x


def test_windows_are_not_stored_if_a_shader_would_read_too_much():
    """A block reads two values more than the one before, until the sum so far is stored."""
    names = kernels(residual_blocks(24, 10))
    assert names == ["reduce sum", "contract dot", "map relu"] * 10
    plan = plan_of(residual_blocks(24, 10))
    sizes = {plan.lowered.spec(draw.kernel.output).size for draw in plan.draws}
    assert sizes == {16 * 16 * 24}


def test_images_below_windows_have_the_width_of_their_convolution():
    """Columns and rows of their texels are then coordinates of the image."""
    plan = plan_of(residual_blocks(24, 2))
    assert {viewport(draw) for draw in plan.draws if draw.kernel.kind == "reduce"} == {(6, 256)}
    assert viewport(plan.draws[2]) == (6, 256)
    loop = plan.draws[3].shader.source.split("void main")[1].split("for (")[2]
    assert "texelFetch(x0, ivec2(" in loop
    assert " / " not in loop
    assert " % " not in loop


def test_pooled_images_with_padded_channels_are_added_in_one_draw():
    x, y = leaf(1, 16, 16, 8), leaf(1, 8, 8, 24)

    def padded(pooled, high):
        return pt.pad(pooled, ((0, 0), (0, 0), (0, 0), (8, high)))

    names = kernels(pt.relu(padded(pt.nn.max_pool2d(x, 2, stride=2), 8) + y))
    assert names == ["reduce max+relu"]
    # A border of many times the image's size is not pooled, and a kept value is read.
    names = kernels(padded(pt.nn.max_pool2d(x, 2, stride=2), 32))
    assert names == ["reduce max", "map pad"]
    kept = pt.nn.max_pool2d(x, 2, stride=2)
    names = kernels(padded(kept, 8) + y)
    assert names == ["reduce max", "map add"]


def test_long_products_with_few_results_are_split():
    assert kernels(leaf(16, 512) @ leaf(512, 16)) == ["contract dot", "reduce sum"]
    assert kernels(leaf(16, 32) @ leaf(32, 16)) == ["contract dot", "map dot"]


def test_vector_matrix_product_is_split():
    assert kernels(leaf(1, 512) @ leaf(512, 64))[0] == "contract dot"
    assert kernels(leaf(64, 512) @ leaf(512, 1))[0] == "contract dot"


# --- lifetime of values ---


def test_sum_of_products_is_accumulated_early():
    def needed(count):
        total = None
        for _ in range(count):
            product = leaf(64, 512) @ leaf(512, 64)  # a split reduction
            total = product if total is None else total + product
        return bytes_drawn(total)

    # One more if a shader cannot read another product's operand.
    assert needed(16) <= needed(4) + 64 * 64 * 4


def test_values_are_computed_in_program_order():
    """Temporaries used at once are freed at once, in any order of the requested results."""

    def needed(order):
        x, results = leaf(64, 64), []
        for _ in range(8):
            x = pt.tanh(x @ leaf(64, 64))
            results.append(pt.sum(pt.exp(x), axis=0))
        return bytes_drawn(*order(results))

    assert needed(list) == needed(reversed) < 8 * 64 * 64 * 4


def test_activation_is_stored_before_a_window_of_a_rearranged_image():
    """A depthwise convolution of blocks reads each activation nine times."""
    x, w, taps = leaf(1, 33, 33, 96), leaf(1, 1, 96, 960), leaf(3, 3, 1, 960)

    def blocks():
        active = pt.relu(pt.conv2d(x, w) + leaf(960))
        return pt.nn.space_to_batch(active, [2, 2], [(2, 3), (2, 3)])

    names = kernels(pt.conv2d(blocks(), taps, groups=960))
    assert names == ["contract dot", "map relu", "reduce sum"]


def test_choices_by_one_condition_are_one_kernel():
    mask, x, y = leaf(6, 1, dtype="bool"), leaf(6, 8), leaf(6, 8)
    names = kernels(pt.where(mask, x, y), pt.where(mask, y * 2, x))
    assert names == ["map where"]


@pytest.mark.parametrize("other", ["later", "smaller", "by another condition"])
def test_choices_that_differ_are_two_kernels(other):
    mask, x, y = leaf(6, 1, dtype="bool"), leaf(6, 8), leaf(6, 8)
    first = pt.where(mask, x, y)
    second = {
        "later": lambda: pt.where(mask, first[::-1], x),
        "smaller": lambda: pt.where(mask, x[:, :4], y[:, :4]),
        "by another condition": lambda: pt.where(leaf(6, 1, dtype="bool"), x, y),
    }[other]()
    names = kernels(first, second)
    assert names == ["map where", "map where"]


def test_values_of_choices_by_one_condition():
    x, y = (np.arange(n, n + 48, dtype="float32").reshape(6, 8) for n in (0, 100))
    mask, square = x[:, :1] % 16 == 0, np.arange(64, dtype="float32").reshape(8, 8)
    chosen, a, b, matrix = (pt.asarray(value) for value in (mask, x, y, square))
    pt.realize(chosen, a, b, matrix)
    # With textures, the product is stored in tiles.
    product = b @ matrix
    first, second = pt.where(chosen, a, b), pt.where(chosen, product, a)
    del product
    names = kernels(first, second)
    assert names == ["contract dot", "map where"]
    pt.realize(first, second)
    np.testing.assert_array_equal(first.numpy(), np.where(mask, x, y))
    np.testing.assert_array_equal(second.numpy(), np.where(mask, y @ square, x))
