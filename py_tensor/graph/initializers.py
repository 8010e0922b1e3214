"""Initial values of variables; random ones come from `pt.random`, seeded by `pt.random.seed`.

Truncated distributions end at two standard deviations from the mean, as in deeplearn.js.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from .. import functions as F, random
from ..functions.arguments import choice
from ..tensor import Tensor, as_tensor


class Initializer(Protocol):
    """Protocol of objects that create initial values.

    >>> import py_tensor as pt
    >>> class Halves:
    ...     def initialize(self, weights_shape, input_units, output_units):
    ...         return pt.full(weights_shape, 0.5)
    >>> g = pt.graph.Graph()
    >>> x = g.placeholder("x", [2])
    >>> y = g.layers.dense("layer", x, 1, kernel_initializer=Halves())
    >>> pt.graph.Session(g).eval(y, [(x, [1.0, 2.0])]).tolist()
    [1.5]
    """

    def initialize(
        self, weights_shape: Sequence[int], input_units: int, output_units: int
    ) -> Tensor:
        """Return initial values.

        Args:
            weights_shape: Shape of the result.
            input_units: Number of inputs of the layer.
            output_units: Number of outputs of the layer.

        Returns:
            Tensor of that shape.
        """
        ...


@dataclass(frozen=True)
class VarianceScalingInitializer:
    """Random values with variance `scale` / n, where n is a number of units.

    Args:
        scale: Numerator of the variance; default 1.
        mode: "fan_in" (default): n is the number of inputs. "fan_out": of outputs. "fan_avg":
            their mean.
        distribution: "normal" (default), truncated, with that variance before truncation, or
            "uniform", centered at 0.

    Raises:
        ArgumentError: If `mode` or `distribution` is unknown.

    >>> import py_tensor as pt
    >>> initializer = pt.graph.VarianceScalingInitializer(2.0, "fan_avg", "uniform")
    >>> initializer.initialize([3, 4], 3, 4).shape
    (3, 4)
    """

    scale: float = 1.0
    mode: Literal["fan_in", "fan_out", "fan_avg"] = "fan_in"
    distribution: Literal["uniform", "normal"] = "normal"

    def __post_init__(self) -> None:
        name = "VarianceScalingInitializer"
        choice(name, "mode", self.mode, ("fan_in", "fan_out", "fan_avg"))
        choice(name, "distribution", self.distribution, ("uniform", "normal"))

    def initialize(
        self, weights_shape: Sequence[int], input_units: int, output_units: int
    ) -> Tensor:
        """Return a float32 tensor of shape `weights_shape`."""
        units = {
            "fan_in": input_units,
            "fan_out": output_units,
            "fan_avg": (input_units + output_units) / 2,
        }[self.mode]
        deviation = math.sqrt(self.scale / max(1, units))
        if self.distribution == "normal":
            return _truncated_normal(weights_shape, 0.0, deviation)
        limit = math.sqrt(3.0) * deviation
        return random.uniform(weights_shape, low=-limit, high=limit)


@dataclass(frozen=True)
class ZerosInitializer:
    """Zeros of dtype float32.

    >>> import py_tensor as pt
    >>> pt.graph.ZerosInitializer().initialize([2], 3, 2).tolist()
    [0.0, 0.0]
    """

    def initialize(
        self, weights_shape: Sequence[int], input_units: int, output_units: int
    ) -> Tensor:
        """Return a float32 tensor of shape `weights_shape`."""
        return F.full(weights_shape, 0.0)


@dataclass(frozen=True)
class OnesInitializer:
    """Ones of dtype float32.

    >>> import py_tensor as pt
    >>> pt.graph.OnesInitializer().initialize([2], 3, 2).tolist()
    [1.0, 1.0]
    """

    def initialize(
        self, weights_shape: Sequence[int], input_units: int, output_units: int
    ) -> Tensor:
        """Return a float32 tensor of shape `weights_shape`."""
        return F.full(weights_shape, 1.0)


@dataclass(frozen=True)
class ConstantInitializer:
    """Constant values of dtype float32.

    Args:
        value: The constant; default 0.

    >>> import py_tensor as pt
    >>> pt.graph.ConstantInitializer(3).initialize([2], 3, 2).tolist()
    [3.0, 3.0]
    """

    value: float = 0.0

    def initialize(
        self, weights_shape: Sequence[int], input_units: int, output_units: int
    ) -> Tensor:
        """Return a float32 tensor of shape `weights_shape`."""
        return F.full(weights_shape, float(self.value))


@dataclass(frozen=True, eq=False)
class NDArrayInitializer:
    """Given values; the requested shape is ignored.

    Args:
        ndarray: Tensor, array or nested lists.

    >>> import py_tensor as pt
    >>> pt.graph.NDArrayInitializer([1.0, 2.0]).initialize([2], 3, 2).tolist()
    [1.0, 2.0]
    """

    ndarray: Any

    def initialize(
        self, weights_shape: Sequence[int], input_units: int, output_units: int
    ) -> Tensor:
        """Return the given values as a tensor."""
        return as_tensor("NDArrayInitializer", self.ndarray)


@dataclass(frozen=True)
class RandomNormalInitializer:
    """Normally distributed values.

    Args:
        mean: Mean; default 0.
        stdev: Standard deviation; default 0.05.

    >>> import py_tensor as pt
    >>> pt.graph.RandomNormalInitializer(0.0, 0.1).initialize([2, 3], 2, 3).shape
    (2, 3)
    """

    mean: float = 0.0
    stdev: float = 0.05

    def initialize(
        self, weights_shape: Sequence[int], input_units: int, output_units: int
    ) -> Tensor:
        """Return a float32 tensor of shape `weights_shape`."""
        return random.normal(weights_shape, mean=self.mean, std=self.stdev)


@dataclass(frozen=True)
class RandomTruncatedNormalInitializer:
    """Normally distributed values within two standard deviations of the mean.

    Args:
        mean: Mean; default 0.
        stdev: Standard deviation before truncation; default 0.05.

    >>> import py_tensor as pt
    >>> values = pt.graph.RandomTruncatedNormalInitializer(1.0, 0.1).initialize([100], 1, 1)
    >>> bool(((values >= 0.8) & (values <= 1.2)).all())
    True
    """

    mean: float = 0.0
    stdev: float = 0.05

    def initialize(
        self, weights_shape: Sequence[int], input_units: int, output_units: int
    ) -> Tensor:
        """Return a float32 tensor of shape `weights_shape`."""
        return _truncated_normal(weights_shape, self.mean, self.stdev)


@dataclass(frozen=True)
class RandomUniformInitializer:
    """Uniformly distributed values in [minval, maxval).

    Args:
        minval: Smallest value; default -0.05.
        maxval: Upper bound, excluded; default 0.05.

    >>> import py_tensor as pt
    >>> pt.graph.RandomUniformInitializer(-1.0, 1.0).initialize([2, 3], 2, 3).shape
    (2, 3)
    """

    minval: float = -0.05
    maxval: float = 0.05

    def initialize(
        self, weights_shape: Sequence[int], input_units: int, output_units: int
    ) -> Tensor:
        """Return a float32 tensor of shape `weights_shape`."""
        return random.uniform(weights_shape, low=self.minval, high=self.maxval)


_WITHIN = math.erf(math.sqrt(2.0))
"""Probability that a normal variable is within two standard deviations of its mean."""


def _truncated_normal(shape: Sequence[int], mean: float, deviation: float) -> Tensor:
    """Sample by the inverse CDF: sqrt(2) * erfinv(u) for u uniform over the truncated range."""
    u = random.uniform(shape, low=-_WITHIN, high=_WITHIN)
    values = F.erfinv(u) * math.sqrt(2.0)
    # Rounding may move a value out of the range.
    return F.clip(values, -2.0, 2.0) * deviation + mean
