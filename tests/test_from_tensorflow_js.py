"""Expressions in docs/from_tensorflow_js.md give the values that TensorFlow.js gives.

The page has the expressions of both libraries. `reference_data` has the values of TensorFlow.js and
the script that computes them from the page.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from helpers import assert_recorded
from migration_pages import ROW, read_page

import py_tensor as pt

HERE = Path(__file__).parent
KNOWN = json.loads((HERE / "reference_data" / "tensorflow_js_numbers.json").read_text())
OTHER = ("Variables", "The page and the package", "Left out")
PAGE = read_page("from_tensorflow_js.md", OTHER)
ROWS = PAGE.rows
OTHER_ORDER = {"tf.unique([3, 1, 3, 2])", "tf.linalg.qr(s)"}
"""Expressions whose values are compared by tests of their own."""


@pytest.mark.parametrize("expression", [row for row in ROWS if row not in OTHER_ORDER])
def test_same_values(expression):
    got = eval(ROWS[expression][0], PAGE.variables(1, pt=pt))
    assert_recorded(got, KNOWN["expressions"][expression])


def test_factors_of_qr():
    q, r = eval(ROWS["tf.linalg.qr(s)"][0], PAGE.variables(1, pt=pt))
    for ours, theirs in zip((q, r), KNOWN["expressions"]["tf.linalg.qr(s)"], strict=True):
        wanted = np.array(theirs["values"]).reshape(theirs["shape"])
        np.testing.assert_allclose(np.abs(ours.numpy()), np.abs(wanted), rtol=1e-5, atol=1e-5)


def test_distinct_elements_in_another_order():
    values, inverse = eval(ROWS["tf.unique([3, 1, 3, 2])"][0], PAGE.variables(1, pt=pt))
    theirs, their_inverse = KNOWN["expressions"]["tf.unique([3, 1, 3, 2])"]
    assert values.tolist() == sorted(theirs["values"])
    restored = [theirs["values"][at] for at in their_inverse["values"]]
    assert [values.tolist()[at] for at in inverse.tolist()] == restored


def names_in(text: str) -> set[str]:
    """Return the names of functions of TensorFlow.js in a text."""
    return set(re.findall(r"\btf\.((?:[a-z]\w*\.)?[a-z]\w*)", text))


def test_every_name_is_on_the_page():
    """Names of a namespace without rows of its own are covered by the row of the namespace."""
    found = {name for js in ROWS for name in names_in(js)}
    for section in OTHER:
        for line in PAGE.sections[section].splitlines():
            found |= names_in(line.split(" | ")[0])
    whole = found | {name.partition(".")[0] for name in found if "." not in name}
    missing = [
        name for name in KNOWN["names"] if name not in found and name.partition(".")[0] not in whole
    ]
    assert missing == []


def test_all_expressions_are_recorded():
    assert set(KNOWN["expressions"]) == set(ROWS)


def test_functions_of_the_page_exist():
    rows = ROW.findall(PAGE.sections["The page and the package"])
    assert len(rows) > 30
    for js, py, _ in rows:
        assert eval(py, {"pt": pt}) is not None, js
