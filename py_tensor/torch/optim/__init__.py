"""Optimizers, which change parameters by their gradients: `torch.optim`."""

from . import lr_scheduler as lr_scheduler
from .lbfgs import LBFGS as LBFGS
from .optimizer import *
