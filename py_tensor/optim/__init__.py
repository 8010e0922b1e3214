"""Optimizers: parameters, gradients and a step's number become the next parameters.

    layout       where each parameter lies in few flat vectors
    optimizer    the step on those vectors, and the state that it takes and gives
    rules        one optimizer is one row: its slots and its formula
    clipping     gradients held within limits
    schedules    learning rates as functions of the step's number

>>> import py_tensor as pt
>>> optimizer = pt.optim.sgd(learning_rate=0.5)
>>> state = optimizer.init({"w": pt.asarray([1.0, 2.0])})
>>> state = optimizer.update(state, {"w": pt.asarray([1.0, -1.0])})
>>> state.params["w"].tolist()
[0.5, 2.5]
"""

from .clipping import clip_by_global_norm, clip_by_norm, clip_by_value
from .optimizer import Optimizer, Options, Rate, State
from .rules import adadelta, adagrad, adam, adamax, adamw, momentum, rmsprop, sgd
from .schedules import (
    constant,
    cosine_decay,
    exponential_decay,
    one_cycle,
    piecewise_constant,
    polynomial_decay,
    step_decay,
    warmup_cosine_decay,
)

__all__ = [
    "Optimizer",
    "Options",
    "Rate",
    "State",
    "adadelta",
    "adagrad",
    "adam",
    "adamax",
    "adamw",
    "clip_by_global_norm",
    "clip_by_norm",
    "clip_by_value",
    "constant",
    "cosine_decay",
    "exponential_decay",
    "momentum",
    "one_cycle",
    "piecewise_constant",
    "polynomial_decay",
    "rmsprop",
    "sgd",
    "step_decay",
    "warmup_cosine_decay",
]
