"""Every example in a docstring runs, on the backend of the session."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import py_tensor as pt
from py_tensor import runtime


def _examples():
    finder = doctest.DocTestFinder(exclude_empty=True)
    found = {}
    for name, value in [*vars(pt).items(), *vars(pt.Tensor).items(), *vars(pt.random).items()]:
        if (
            callable(value)
            and hasattr(value, "__doc__")
            and getattr(value, "__module__", "").startswith("py_tensor")
        ):
            for test in finder.find(
                value, getattr(value, "__qualname__", name), module=False, globs={}
            ):
                found[test.name] = test
    for module in pkgutil.walk_packages(pt.__path__, "py_tensor."):
        if module.name.endswith("pyodide_bridge"):
            continue  # imports what only pages have
        loaded = importlib.import_module(module.name)
        for test in finder.find(loaded, module.name, globs=dict(vars(loaded))):
            found.setdefault(test.name, test)
    tests = finder.find(pt, "py_tensor", globs={}, module=pt) + list(found.values())
    return {test.name: test for test in tests if test.examples}


EXAMPLES = _examples()


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(name, engine):
    test = EXAMPLES[name]
    lines = []
    runner = doctest.DocTestRunner(verbose=False)
    try:
        runner.run(test, out=lines.append)
    finally:
        runtime.use(engine)  # an example may choose another
    assert runner.summarize(verbose=False).failed == 0, "".join(lines)


def test_there_are_examples():
    assert len(EXAMPLES) > 100
    assert {"py_tensor", "add", "softmax", "uniform", "tidy"} <= EXAMPLES.keys()


def test_a_wrong_example_fails(engine):
    test = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "wrong", None, 0)
    assert doctest.DocTestRunner(verbose=False).run(test, out=lambda text: None).failed == 1
