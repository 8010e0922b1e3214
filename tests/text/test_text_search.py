"""Search similar vectors: equal to sorting all scores, in every form of the vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import py_tensor as pt
from py_tensor.errors import ArgumentError, DTypeError, ShapeError
from py_tensor.text.embeddings import search as module


def scores_of(queries: np.ndarray, vectors: np.ndarray, metric: str) -> np.ndarray:
    queries, vectors = queries.astype("float64"), vectors.astype("float64")
    if metric == "cosine":
        queries, vectors = (
            x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-12)
            for x in (queries, vectors)
        )
    return queries @ vectors.T


def check(found: tuple[pt.Tensor, pt.Tensor], scores: np.ndarray, count: int) -> None:
    values, positions = (own.numpy() for own in found)
    assert positions.dtype == np.int32
    assert all(len(set(row)) == count for row in positions.tolist())
    np.testing.assert_allclose(values, -np.sort(-scores)[:, :count], rtol=1e-4, atol=1e-4)
    chosen = np.take_along_axis(scores, positions, axis=1)
    np.testing.assert_allclose(chosen, values, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("metric", ["cosine", "dot"])
@pytest.mark.parametrize("count", [1, 5])
def test_best_of_several_blocks(
    metric: str, count: int, rng: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last block overlaps the one before it, and vectors there are not found twice."""
    monkeypatch.setattr(module, "ELEMENTS", 8 * 300)
    monkeypatch.setattr(module, "QUERIES", 4)
    vectors = rng.standard_normal((1000, 8)).astype("float32")
    # The best ones are where blocks overlap.
    vectors[690:710] *= 3
    vectors[5] = 0
    queries = np.concatenate([rng.standard_normal((5, 8)), vectors[700:702]]).astype("float32")
    scores = scores_of(queries, vectors, metric)
    check(pt.text.search(queries, pt.asarray(vectors), count, metric=metric), scores, count)
    check(pt.text.search(queries, vectors, count, metric=metric), scores, count)


def test_first_of_equal_vectors_is_preferred(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ELEMENTS", 4 * 30)
    vectors = pt.ones((100, 4))
    scores, positions = pt.text.search(pt.ones(4), vectors, 6)
    assert positions.tolist() == [0, 1, 2, 3, 4, 5]
    np.testing.assert_allclose(scores.numpy(), 1, rtol=1e-5)


def test_vectors_of_bytes_and_packed_vectors(rng: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ELEMENTS", 32 * 50)
    vectors = rng.standard_normal((130, 32)).astype("float32")
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    small = np.round(vectors * 127).astype("int8")
    queries = rng.standard_normal((3, 32)).astype("float32")
    found = pt.text.search(queries, pt.asarray(small), 4)
    check(found, scores_of(queries, small, "cosine"), 4)
    table = pt.nn.Embedding(130, 32)
    table.weight = pt.asarray(vectors)
    packed = pt.quantize(table, bits=8).weight
    found = pt.text.search(queries, packed, 4, metric="dot")
    check(found, scores_of(queries, packed.unpacked().numpy(), "dot"), 4)


def test_blocks_share_a_plan(rng: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ELEMENTS", 8 * 64)
    queries = pt.asarray(rng.standard_normal((2, 8)).astype("float32"))
    vectors = pt.asarray(rng.standard_normal((640, 8)).astype("float32"))
    before = pt.cache_info().plan_misses
    pt.text.search(queries, vectors)[0].numpy()
    first = pt.cache_info().plan_misses
    # There are ten blocks.
    assert first - before < 10
    pt.text.search(queries, 2 * vectors)[0].numpy()
    assert pt.cache_info().plan_misses - first <= 1


def test_no_vectors_and_no_queries() -> None:
    scores, positions = pt.text.search(pt.ones((2, 3)), pt.ones((0, 3)), 0)
    assert scores.shape == positions.shape == (2, 0)
    assert pt.text.search(pt.ones((0, 3)), pt.ones((4, 3)), 2)[1].shape == (0, 2)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (lambda: (pt.ones((2, 3)), pt.ones((4, 2))), ShapeError, "search: widths differ; got shap"),
        (lambda: (pt.ones(3), pt.ones(3)), ShapeError, "search: widths differ"),
        (lambda: (pt.ones(3), pt.ones((4, 3)), 5), ArgumentError, "count is out of range; got 5 f"),
        (lambda: (pt.ones(3), pt.ones((4, 3), dtype="complex64")), DTypeError, "real numbers"),
    ],
)
def test_wrong_arguments_say_what_is_wrong(arguments: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        pt.text.search(*arguments())
    with pytest.raises(ArgumentError, match="metric"):
        pt.text.search(pt.ones(3), pt.ones((9, 3)), metric="euclid")
