"""Row kernels and attention of devices with workgroups: kernels of plans, and their values.

Values are computed by the backend in use. These kernels run with `--backend webgpu`.
"""

from __future__ import annotations

import numpy as np
import pytest
from plans import leaf, plan_of

import py_tensor as pt
from py_tensor.compiler.fusion.rows import _Joining
from py_tensor.compiler.workgroups.target import WorkgroupTarget

TARGET = WorkgroupTarget(buffers=10)


def kernels(*tensors):
    draws = plan_of(*tensors, device=TARGET).draws
    return [f"{draw.kernel.kind} {draw.shader.name}" for draw in draws]


def standardized(x):
    return (x - x.mean(axis=-1, keepdims=True)) / x.std(axis=-1, keepdims=True)


def with_residual(x, y):
    total = x + y
    return total, pt.nn.layer_norm(total, scale=leaf(64))


def best_of(x):
    return x.argmax(axis=-1), x.max(axis=-1)


ONE_KERNEL = {
    "softmax": lambda: pt.softmax(leaf(6, 64)),
    "softmax of odd rows": lambda: pt.softmax(leaf(6, 67)),
    "softmax of long rows": lambda: pt.softmax(leaf(64, 8192)),
    "softmax of halves": lambda: pt.softmax(leaf(6, 64, dtype="float16")),
    "log_softmax": lambda: pt.nn.log_softmax(leaf(6, 64)),
    "logsumexp": lambda: pt.nn.logsumexp(leaf(6, 64), axis=-1),
    "layer norm": lambda: pt.nn.layer_norm(leaf(6, 64), scale=leaf(64), offset=leaf(64)),
    "layer norm over two axes": lambda: pt.nn.layer_norm(leaf(6, 8, 5), axis=(1, 2)),
    "RMS norm": lambda: pt.nn.rms_norm(leaf(6, 64), scale=leaf(64)),
    "standardization": lambda: standardized(leaf(6, 64)),
    "sum and layer norm": lambda: with_residual(leaf(6, 64), leaf(6, 64)),
    "position and value of the maximum": lambda: best_of(leaf(6, 64)),
}


@pytest.mark.parametrize("name", ONE_KERNEL)
def test_reductions_of_rows_are_one_kernel(name):
    made = ONE_KERNEL[name]()
    (kernel,) = kernels(*(made if isinstance(made, tuple) else (made,)))
    assert kernel.startswith("rows ")


def test_gradient_of_softmax_is_one_kernel():
    x, y = leaf(6, 64), leaf(6, 64)
    (kernel,) = kernels(pt.grad(lambda x: (pt.softmax(x) * y).sum())(x))
    assert kernel.startswith("rows ")


def test_rows_and_columns_are_reduced_by_separate_kernels():
    x, scale, y = leaf(64, 256), leaf(256), leaf(64, 256)

    def loss(x, scale):
        return (pt.nn.layer_norm(x, scale=scale) * y).sum()

    kinds = [kernel.split()[0] for kernel in kernels(*pt.grad(loss, argnums=(0, 1))(x, scale))]
    assert kinds == ["rows", "reduce"]


def test_results_of_other_rows_are_stored_first():
    x = leaf(6, 64)
    shifted = pt.roll(x.max(axis=1, keepdims=True), 1, axis=0)
    assert kernels(x - shifted)[0] == "reduce max"


def test_half_results_of_rows_are_not_stored_one_by_one():
    x = leaf(6, 64, dtype="float16")
    assert kernels(pt.nn.logsumexp(x, axis=-1)) == ["reduce max", "reduce sum+astype"]


def test_few_long_rows_are_split():
    assert len(kernels(leaf(1, 1 << 20).max(axis=-1))) == 2


def test_attention_is_one_kernel():
    q, k, v = leaf(2, 3, 32, 16), leaf(2, 3, 40, 16), leaf(2, 3, 40, 20)
    result = pt.nn.scaled_dot_product_attention(q, k, v, mask=leaf(2, 1, 32, 40) > 0, causal=True)
    assert kernels(result) == ["attend attention"]


@pytest.mark.parametrize("queries", [1, 6])
def test_attention_of_grouped_heads_stores_no_scores(queries):
    q, k, v = leaf(2, 9, queries, 16), leaf(2, 3, 1024, 16), leaf(2, 3, 1024, 16)
    result = pt.nn.scaled_dot_product_attention(q, k, v, mask=leaf(1, 1, queries, 1024) > 0)
    assert kernels(result) == ["attend attention", "map joined_parts"]


def test_attention_whose_weights_are_kept_stores_them():
    scores = leaf(3, 32, 16) @ leaf(3, 16, 40)
    weights = pt.softmax(scores)
    kinds = [kernel.split()[0] for kernel in kernels(weights, weights @ leaf(3, 40, 16))]
    assert kinds == ["contract", "rows", "contract"]


SHAPES = [(5, 7), (3, 16), (70, 12), (2, 3, 20), (3, 67), (2, 260), (2, 1003), (2, 4100)]


def numbers(*shape):
    return np.random.default_rng(shape[-1]).normal(size=shape).astype("float32")


@pytest.mark.parametrize("shape", SHAPES)
def test_softmax_equals_numpy(shape):
    x = numbers(*shape)
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    expected = powers / powers.sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(pt.softmax(pt.asarray(x)).numpy(), expected, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("shape", SHAPES)
def test_standardization_equals_numpy(shape):
    x = numbers(*shape)
    result = standardized(pt.asarray(x)).numpy()
    np.testing.assert_allclose(result, standardized(x), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("shape", SHAPES)
def test_extremes_of_rows_equal_numpy(shape):
    x = numbers(*shape)
    x[0, ..., 2] = np.nan
    x[1] = -np.inf
    t = pt.asarray(x)
    results = t.argmax(axis=-1), t.max(axis=-1), t.argmin(axis=-1)
    pt.realize(*results)
    expected = x.argmax(axis=-1), x.max(axis=-1), x.argmin(axis=-1)
    for result, array in zip(results, expected, strict=True):
        np.testing.assert_array_equal(result.numpy(), array)


@pytest.mark.parametrize("shape", SHAPES)
def test_small_integers_of_rows_equal_numpy(shape):
    x = (10 * numbers(*shape)).astype("int8")
    t = pt.asarray(x)
    results = t - t.max(axis=-1, keepdims=True), t.sum(axis=-1), (t > 0).any(axis=-1)
    pt.realize(*results)
    expected = x - x.max(axis=-1, keepdims=True), x.sum(axis=-1), (x > 0).any(axis=-1)
    for result, array in zip(results, expected, strict=True):
        np.testing.assert_array_equal(result.numpy(), array)


@pytest.mark.parametrize("sizes", [(32, 40, 16, 20), (17, 33, 20, 72), (70, 5, 4, 132)])
@pytest.mark.parametrize("hidden", [-np.inf, 0.0])
def test_attention_equals_numpy(sizes, hidden):
    queries, keys, features, values = sizes
    q, k = numbers(2, 3, queries, features), numbers(2, 3, keys, features)
    v, bias = numbers(2, 3, keys, values), numbers(2, 1, queries, keys)
    bias[bias > 0.3] = hidden
    bias[..., 0] = 0.0
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(np.float32(features)) + bias
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    expected = powers / powers.sum(axis=-1, keepdims=True) @ v
    result = pt.nn.scaled_dot_product_attention(*map(pt.asarray, (q, k, v)), mask=pt.asarray(bias))
    np.testing.assert_allclose(result.numpy(), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("queries", [1, 6])
def test_attention_of_grouped_heads_equals_numpy(queries):
    q, k, v = numbers(2, 9, queries, 16), numbers(2, 3, 300, 16), numbers(2, 3, 300, 20)
    visible = numbers(2, 1, queries, 300) > -0.5
    visible[..., 0] = True
    scores = q.reshape(2, 3, 3, queries, 16) @ k[:, :, None].swapaxes(-1, -2) / np.float32(4.0)
    scores = np.where(visible[:, :, None], scores, -np.inf)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    expected = powers / powers.sum(axis=-1, keepdims=True) @ v[:, :, None]
    result = pt.nn.scaled_dot_product_attention(
        *map(pt.asarray, (q, k, v)), mask=pt.asarray(visible)
    )
    expected = expected.reshape(2, 9, queries, 20)
    np.testing.assert_allclose(result.numpy(), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("padding", [0, 3, 40])
def test_causal_attention_without_visible_keys_is_the_mean_of_all_values(padding):
    q, k, v = (numbers(2, 100, 16 + n)[..., :16] for n in range(3))
    visible = np.arange(100) >= padding
    lowest = np.finfo("float32").min
    scores = q @ k.swapaxes(-1, -2) / np.float32(4.0)
    scores = np.where(np.tri(100, dtype=bool), np.where(visible, scores, lowest), lowest)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    expected = powers / powers.sum(axis=-1, keepdims=True) @ v
    result = pt.nn.scaled_dot_product_attention(
        *map(pt.asarray, (q, k, v)), mask=pt.asarray(visible), causal=True
    )
    np.testing.assert_allclose(result.numpy(), expected, rtol=1e-4, atol=1e-5)


def test_attention_of_one_matrix_equals_numpy():
    x = numbers(2, 32, 32)
    scores = x @ x
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    expected = powers / powers.sum(axis=-1, keepdims=True) @ x
    t = pt.asarray(x)
    np.testing.assert_allclose((pt.softmax(t @ t) @ t).numpy(), expected, rtol=1e-4, atol=1e-5)


def joined_pairs(blocks, monkeypatch):
    """Number of pairs of kernels that are compared for a decoder that runs one token."""
    calls = []
    together = _Joining._together
    monkeypatch.setattr(
        _Joining, "_together", lambda *args: calls.append(0) or together(*args), raising=True
    )
    mask, x = leaf(1, 16), leaf(1, 16)
    count = pt.sum(mask, axis=1, dtype="float32")
    results = []
    for number in range(blocks):
        # Each block reads the count, whose kernel therefore computes several of these values.
        place = count * float(number + 2)
        x = x + pt.softmax(pt.nn.rms_norm(x, scale=leaf(16)) @ leaf(16, 16) * place[:, None])
        results.append(place)
    plan_of(x, *results, device=TARGET)
    monkeypatch.undo()
    return len(calls)


def test_compared_pairs_of_kernels_grow_with_the_number_of_blocks(monkeypatch):
    few, many = (joined_pairs(blocks, monkeypatch) for blocks in (20, 60))
    assert few >= 20
    assert many <= 3.5 * few
