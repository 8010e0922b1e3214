"""Every example in a docstring runs, on the backend of the session."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import half_storage
import pytest

import py_tensor as pt
from py_tensor import functions
from py_tensor.runtime import executor

CHAPTERS = {f"py_tensor.functions.{name}" for name in functions.CHAPTERS}


def _examples():
    finder = doctest.DocTestFinder(exclude_empty=True)
    found = {}
    public = {name: getattr(pt, name) for name in dir(pt)}
    # A method of a chapter is imported when it is looked up.
    methods = {name: getattr(pt.Tensor, name) for name in vars(pt.Tensor)}
    for name, value in (public | methods | vars(pt.random)).items():
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
            continue  # imports modules that exist in a page only
        loaded = importlib.import_module(module.name)
        # Public functions may shadow builtins in their module, and import what they need.
        names = {} if module.name in CHAPTERS else dict(vars(loaded))
        known = {test.docstring for test in found.values()}
        for test in finder.find(loaded, module.name, globs=names):
            if test.docstring not in known:
                found.setdefault(test.name, test)
    tests = finder.find(pt, "py_tensor", globs={}, module=pt) + list(found.values())
    return {test.name: test for test in tests if test.examples}


EXAMPLES = _examples()


class Checker(doctest.OutputChecker):
    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        same = super().check_output(want, got, optionflags)
        return same or half_storage.same_text(got, want)


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(name, engine):
    test = EXAMPLES[name]
    lines = []
    runner = doctest.DocTestRunner(Checker(), verbose=False)
    try:
        runner.run(test, out=lines.append)
    finally:
        executor.use(engine)  # an example may choose another
    assert runner.summarize(verbose=False).failed == 0, "".join(lines)


def test_there_are_examples():
    assert len(EXAMPLES) > 100
    assert {"py_tensor", "add", "softmax", "uniform", "tidy"} <= EXAMPLES.keys()


def test_a_wrong_example_fails(engine):
    test = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "wrong", None, 0)
    assert doctest.DocTestRunner(verbose=False).run(test, out=lambda text: None).failed == 1
