"""Initial values of variables; random ones come from `pt.random`, seeded by `pt.random.seed`.

Distributions cut off are so at two standard deviations from the mean, as deeplearn.js does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from .. import random
from ..errors import ArgumentError
from ..functions.creation import full
from ..functions.elementwise import PUBLIC as ELEMENTWISE
from ..functions.elementwise import clip
from ..tensor import Tensor, as_tensor


class Initializer(Protocol):
    """What makes initial values: anything with this method.

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

    def initialize(self, weights_shape: Any, input_units: int, output_units: int) -> Tensor:
        """A tensor of that shape, for a layer of so many inputs and outputs."""
        ...


@dataclass(frozen=True)
class VarianceScalingInitializer:
    """Random values whose variance is `scale` over a number of units.

    They are those that go in ("fan_in"), come out ("fan_out"), or their mean ("fan_avg").
    `distribution` is "normal", cut off, with that variance before the cut, or "uniform" around 0.
    Raises ArgumentError for other modes and distributions.

    >>> import py_tensor as pt
    >>> initializer = pt.graph.VarianceScalingInitializer(2.0, "fan_avg", "uniform")
    >>> initializer.initialize([3, 4], 3, 4).shape
    (3, 4)
    """

    scale: float = 1.0
    mode: Literal["fan_in", "fan_out", "fan_avg"] = "fan_in"
    distribution: Literal["uniform", "normal"] = "normal"

    def __post_init__(self) -> None:
        _one_of("mode", self.mode, ("fan_in", "fan_out", "fan_avg"))
        _one_of("distribution", self.distribution, ("uniform", "normal"))

    def initialize(self, weights_shape: Any, input_units: int, output_units: int) -> Tensor:
        """Values of that shape."""
        units = {
            "fan_in": input_units,
            "fan_out": output_units,
            "fan_avg": (input_units + output_units) / 2,
        }[self.mode]
        deviation = math.sqrt(self.scale / max(1, units))
        if self.distribution == "normal":
            return _truncated_normal(weights_shape, 0.0, deviation)
        limit = math.sqrt(3.0) * deviation
        return random.uniform(weights_shape, -limit, limit)


def _one_of(what: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ArgumentError(
            f"VarianceScalingInitializer: no such {what}; got {value!r}; "
            f"use {', '.join(map(repr, allowed))}"
        )


@dataclass(frozen=True)
class ZerosInitializer:
    """Zeros.

    >>> import py_tensor as pt
    >>> pt.graph.ZerosInitializer().initialize([2], 3, 2).tolist()
    [0.0, 0.0]
    """

    def initialize(self, weights_shape: Any, input_units: int, output_units: int) -> Tensor:
        """Values of that shape."""
        return full(weights_shape, 0.0)


@dataclass(frozen=True)
class OnesInitializer:
    """Ones.

    >>> import py_tensor as pt
    >>> pt.graph.OnesInitializer().initialize([2], 3, 2).tolist()
    [1.0, 1.0]
    """

    def initialize(self, weights_shape: Any, input_units: int, output_units: int) -> Tensor:
        """Values of that shape."""
        return full(weights_shape, 1.0)


@dataclass(frozen=True)
class ConstantInitializer:
    """One value everywhere.

    >>> import py_tensor as pt
    >>> pt.graph.ConstantInitializer(3).initialize([2], 3, 2).tolist()
    [3.0, 3.0]
    """

    value: float = 0.0

    def initialize(self, weights_shape: Any, input_units: int, output_units: int) -> Tensor:
        """Values of that shape."""
        return full(weights_shape, float(self.value))


@dataclass(frozen=True, eq=False)
class NDArrayInitializer:
    """Given values, whatever shape is asked for.

    >>> import py_tensor as pt
    >>> pt.graph.NDArrayInitializer([1.0, 2.0]).initialize([2], 3, 2).tolist()
    [1.0, 2.0]
    """

    ndarray: Any

    def initialize(self, weights_shape: Any, input_units: int, output_units: int) -> Tensor:
        """The given values."""
        return as_tensor("NDArrayInitializer", self.ndarray)


@dataclass(frozen=True)
class RandomNormalInitializer:
    """Normally distributed values.

    >>> import py_tensor as pt
    >>> pt.graph.RandomNormalInitializer(0.0, 0.1).initialize([2, 3], 2, 3).shape
    (2, 3)
    """

    mean: float = 0.0
    stdev: float = 0.05

    def initialize(self, weights_shape: Any, input_units: int, output_units: int) -> Tensor:
        """Values of that shape."""
        return random.normal(weights_shape, self.mean, self.stdev)


@dataclass(frozen=True)
class RandomTruncatedNormalInitializer:
    """Normally distributed values, none further from the mean than two deviations.

    >>> import py_tensor as pt
    >>> values = pt.graph.RandomTruncatedNormalInitializer(1.0, 0.1).initialize([100], 1, 1)
    >>> bool(((values >= 0.8) & (values <= 1.2)).all())
    True
    """

    mean: float = 0.0
    stdev: float = 0.05

    def initialize(self, weights_shape: Any, input_units: int, output_units: int) -> Tensor:
        """Values of that shape."""
        return _truncated_normal(weights_shape, self.mean, self.stdev)


@dataclass(frozen=True)
class RandomUniformInitializer:
    """Evenly distributed values from `minval` up to, not including, `maxval`.

    >>> import py_tensor as pt
    >>> pt.graph.RandomUniformInitializer(-1.0, 1.0).initialize([2, 3], 2, 3).shape
    (2, 3)
    """

    minval: float = -0.05
    maxval: float = 0.05

    def initialize(self, weights_shape: Any, input_units: int, output_units: int) -> Tensor:
        """Values of that shape."""
        return random.uniform(weights_shape, self.minval, self.maxval)


_WITHIN = math.erf(math.sqrt(2.0))
"""The part of a normal distribution that lies within two deviations from its mean."""


def _truncated_normal(shape: Any, mean: float, deviation: float) -> Tensor:
    """By the inverse of the distribution: sqrt(2) erfinv(u), u uniform where the result is kept."""
    u = random.uniform(shape, -_WITHIN, _WITHIN)
    values = ELEMENTWISE["erfinv"](u) * math.sqrt(2.0)
    # Rounding may carry a value over the edge.
    return clip(values, -2.0, 2.0) * deviation + mean
