"""Optimizers: compute the next parameters from parameters, gradients and the step's number.

Input: a tree of parameters and trees of gradients. Output: a `State` with the next parameters.

    flat_params  parameters as slices of few flat vectors
    settings     checks of numbers
    optimizer    the step on those vectors, and the state between steps
    rules        the optimizers: slots and formula of each
    lbfgs        minimization without mini-batches
    clipping     gradient clipping
    loss_scaling scaled losses for float16
    schedules    learning rates as functions of the step's number

>>> import py_tensor as pt
>>> optimizer = pt.optim.sgd(learning_rate=0.5)
>>> state = optimizer.init({"w": pt.asarray([1.0, 2.0])})
>>> state = optimizer.update(state, {"w": pt.asarray([1.0, -1.0])})
>>> state.params["w"].tolist()
[0.5, 2.5]
"""

from typing import TYPE_CHECKING

from ..late import import_names

if TYPE_CHECKING:
    from .clipping import *
    from .lbfgs import *
    from .loss_scaling import *
    from .optimizer import *
    from .rules import *
    from .schedules import *

_NAMES = {
    "clipping": "clip_by_global_norm clip_by_norm clip_by_value",
    "lbfgs": "LbfgsResult lbfgs",
    "loss_scaling": "LossScale LossScaler",
    "optimizer": "Groups Optimizer Options Rate State chain",
    "rules": """
        KERAS_SETTINGS OPTIMIZERS adadelta adagrad adam adamax adamw lion momentum nadam
        rmsprop sgd""",
    "schedules": """
        constant cosine_decay cosine_decay_restarts cyclic exponential_decay join_schedules
        one_cycle piecewise_constant polynomial_decay step_decay warmup_cosine_decay""",
}
"""Names by module, separated by spaces."""
__all__ = import_names(__name__, _NAMES)
