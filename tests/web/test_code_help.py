"""Test the answers to the playground's editor: completions, signatures and documentation."""

from __future__ import annotations

import gc
import json
import weakref
from collections.abc import Iterator
from typing import Any

import last_run
import pytest
from code_help import answer

import py_tensor as pt

pytestmark = pytest.mark.host

PROGRAM = '''import py_tensor as pt
import py_tensor.numpy as np
import py_tensor as jax
import os.path
from collections import deque
from py_tensor.nn import Dense

class Net(pt.nn.Module):
    """A network."""

    size: int = 3

    def __init__(self, n: int):
        super().__init__()
        self.layer = Dense(n, 2)

    def forward(self, x):
        """Apply the layer."""
        return self.layer(x)

def scaled(values, /, factor: float = 3, *rest, keep=None) -> pt.Tensor:
    """Return values times a factor.

    Args:
        values: What is scaled.
        factor: By how much.
    """
    def inner(text: str):
        return text
    return values

x = pt.ones((2, 3))
zeros = np.zeros(3)
sine = pt.sin(x)
mixed = 1 + x[0] * 2
left, values, right = pt.linalg.svd(x)
table = {"alpha": 1, "beta": 2}
net = Net(3)
output = net(x)
for row in x:
    last = row
made = scaled(3)
pair = (1, x)
first = first + 1
'''


@pytest.fixture(autouse=True)
def no_last_run() -> Iterator[None]:
    yield
    last_run.names.clear()


def asked(kind: str, expression: str, source: str = PROGRAM, line: int = 0) -> Any:
    """Return the answer to a question at a line; 0 is the end of the program."""
    return json.loads(answer(kind, source, line or source.count("\n") + 1, expression))


def kinds(kind: str, expression: str, source: str = PROGRAM, line: int = 0) -> dict[str, str]:
    return {entry["label"]: entry["type"] for entry in asked(kind, expression, source, line)}


@pytest.mark.parametrize(
    ("expression", "name", "kind"),
    [
        ("pt", "concat", "function"),
        ("pt", "nn", "namespace"),
        ("pt", "Tensor", "class"),
        ("pt", "pi", "constant"),
        ("np", "ndarray", "class"),
        ("np.linalg", "svd", "function"),
        ("jax.numpy", "arange", "function"),
        ("os.path", "join", "function"),
        ("deque", "append", "method"),
        ("Net", "forward", "method"),
        ("net", "layer", "property"),
        ("net", "size", "property"),
        ("net", "parameters", "method"),
        ("net.layer", "weight", "property"),
        ("'text'", "upper", "method"),
        ("pair[1]", "mean", "method"),
    ],
)
def test_members_have_kinds(expression: str, name: str, kind: str) -> None:
    assert kinds("members", expression)[name] == kind


@pytest.mark.parametrize(
    "expression",
    [
        *("x", "zeros", "sine", "mixed", "left", "values", "row", "last", "made", "output"),
        *("x.sum().T", "(x > 1)", "net.layer(x)", "pt.max(x)", "scaled(1)", "x if x else None"),
    ],
)
def test_tensors_are_recognized(expression: str) -> None:
    assert "cumulative_sum" in kinds("members", expression)


def test_unknown_expressions_have_no_members() -> None:
    for expression in ("missing", "x.missing", "pt.", "", "missing()"):
        assert asked("members", expression) == []
        assert asked("describe", expression) is None


def test_parameters_have_the_type_of_their_annotation() -> None:
    line = PROGRAM[: PROGRAM.index("return text")].count("\n") + 1
    assert "upper" in kinds("members", "text", line=line)
    assert "is_integer" in kinds("members", "factor", line=line)
    assert asked("members", "text") == []
    inside = PROGRAM[: PROGRAM.index("return self.layer")].count("\n") + 1
    assert kinds("members", "self", line=inside)["layer"] == "property"


@pytest.mark.parametrize(
    "broken",
    [
        "x.",
        "pt.concat([x,\n    x,\n",
        "for i in pt.",
        "y = {'a': ",
        "def f(a, b=pt.\n    pass",
        "'",
    ],
)
def test_programs_with_mistakes_are_read(broken: str) -> None:
    before, after = PROGRAM.split("sine =")
    source = f"{before}{broken}\nsine ={after}"
    assert "cumulative_sum" in kinds("members", "mixed", source)
    assert "cumulative_sum" in kinds("members", "x", source)


def test_names_that_depend_on_themselves_end() -> None:
    source = "a = b\nb = a\nc = c\ndef f(n):\n    return f(n - 1) + f(n - 2)\nd = f(f)\n"
    for name in "abcd":
        assert asked("members", name, source) == []
    assert asked("describe", "first")["title"] == "first: int"


def test_modules_and_their_names_are_listed() -> None:
    modules = kinds("modules", "")
    assert {"py_tensor", "math", "playground"} <= modules.keys()
    assert "compiler" not in kinds("modules", "py_tensor")
    assert kinds("modules", "py_tensor")["nn"] == "namespace"
    assert "etree" in kinds("modules", "xml")
    assert kinds("exports", "py_tensor.nn")["Dense"] == "class"
    assert asked("exports", "no_such_module") == []


def test_modules_that_act_are_not_imported(capsys: pytest.CaptureFixture[str]) -> None:
    assert asked("members", "this", "import this\n") == []
    assert asked("describeImport", "this") is None
    assert capsys.readouterr().out == ""


def test_keys_of_dictionaries_are_listed() -> None:
    assert kinds("keys", "table") == {"alpha": "property", "beta": "property"}
    assert asked("keys", "x") == []


def test_function_is_described_with_its_arguments() -> None:
    concat = asked("describe", "pt.concat")
    assert (concat["kind"], concat["title"], concat["result"]) == ("function", "concat", "Tensor")
    texts = [parameter["text"] for parameter in concat["parameters"]]
    assert texts[:3] == ["arrays: Sequence[ArrayLike]", "/", "axis: int | None = 0"]
    assert concat["summary"] == "Join tensors along an existing axis."
    assert concat["arguments"]["axis"].startswith("Axis to join along")
    assert concat["example"].startswith(">>> ")
    # A method's tensor is not an argument of the call.
    assert asked("describe", "x.sum")["parameters"][0]["name"] == "axis"
    # A function that takes *args and **kwargs shows the arguments of the function that it wraps.
    assert asked("describe", "np.zeros")["parameters"][0]["name"] == "shape"
    assert asked("describe", "len")["summary"].startswith("Return the number of items")


def test_functions_and_classes_of_the_program_are_described() -> None:
    described = asked("describe", "scaled")
    texts = [parameter["text"] for parameter in described["parameters"]]
    assert texts == ["values", "/", "factor: float = 3", "*rest", "keep=None"]
    assert described["result"] == "pt.Tensor"
    assert described["arguments"]["factor"] == "By how much."
    assert [p["name"] for p in asked("describe", "Net")["parameters"]] == ["n"]
    assert asked("describe", "net.forward")["kind"] == "method"
    assert [p["name"] for p in asked("describe", "net.forward")["parameters"]] == ["x"]
    assert asked("describe", "net")["title"] == "net: Net"
    assert asked("describeImport", "py_tensor.nn.Dense")["title"] == "Dense"


def test_last_run_tells_of_values_without_keeping_them() -> None:
    class Holder:
        def __init__(self) -> None:
            self.kept = pt.ones((4, 5))

        def __getattr__(self, name: str) -> object:
            raise RuntimeError(name)

    holder = Holder()
    names = {
        "x": pt.zeros((7, 2)),
        "found": pt.zeros((3,)),
        "table": {"gamma": 1, 2: 3},
        "holder": holder,
        "huge": 10**5000,
        "text": "a" * 100,
        "math": pt.linalg,
        "__name__": "__main__",
    }
    kept = [weakref.ref(value) for value in (names["x"], holder, holder.kept)]
    last_run.remember(names)
    del names, holder
    gc.collect()
    assert [reference() for reference in kept] == [None, None, None]
    assert asked("describe", "x")["text"] == "shape (7, 2), float32"
    # The program's text alone does not tell it.
    assert "cumulative_sum" in kinds("members", "found")
    assert kinds("keys", "table") == {"gamma": "property"}
    assert kinds("members", "holder") == {"kept": "property"}
    assert "cumulative_sum" in kinds("members", "holder.kept")
    defined = "class Holder:\n    def run(self):\n        pass\n"
    assert kinds("members", "holder", defined) == {"run": "method", "kept": "property"}
    assert asked("describe", "text")["text"] == "'" + "a" * 60 + "'…"
    assert "svd" in kinds("members", "math")
    # A variable that is now of another class is what the text says.
    assert asked("describe", "x", "x = 'text'\n")["title"] == "x: str"
