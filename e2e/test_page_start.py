"""A page that loads the wheel has a working library, with nothing else to set up."""

from __future__ import annotations

from typing import Any

from page_python import PagePython

pytest_plugins = ["page_fixtures"]


def first_steps() -> dict[str, Any]:
    import sys

    import py_tensor as pt

    x = pt.asarray([[1.0, 2.0], [3.0, 4.0]])
    return {
        "values": (x @ x + 1).tolist(),
        "backend": pt.get_backend(),
        "version": pt.__version__,
        "numpy": "numpy" in sys.modules,
        "python": sys.version_info[:2],
        "shown": repr(x),
    }


def test_import_sets_itself_up(python: PagePython) -> None:
    seen = python.call(first_steps)
    assert seen["values"] == [[8.0, 11.0], [16.0, 23.0]]
    assert seen["backend"] == "webgl"
    assert seen["numpy"] is False
    assert seen["python"] >= [3, 14]
    assert seen["shown"] == (
        "tensor([[1., 2.],\n        [3., 4.]], shape=(2, 2), dtype=float32, backend=webgl)"
    )
