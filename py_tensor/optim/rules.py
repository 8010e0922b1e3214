"""Optimizers: SGD, momentum, Adagrad, Adadelta, RMSProp, Adam and its variants, and Lion.

In formulas p is a parameter, g its gradient, and rate the learning rate.

An optimizer consists of its slots, its settings and its formula on flat vectors. A formula takes
the gradient, the slots and, as `step`, the number of the step, counted from 1. It returns a
direction and the new slots. The direction times the learning rate is subtracted from the
parameters. Formulas and default settings are PyTorch's. `epsilon` keeps divisors away from 0; each
docstring says where it is added. `Options` lists the options that all optimizers share.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any, Unpack

from ..functions.arguments import flag, number
from ..functions.decorators import named
from ..ir.tracer import on_host
from ..runtime.executor import stores_halves
from ..tensor import Tensor
from .optimizer import Optimizer, Options, Rate, UpdateFormula
from .settings import fractions, numbers


def _optimizer(
    name: str,
    formula: UpdateFormula,
    rate: Rate,
    options: Options,
    slots: dict[str, float],
    /,
    **settings: Any,
) -> Optimizer:
    return Optimizer(name, formula, rate, tuple(slots.items()), tuple(settings.items()), **options)


def least(epsilon: float) -> float:
    """Return the number to add to a root; at least 1e-4 if float32 is stored as float16.

    Squares of gradients below 1.7e-4 are stored as 0 then, and steps would be infinite.
    """
    return max(epsilon, 1e-4) if stores_halves() else epsilon


def sgd(learning_rate: Rate = 1e-3, **options: Unpack[Options]) -> Optimizer:
    """Create an optimizer for stochastic gradient descent: p -= rate * g.

    Formula and defaults: torch.optim.SGD.

    Args:
        learning_rate: Number from 0 on, or a schedule: a function of the step's number, which
            counts from 0; default 1e-3.
        **options: Clipping, L2 penalty and weight decay; see `Options`.

    Returns:
        Optimizer to use with `init` and `update`.

    Raises:
        ArgumentError: If the learning rate is negative or an option is out of range.

    >>> import py_tensor as pt
    >>> optimizer = pt.optim.sgd(0.5)
    >>> state = optimizer.init([pt.asarray([1.0, 2.0])])
    >>> optimizer.update(state, [pt.asarray([2.0, 2.0])]).params[0].tolist()
    [0.0, 1.0]
    """
    return _optimizer("sgd", _sgd, learning_rate, options, {})


def _sgd(g: Tensor, *, step: int) -> tuple[Tensor, ...]:
    return (g,)


def momentum(
    learning_rate: Rate = 1e-3,
    momentum: float = 0.9,
    *,
    nesterov: bool = False,
    **options: Unpack[Options],
) -> Optimizer:
    """Create an optimizer with momentum: v = momentum * v + g; p -= rate * v.

    With `nesterov`, p -= rate * (g + momentum * v). v starts at zero. Formula: torch.optim.SGD
    without dampening. TensorFlow.js has the same; Keras includes the rate in v.

    Args:
        learning_rate: Number from 0 on, or a schedule: a function of the step's number, which
            counts from 0; default 1e-3.
        momentum: Share of the velocity kept at each step, in [0, 1); default 0.9.
        nesterov: Use Nesterov's variant; default False.
        **options: Clipping, L2 penalty and weight decay; see `Options`.

    Returns:
        Optimizer to use with `init` and `update`. It keeps one slot, "velocity".

    Raises:
        ArgumentError: If `momentum` is outside [0, 1), the learning rate is negative or an option
            is out of range.

    >>> import py_tensor as pt
    >>> pt.optim.momentum(0.1, nesterov=True).slots
    (('velocity', 0.0),)
    >>> optimizer = pt.optim.momentum(0.5)
    >>> state = optimizer.init([pt.asarray([4.0])])
    >>> optimizer.update(state, [pt.asarray([2.0])]).params[0].tolist()
    [3.0]
    """
    settings = fractions("momentum", momentum=momentum)
    slots = {"velocity": 0.0}
    return _optimizer(
        "momentum", _momentum, learning_rate, options, slots, **settings, nesterov=nesterov
    )


def _momentum(
    g: Tensor, v: Tensor, *, step: int, momentum: float, nesterov: bool
) -> tuple[Tensor, ...]:
    v = momentum * v + g
    return g + momentum * v if nesterov else v, v


def adagrad(
    learning_rate: Rate = 1e-2,
    *,
    initial_accumulator: float = 0.0,
    epsilon: float = 1e-10,
    **options: Unpack[Options],
) -> Optimizer:
    """Create an Adagrad optimizer: s += g**2; p -= rate * g / (sqrt(s) + epsilon).

    s starts at `initial_accumulator`. Formula and defaults: torch.optim.Adagrad without lr_decay;
    epsilon is added outside the root. TensorFlow.js adds it inside and starts at 0.1.

    Args:
        learning_rate: Number from 0 on, or a schedule: a function of the step's number, which
            counts from 0; default 1e-2.
        initial_accumulator: First value of s; default 0.0.
        epsilon: Number added to the root; default 1e-10.
        **options: Clipping, L2 penalty and weight decay; see `Options`.

    Returns:
        Optimizer to use with `init` and `update`. It keeps one slot, "square".

    Raises:
        ArgumentError: If the learning rate is negative or an option is out of range.

    >>> import py_tensor as pt
    >>> pt.optim.adagrad().slots
    (('square', 0.0),)
    >>> optimizer = pt.optim.adagrad(0.5)
    >>> state = optimizer.init([pt.asarray(4.0)])
    >>> round(optimizer.update(state, [pt.asarray(2.0)]).params[0].item(), 4)
    3.5
    """
    slots = {"square": number("adagrad", "initial_accumulator", initial_accumulator)}
    settings = numbers("adagrad", epsilon=epsilon)
    return _optimizer("adagrad", _adagrad, learning_rate, options, slots, **settings)


def _adagrad(g: Tensor, s: Tensor, *, step: int, epsilon: float) -> tuple[Tensor, ...]:
    s = s + g.square()
    return g / (s.sqrt() + least(epsilon)), s


def adadelta(
    learning_rate: Rate = 1.0,
    *,
    rho: float = 0.9,
    epsilon: float = 1e-6,
    **options: Unpack[Options],
) -> Optimizer:
    """Create an Adadelta optimizer, which adapts the step to past steps and gradients.

    The formula is

        s = rho * s + (1 - rho) * g**2
        d = g * sqrt(u + epsilon) / sqrt(s + epsilon)
        u = rho * u + (1 - rho) * d**2
        p -= rate * d

    s and u start at zero. Formula and defaults: torch.optim.Adadelta; epsilon is added inside both
    roots. TensorFlow.js has the same formula with a rate of 1e-3, rho 0.95 and epsilon 1e-7.

    Args:
        learning_rate: Number from 0 on, or a schedule: a function of the step's number, which
            counts from 0; default 1.0.
        rho: Share of the running means kept at each step, in [0, 1); default 0.9.
        epsilon: Number added inside the roots; default 1e-6.
        **options: Clipping, L2 penalty and weight decay; see `Options`.

    Returns:
        Optimizer to use with `init` and `update`. It keeps two slots, "square" and "change".

    Raises:
        ArgumentError: If `rho` is outside [0, 1), the learning rate is negative or an option is out
            of range.

    >>> import py_tensor as pt
    >>> [name for name, _ in pt.optim.adadelta().slots]
    ['square', 'change']
    >>> optimizer = pt.optim.adadelta()
    >>> state = optimizer.init([pt.asarray(1.0)])
    >>> round(optimizer.update(state, [pt.asarray(2.0)]).params[0].item(), 4)
    0.9968
    """
    settings = fractions("adadelta", rho=rho) | numbers("adadelta", epsilon=epsilon)
    slots = {"square": 0.0, "change": 0.0}
    return _optimizer("adadelta", _adadelta, learning_rate, options, slots, **settings)


def _adadelta(
    g: Tensor, s: Tensor, u: Tensor, *, step: int, rho: float, epsilon: float
) -> tuple[Tensor, ...]:
    s = rho * s + (1 - rho) * g.square()
    d = g * (u + epsilon).sqrt() / (s + epsilon).sqrt()
    return d, s, rho * u + (1 - rho) * d.square()


def rmsprop(
    learning_rate: Rate = 1e-2,
    *,
    rho: float = 0.99,
    epsilon: float = 1e-8,
    momentum: float = 0.0,
    centered: bool = False,
    **options: Unpack[Options],
) -> Optimizer:
    """Create an RMSProp optimizer, which divides by a running root mean square.

    The formula is

        s = rho * s + (1 - rho) * g**2
        d = g / (sqrt(s) + epsilon)
        p -= rate * d

    With `centered`, m = rho * m + (1 - rho) * g, and the variance s - m**2 replaces s in the root.
    With `momentum`, v = momentum * v + d and p -= rate * v. s, m and v start at zero. Formula and
    defaults: torch.optim.RMSprop; epsilon is added outside the root. TensorFlow.js adds it inside,
    includes the rate in v, and has rho = 0.9.

    Args:
        learning_rate: Number from 0 on, or a schedule: a function of the step's number, which
            counts from 0; default 1e-2.
        rho: Share of the running means kept at each step, in [0, 1); default 0.99.
        epsilon: Number added to the root; default 1e-8.
        momentum: Share of the velocity kept at each step, in [0, 1); default 0.0, no velocity.
        centered: Divide by the standard deviation instead of the root mean square; default False.
        **options: Clipping, L2 penalty and weight decay; see `Options`.

    Returns:
        Optimizer to use with `init` and `update`. It keeps the slot "square", and "mean" and
        "velocity" if they are used.

    Raises:
        ArgumentError: If `rho` or `momentum` is outside [0, 1), the learning rate is negative or an
            option is out of range.

    >>> import py_tensor as pt
    >>> [name for name, _ in pt.optim.rmsprop(momentum=0.9, centered=True).slots]
    ['square', 'mean', 'velocity']
    >>> optimizer = pt.optim.rmsprop(0.01)
    >>> state = optimizer.init([pt.asarray(1.0)])
    >>> round(optimizer.update(state, [pt.asarray(2.0)]).params[0].item(), 4)
    0.9
    """
    settings = fractions("rmsprop", rho=rho, momentum=momentum)
    settings |= numbers("rmsprop", epsilon=epsilon)
    slots = {"square": 0.0}
    slots |= {"mean": 0.0} if flag("rmsprop", "centered", centered) else {}
    slots |= {"velocity": 0.0} if momentum else {}
    return _optimizer(
        "rmsprop", _rmsprop, learning_rate, options, slots, **settings, centered=centered
    )


def _rmsprop(
    g: Tensor,
    s: Tensor,
    *other_slots: Tensor,
    step: int,
    rho: float,
    epsilon: float,
    momentum: float,
    centered: bool,
) -> tuple[Tensor, ...]:
    s = rho * s + (1 - rho) * g.square()
    square, slots = s, [s]
    if centered:
        m = rho * other_slots[0] + (1 - rho) * g
        # Rounding can make a variance of 0 negative.
        square, slots = (s - m.square()).maximum(0.0), [s, m]
    d = g / (square.sqrt() + least(epsilon))
    if momentum:
        d = momentum * other_slots[-1] + d
        slots.append(d)
    return d, *slots


def adam(
    learning_rate: Rate = 1e-3,
    *,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    amsgrad: bool = False,
    **options: Unpack[Options],
) -> Optimizer:
    """Create an Adam optimizer: running mean of gradients over root of mean squares.

    In step t = 1, 2, ... the formula is

        m = beta1 * m + (1 - beta1) * g
        v = beta2 * v + (1 - beta2) * g**2
        p -= rate * m / (1 - beta1**t) / (sqrt(v / (1 - beta2**t)) + epsilon)

    m and v start at zero. With `amsgrad` the root is taken of the largest v so far. Formula and
    defaults: Kingma and Ba 2015, algorithm 1, as torch.optim.Adam; epsilon is added outside the
    root of the corrected v. TensorFlow.js has the same formula with 1e-7; Keras adds 1e-7 to the
    root of the uncorrected v.

    Args:
        learning_rate: Number from 0 on, or a schedule: a function of the step's number, which
            counts from 0; default 1e-3.
        beta1: Share of the mean of gradients kept at each step, in [0, 1); default 0.9.
        beta2: Share of the mean of squares kept at each step, in [0, 1); default 0.999.
        epsilon: Number added to the root; default 1e-8.
        amsgrad: Divide by the largest root so far; default False.
        **options: Clipping, L2 penalty and weight decay; see `Options`.

    Returns:
        Optimizer to use with `init` and `update`. It keeps the slots "mean" and "square", and
        "largest" with `amsgrad`.

    Raises:
        ArgumentError: If `beta1` or `beta2` is outside [0, 1), the learning rate is negative or an
            option is out of range.

    >>> import py_tensor as pt
    >>> [name for name, _ in pt.optim.adam(amsgrad=True).slots]
    ['mean', 'square', 'largest']
    >>> optimizer = pt.optim.adam(0.1)
    >>> state = optimizer.init([pt.asarray(1.0)])
    >>> round(optimizer.update(state, [pt.asarray(2.0)]).params[0].item(), 4)
    0.9
    """
    settings = fractions("adam", beta1=beta1, beta2=beta2) | numbers("adam", epsilon=epsilon)
    slots = {"mean": 0.0, "square": 0.0}
    slots |= {"largest": 0.0} if flag("adam", "amsgrad", amsgrad) else {}
    return _optimizer("adam", _adam, learning_rate, options, slots, **settings)


def _adam(
    g: Tensor,
    m: Tensor,
    v: Tensor,
    *largest: Tensor,
    step: int,
    beta1: float,
    beta2: float,
    epsilon: float,
) -> tuple[Tensor, ...]:
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g.square()
    largest = tuple(before.maximum(v) for before in largest)
    (denominator_square,) = largest or (v,)
    root = denominator_square.sqrt() * (1 - beta2**step) ** -0.5
    return m * (1 / (1 - beta1**step)) / (root + least(epsilon)), m, v, *largest


@named
def adamw(
    learning_rate: Rate = 1e-3,
    *,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    amsgrad: bool = False,
    **options: Unpack[Options],
) -> Optimizer:
    """Create an `adam` optimizer with decoupled weight decay.

    Each step also does p -= rate * weight_decay * p. Formula and defaults: Loshchilov and Hutter
    2019, as torch.optim.AdamW, in which the decay is multiplied by the learning rate.

    Args:
        learning_rate: Number from 0 on, or a schedule: a function of the step's number, which
            counts from 0; default 1e-3.
        beta1: Share of the mean of gradients kept at each step, in [0, 1); default 0.9.
        beta2: Share of the mean of squares kept at each step, in [0, 1); default 0.999.
        epsilon: Number added to the root; default 1e-8.
        amsgrad: Divide by the largest root so far; default False.
        **options: As for the other optimizers; see `Options`. `weight_decay` has a default of 0.01.

    Returns:
        Optimizer to use with `init` and `update`. Its slots are those of `adam`.

    Raises:
        ArgumentError: If `beta1` or `beta2` is outside [0, 1), the learning rate is negative or an
            option is out of range.

    >>> import py_tensor as pt
    >>> pt.optim.adamw().weight_decay
    0.01
    >>> optimizer = pt.optim.adamw(0.1)
    >>> state = optimizer.init([pt.asarray(1.0)])
    >>> round(optimizer.update(state, [pt.asarray(2.0)]).params[0].item(), 4)
    0.899
    """
    options = Options(weight_decay=1e-2) | options
    return adam(
        learning_rate, beta1=beta1, beta2=beta2, epsilon=epsilon, amsgrad=amsgrad, **options
    )


def adamax(
    learning_rate: Rate = 2e-3,
    *,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    **options: Unpack[Options],
) -> Optimizer:
    """Create an Adamax optimizer: Adam with the infinity norm.

    In step t = 1, 2, ... the formula is

        m = beta1 * m + (1 - beta1) * g
        u = max(beta2 * u, abs(g) + epsilon)
        p -= rate * m / (1 - beta1**t) / u

    m and u start at zero. Formula and defaults: Kingma and Ba 2015, algorithm 2, as
    torch.optim.Adamax; epsilon is added to the gradient's magnitude. TensorFlow.js and Keras add it
    to u.

    Args:
        learning_rate: Number from 0 on, or a schedule: a function of the step's number, which
            counts from 0; default 2e-3.
        beta1: Share of the mean of gradients kept at each step, in [0, 1); default 0.9.
        beta2: Factor of the norm at each step, in [0, 1); default 0.999.
        epsilon: Number added to the gradient's magnitude; default 1e-8.
        **options: Clipping, L2 penalty and weight decay; see `Options`.

    Returns:
        Optimizer to use with `init` and `update`. It keeps two slots, "mean" and "norm".

    Raises:
        ArgumentError: If `beta1` or `beta2` is outside [0, 1), the learning rate is negative or an
            option is out of range.

    >>> import py_tensor as pt
    >>> [name for name, _ in pt.optim.adamax().slots]
    ['mean', 'norm']
    >>> optimizer = pt.optim.adamax(0.1)
    >>> state = optimizer.init([pt.asarray(1.0)])
    >>> round(optimizer.update(state, [pt.asarray(2.0)]).params[0].item(), 4)
    0.9
    """
    settings = fractions("adamax", beta1=beta1, beta2=beta2) | numbers("adamax", epsilon=epsilon)
    slots = {"mean": 0.0, "norm": 0.0}
    return _optimizer("adamax", _adamax, learning_rate, options, slots, **settings)


def _adamax(
    g: Tensor, m: Tensor, u: Tensor, *, step: int, beta1: float, beta2: float, epsilon: float
) -> tuple[Tensor, ...]:
    m = beta1 * m + (1 - beta1) * g
    u = (beta2 * u).maximum(g.abs() + least(epsilon))
    return m * (1 / (1 - beta1**step)) / u, m, u


def nadam(
    learning_rate: Rate = 2e-3,
    *,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    momentum_decay: float = 4e-3,
    **options: Unpack[Options],
) -> Optimizer:
    """Create a NAdam optimizer: Adam with Nesterov momentum.

    In step t = 1, 2, ... the formula is

        u(t) = beta1 * (1 - 0.96**(t * momentum_decay) / 2)
        m = beta1 * m + (1 - beta1) * g
        v = beta2 * v + (1 - beta2) * g**2
        d = u(t + 1) * m / (1 - u(1) * ... * u(t + 1)) + (1 - u(t)) * g / (1 - u(1) * ... * u(t))
        p -= rate * d / (sqrt(v / (1 - beta2**t)) + epsilon)

    m and v start at zero. Source: Dozat 2016, "Incorporating Nesterov Momentum into Adam"; defaults
    of torch.optim.NAdam.

    Args:
        learning_rate: Number from 0 on, or a schedule: a function of the step's number, which
            counts from 0; default 2e-3.
        beta1: Share of the mean of gradients kept at each step, in [0, 1); default 0.9.
        beta2: Share of the mean of squares kept at each step, in [0, 1); default 0.999.
        epsilon: Number added to the root; default 1e-8.
        momentum_decay: Speed at which u approaches beta1; default 4e-3.
        **options: Clipping, L2 penalty and weight decay; see `Options`.

    Returns:
        Optimizer to use with `init` and `update`. It keeps two slots, "mean" and "square".

    Raises:
        ArgumentError: If `beta1` or `beta2` is outside [0, 1), the learning rate is negative or an
            option is out of range.

    >>> import py_tensor as pt
    >>> optimizer = pt.optim.nadam(0.1)
    >>> state = optimizer.init([pt.asarray(1.0)])
    >>> round(optimizer.update(state, [pt.asarray(2.0)]).params[0].item(), 4)
    0.8944
    """
    settings = fractions("nadam", beta1=beta1, beta2=beta2)
    settings |= numbers("nadam", epsilon=epsilon, momentum_decay=momentum_decay)
    slots = {"mean": 0.0, "square": 0.0}
    return _optimizer("nadam", _nadam, learning_rate, options, slots, **settings)


def _nadam(
    g: Tensor,
    m: Tensor,
    v: Tensor,
    *,
    step: int,
    beta1: float,
    beta2: float,
    epsilon: float,
    momentum_decay: float,
) -> tuple[Tensor, ...]:
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g.square()
    of_mean = on_host(partial(_nadam_factor, beta1, momentum_decay, 1), step)
    of_gradient = on_host(partial(_nadam_factor, beta1, momentum_decay, 0), step)
    root = v.sqrt() * (1 - beta2**step) ** -0.5
    return (of_mean * m + of_gradient * g) / (root + least(epsilon)), m, v


def _nadam_factor(beta1: float, decay: float, ahead: int, step: int) -> float:
    """Return the factor of the mean, one step ahead, or of the gradient."""
    products = _momentum_products(beta1, decay)
    while len(products) <= step + 1:
        products.append(products[-1] * _momentum_at(beta1, decay, len(products)))
    here = _momentum_at(beta1, decay, step + ahead)
    return (here if ahead else 1 - here) / (1 - products[step + ahead])


def _momentum_at(beta1: float, decay: float, step: int) -> float:
    return beta1 * (1 - 0.5 * float(0.96 ** (step * decay)))


@cache
def _momentum_products(beta1: float, decay: float) -> list[float]:
    """Return the list of products of momenta up to each step, which grows with the steps."""
    return [1.0]


def lion(
    learning_rate: Rate = 1e-4,
    *,
    beta1: float = 0.9,
    beta2: float = 0.99,
    **options: Unpack[Options],
) -> Optimizer:
    """Create a Lion optimizer, whose steps have one size for all parameters.

    The formula is

        p -= rate * sign(beta1 * m + (1 - beta1) * g)
        m = beta2 * m + (1 - beta2) * g

    m starts at zero. Formula and defaults: Chen et al. 2023, arXiv:2302.06675, which recommends a
    learning rate 3 to 10 times smaller than for AdamW.

    Args:
        learning_rate: Number from 0 on, or a schedule: a function of the step's number, which
            counts from 0; default 1e-4.
        beta1: Share of the mean in the direction, in [0, 1); default 0.9.
        beta2: Share of the mean of gradients kept at each step, in [0, 1); default 0.99.
        **options: Clipping, L2 penalty and weight decay; see `Options`.

    Returns:
        Optimizer to use with `init` and `update`. It keeps one slot, "mean".

    Raises:
        ArgumentError: If `beta1` or `beta2` is outside [0, 1), the learning rate is negative or an
            option is out of range.

    >>> import py_tensor as pt
    >>> optimizer = pt.optim.lion(0.5)
    >>> state = optimizer.init([pt.asarray([1.0, 2.0])])
    >>> optimizer.update(state, [pt.asarray([30.0, -0.1])]).params[0].tolist()
    [0.5, 2.5]
    """
    settings = fractions("lion", beta1=beta1, beta2=beta2)
    return _optimizer("lion", _lion, learning_rate, options, {"mean": 0.0}, **settings)


def _lion(g: Tensor, m: Tensor, *, step: int, beta1: float, beta2: float) -> tuple[Tensor, ...]:
    return (beta1 * m + (1 - beta1) * g).sign(), beta2 * m + (1 - beta2) * g


OPTIMIZERS: dict[str, Callable[..., Optimizer]] = {
    function.__name__: function
    for function in (sgd, momentum, adagrad, adadelta, rmsprop, adam, adamw, adamax, nadam, lion)
}
"""Optimizers by the names that `fit` accepts."""
KERAS_SETTINGS: dict[str, dict[str, float]] = {
    "sgd": {"learning_rate": 1e-2},
    "adagrad": {"learning_rate": 1e-3, "initial_accumulator": 0.1, "epsilon": 1e-7},
    "adadelta": {"learning_rate": 1e-3, "rho": 0.95, "epsilon": 1e-7},
    "rmsprop": {"learning_rate": 1e-3, "rho": 0.9, "epsilon": 1e-7},
    "adam": {"epsilon": 1e-7},
    "adamw": {"epsilon": 1e-7, "weight_decay": 4e-3},
    "adamax": {"learning_rate": 1e-3, "epsilon": 1e-7},
    "nadam": {"learning_rate": 1e-3, "epsilon": 1e-7},
    "lion": {"learning_rate": 1e-3},
}
"""Settings that `fit` uses for the names of `OPTIMIZERS`: the defaults of Keras that differ."""
