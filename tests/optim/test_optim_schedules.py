"""Learning rates by the number of the step: known values, limits, and refused arguments."""

from __future__ import annotations

import math

import pytest
from helpers import assert_raises

import py_tensor as pt
from py_tensor import errors

pytestmark = pytest.mark.host

optim = pt.optim
VALUES = {
    "constant": (optim.constant(0.3), {0: 0.3, 10**6: 0.3}),
    "exponential": (optim.exponential_decay(2.0, 10, 0.5), {0: 2.0, 5: 2 * 0.5**0.5, 20: 0.5}),
    "exponential stairs": (
        optim.exponential_decay(2.0, 10, 0.5, staircase=True),
        {9: 2.0, 10: 1.0, 29: 0.5},
    ),
    "step": (optim.step_decay(1.0, 7, 0.1), {6: 1.0, 7: 0.1, 14: 0.01}),
    "piecewise": (optim.piecewise_constant([2, 5], [3, 2, 1]), {1: 3, 2: 2, 4: 2, 5: 1, 99: 1}),
    "cosine": (
        optim.cosine_decay(1.0, 4, end=0.2),
        {0: 1.0, 1: 0.2 + 0.4 * (1 + math.cos(math.pi / 4)), 2: 0.6, 4: 0.2, 9: 0.2},
    ),
    "warmup": (
        optim.warmup_cosine_decay(1.0, 4, 8, initial=0.2, end=0.5),
        {0: 0.2, 2: 0.6, 4: 1.0, 6: 0.75, 8: 0.5, 100: 0.5},
    ),
    "no warmup": (optim.warmup_cosine_decay(1.0, 0, 8), {0: 1.0, 4: 0.5, 8: 0.0}),
    "polynomial": (
        optim.polynomial_decay(1.0, 10, end=0.5, power=2),
        {0: 1.0, 5: 0.625, 10: 0.5, 11: 0.5},
    ),
    # torch 2.13: OneCycleLR(max_lr=2.0, total_steps=40)
    "one cycle": (
        optim.one_cycle(2.0, 40),
        {0: 0.08, 5: 0.9033777552576461, 11: 2.0, 20: 1.5320339483870304, 39: 8e-06, 50: 8e-06},
    ),
    "restarts": (
        optim.cosine_decay_restarts(1.0, 4, t_mul=2.0, m_mul=0.5, end=0.2),
        {
            0: 1.0,
            1: 0.2 + 0.4 * (1 + math.cos(math.pi / 4)),
            4: 0.5,
            6: 0.2 + 0.15 * (1 + math.cos(math.pi / 4)),
            8: 0.35,
            12: 0.25,
            20: 0.225,
        },
    ),
    "equal restarts": (
        optim.cosine_decay_restarts(1.0, 2, t_mul=1.0),
        {0: 1.0, 1: 0.5, 2: 1.0, 101: 0.5},
    ),
    "cyclic": (optim.cyclic(0.1, 0.5, step_size_up=4), {0: 0.1, 2: 0.3, 4: 0.5, 7: 0.2, 12: 0.5}),
    "cyclic halved": (
        optim.cyclic(0.1, 0.5, step_size_up=1, step_size_down=3, mode="triangular2"),
        {0: 0.1, 1: 0.5, 4: 0.1, 5: 0.3, 9: 0.2},
    ),
    "cyclic exponential": (
        optim.cyclic(0.0, 1.0, step_size_up=2, mode="exp_range", gamma=0.9),
        {2: 0.9**2, 5: 0.5 * 0.9**5},
    ),
    "joined": (
        optim.join_schedules([lambda step: step, lambda step: -step, lambda step: 7], [3, 5]),
        {0: 0, 2: 2, 3: 0, 4: -1, 5: 7, 90: 7},
    ),
    "short cycle": (optim.one_cycle(1.0, 4, warmup=0.25), {0: 1.0, 3: 4e-6}),
}


@pytest.mark.parametrize("name", VALUES)
def test_values(name):
    rate, expected = VALUES[name]
    for step, value in expected.items():
        assert rate(step) == pytest.approx(value, rel=1e-12), step


def test_errors():
    for text, call in (
        (
            "cosine_decay: decay_steps is too small; got 0; use 1 or more",
            lambda: optim.cosine_decay(1.0, 0),
        ),
        (
            "warmup_cosine_decay: decay_steps is too small; got 5; use 6 or more",
            lambda: optim.warmup_cosine_decay(1.0, 5, 5),
        ),
        (
            "piecewise_constant: boundaries must increase, and there must be one more value; got "
            "[2, 2] and [1, 2, 3]; pass n increasing boundaries and n + 1 values",
            lambda: optim.piecewise_constant([2, 2], [1, 2, 3]),
        ),
        (
            "one_cycle: warmup must be between 0 and 1; got 1.0; use for example 0.3",
            lambda: optim.one_cycle(1.0, 10, warmup=1),
        ),
    ):
        assert_raises(errors.ArgumentError, text, call)
