"""Gradients of random programs against finite differences on the host."""

from __future__ import annotations

import numpy as np
import pytest
from differentiable import RandomProgram, Step, programs
from gradient_checks import WAYS, check, vmapped
from hypothesis import given
from programs.program import repeatable

import py_tensor as pt


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_random_gradients(way, request):
    @repeatable(request.config.getoption("examples") // 20)
    @given(programs())
    def run(program):
        check(program, way)

    run()


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_a_wrong_gradient_is_found(way):
    step = Step("wrong", (0,), lambda x: x * x, lambda x: x * x * 1.1)
    program = RandomProgram([np.float32([1, 2])], [step], [np.float64([1, 2]), np.float64([1, 4])])
    with pytest.raises(AssertionError) as raised:
        check(program, way)
    assert raised.value.__notes__ == ["v0 = leaf (2,)\nv1 = wrong(v0): (2,)"]


def test_gradient_that_is_padded_at_a_constant_position():
    x = np.asarray(0.5, "float32")
    tanh, flip = Step("tanh", (0,), pt.tanh, np.tanh), Step("flip", (0,), pt.flip, np.flip)
    values = [x, *[np.tanh(x)] * 5, x]
    check(RandomProgram([x], [*[tanh] * 5, flip], values), vmapped)
