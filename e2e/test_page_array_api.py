"""Run code written for the array API standard in a page without NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from page_python import PagePython

pytest_plugins = ["page_fixtures"]


def whitened(rows: list[list[float]]) -> dict[str, Any]:
    """Return principal components, computed with functions of the standard only."""
    import sys

    import py_tensor as pt

    x = pt.asarray(rows)
    xp = x.__array_namespace__()
    centred = x - xp.mean(x, axis=0)
    _, spread, axes = xp.linalg.svd(centred, full_matrices=False)
    covariance = xp.matmul(xp.matrix_transpose(centred), centred)
    values, _ = xp.linalg.eigh(covariance)
    general = xp.linalg.eigvals(covariance)
    inverse = xp.linalg.inv(covariance)
    return {
        "numpy": "numpy" in sys.modules,
        "spread": spread.tolist(),
        "axes": xp.abs(axes).tolist(),
        "values": values.tolist(),
        "general": sorted(value.real for value in general.tolist()),
        "one": xp.matmul(covariance, inverse).tolist(),
    }


def test_principal_components(python: PagePython) -> None:
    rows = np.random.default_rng(5).normal(size=(40, 5)) * [5, 3, 2, 1, 0.5]
    seen = python.call(whitened, rows.tolist())
    centred = rows - rows.mean(axis=0)
    _, spread, axes = np.linalg.svd(centred, full_matrices=False)
    assert not seen["numpy"]
    np.testing.assert_allclose(seen["spread"], spread, rtol=1e-5)
    np.testing.assert_allclose(seen["axes"], np.abs(axes), atol=1e-4)
    np.testing.assert_allclose(seen["values"], spread[::-1] ** 2, rtol=1e-4)
    np.testing.assert_allclose(seen["general"], spread[::-1] ** 2, rtol=1e-4)
    np.testing.assert_allclose(seen["one"], np.eye(5), atol=1e-4)


def cleaned(values: list[float]) -> dict[str, Any]:
    """Select, count, sort and write back values by masks and indices."""
    import py_tensor as pt

    x = pt.asarray(values)
    whole = pt.astype(pt.round(x), pt.int32)
    unique, counts = pt.unique_counts(whole)
    order = pt.argsort(x, descending=True)
    x[x < 0] = 0.0
    return {
        "unique": unique.tolist(),
        "counts": counts.tolist(),
        "first": order[:5].tolist(),
        "kept": x[x > 0].tolist(),
        "places": pt.searchsorted(unique, pt.asarray([0, 2], dtype=pt.int32)).tolist(),
    }


def test_masks_sets_and_order(python: PagePython) -> None:
    x = np.random.default_rng(6).normal(size=200).astype("float32") * 2
    seen = python.call(cleaned, x.tolist())
    unique, counts = np.unique(np.round(x).astype("int32"), return_counts=True)
    assert seen["unique"] == unique.tolist()
    assert seen["counts"] == counts.tolist()
    assert seen["first"] == np.argsort(-x, stable=True)[:5].tolist()
    np.testing.assert_array_equal(np.float32(seen["kept"]), x[x > 0])
    assert seen["places"] == np.searchsorted(unique, [0, 2]).tolist()
