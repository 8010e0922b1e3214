"""Training in the page: a loop that leaves the page alive, with metrics, callbacks and progress.

    losses       named losses: one value a sample
    metrics      named metrics: sums on the device, made numbers at the end
    batches      data in one of many forms becomes batches
    steps        what runs for each batch, traced once
    pace         how many batches run between two turns of the event loop
    control      pausing, resuming and stopping from elsewhere
    callbacks    what happens between batches and epochs
    progress     text and HTML of how far it is
    running      an epoch: a step for each batch, and turns
    evaluation   evaluate, predict
    fitting      fit

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

from .callbacks import Callback, Checkpoint, EarlyStopping, TerminateOnNaN
from .control import Control
from .evaluation import evaluate, predict
from .fitting import fit
from .losses import LOSSES
from .metrics import (
    METRICS,
    Metric,
    accuracy,
    binary_accuracy,
    categorical_accuracy,
    confusion_matrix,
    mae,
    mse,
    precision,
    recall,
    sparse_categorical_accuracy,
    top_k_accuracy,
)
from .progress import Progress, Report
from .trainer import History, Trainer

__all__ = [
    "LOSSES",
    "METRICS",
    "Callback",
    "Checkpoint",
    "Control",
    "EarlyStopping",
    "History",
    "Metric",
    "Progress",
    "Report",
    "TerminateOnNaN",
    "Trainer",
    "accuracy",
    "binary_accuracy",
    "categorical_accuracy",
    "confusion_matrix",
    "evaluate",
    "fit",
    "mae",
    "mse",
    "precision",
    "predict",
    "recall",
    "sparse_categorical_accuracy",
    "top_k_accuracy",
]
