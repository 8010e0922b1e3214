"""Expressions in docs/from_pytorch.md give the values that PyTorch gives.

The page has the expressions of both libraries. `reference_data` has the values of PyTorch and the
script that computes them from the page.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from helpers import assert_recorded
from migration_pages import ROW, read_page

import py_tensor as pt
from py_tensor.nn.module import modules_of

RECORDED = Path(__file__).parent / "reference_data" / "pytorch_numbers.json"
KNOWN = json.loads(RECORDED.read_text())
OTHER = ("Weights", "Training", "A training program", "Keras", "Left out")
PAGE = read_page("from_pytorch.md", OTHER)
WEIGHTS: dict[str, list[tuple[str, str, str]]] = {}
"""For each class: names of PyTorch, names of fields, expression of the value."""
for row in ROW.findall(PAGE.sections["Weights"]):
    WEIGHTS.setdefault(row[1].partition(".")[0], []).append(row)


def parameters_of_pytorch(shapes: list[list[int]]) -> Iterator[pt.Tensor]:
    """Yield the parameters that the recording script set."""
    for at, shape in enumerate(shapes):
        elements = np.arange(np.prod(shape), dtype="float32")
        yield pt.asarray((((elements * 7 + at * 3) % 11 - 5) / 8).reshape(shape))


def parts_of(module: pt.nn.Module) -> list[pt.nn.Module]:
    """Return the modules in PyTorch's order, in which decoders have all attention first."""
    if isinstance(module, pt.nn.TransformerDecoderLayer):
        attention = [module.attention, module.cross_attention]
        return [*attention, module.first, module.second, *module.norms]
    return list(modules_of(module))


def set_weights(module: pt.nn.Module, shapes: list[list[int]]) -> None:
    """Set the parameters of a module by the table of the page."""
    given = parameters_of_pytorch(shapes)
    done: list[pt.nn.Module] = []
    for part in parts_of(module):
        if any(part is other for other in done):
            continue
        for theirs, ours, expression in WEIGHTS.get(type(part).__name__, ()):
            paths = [path.split(".") for path in ours.partition(".")[2].split("`, `")]
            owners = [part if len(path) == 1 else getattr(part, path[0]) for path in paths]
            if getattr(owners[0], paths[0][-1]) is None:
                continue
            w, v = next(given), next(given) if "`, `" in theirs else None
            values = eval(expression.strip(" `"), {"pt": pt, "w": w, "v": v})
            for owner, path, value in zip(
                owners, paths, values if len(paths) > 1 else [values], strict=True
            ):
                assert getattr(owner, path[-1]).shape == value.shape
                setattr(owner, path[-1], value)
            done += owners
    assert list(given) == []


def updated(optimizer: pt.optim.Optimizer, parameter: pt.Tensor) -> pt.Tensor:
    """Return the parameter after three steps with given gradients."""
    state = optimizer.init(parameter)
    for step in range(3):
        state = optimizer.update(state, pt.asarray([1.0, -0.5, 0.25]) * (step - 0.5))
    return state.params


@pytest.mark.parametrize("expression", list(PAGE.rows))
def test_same_values(expression, monkeypatch):
    ours, heading = PAGE.rows[expression]
    shapes = KNOWN["parameters"].get(expression)
    call = pt.nn.Module.__call__
    filled = []

    def with_weights(module, *args, **kwargs):
        if not filled:
            filled.append(module)
            set_weights(module, shapes or [])
        return call(module, *args, **kwargs)

    monkeypatch.setattr(pt.nn.Module, "__call__", with_weights)
    names = PAGE.variables(1, pt=pt)
    got = eval(ours, names)
    recorded = KNOWN["expressions"][expression]
    if heading == "Optimizers":
        got = updated(got, names["w"])
    if heading == "Learning rates":
        np.testing.assert_allclose([got(step) for step in range(10)], recorded, rtol=1e-6)
    else:
        assert_recorded(got, recorded)
    assert not shapes or filled


def test_all_expressions_are_recorded():
    assert set(KNOWN["expressions"]) == set(PAGE.rows)


def test_the_recording_is_small():
    assert RECORDED.stat().st_size < 60_000


def test_all_rows_are_read():
    """A row whose form differs from that of the others would not be compared."""
    rows = [
        line
        for name, section in PAGE.sections.items()
        for line in section.splitlines()
        if line.startswith("| ") and "`" in line and name != "Left out"
    ]
    assert len(rows) > 250
    assert [line for line in rows if not ROW.match(line)] == []


@pytest.mark.parametrize("section", ["Training", "Keras"])
def test_functions_of_the_page_exist(section):
    rows = ROW.findall(PAGE.sections[section])
    assert len(rows) > 20
    for name, ours, _ in rows:
        assert eval(ours, PAGE.variables(1, pt=pt)) is not None, name


def test_every_name_that_is_left_out_has_a_reason():
    lines = [line for line in PAGE.sections["Left out"].splitlines() if line.startswith("| `")]
    assert len(lines) > 10
    assert [line for line in lines if not re.fullmatch(r"\| `.+` \| [^|]{5,} \|", line)] == []
