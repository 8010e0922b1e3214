"""Initializers give the values, or the distributions, that they are named after."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from helpers import assert_values

import py_tensor as pt
from py_tensor.graph import (
    ConstantInitializer,
    NDArrayInitializer,
    OnesInitializer,
    RandomNormalInitializer,
    RandomTruncatedNormalInitializer,
    RandomUniformInitializer,
    VarianceScalingInitializer,
    ZerosInitializer,
)

SHAPE = (60, 100)
CUT = math.sqrt(0.7737413)
"""Standard deviation of a standard normal distribution truncated at 2."""


def test_constant_values():
    assert_values(ZerosInitializer().initialize([2, 3], 2, 3), np.zeros((2, 3), "float32"))
    assert_values(OnesInitializer().initialize([2, 3], 2, 3), np.ones((2, 3), "float32"))
    assert_values(ConstantInitializer().initialize([2], 2, 3), np.zeros(2, "float32"))
    assert_values(ConstantInitializer(5).initialize([2], 2, 3), np.full(2, 5, "float32"))
    given = np.array([1, 2, 3], "float32")
    assert_values(NDArrayInitializer(given).initialize([3], 2, 3), given)


DISTRIBUTIONS = {
    "normal": (RandomNormalInitializer(1.0, 0.5), 1.0, 0.5, math.inf),
    "normal by default": (RandomNormalInitializer(), 0.0, 0.05, math.inf),
    "cut off": (RandomTruncatedNormalInitializer(1.0, 0.5), 1.0, 0.5 * CUT, 1.0),
    "uniform": (RandomUniformInitializer(1.0, 3.0), 2.0, 2 / math.sqrt(12), 1.0),
    "uniform by default": (RandomUniformInitializer(), 0.0, 0.1 / math.sqrt(12), 0.05),
    "scaled by inputs": (
        VarianceScalingInitializer(),
        0.0,
        CUT * math.sqrt(1 / 60),
        2 * math.sqrt(1 / 60),
    ),
    "scaled by outputs": (
        VarianceScalingInitializer(2.0, "fan_out"),
        0.0,
        CUT * math.sqrt(2 / 100),
        2 * math.sqrt(2 / 100),
    ),
    "scaled by both": (
        VarianceScalingInitializer(1.0, "fan_avg", "uniform"),
        0.0,
        math.sqrt(1 / 80),
        math.sqrt(3 / 80),
    ),
}


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_distributions(name: str):
    initializer, mean, deviation, reach = DISTRIBUTIONS[name]
    pt.random.seed(0)
    values: Any = initializer.initialize(SHAPE, *SHAPE).numpy()
    # For 6000 numbers, the mean and deviation are off by about one hundredth of the deviation.
    assert abs(values.mean() - mean) < 0.05 * deviation
    assert abs(values.std() - deviation) < 0.05 * deviation
    assert np.abs(values - mean).max() <= reach * (1 + 1e-6)
    if reach < math.inf:
        assert np.abs(values - mean).max() > 0.9 * reach


def test_the_seed_determines_the_values():
    def values() -> Any:
        pt.random.seed(5)
        return VarianceScalingInitializer().initialize([4, 3], 4, 3).tolist()

    assert values() == values()
