"""One more row in the op table is one more operation everywhere, with nothing else touched."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import playwright_bridge
import pytest

import py_tensor as pt

PACKAGE = Path(pt.__file__).parent
ROW = """
    Elementwise(name="softsign", glsl="{0} / (1.0 + abs({0}))", dtypes="floating",
        reference=lambda xp, x: x / (1 + xp.abs(x)), gradient=lambda x: 1 / (1 + abs(x)) ** 2,
        dunder="__floor__", doc="x over 1 plus its size."),
)
"""


def add_row(package: Path) -> None:
    """Appends the row behind the last one of the table."""
    path = package / "ops" / "elementwise.py"
    text = path.read_text()
    end = text.index("\n)\n", text.index("\nROWS"))
    path.write_text(text[:end] + ROW + text[end + 3 :])


@pytest.fixture(scope="module")
def changed(tmp_path_factory):
    """The package with the row, imported under another name."""
    folder = tmp_path_factory.mktemp("one_row")
    shutil.copytree(
        PACKAGE, folder / "changed_tensor", ignore=shutil.ignore_patterns("__pycache__")
    )
    add_row(folder / "changed_tensor")
    sys.path.insert(0, str(folder))
    yield importlib.import_module("changed_tensor")
    sys.path.remove(str(folder))
    for name in [name for name in sys.modules if name.split(".")[0] == "changed_tensor"]:
        del sys.modules[name]


@pytest.fixture
def backend(changed, backend_name, request):
    """The changed package's own backend, of the session's kind, on the session's page."""
    runtime = importlib.import_module("changed_tensor.runtime")
    if backend_name == "numpy":
        runtime.set_backend("numpy")
        yield
        return
    bridge = playwright_bridge.PlaywrightBridge(request.getfixturevalue("page"))
    webgl = importlib.import_module("changed_tensor.backends.webgl")
    runtime.use(webgl.WebGLBackend(bridge))
    yield
    bridge.destroy()


X = np.float32([[-3.0, 0.0, 1.0], [0.5, 4.0, -0.25]])


def test_function_method_and_operator_compute(changed, backend):
    assert not hasattr(pt, "softsign")
    x = changed.asarray(X)
    results = [changed.softsign(x), x.softsign(), x.__floor__(), changed.softsign(x * 2.0 - x)]
    for result in results:
        np.testing.assert_allclose(result.numpy(), X / (1 + np.abs(X)), rtol=1e-6)


def test_it_is_one_kernel_with_what_is_around_it(changed, backend):
    x = changed.asarray(X)
    text = changed.explain(changed.softsign(x + 1.0) * 2.0)
    assert text.count("shader of kernel") == 1
    assert "/ (1.0 + abs(" in text


def test_errors_name_it(changed, backend):
    with pytest.raises(changed.errors.DTypeError) as raised:
        changed.softsign(changed.asarray([1, 2]))
    assert str(raised.value) == 'softsign: dtype int32 is not floating; use x.astype("float32")'


def test_documentation_and_gradient_come_from_it(changed):
    assert changed.softsign.__doc__.startswith("x over 1 plus its size.\n\nOperand: floating dtype")
    assert ">>> pt.softsign(pt.asarray(0.5)).dtype" in changed.softsign.__doc__
    row = importlib.import_module("changed_tensor.ops").ROWS["softsign"]
    assert row.gradient(1.0) == 0.25


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """What the tools that write files read, with the row."""
    folder = tmp_path_factory.mktemp("checkout")
    root = PACKAGE.parent
    for name in ("py_tensor", "tools", "docs/reference"):
        shutil.copytree(root / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "tests").mkdir()
    shutil.copy(root / "tests" / "no_gradient.py", folder / "tests")
    shutil.copy(root / "pyproject.toml", folder)
    add_row(folder / "py_tensor")
    return folder


def run(checkout, *command):
    environment = os.environ | {"PYTHONPATH": str(checkout)}
    return subprocess.run(
        [sys.executable, *command],
        cwd=checkout,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_stub_has_it(checkout):
    assert run(checkout, "tools/make_stubs.py").returncode == 0
    text = (checkout / "py_tensor" / "__init__.pyi").read_text()
    assert 'def softsign(x: Any, /) -> Tensor:\n    """x over 1 plus its size."""' in text
    assert (
        "    def softsign(self, /) -> Tensor:"
        in (checkout / "py_tensor" / "tensor.pyi").read_text()
    )


def test_the_reference_has_it(checkout):
    stale = run(checkout, "tools/make_reference.py", "--check")
    assert stale.returncode == 1
    assert "docs/reference/elementwise.md" in stale.stderr
    assert run(checkout, "tools/make_reference.py").returncode == 0
    text = (checkout / "docs" / "reference" / "elementwise.md").read_text()
    entry = text.partition("### `softsign`\n")[2].partition("### ")[0]
    assert "pt.softsign(x, /) -> Tensor" in entry
    assert "**Dtypes** floating; result: the same · **Gradient** yes" in entry
