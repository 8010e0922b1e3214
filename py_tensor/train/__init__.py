"""Training in a web page: a loop that keeps the page responsive, with metrics and callbacks.

Input: a model, data, a loss and an optimizer. Output: trained parameters and a `History`.
Read the modules in this order:

    losses         losses by name, one value per sample
    metrics        metrics by name: sums on the device, reduced to a value at the end
    batches        convert data of several forms to batches
    batch_source   iterate over batches, epoch by epoch
    steps          the jitted function that runs for each batch
    metric_totals  add up the metrics of all batches
    yielding       number of batches between two yields to the event loop
    control        pause, resume and stop
    trainer        training state that callbacks see, and the history
    callbacks      hooks between batches and epochs
    progress       progress as text and HTML
    epoch_loop     run the batches of one epoch
    evaluation     evaluate and predict
    training       train for several epochs
    fit            fit

>>> import asyncio
>>> import py_tensor as pt
>>> x = pt.asarray([[0.0], [1.0], [2.0], [3.0]])
>>> params = {"w": pt.zeros((1, 1)), "b": pt.zeros(1)}
>>> line = lambda params, x: x @ params["w"] + params["b"]
>>> history = asyncio.run(
...     pt.train.fit(
...         (line, params), (x, 2 * x + 1), loss="mse", optimizer=pt.optim.sgd(0.1), epochs=100
...     )
... )
>>> round(params["w"].item(), 2), round(params["b"].item(), 2)
(2.0, 1.0)
"""

from typing import TYPE_CHECKING

from ..late import import_names

if TYPE_CHECKING:
    from .callbacks import *
    from .control import *
    from .evaluation import *
    from .fit import *
    from .losses import *
    from .metrics import *
    from .progress import *
    from .trainer import *

_NAMES = {
    "callbacks": "Callback Checkpoint EarlyStopping ReduceLROnPlateau TerminateOnNaN",
    "control": "Control",
    "evaluation": "evaluate predict",
    "fit": "fit",
    "losses": "LOSSES",
    "metrics": """
        METRICS Metric accuracy auc binary_accuracy categorical_accuracy confusion_matrix f1 mae
        mape mse precision r2 recall sparse_categorical_accuracy top_k_accuracy""",
    "progress": "Progress Report",
    "trainer": "History Trainer",
}
"""Names by module, separated by spaces."""
__all__ = import_names(__name__, _NAMES)
