"""Each program of examples/ gives the same results with other import lines."""

from __future__ import annotations

import ast
import contextlib
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from py_tensor.display.places import Place, html_of, use
from py_tensor.runtime import executor
from py_tensor.runtime.backends.numpy import NumpyBackend
from py_tensor.settings import Settings, settings

EXAMPLES = Path(__file__).parent.parent / "examples"
INDEX = json.loads((EXAMPLES / "index.json").read_text())
IMPORTS = INDEX["imports"]
NAMES = [name for kind in INDEX["kinds"].values() for name in kind]
ROUNDING = 2e-5
"""Difference, relative to the largest element, of results in float32 instead of float64."""
TOLERANCES = {
    # Random numbers differ: these are estimates of the same numbers.
    "monte_carlo_pi": 2e-2,
    "random_walk": 5e-2,
    # Rounding is amplified.
    "jax_gpt": 1e-4,  # jax.nn.gelu is an approximation by default
    "logistic_regression": 1e-4,  # sin(78 n): arguments of 6000 are rounded to 5e-4
    "softmax_regression": 1e-4,  # arguments of sin up to 2000
    "neural_network": 5e-4,  # a gradient by differences
    "option_pricing": 2e-4,  # 60 steps, and powers of 60
    "ray_marcher": 5e-5,  # normals by differences
    "schrodinger_equation": 1e-4,  # 240 Fourier transforms
    "histogram_equalization": 4e-3,  # division on a GPU may round a grey level the other way
    "fft_denoising": 5e-3,  # arguments of sin up to 1000 are rounded to 6e-5
    "julia_set": 2e-4,  # squared 30 times near the set's edge
    "svm": 5e-3,  # points at the margin count or not
}
WITHOUT_PLOT = {
    "perceptron", "power_iteration", "gram_schmidt", "markov_chain", "page_rank",
    "numpy_exercises", "sorting_algorithms", "prime_numbers", "dynamic_programming",
    "shortest_paths", "magic_squares", "hill_cipher", "jax_hidden_markov", "jax_newton_method",
    "jax_vmap_examples",
}  # fmt: skip
"""Programs about texts and few numbers."""


class Shown(Place):
    """Draws what a program shows, as a page does."""

    def __init__(self) -> None:
        self.items: list[str] = []

    def show(self, item: Any, key: str | None = None) -> None:
        self.items.append(html_of(item))


def source_of(name: str) -> str:
    return (EXAMPLES / f"{name}.py").read_text()


def with_imports_replaced(source: str) -> str:
    return "".join(
        IMPORTS.get(line.rstrip("\n"), line.rstrip("\n")) + "\n" for line in source.splitlines()
    )


def results(source: str, name: str) -> list[np.ndarray]:
    """Run a program and return the arrays and numbers that `main` returns."""
    namespace: dict[str, Any] = {"__name__": name}
    printed, shown = io.StringIO(), Shown()
    with contextlib.redirect_stdout(printed), use(shown):
        exec(compile(source, f"{name}.py", "exec", dont_inherit=True), namespace)
        arrays = flat(namespace["main"]())
    assert printed.getvalue().strip()
    assert [item[:4] for item in shown.items] == ["<svg"] * (name not in WITHOUT_PLOT)
    # Functions keep their module's names alive, so its tensors would wait for the collector.
    namespace.clear()
    return arrays


def flat(found: Any) -> list[np.ndarray]:
    if isinstance(found, (tuple, list)):
        return [array for item in found for array in flat(item)]
    return [np.asarray(found)]


@pytest.mark.parametrize("name", NAMES)
def test_results_are_the_same_with_other_imports(name, engine, monkeypatch):
    """Compare with the program as it is on NumPy, and with that result on the other backends.

    JAX compiles its programs for longer than WebGL runs them.
    """
    monkeypatch.setattr(settings, "host_elements", Settings().host_elements)
    source = source_of(name)
    replaced = with_imports_replaced(source)
    actual = results(replaced, name)
    if engine.name == "numpy":
        expected = results(source, name)
    else:
        executor.use(NumpyBackend())
        expected = results(replaced, name)
        executor.use(engine)
    assert [array.shape for array in actual] == [array.shape for array in expected]
    for here, there in zip(actual, expected, strict=True):
        assert np.isfinite(there).sum() == np.isfinite(here).sum() > 0
        finite = np.where(np.isfinite(there), there, 0).astype(complex)
        largest = np.abs(finite).max()
        tolerance = TOLERANCES.get(name, ROUNDING) * largest
        np.testing.assert_allclose(here, there, rtol=0, atol=tolerance)


def test_every_program_is_listed_once():
    assert sorted(NAMES) == sorted(path.stem for path in EXAMPLES.glob("*.py"))


@pytest.mark.host
def test_programs_begin_alike():
    for name in NAMES:
        source = source_of(name)
        tree = ast.parse(source)
        assert len((ast.get_docstring(tree) or "").split("\n\n")) == 2, name
        imports = {ast.unparse(n) for n in tree.body if isinstance(n, (ast.Import, ast.ImportFrom))}
        imports -= {"import math", "import functools"}
        assert ("import py_tensor as pt" in imports) == (name not in WITHOUT_PLOT), name
        assert imports and imports <= {*IMPORTS, "import py_tensor as pt"}, name
        assert with_imports_replaced(source).count("py_tensor") == len(imports), name
