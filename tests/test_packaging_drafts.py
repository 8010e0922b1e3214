"""The drafts in packaging/ for other projects work with the installed versions of these."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import array_api_compat
import einops
import numpy as np
import pytest
from einops import _backends

import py_tensor as pt

PACKAGING = Path(__file__).parent.parent / "packaging"
VALUES = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


def draft(project: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        f"{project}_draft", PACKAGING / project / "py_tensor.py"
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_array_api_compat_recognizes_tensors() -> None:
    helpers = draft("array_api_compat")
    tensor = pt.asarray(VALUES)
    assert helpers.is_py_tensor_array(tensor)
    assert not any(map(helpers.is_py_tensor_array, (VALUES, 1.0, None, [tensor], pt)))
    assert helpers.is_py_tensor_namespace(array_api_compat.array_namespace(tensor))
    assert not helpers.is_py_tensor_namespace(array_api_compat.array_namespace(VALUES))


@pytest.mark.host
def test_array_api_compat_does_not_import_py_tensor(monkeypatch: pytest.MonkeyPatch) -> None:
    helpers = draft("array_api_compat")
    monkeypatch.delitem(sys.modules, "py_tensor")
    assert not helpers.is_py_tensor_array(VALUES)
    assert "py_tensor" not in sys.modules


CALLS: dict[str, Callable[[Any], Any]] = {
    "rearrange": lambda x: einops.rearrange(x, "a b c -> c (b a)"),
    "split": lambda x: einops.rearrange(x, "a b (c d) -> a c b d", d=2),
    "reduce mean": lambda x: einops.reduce(x, "a b c -> b", "mean"),
    "reduce max": lambda x: einops.reduce(x, "a b c -> a c", "max"),
    "repeat": lambda x: einops.repeat(x, "a b c -> a (b two) c three", two=2, three=3),
    "list": lambda x: einops.rearrange([x, x + 1], "n a b c -> (n a) b c"),
    "pack": lambda x: einops.pack([x, x[0]], "* c")[0],
    "einsum": lambda x: einops.einsum(x, x, "a b c, a d c -> a b d"),
}


@pytest.mark.parametrize("name", CALLS)
def test_einops_computes_with_tensors(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    backend = draft("einops").PyTensorBackend()
    monkeypatch.setattr(_backends, "_type2backend", {pt.Tensor: backend})
    result = CALLS[name](pt.asarray(VALUES))
    assert isinstance(result, pt.Tensor)
    expected = CALLS[name](VALUES)
    assert result.shape == expected.shape
    np.testing.assert_allclose(result.numpy(), expected, rtol=1e-6)
