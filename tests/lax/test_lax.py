"""Functions under the names of `jax.lax` return what JAX's return."""

from __future__ import annotations

import jax
import numpy as np
import pytest
from jax import lax as jax_lax

import py_tensor as pt
from py_tensor import errors, lax

RANDOM = np.random.default_rng(0)


def sample(*shape):
    return RANDOM.standard_normal(shape).astype("float32")


A = sample(5, 6)
INTEGERS = np.int32([-7, 7, -8, 8])
DIVISORS = np.int32([2, -2, 3, 5])
IMAGES, KERNEL = sample(2, 3, 8, 9), sample(4, 3, 3, 3)
ARRAYS = [
    ("dynamic_slice", (A, (3, -2), (3, 3)), {}),
    ("dynamic_slice_in_dim", (A, 4, 3, 1), {}),
    ("dynamic_index_in_dim", (A, 2, 1, False), {}),
    ("dynamic_update_slice", (A, sample(2, 3), (4, 1)), {}),
    ("dynamic_update_slice_in_dim", (A, sample(2, 6), 4, 0), {}),
    ("dynamic_update_index_in_dim", (A, sample(5), -1, 1), {}),
    ("slice", (A, (1, 0), (4, 6), (2, 3)), {}),
    ("slice_in_dim", (A, 1, None, 2, 1), {}),
    ("index_in_dim", (A, -1, 1), {}),
    ("index_take", (A, [np.int32([0, 2])], [0]), {}),
    ("top_k", (A, 3), {}),
    ("argmax", (A, 1, "int32"), {}),
    ("argmin", (A, 0, "int32"), {}),
    *((name, (A, 1), {}) for name in ("cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp")),
    *((name, (A, 0, True), {}) for name in ("cumsum", "cumprod", "cummax", "cumlogsumexp")),
    *((f"reduce_{name}", (A, (1,)), {}) for name in ("sum", "prod", "max", "min")),
    ("reduce_and", (A > 0, (0,)), {}),
    ("reduce_or", (A > 0, (0, 1)), {}),
    ("pad", (A, 0.5, [(1, -2, 1), (-1, 2, 0)]), {}),
    ("rev", (A, (0, 1)), {}),
    ("transpose", (A, (1, 0)), {}),
    ("reshape", (A, (3, 10), (1, 0)), {}),
    ("collapse", (sample(2, 3, 4, 5), 1, 3), {}),
    ("broadcast", (A, (2,)), {}),
    ("broadcast_in_dim", (sample(3), (2, 3, 4), (1,)), {}),
    ("broadcasted_iota", ("int32", (2, 3), 0), {}),
    ("iota", ("float32", 4), {}),
    ("concatenate", ([A, A], 1), {}),
    ("split", (A, (2, 4), 1), {}),
    ("sort", (A, 0), {}),
    ("sort", ((np.int32([2, 1, 2, 1]), np.int32([1, 0, 0, 1]), INTEGERS),), {"num_keys": 2}),
    ("sort_key_val", (A, -A, 0), {}),
    ("dot", (sample(3), sample(3, 4)), {}),
    ("batch_matmul", (sample(2, 3, 4), sample(2, 4, 5)), {}),
    ("dot_general", (sample(2, 3, 4), sample(4, 2, 5), (((2,), (0,)), ((0,), (1,)))), {}),
    ("div", (INTEGERS, DIVISORS), {}),
    ("div", (A, sample(5, 6)), {}),
    ("rem", (INTEGERS, DIVISORS), {}),
    ("rem", (sample(5), np.float32([1, 2, -3, 4, 0.5])), {}),
    ("round", (np.float32([0.5, -0.5, 1.5, 2.5, -2.7, 0.49]),), {}),
    ("round", (np.float32([0.5, 1.5, 2.5]), jax_lax.RoundingMethod.TO_NEAREST_EVEN), {}),
    ("integer_pow", (sample(4), -3), {}),
    ("clamp", (0.0, A, 0.5), {}),
    ("select", (INTEGERS > 0, INTEGERS, DIVISORS), {}),
    ("select_n", (np.int32([0, 2, 1]), sample(3), sample(3), sample(3)), {}),
    ("select_n", (np.array([True, False]), sample(2), sample(2)), {}),
    ("shift_right_logical", (INTEGERS, np.int32([1, 2, 3, 4])), {}),
    ("bitcast_convert_type", (sample(4), "int32"), {}),
    ("convert_element_type", (sample(4), "int32"), {}),
]
NHWC = ("NHWC", "HWIO", "NHWC")
CONVOLUTIONS = [
    *(
        ("conv_general_dilated", (IMAGES, KERNEL, (2, 1), padding, None, spread), {})
        for padding in ("SAME", "VALID", "SAME_LOWER", [(-1, 2), (0, -1)])
        for spread in (None, (2, 1))
    ),
    ("conv_general_dilated", (IMAGES, KERNEL, (2, 1), [(1, 2), (0, 3)], (2, 3), (2, 1)), {}),
    (
        "conv_general_dilated",
        (IMAGES.transpose(0, 2, 3, 1), KERNEL.transpose(2, 3, 1, 0), (1, 1), "SAME"),
        {"dimension_numbers": NHWC},
    ),
    (
        "conv_general_dilated",
        (IMAGES.transpose(2, 3, 0, 1), KERNEL.transpose(2, 3, 1, 0), (1, 1), "SAME"),
        {"dimension_numbers": ("HWNC", "HWIO", "NCHW")},
    ),
    (
        "conv_general_dilated",
        (sample(2, 4, 10), sample(6, 2, 3), (1,), "SAME"),
        {"feature_group_count": 2},
    ),
    (
        "conv_general_dilated",
        (sample(1, 4, 6, 5, 6), sample(3, 4, 3, 2, 3), (1, 2, 1), "SAME"),
        {},
    ),
    ("conv", (IMAGES, KERNEL, (1, 1), "SAME"), {}),
    (
        "conv_with_general_padding",
        (IMAGES, KERNEL, (1, 1), [(1, 1), (2, 0)], (2, 2), (1, 2)),
        {},
    ),
    *(
        ("conv_transpose", (sample(1, 5, 6, 3), sample(3, 4, 3, 2), strides, padding), {})
        for strides in ((1, 1), (3, 1), (5, 4))
        for padding in ("SAME", "VALID", [(1, 1), (2, 2)])
    ),
    (
        "conv_transpose",
        (sample(1, 5, 6, 3), sample(3, 4, 2, 3), (2, 2), "SAME", (2, 2)),
        {"transpose_kernel": True},
    ),
]


@pytest.mark.parametrize(("name", "args", "options"), ARRAYS + CONVOLUTIONS)
def test_values_are_those_of_jax(name, args, options):
    expected = jax.tree.leaves(getattr(jax_lax, name)(*args, **options))
    got = pt.tree.leaves(getattr(lax, name)(*args, **options))
    for ours, theirs in zip(got, expected, strict=True):
        assert ours.shape == theirs.shape
        np.testing.assert_allclose(ours.numpy(), theirs, rtol=2e-5, atol=2e-5)


def test_positions_may_be_traced():
    x = pt.asarray(A)
    part = pt.jit(lambda x, at: lax.dynamic_slice(x, (at, 0), (2, 3)))(x, pt.asarray(4))
    assert part.tolist() == A[3:5, :3].tolist()
    parts = pt.vmap(lambda at: lax.dynamic_slice(x, (at, 0), (2, 3)))(pt.asarray([0, 1]))
    assert parts.tolist() == [A[:2, :3].tolist(), A[1:3, :3].tolist()]


def test_an_updated_part_has_no_gradient():
    def total(x):
        return pt.sum(lax.dynamic_update_slice(x, pt.ones((1, 2)), (1, pt.asarray(1))))

    expected = np.ones((5, 6), "float32")
    expected[1, 1:3] = 0
    assert pt.grad(total)(pt.asarray(A)).tolist() == expected.tolist()


def test_elements_are_reduced_by_any_function():
    x = pt.asarray([[1, 5, 2], [3, 2, 9]])
    assert lax.reduce(x, 0, lax.add, (0, 1)).item() == 22
    pairs = lax.reduce(
        (x, -x), (0, 0), lambda a, b: (lax.max(a[0], b[0]), lax.min(a[1], b[1])), (1,)
    )
    assert [part.tolist() for part in pairs] == [[5, 9], [-5, -9]]
    assert lax.reduce(pt.zeros((0, 2)), 7.0, lax.add, (0,)).tolist() == [7.0, 7.0]


@pytest.mark.parametrize("padding", ["SAME", "VALID", [(1, 0), (2, 2)]])
def test_windows_are_reduced(padding):
    expected = jax_lax.reduce_window(A, -np.inf, jax_lax.max, (2, 3), (1, 2), padding)
    got = lax.reduce_window(A, -np.inf, lax.max, (2, 3), (1, 2), padding)
    assert got.tolist() == expected.tolist()


def test_wrong_arguments_raise():
    with pytest.raises(errors.ShapeError, match="part does not fit"):
        lax.dynamic_slice(A, (0,), (1, 1))
    with pytest.raises(errors.ShapeError, match="part does not fit"):
        lax.dynamic_slice(A, (0, 0), (9, 1))
    with pytest.raises(errors.ArgumentError, match="padding does not exist"):
        lax.conv(IMAGES, KERNEL, (1, 1), "FULL")
    with pytest.raises(errors.ArgumentError, match="order of axes does not fit"):
        lax.conv_dimension_numbers((1, 2, 3), (1, 2, 3), NHWC)
    with pytest.raises(errors.ArgumentError, match="groups of batches"):
        lax.conv_general_dilated(IMAGES, KERNEL, (1, 1), "SAME", batch_group_count=2)
    with pytest.raises(errors.ArgumentError, match="sizes of the dtypes differ"):
        lax.bitcast_convert_type(A, "uint8")
    with pytest.raises(errors.ArgumentError, match="there are no cases"):
        lax.select_n(pt.asarray(0))


WRONG = {
    "axes of another number": (
        lambda: lax.broadcast_in_dim(pt.ones(2), (2, 3), (0, 1)),
        "broadcast_in_dim: broadcast_dimensions does not fit; got 2 values; give 1",
    ),
    "corners of too few axes": (
        lambda: lax.slice(pt.ones((2, 3)), (0,), (2,)),
        "slice: start_indices does not fit; got 1 values; give 2",
    ),
    "sizes that do not add up": (
        lambda: lax.split(pt.ones(4), (1, 2)),
        "split: sizes do not fit; got (1, 2) for length 4; use sizes of at least 0 that add up to "
        "the length",
    ),
    "steps of zero": (
        lambda: lax.conv(IMAGES, KERNEL, (0, 1), "SAME"),
        "conv: window_strides is too small; got 0; use 1 or more",
    ),
    "padding of numbers": (
        lambda: lax.conv_general_dilated(IMAGES, KERNEL, (1, 1), [1, 1]),
        "conv_general_dilated: padding must be a sequence; got 1; pass a list or a tuple",
    ),
    "padding of triples": (
        lambda: lax.conv_general_dilated(IMAGES, KERNEL, (1, 1), [(1, 1, 0)]),
        "conv_general_dilated: padding must be a sequence of tuples; got (1, 1, 0); give 2 numbers "
        "for each axis",
    ),
    "sums over unequal lengths": (
        lambda: lax.dot_general(pt.ones((2, 3)), pt.ones(6), (((0, 1), (0,)), ((), ()))),
        "dot_general: lengths of axes differ; got [2, 3] and [6]; give axes of equal lengths",
    ),
    "bits of fractions": (
        lambda: lax.shift_right_logical(pt.ones(2), 1),
        "shift_right_logical: dtype float32 has no bits to move; use x.astype('int32')",
    ),
    "a number as a function": (
        lambda: lax.reduce(pt.ones(2), 0.0, 3, (0,)),
        "reduce: computation must be a function; got 3; pass a function",
    ),
    "no operands": (
        lambda: lax.reduce([], [], pt.add, (0,)),
        "reduce: there are no operands; got none; give at least one tensor",
    ),
    "more keys than tensors": (
        lambda: lax.sort((pt.ones(2),), num_keys=2),
        "sort: num_keys is too large; got 2; use at most 1",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments_name_the_function(name):
    call, text = WRONG[name]
    with pytest.raises(errors.TensorError) as raised:
        call()
    assert str(raised.value) == text


def test_axes_may_be_arrays_and_negative():
    x = pt.arange(6).reshape((2, 3))
    assert lax.transpose(x, np.asarray([1, 0])).shape == (3, 2)
    assert lax.dot_general(x, x, (((-1,), (1,)), ((0,), (0,)))).tolist() == [5, 50]
