"""docs/from_numpy.md lists every name of NumPy's namespace once, as it is here."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import py_tensor.numpy as ours

pytestmark = pytest.mark.host

PAGE = (Path(__file__).parents[2] / "docs" / "from_numpy.md").read_text()
ROWS = re.findall(r"^\| `(\w+)` \| (same|differs|left out) \|(.*)\|$", PAGE, re.MULTILINE)
NAMES = {name for name in dir(np) if not name.startswith("_")}
OF_ANOTHER_KIND = {"dtypes", "typing"}
"""Modules that both packages have, with other contents."""


def test_every_name_occurs_once():
    assert Counter(name for name, _, _ in ROWS) == Counter(NAMES)


def test_names_are_here_unless_they_are_left_out():
    for name, status, _ in ROWS:
        assert hasattr(ours, name) == (status != "left out") or name in OF_ANOTHER_KIND, name


def test_differences_and_omissions_have_a_reason():
    for name, status, reason in ROWS:
        assert bool(reason.strip()) == (status != "same"), name


def test_numbers_in_the_text():
    count = Counter(status for _, status, _ in ROWS)
    text = " ".join(PAGE.split())
    assert f"has {len(ROWS)} names in its main namespace. {count['same']} of them" in text
    assert f"{count['differs']} differ in" in text
    assert f"{count['left out']} are left out" in text
