"""Optimizers. In formulas p is a parameter, g its gradient, and rate the learning rate.

One optimizer is one row: its slots, its settings, and its formula on flat vectors. A formula takes
the gradient, the slots, and as `step` the number of the step, counted from 1. It gives the
direction, of which the learning rate times is subtracted from the parameters, and the new slots.
All are PyTorch's, whose settings they take as defaults; `epsilon` is what keeps divisors from 0,
and each says where it is added. See `Options` for what all of them take besides.
"""

from __future__ import annotations

from typing import Any, Unpack

from ..errors import ArgumentError
from ..tensor import Tensor
from .optimizer import Formula, Optimizer, Options, Rate


def _row(
    name: str,
    formula: Formula,
    rate: Rate,
    options: Options,
    slots: dict[str, float],
    /,
    **settings: Any,
) -> Optimizer:
    return Optimizer(name, formula, rate, tuple(slots.items()), tuple(settings.items()), **options)


def _fraction(name: str, **settings: float) -> None:
    """Raises ArgumentError for settings outside of [0, 1)."""
    for setting, value in settings.items():
        if not 0 <= value < 1:
            raise ArgumentError(
                f"{name}: {setting} is out of range; got {value}; use 0 up to, not including, 1"
            )


def sgd(learning_rate: Rate = 1e-3, **options: Unpack[Options]) -> Optimizer:
    """Stochastic gradient descent: p -= rate * g.

    Formula and defaults: torch.optim.SGD. Raises ArgumentError for a negative learning rate, as all
    optimizers do, and for `Options` out of range.

    >>> import py_tensor as pt
    >>> pt.optim.sgd(0.1).learning_rate
    0.1
    """
    return _row("sgd", _sgd, learning_rate, options, {})


def _sgd(g: Tensor, *, step: int) -> tuple[Tensor, ...]:
    return (g,)


def momentum(
    learning_rate: Rate = 1e-3,
    momentum: float = 0.9,
    *,
    nesterov: bool = False,
    **options: Unpack[Options],
) -> Optimizer:
    """Gradient descent with momentum: v = momentum * v + g; p -= rate * v.

    With `nesterov`, p -= rate * (g + momentum * v). v begins with zeros. Formula: torch.optim.SGD
    without dampening, which is TensorFlow.js' as well; Keras has the rate inside of v. Raises
    ArgumentError for `momentum` out of [0, 1), and as `sgd` does.

    >>> import py_tensor as pt
    >>> pt.optim.momentum(0.1, nesterov=True).slots
    (('velocity', 0.0),)
    """
    _fraction("momentum", momentum=momentum)
    slots = {"velocity": 0.0}
    settings = {"momentum": float(momentum), "nesterov": nesterov}
    return _row("momentum", _momentum, learning_rate, options, slots, **settings)


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
    """Adagrad: s += g**2; p -= rate * g / (sqrt(s) + epsilon).

    s begins with `initial_accumulator`. Formula and defaults: torch.optim.Adagrad without lr_decay;
    epsilon is added outside of the root. (TensorFlow.js adds it inside, and begins with 0.1.)
    Raises ArgumentError as `sgd` does.

    >>> import py_tensor as pt
    >>> pt.optim.adagrad().slots
    (('square', 0.0),)
    """
    slots = {"square": float(initial_accumulator)}
    return _row("adagrad", _adagrad, learning_rate, options, slots, epsilon=float(epsilon))


def _adagrad(g: Tensor, s: Tensor, *, step: int, epsilon: float) -> tuple[Tensor, ...]:
    s = s + g.square()
    return g / (s.sqrt() + epsilon), s


def adadelta(
    learning_rate: Rate = 1.0,
    *,
    rho: float = 0.9,
    epsilon: float = 1e-6,
    **options: Unpack[Options],
) -> Optimizer:
    """Adadelta: a step as long as the steps before, relative to the gradients before.

    s = rho * s + (1 - rho) * g**2; d = g * sqrt(u + epsilon) / sqrt(s + epsilon); u = rho * u + (1
    - rho) * d**2; p -= rate * d. s and u begin with zeros. Formula and defaults:
    torch.optim.Adadelta; epsilon is added inside of both roots. (TensorFlow.js has the same
    formula, with 1e-3, 0.95 and 1e-7.) Raises ArgumentError for `rho` out of [0, 1), and as `sgd`
    does.

    >>> import py_tensor as pt
    >>> [name for name, _ in pt.optim.adadelta().slots]
    ['square', 'change']
    """
    _fraction("adadelta", rho=rho)
    slots = {"square": 0.0, "change": 0.0}
    settings = {"rho": float(rho), "epsilon": float(epsilon)}
    return _row("adadelta", _adadelta, learning_rate, options, slots, **settings)


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
    """RMSProp: s = rho * s + (1 - rho) * g**2; d = g / (sqrt(s) + epsilon); p -= rate * d.

    With `centered`, m = rho * m + (1 - rho) * g and s - m**2 stands under the root, which gives the
    variance. With `momentum`, v = momentum * v + d; p -= rate * v. All begin with zeros. Formula
    and defaults: torch.optim.RMSprop; epsilon is added outside of the root. (TensorFlow.js adds it
    inside, has the rate inside of v, and rho = 0.9.) Raises ArgumentError for `rho` or `momentum`
    out of [0, 1), and as `sgd` does.

    >>> import py_tensor as pt
    >>> [name for name, _ in pt.optim.rmsprop(momentum=0.9, centered=True).slots]
    ['square', 'mean', 'velocity']
    """
    _fraction("rmsprop", rho=rho, momentum=momentum)
    slots = {"square": 0.0}
    slots |= {"mean": 0.0} if centered else {}
    slots |= {"velocity": 0.0} if momentum else {}
    settings = {
        "rho": float(rho),
        "epsilon": float(epsilon),
        "momentum": float(momentum),
        "centered": centered,
    }
    return _row("rmsprop", _rmsprop, learning_rate, options, slots, **settings)


def _rmsprop(
    g: Tensor,
    s: Tensor,
    *more: Tensor,
    step: int,
    rho: float,
    epsilon: float,
    momentum: float,
    centered: bool,
) -> tuple[Tensor, ...]:
    s = rho * s + (1 - rho) * g.square()
    square, slots = s, [s]
    if centered:
        m = rho * more[0] + (1 - rho) * g
        # Rounding can bring a variance of 0 below 0.
        square, slots = (s - m.square()).maximum(0.0), [s, m]
    d = g / (square.sqrt() + epsilon)
    if momentum:
        d = momentum * more[-1] + d
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
    """Adam: a mean of the gradients over the root of a mean of their squares.

    m = beta1 * m + (1 - beta1) * g; v = beta2 * v + (1 - beta2) * g**2, both from zeros; p -= rate
    * m / (1 - beta1**t) / (sqrt(v / (1 - beta2**t)) + epsilon) in step t = 1, 2, ... With `amsgrad`
    the largest v so far stands under the root. Formula and defaults: Kingma and Ba 2015, algorithm
    1, as torch.optim.Adam; epsilon is added outside of the root of the corrected v. (TensorFlow.js
    has the same formula with 1e-7; Keras adds 1e-7 to the root of v as it is.) Raises ArgumentError
    for `beta1` or `beta2` out of [0, 1), and as `sgd` does.

    >>> import py_tensor as pt
    >>> [name for name, _ in pt.optim.adam(amsgrad=True).slots]
    ['mean', 'square', 'largest']
    """
    _fraction("adam", beta1=beta1, beta2=beta2)
    slots = {"mean": 0.0, "square": 0.0} | ({"largest": 0.0} if amsgrad else {})
    settings = {"beta1": float(beta1), "beta2": float(beta2), "epsilon": float(epsilon)}
    return _row("adam", _adam, learning_rate, options, slots, **settings)


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
    (under,) = largest or (v,)
    root = under.sqrt() * (1 - beta2**step) ** -0.5
    return m * (1 / (1 - beta1**step)) / (root + epsilon), m, v, *largest


def adamw(
    learning_rate: Rate = 1e-3,
    *,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    amsgrad: bool = False,
    **options: Unpack[Options],
) -> Optimizer:
    """`adam` with decoupled weight decay: p -= rate * weight_decay * p besides.

    `weight_decay` is 0.01 unless given. Formula and defaults: Loshchilov and Hutter 2019, as
    torch.optim.AdamW, where the decay is multiplied by the learning rate. Raises ArgumentError as
    `adam` does.

    >>> import py_tensor as pt
    >>> pt.optim.adamw().weight_decay
    0.01
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
    """Adamax: Adam with the infinity norm.

    m = beta1 * m + (1 - beta1) * g; u = max(beta2 * u, abs(g) + epsilon), both from zeros; p -=
    rate * m / (1 - beta1**t) / u in step t = 1, 2, ... Formula and defaults: Kingma and Ba 2015,
    algorithm 2, as torch.optim.Adamax; epsilon is added to the gradient's magnitude. (TensorFlow.js
    and Keras add it to u.) Raises ArgumentError for `beta1` or `beta2` out of [0, 1), and as `sgd`
    does.

    >>> import py_tensor as pt
    >>> [name for name, _ in pt.optim.adamax().slots]
    ['mean', 'norm']
    """
    _fraction("adamax", beta1=beta1, beta2=beta2)
    slots = {"mean": 0.0, "norm": 0.0}
    settings = {"beta1": float(beta1), "beta2": float(beta2), "epsilon": float(epsilon)}
    return _row("adamax", _adamax, learning_rate, options, slots, **settings)


def _adamax(
    g: Tensor, m: Tensor, u: Tensor, *, step: int, beta1: float, beta2: float, epsilon: float
) -> tuple[Tensor, ...]:
    m = beta1 * m + (1 - beta1) * g
    u = (beta2 * u).maximum(g.abs() + epsilon)
    return m * (1 / (1 - beta1**step)) / u, m, u
