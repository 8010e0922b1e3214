"""Learning rates as functions of the step's number, which counts from 0.

Any Python function of a number will do; here are the common ones. Under `pt.jit` they run on the
host at each call.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import pairwise

from ..errors import ArgumentError

Schedule = Callable[[int], float]


def _count(operation: str, name: str, value: int, least: int = 1) -> int:
    if value < least:
        raise ArgumentError(f"{operation}: {name} is too small; got {value}; use {least} or more")
    return value


def _cosine(start: float, end: float, part: float) -> float:
    """From start to end along half a cosine, as part goes from 0 to 1."""
    return end + (start - end) * 0.5 * (1 + math.cos(math.pi * part))


def constant(rate: float) -> Schedule:
    """The same rate at every step.

    >>> import py_tensor as pt
    >>> pt.optim.constant(0.1)(7)
    0.1
    """
    return lambda step: rate


def exponential_decay(
    initial: float, decay_steps: int, decay_rate: float, *, staircase: bool = False
) -> Schedule:
    """initial * decay_rate ** (step / decay_steps), with the quotient rounded down if `staircase`.

    As keras.optimizers.schedules.ExponentialDecay. Raises ArgumentError for `decay_steps` below 1.

    >>> import py_tensor as pt
    >>> pt.optim.exponential_decay(0.1, 100, 0.5)(200)
    0.025
    """
    _count("exponential_decay", "decay_steps", decay_steps)

    def rate(step: int) -> float:
        exponent = step // decay_steps if staircase else step / decay_steps
        return initial * decay_rate**exponent

    return rate


def step_decay(initial: float, every: int, factor: float) -> Schedule:
    """initial * factor ** (step // every): multiplied by `factor` once in `every` steps.

    As torch.optim.lr_scheduler.StepLR. Raises ArgumentError for `every` below 1.

    >>> import py_tensor as pt
    >>> pt.optim.step_decay(1.0, 10, 0.5)(25)
    0.25
    """
    _count("step_decay", "every", every)
    return lambda step: initial * factor ** (step // every)


def piecewise_constant(boundaries: Sequence[int], values: Sequence[float]) -> Schedule:
    """values[i] from step boundaries[i - 1] on, up to, not including, boundaries[i].

    Raises ArgumentError unless boundaries rise, and there is one value more than boundaries. (In
    keras.optimizers.schedules.PiecewiseConstantDecay a boundary belongs to the value before it.)

    >>> import py_tensor as pt
    >>> rate = pt.optim.piecewise_constant([10, 20], [0.1, 0.01, 0.001])
    >>> rate(9), rate(10), rate(20)
    (0.1, 0.01, 0.001)
    """
    edges, rates = tuple(boundaries), tuple(values)
    if len(rates) != len(edges) + 1 or any(a >= b for a, b in pairwise(edges)):
        raise ArgumentError(
            f"piecewise_constant: boundaries and values do not fit; got {list(edges)} and "
            f"{list(rates)}; give boundaries that rise, and one value more"
        )
    return lambda step: rates[bisect_right(edges, step)]


def cosine_decay(initial: float, decay_steps: int, *, end: float = 0.0) -> Schedule:
    """From `initial` down to `end` along half a cosine, reached after `decay_steps`, then `end`.

    end + (initial - end) * (1 + cos(pi * step / decay_steps)) / 2: Loshchilov and Hutter 2017, as
    keras.optimizers.schedules.CosineDecay. Raises ArgumentError for `decay_steps` below 1.

    >>> import py_tensor as pt
    >>> rate = pt.optim.cosine_decay(1.0, 10)
    >>> rate(0), rate(10), rate(99)
    (1.0, 0.0, 0.0)
    """
    _count("cosine_decay", "decay_steps", decay_steps)
    return lambda step: _cosine(initial, end, min(step / decay_steps, 1.0))


def warmup_cosine_decay(
    peak: float, warmup_steps: int, decay_steps: int, *, initial: float = 0.0, end: float = 0.0
) -> Schedule:
    """From `initial` straight up to `peak` in `warmup_steps`, then `cosine_decay` to `end`.

    `decay_steps` counts from step 0, the warm-up included. Raises ArgumentError unless it is more
    than `warmup_steps`.

    >>> import py_tensor as pt
    >>> rate = pt.optim.warmup_cosine_decay(1.0, 10, 110)
    >>> rate(0), rate(5), rate(10), rate(110)
    (0.0, 0.5, 1.0, 0.0)
    """
    _count("warmup_cosine_decay", "warmup_steps", warmup_steps, 0)
    _count("warmup_cosine_decay", "decay_steps", decay_steps, warmup_steps + 1)
    decay = cosine_decay(peak, decay_steps - warmup_steps, end=end)

    def rate(step: int) -> float:
        if step < warmup_steps:
            return initial + (peak - initial) * step / warmup_steps
        return decay(step - warmup_steps)

    return rate


def polynomial_decay(
    initial: float, decay_steps: int, *, end: float = 0.0, power: float = 1.0
) -> Schedule:
    """end + (initial - end) * (1 - step / decay_steps) ** power, then `end`.

    As keras.optimizers.schedules.PolynomialDecay without cycles. Raises ArgumentError for
    `decay_steps` below 1.

    >>> import py_tensor as pt
    >>> pt.optim.polynomial_decay(1.0, 10, power=2)(5)
    0.25
    """
    _count("polynomial_decay", "decay_steps", decay_steps)
    return lambda step: end + (initial - end) * (1 - min(step / decay_steps, 1.0)) ** power


def one_cycle(
    peak: float,
    total_steps: int,
    *,
    warmup: float = 0.3,
    start_divisor: float = 25.0,
    end_divisor: float = 1e4,
) -> Schedule:
    """Up to `peak` and down again, both along half a cosine, in `total_steps`.

    From peak / start_divisor up in the first `warmup` of the steps, then down to the rate it began
    with over `end_divisor`: Smith and Topin 2018, as torch.optim.lr_scheduler.OneCycleLR. Raises
    ArgumentError for fewer than 2 steps, and unless `warmup` is between 0 and 1.

    >>> import py_tensor as pt
    >>> rate = pt.optim.one_cycle(1.0, 11)
    >>> [round(rate(step), 6) for step in (0, 2, 3, 10)]
    [0.04, 0.960261, 0.979747, 4e-06]
    """
    _count("one_cycle", "total_steps", total_steps, 2)
    if not 0 < warmup < 1:
        raise ArgumentError(f"one_cycle: warmup is not a part; got {warmup}; use 0.3, say")
    start = peak / start_divisor
    end = start / end_divisor
    top, last = warmup * total_steps - 1, total_steps - 1

    def rate(step: int) -> float:
        if step < top:
            return _cosine(start, peak, step / top)
        return _cosine(peak, end, min((step - top) / (last - top), 1.0))

    return rate
