"""Modules, their functions and initial values: `torch.nn`."""

import sys as _sys

from ..tensor import Parameter as Parameter
from . import functional as functional, init as init, layers as _layers, utils as utils
from .layers import *
from .module import *
from .recurrent import *
from .transformer import *

vars().update(_layers.CLASSES)


class _Modules:
    """Namespace `torch.nn.modules`, whose modules all have the names of `torch.nn`."""

    def __getattr__(self, name: str) -> object:
        return _sys.modules[__name__]


modules = _Modules()
