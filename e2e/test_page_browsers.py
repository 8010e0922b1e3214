"""Browsers that lack something: promises Python could wait for, textures of float32 to draw to."""

from __future__ import annotations

import math
from typing import Any

import pytest
from page_python import PagePython
from playwright.sync_api import Page

pytest_plugins = ["page_fixtures"]


async def both_ways() -> list[Any]:
    from pyodide.ffi import can_run_sync

    import py_tensor as pt

    x = pt.arange(70_000, dtype="float32") * 2.0
    waited = await x.data()
    return [can_run_sync(), x[-1].item(), waited == memoryview(x)]


def test_blocking_without_promise_integration(page: Page, pages_url: str) -> None:
    python = PagePython(page, pages_url, "page", "no_promises")
    assert python.call(both_ways) == [False, 139_998, True]


def with_half_floats() -> dict[str, Any]:
    import warnings

    import py_tensor as pt

    pt.runtime.runtime.host_elements = 0  # nothing is stored as float16 on the host
    x = pt.asarray([[1.5, -2.25], [0.1, 60_000.0]])
    w = pt.asarray([[2.0, 0.0], [0.0, 0.5]])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        large = (pt.asarray([1e6, 1.0]) * 1.0).tolist()
    whole = pt.arange(12, dtype="int32").reshape((3, 4)) * 100_000
    return {
        "limits": pt.runtime.backend().limits["float32Renderable"],
        "dtype": (x @ w).dtype.name,
        "product": (x @ w).tolist(),
        "softmax": pt.softmax(pt.asarray([0.0, 0.0, 0.0, 0.0])).tolist(),
        "sum": pt.sum(pt.ones(1000)).item(),
        "large": large,
        "warned": [str(warning.message) for warning in caught],
        "integers": whole.tolist()[2],
        "view": [memoryview(x + 0.0).format, (x + 0.0).nbytes],
        "many": (pt.arange(9000, dtype="float32") / 10.0).tolist()[-1],
    }


def test_float32_stored_as_float16(page: Page, pages_url: str) -> None:
    seen = PagePython(page, pages_url, "page", "half_floats").call(with_half_floats)
    assert seen["limits"] is False
    assert seen["dtype"] == "float32"
    assert seen["product"][0] == [3, -1.125]
    assert seen["product"][1] == pytest.approx([0.2, 30_000], rel=1e-3)
    assert seen["softmax"] == [0.25] * 4
    assert seen["sum"] == 1000
    # SwiftShader draws infinity to float16 as NaN.
    assert not math.isfinite(seen["large"][0])
    assert seen["large"][1] == 1
    assert len(seen["warned"]) == 1
    assert "float16" in seen["warned"][0]
    assert seen["integers"] == [800_000, 900_000, 1_000_000, 1_100_000]
    assert seen["view"] == ["f", 16]
    assert seen["many"] == pytest.approx(899.9, rel=1e-3)
