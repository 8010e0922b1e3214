"""Test complex numbers in a page without NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from page_python import PagePython

pytest_plugins = ["page_fixtures"]


def spectrum(values: list[float]) -> dict[str, Any]:
    import py_tensor as pt

    z = pt.fft.fft(pt.asarray(values))
    try:
        memoryview(z)
    except BufferError as error:
        refused = str(error)
    return {
        "parts": [[v.real, v.imag] for v in z.tolist()],
        "one": repr(z[:1]),
        "back": pt.real(pt.fft.ifft(z)).tolist(),
        "refused": refused,
        "tiny": complex(pt.asarray(2j) * 3j).real,
    }


def test_transforms(python: PagePython, backend: str) -> None:
    x = np.random.default_rng(3).uniform(-2, 2, 24).astype("float32")
    seen = python.call(spectrum, x.tolist())
    expected = np.fft.fft(x.astype("float64"))
    np.testing.assert_allclose(np.array(seen["parts"]) @ [1, 1j], expected, atol=1e-5)
    np.testing.assert_allclose(seen["back"], x, atol=1e-6)
    assert f"complex64, backend={backend}" in seen["one"]
    assert "use tolist()" in seen["refused"]
    assert seen["tiny"] == -6


async def read(values: list[float]) -> Any:
    import py_tensor as pt

    z = pt.fft.rfft(pt.asarray(values))
    data = await z.data()
    return {"shape": list(data.shape), "format": data.format, "values": data.tolist()}


def test_reading_without_blocking(python: PagePython) -> None:
    x = np.random.default_rng(4).uniform(-2, 2, 10).astype("float32")
    seen = python.call(read, x.tolist())
    assert (seen["shape"], seen["format"]) == ([6, 2], "f")
    expected = np.fft.rfft(x.astype("float64"))
    np.testing.assert_allclose(np.array(seen["values"]) @ [1, 1j], expected, atol=1e-5)
