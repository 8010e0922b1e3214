"""Functions and methods whose module is imported when they are first used."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import py_tensor as pt
from py_tensor.late import REASONS, LateFunction, LateModule

NAME = "py_tensor.late_example"


@pytest.fixture
def late(tmp_path, monkeypatch):
    """Return a module that is imported late and has not been imported yet."""
    (tmp_path / "late_example.py").write_text(
        "def doubled(x): return 2 * x\ndef named(self): return type(self).__name__\n"
    )
    monkeypatch.setattr(pt, "__path__", [*pt.__path__, str(tmp_path)])
    monkeypatch.setitem(REASONS, "late_example", "an example")
    yield LateModule("late_example")
    sys.modules.pop(NAME, None)


def test_a_module_is_imported_by_the_first_call(late):
    doubled = late.doubled
    assert NAME not in sys.modules
    assert doubled(4) == 8


def test_a_function_that_is_replaced_later_is_called(late, monkeypatch):
    assert late.doubled(4) == 8
    monkeypatch.setattr(sys.modules[NAME], "doubled", lambda x: x)
    assert late.doubled(4) == 4


def test_the_first_use_replaces_all_names_of_a_method(late):
    class Example:
        __repr__ = late.named
        named = late.named

    assert isinstance(vars(Example)["named"], LateFunction)
    assert repr(Example()) == "Example"
    function = sys.modules[NAME].named
    assert vars(Example)["named"] is vars(Example)["__repr__"] is function


def test_a_missing_function_raises(late):
    with pytest.raises(AttributeError, match="tripled"):
        late.tripled(4)


def test_methods_are_replaced_when_they_are_first_used():
    x = pt.ones((2, 2))
    assert x.matmul(x).sum().tolist() == 8
    assert vars(pt.Tensor)["matmul"] is pt.matmul
    assert vars(pt.Tensor)["sum"] is pt.sum


def test_only_modules_of_the_table_are_imported_late():
    with pytest.raises(AssertionError, match=r"nn\.layers"):
        LateModule("nn.layers")


FIRST_TENSOR = """
import sys
import py_tensor as pt
x = pt.asarray([1.0, 2.0])
print(*(name for name in sys.modules if name.partition(".")[0] == "py_tensor"))
"""


def test_first_tensor_imports_few_modules():
    """Importing modules takes most of the time until a page has its first tensor."""
    done = subprocess.run(
        [sys.executable, "-c", FIRST_TENSOR], capture_output=True, text=True, check=True
    )
    modules = done.stdout.split()
    assert len(modules) <= 25, modules


LANGUAGE_MODEL = """
import asyncio, sys
import py_tensor as pt
asyncio.run(pt.text.load(sys.argv[1]))
print(*(name for name in sys.modules if name.partition(".")[0] == "py_tensor"))
"""
WITH_IMAGES = ("vision", "models.onnx", "models.tfjs", "models.tflite", "models.loading")


def test_language_model_imports_no_format_with_images():
    """Pages load the archives of these modules, whose kernels of images need sources."""
    model = PACKAGE.parent / "web" / "src" / "features" / "chat" / "model" / "guides.gguf"
    done = subprocess.run(
        [sys.executable, "-c", LANGUAGE_MODEL, model], capture_output=True, text=True, check=True
    )
    modules = done.stdout.split()
    assert "py_tensor.models.weights.gguf" in modules
    assert not {f"py_tensor.{name}" for name in WITH_IMAGES}.intersection(modules)


PACKAGE = Path(pt.__file__).parent
LATE_IMPORT = re.compile(r"\bLateModule\(([^)]*)\)")


def test_late_imports_name_modules_in_full():
    used = {
        text for path in PACKAGE.rglob("*.py") for text in LATE_IMPORT.findall(path.read_text())
    }
    assert used == {f'"{name}"' for name in REASONS}


@pytest.mark.parametrize("name", REASONS)
def test_late_modules_exist(name):
    file = PACKAGE.joinpath(*name.split("."))
    assert file.with_suffix(".py").exists()
    assert REASONS[name]
