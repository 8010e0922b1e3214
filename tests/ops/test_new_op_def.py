"""Four files add an elementwise operation everywhere; CONTRIBUTING.md has this example."""

from __future__ import annotations

import importlib
import shutil
import sys
from pathlib import Path

import numpy as np
import playwright_bridge
import pytest

import py_tensor as pt

PACKAGE = Path(pt.__file__).parent
OP_DEF = """
    Elementwise(name="softsign", formula="x / (1.0 + abs(x))", dtypes="floating",
        reference=lambda xp, x: x / (1 + xp.abs(x)),
        gradient=(lambda pt, g, y, x: g / (1.0 + pt.abs(x)) ** 2,), doc="Return x / (1 + abs(x))."),
"""
FUNCTION = '''

@ufunc
def softsign(x: ArrayLike, /) -> Tensor:
    """Return x / (1 + abs(x))."""
    return apply(ELEMENTWISE["softsign"], (x,))
'''
METHODS = "    softsign = elementwise.softsign\n    __floor__ = elementwise.softsign\n"


def insert(path: Path, before: str, text: str, after: str) -> None:
    """Insert a text between two others that follow each other once."""
    old = path.read_text()
    assert old.count(before + after) == 1
    path.write_text(old.replace(before + after, before + text + after))


def add_operation(package: Path) -> None:
    """Add the op definition, the function, its public name and the methods."""
    insert(package / "ops" / "elementwise.py", "\nOP_DEFS = (", OP_DEF, "\n")
    functions = package / "functions"
    chapter = functions / "elementwise.py"
    chapter.write_text(chapter.read_text() + FUNCTION)
    insert(package / "late.py", " sinh", " softsign", " sqrt")
    insert(functions / "methods.py", "    sinh = elementwise.sinh\n", METHODS, "    sqrt")


@pytest.fixture(scope="module")
def changed(tmp_path_factory):
    """Import a copy of the package with the op definition under another name."""
    folder = tmp_path_factory.mktemp("one_op_def")
    shutil.copytree(
        PACKAGE, folder / "changed_tensor", ignore=shutil.ignore_patterns("__pycache__")
    )
    add_operation(folder / "changed_tensor")
    sys.path.insert(0, str(folder))
    yield importlib.import_module("changed_tensor")
    sys.path.remove(str(folder))
    for name in [name for name in sys.modules if name.split(".")[0] == "changed_tensor"]:
        del sys.modules[name]


BRIDGED = {
    "webgl": (playwright_bridge.PlaywrightBridge, "WebGLBackend"),
    "webgpu": (playwright_bridge.PlaywrightGpuBridge, "WebGPUBackend"),
}


@pytest.fixture
def backend(changed, backend_name, request):
    """Set a backend of the session's kind, on the session's page, in the changed package."""
    runtime = importlib.import_module("changed_tensor.runtime.executor")
    if backend_name == "wasm":
        wasm = importlib.import_module("changed_tensor.runtime.backends.wasm")
        runtime.use(wasm.WasmBackend(importlib.import_module("wasmtime_engine").WasmtimeEngine()))
    elif backend_name not in BRIDGED:
        runtime.set_backend(backend_name)
    if backend_name not in BRIDGED:
        yield
        return
    bridge_class, backend_class = BRIDGED[backend_name]
    bridge = bridge_class(request.getfixturevalue("page"))
    module = importlib.import_module(f"changed_tensor.runtime.backends.{backend_name}")
    runtime.use(getattr(module, backend_class)(bridge))
    yield
    bridge.destroy()


X = np.float32([[-3.0, 0.0, 1.0], [0.5, 4.0, -0.25]])


def test_function_method_and_operator_compute(changed, backend):
    assert not hasattr(pt, "softsign")
    x = changed.asarray(X)
    results = [changed.softsign(x), x.softsign(), x.__floor__(), changed.softsign(x * 2.0 - x)]
    for result in results:
        np.testing.assert_allclose(result.numpy(), X / (1 + np.abs(X)), rtol=1e-6)


def test_new_op_fuses_into_one_kernel(changed, backend, backend_name):
    x = changed.asarray(X)
    text = changed.explain(changed.softsign(x + 1.0) * 2.0)
    assert text.count("shader of kernel") == 1
    assert ("f32x4.abs " if backend_name == "wasm" else "/ (1.0 + abs(") in text


def test_errors_name_the_new_op(changed, backend):
    with pytest.raises(changed.errors.DTypeError) as raised:
        changed.softsign(changed.asarray([1j]))
    assert str(raised.value).startswith("softsign: dtype complex64 is not real; use pt.real(x)")


def test_gradient_of_the_new_op(changed, backend):
    slope = changed.grad(lambda x: changed.softsign(x).sum())
    assert slope(changed.asarray([1.0, -3.0])).tolist() == [0.25, 0.0625]
