"""Learning-rate schedules: functions of the step's number, which counts from 0.

Any Python function of a number can be a schedule; this module has the common ones. Under `pt.jit` a
schedule runs on the host at each call.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import pairwise

from ..errors import ArgumentError
from ..functions.arguments import MOST_ELEMENTS, choice, function_of, integer, items, number
from .settings import numbers

Schedule = Callable[[int], float]


def _steps(operation: str, boundaries: Sequence[int]) -> tuple[int, ...]:
    """Return the boundaries of a schedule as integers."""
    steps = items(operation, "boundaries", boundaries)
    return tuple(integer(operation, "boundary", step) for step in steps)


def _cosine(start: float, end: float, part: float) -> float:
    """Return the point of a half cosine from start to end, as part goes from 0 to 1."""
    return end + (start - end) * 0.5 * (1 + math.cos(math.pi * part))


def constant(rate: float) -> Schedule:
    """Return a schedule with the same rate at every step.

    Args:
        rate: Learning rate.

    Returns:
        Function from a step's number, counted from 0, to the learning rate.

    >>> import py_tensor as pt
    >>> pt.optim.constant(0.1)(7)
    0.1
    """
    rate = number("constant", "rate", rate)
    return lambda step: rate


def exponential_decay(
    initial: float, decay_steps: int, decay_rate: float, *, staircase: bool = False
) -> Schedule:
    """Return a schedule of initial * decay_rate ** (step / decay_steps).

    Formula: keras.optimizers.schedules.ExponentialDecay.

    Args:
        initial: Rate at step 0.
        decay_steps: Number of steps after which the rate is multiplied by `decay_rate`.
        decay_rate: Factor.
        staircase: Round the quotient down, so that the rate falls in stairs; default False.

    Returns:
        Function from a step's number, counted from 0, to the learning rate.

    Raises:
        ArgumentError: If `decay_steps` is below 1.

    >>> import py_tensor as pt
    >>> pt.optim.exponential_decay(0.1, 100, 0.5)(200)
    0.025
    """
    initial = number("exponential_decay", "initial", initial)
    decay_rate = number("exponential_decay", "decay_rate", decay_rate)
    decay_steps = integer("exponential_decay", "decay_steps", decay_steps, 1)

    def rate(step: int) -> float:
        exponent = step // decay_steps if staircase else step / decay_steps
        return initial * decay_rate**exponent

    return rate


def step_decay(initial: float, every: int, factor: float) -> Schedule:
    """Return a schedule that multiplies the rate by `factor` once in `every` steps.

    Formula: initial * factor ** (step // every), as torch.optim.lr_scheduler.StepLR.

    Args:
        initial: Rate at step 0.
        every: Number of steps between changes.
        factor: Factor of each change.

    Returns:
        Function from a step's number, counted from 0, to the learning rate.

    Raises:
        ArgumentError: If `every` is below 1.

    >>> import py_tensor as pt
    >>> pt.optim.step_decay(1.0, 10, 0.5)(25)
    0.25
    """
    initial, factor = numbers("step_decay", initial=initial, factor=factor).values()
    every = integer("step_decay", "every", every, 1)
    return lambda step: initial * factor ** (step // every)


def piecewise_constant(boundaries: Sequence[int], values: Sequence[float]) -> Schedule:
    """Return a schedule that is constant between boundaries.

    The rate is values[i] from step boundaries[i - 1] up to, not including, step boundaries[i]. In
    keras.optimizers.schedules.PiecewiseConstantDecay a boundary belongs to the value before it.

    Args:
        boundaries: Rising step numbers at which the rate changes.
        values: Rates, one more than boundaries.

    Returns:
        Function from a step's number, counted from 0, to the learning rate.

    Raises:
        ArgumentError: If the boundaries do not rise, or their number does not fit the values.

    >>> import py_tensor as pt
    >>> rate = pt.optim.piecewise_constant([10, 20], [0.1, 0.01, 0.001])
    >>> rate(9), rate(10), rate(20)
    (0.1, 0.01, 0.001)
    """
    edges = _steps("piecewise_constant", boundaries)
    rates = tuple(
        number("piecewise_constant", "value", value)
        for value in items("piecewise_constant", "values", values)
    )
    if len(rates) != len(edges) + 1 or any(a >= b for a, b in pairwise(edges)):
        raise ArgumentError(
            "piecewise_constant: boundaries must increase, and there must be one more value; got "
            f"{list(edges)} and {list(values)}; pass n increasing boundaries and n + 1 values"
        )
    return lambda step: rates[bisect_right(edges, step)]


def cosine_decay(initial: float, decay_steps: int, *, end: float = 0.0) -> Schedule:
    """Return a schedule that falls from `initial` to `end` along half a cosine.

    Formula: end + (initial - end) * (1 + cos(pi * step / decay_steps)) / 2, and `end` from step
    `decay_steps` on. Source: Loshchilov and Hutter 2017, as keras.optimizers.schedules.CosineDecay.

    Args:
        initial: Rate at step 0.
        decay_steps: Step at which the rate reaches `end`.
        end: Final rate; default 0.0.

    Returns:
        Function from a step's number, counted from 0, to the learning rate.

    Raises:
        ArgumentError: If `decay_steps` is below 1.

    >>> import py_tensor as pt
    >>> rate = pt.optim.cosine_decay(1.0, 10)
    >>> rate(0), rate(10), rate(99)
    (1.0, 0.0, 0.0)
    """
    initial, end = numbers("cosine_decay", initial=initial, end=end).values()
    decay_steps = integer("cosine_decay", "decay_steps", decay_steps, 1)
    return lambda step: _cosine(initial, end, min(step / decay_steps, 1.0))


def warmup_cosine_decay(
    peak: float, warmup_steps: int, decay_steps: int, *, initial: float = 0.0, end: float = 0.0
) -> Schedule:
    """Return a schedule with a linear warm-up followed by `cosine_decay`.

    Args:
        peak: Rate at the end of the warm-up.
        warmup_steps: Number of steps of the warm-up, 0 or more.
        decay_steps: Step at which the rate reaches `end`, counted from step 0.
        initial: Rate at step 0; default 0.0.
        end: Final rate; default 0.0.

    Returns:
        Function from a step's number, counted from 0, to the learning rate.

    Raises:
        ArgumentError: If `warmup_steps` is negative, or `decay_steps` is not more than
            `warmup_steps`.

    >>> import py_tensor as pt
    >>> rate = pt.optim.warmup_cosine_decay(1.0, 10, 110)
    >>> rate(0), rate(5), rate(10), rate(110)
    (0.0, 0.5, 1.0, 0.0)
    """
    peak = number("warmup_cosine_decay", "peak", peak)
    initial = number("warmup_cosine_decay", "initial", initial)
    end = number("warmup_cosine_decay", "end", end)
    warmup_steps = integer("warmup_cosine_decay", "warmup_steps", warmup_steps, 0)
    decay_steps = integer("warmup_cosine_decay", "decay_steps", decay_steps, warmup_steps + 1)
    decay = cosine_decay(peak, decay_steps - warmup_steps, end=end)

    def rate(step: int) -> float:
        if step < warmup_steps:
            return initial + (peak - initial) * step / warmup_steps
        return decay(step - warmup_steps)

    return rate


def polynomial_decay(
    initial: float, decay_steps: int, *, end: float = 0.0, power: float = 1.0
) -> Schedule:
    """Return a schedule that falls from `initial` to `end` as a power of the steps left.

    Formula: end + (initial - end) * (1 - step / decay_steps) ** power, and `end` from step
    `decay_steps` on, as keras.optimizers.schedules.PolynomialDecay without cycles.

    Args:
        initial: Rate at step 0.
        decay_steps: Step at which the rate reaches `end`.
        end: Final rate; default 0.0.
        power: Exponent; default 1.0, a straight line.

    Returns:
        Function from a step's number, counted from 0, to the learning rate.

    Raises:
        ArgumentError: If `decay_steps` is below 1.

    >>> import py_tensor as pt
    >>> pt.optim.polynomial_decay(1.0, 10, power=2)(5)
    0.25
    """
    initial = number("polynomial_decay", "initial", initial)
    end = number("polynomial_decay", "end", end)
    power = number("polynomial_decay", "power", power)
    decay_steps = integer("polynomial_decay", "decay_steps", decay_steps, 1)
    return lambda step: end + (initial - end) * (1 - min(step / decay_steps, 1.0)) ** power


def one_cycle(
    peak: float,
    total_steps: int,
    *,
    warmup: float = 0.3,
    start_divisor: float = 25.0,
    end_divisor: float = 1e4,
) -> Schedule:
    """Return a schedule that rises to `peak` and falls again, both along half a cosine.

    The rate starts at peak / start_divisor and ends at peak / start_divisor / end_divisor. Source:
    Smith and Topin 2018, as torch.optim.lr_scheduler.OneCycleLR.

    Args:
        peak: Highest rate.
        total_steps: Number of steps of the cycle, 2 or more.
        warmup: Share of the steps in which the rate rises, between 0 and 1; default 0.3.
        start_divisor: Ratio of the peak to the first rate; default 25.
        end_divisor: Ratio of the first rate to the last; default 1e4.

    Returns:
        Function from a step's number, counted from 0, to the learning rate.

    Raises:
        ArgumentError: If there are fewer than 2 steps, or `warmup` is not between 0 and 1.

    >>> import py_tensor as pt
    >>> rate = pt.optim.one_cycle(1.0, 11)
    >>> [round(rate(step), 6) for step in (0, 2, 3, 10)]
    [0.04, 0.960261, 0.979747, 4e-06]
    """
    peak, warmup, start_divisor, end_divisor = numbers(
        "one_cycle", peak=peak, warmup=warmup, start_divisor=start_divisor, end_divisor=end_divisor
    ).values()
    total_steps = integer("one_cycle", "total_steps", total_steps, 2, MOST_ELEMENTS)
    if not 0 < warmup < 1:
        raise ArgumentError(
            f"one_cycle: warmup must be between 0 and 1; got {warmup}; use for example 0.3"
        )
    if not start_divisor or not end_divisor:
        raise ArgumentError("one_cycle: divisors must not be 0; got 0; use positive numbers")
    start = peak / start_divisor
    end = start / end_divisor
    top, last = warmup * total_steps - 1, total_steps - 1

    def rate(step: int) -> float:
        if step < top:
            return _cosine(start, peak, step / top)
        return _cosine(peak, end, min((step - top) / (last - top), 1.0))

    return rate


def cosine_decay_restarts(
    initial: float,
    first_decay_steps: int,
    *,
    t_mul: float = 2.0,
    m_mul: float = 1.0,
    end: float = 0.0,
) -> Schedule:
    """Return a schedule that repeats `cosine_decay` from its start each time it has ended.

    Source: Loshchilov and Hutter 2017, arXiv:1608.03983, as
    keras.optimizers.schedules.CosineDecayRestarts.

    Args:
        initial: Rate at step 0.
        first_decay_steps: Number of steps of the first period.
        t_mul: Ratio of a period's length to the one before, 1 or more; default 2.0.
        m_mul: Ratio of a period's first rate to that of the one before; default 1.0.
        end: Rate that each period approaches; default 0.0.

    Returns:
        Function from a step's number, counted from 0, to the learning rate.

    Raises:
        ArgumentError: If `first_decay_steps` or `t_mul` is below 1.

    >>> import py_tensor as pt
    >>> rate = pt.optim.cosine_decay_restarts(1.0, 10, m_mul=0.5)
    >>> rate(0), round(rate(5), 6), rate(10), round(rate(20), 6), rate(30)
    (1.0, 0.5, 0.5, 0.25, 0.25)
    """
    initial, t_mul, m_mul, end = numbers(
        "cosine_decay_restarts", initial=initial, t_mul=t_mul, m_mul=m_mul, end=end
    ).values()
    first_decay_steps = integer("cosine_decay_restarts", "first_decay_steps", first_decay_steps, 1)
    if not 1 <= t_mul < math.inf:
        raise ArgumentError(
            f"cosine_decay_restarts: t_mul is too small; got {t_mul}; use 1 or more"
        )

    def rate(step: int) -> float:
        start, length, peak = 0.0, float(first_decay_steps), initial
        while step - start >= length:
            start, length, peak = start + length, length * t_mul, peak * m_mul
        return _cosine(peak, end, (step - start) / length)

    return rate


_CYCLES: dict[str, Callable[[int, int, float], float]] = {
    "triangular": lambda cycle, step, gamma: 1.0,
    "triangular2": lambda cycle, step, gamma: 0.5**cycle,
    "exp_range": lambda cycle, step, gamma: gamma**step,
}


def cyclic(
    low: float,
    high: float,
    *,
    step_size_up: int = 2000,
    step_size_down: int | None = None,
    mode: str = "triangular",
    gamma: float = 1.0,
) -> Schedule:
    """Return a schedule that rises and falls in straight lines between two rates.

    Source: Smith 2017, arXiv:1506.01186, as torch.optim.lr_scheduler.CyclicLR.

    Args:
        low: Rate at step 0 and at the end of each cycle.
        high: Highest rate of the first cycle.
        step_size_up: Number of steps in which the rate rises; default 2000.
        step_size_down: Number of steps in which it falls; None (default) for `step_size_up`.
        mode: "triangular" (default), "triangular2" to halve the height after each cycle, or
            "exp_range" to multiply it by gamma**step.
        gamma: Factor of "exp_range"; default 1.0.

    Returns:
        Function from a step's number, counted from 0, to the learning rate.

    Raises:
        ArgumentError: If a number of steps is below 1, or the mode is unknown.

    >>> import py_tensor as pt
    >>> rate = pt.optim.cyclic(0.0, 1.0, step_size_up=2, step_size_down=4, mode="triangular2")
    >>> [rate(step) for step in (0, 1, 2, 4, 6, 8)]
    [0.0, 0.5, 1.0, 0.5, 0.0, 0.5]
    """
    low, high, gamma = numbers("cyclic", low=low, high=high, gamma=gamma).values()
    up = integer("cyclic", "step_size_up", step_size_up, 1)
    down = up if step_size_down is None else step_size_down
    down = integer("cyclic", "step_size_down", down, 1)
    mode = choice("cyclic", "mode", mode, _CYCLES)

    def rate(step: int) -> float:
        cycle, position = divmod(step, up + down)
        part = position / up if position <= up else (up + down - position) / down
        return low + (high - low) * part * _CYCLES[mode](cycle, step, gamma)

    return rate


def join_schedules(schedules: Sequence[Schedule], boundaries: Sequence[int]) -> Schedule:
    """Return a schedule that goes through several, each of which counts its steps from 0.

    As torch.optim.lr_scheduler.SequentialLR.

    Args:
        schedules: Schedules in their order.
        boundaries: Rising step numbers at which the next schedule begins.

    Returns:
        Function from a step's number, counted from 0, to the learning rate.

    Raises:
        ArgumentError: If the boundaries do not rise, or their number does not fit the schedules.

    >>> import py_tensor as pt
    >>> warmup = pt.optim.polynomial_decay(0.0, 4, end=1.0)
    >>> rate = pt.optim.join_schedules([warmup, pt.optim.step_decay(1.0, 2, 0.5)], [4])
    >>> [rate(step) for step in (0, 2, 4, 6)]
    [0.0, 0.5, 1.0, 0.5]
    """
    edges = _steps("join_schedules", boundaries)
    parts = tuple(
        function_of("join_schedules", "schedule", part)
        for part in items("join_schedules", "schedules", schedules)
    )
    if len(parts) != len(edges) + 1 or any(a >= b for a, b in pairwise(edges)):
        raise ArgumentError(
            "join_schedules: boundaries must increase, and there must be one more schedule; got "
            f"{list(edges)} and {len(parts)} schedules; pass n boundaries and n + 1 schedules"
        )

    def rate(step: int) -> float:
        passed = bisect_right(edges, step)
        value: float = parts[passed](step - edges[passed - 1] if passed else step)
        return value

    return rate
