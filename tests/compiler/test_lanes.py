"""Test how the positions of lanes are written."""

import re

from plans import plan_of

import py_tensor as pt


def test_reversed_lanes_are_added_to_a_scalar(monkeypatch):
    """A driver reads zeros at `7 - (first + ivec4(0, 1, 2, 3))`, see docs/drivers.md."""
    monkeypatch.setattr("py_tensor.functions.host_memory.numpy_here", lambda: None)
    draws = plan_of(pt.correlate([1.0, 2.0], pt.arange(7.0), "full")).draws
    shader = "\n".join(draw.shader.source for draw in draws)
    assert re.search(r"\* -1 \+ I\[\d\] \+ ivec4\(0, -1, -2, -3\);", shader)
    assert not re.search(r"\* -1 \+ I\[\d\];", shader)
