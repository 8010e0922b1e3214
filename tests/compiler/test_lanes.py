"""Test how the positions of lanes are written."""

import re

import py_tensor as pt


def test_reversed_lanes_are_added_to_a_scalar():
    """A driver reads zeros at `7 - (first + ivec4(0, 1, 2, 3))`, see docs/drivers.md."""
    shader = pt.explain(pt.correlate([1.0, 2.0], pt.arange(7.0), "full"))
    assert re.search(r"\* -1 \+ I\[\d\] \+ ivec4\(0, -1, -2, -3\);", shader)
    assert not re.search(r"\* -1 \+ I\[\d\];", shader)
