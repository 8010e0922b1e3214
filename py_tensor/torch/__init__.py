"""PyTorch's names and arguments: `import py_tensor.torch as torch`.

Programs of PyTorch run after changing their imports. A tensor has `grad` and `backward`, methods
with a final underscore change it, and modules, optimizers and data loaders work as in PyTorch,
whose documentation describes them. docs/from_pytorch.md lists what differs and what is left out.

    tensor         Tensor and Parameter; calls of py_tensor's functions on them
    autograd       the record of calls, `backward`, `no_grad`
    functions      functions with PyTorch's arguments
    methods        tables of functions and methods; functions that create tensors
    random         random numbers
    nn             modules, functions of modules, initial values
    optim          optimizers and schedules
    utils          data sets and their loaders
    serialization  save and load

>>> import py_tensor.torch as torch
>>> layer = torch.nn.Linear(2, 1)
>>> optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
>>> loss = (layer(torch.ones(3, 2)) ** 2).mean()
>>> loss.backward()
>>> optimizer.step()
"""

from __future__ import annotations

import math as _math
from typing import TYPE_CHECKING, Any as _Any

from .. import dtypes as _dtypes
from . import (
    autograd as autograd,
    methods as _methods,
    nn as nn,
    onnx as onnx,
    optim as optim,
    serialization as serialization,
    utils as utils,
)
from .autograd import *
from .methods import *
from .namespaces import *
from .random import Generator as Generator, manual_seed as manual_seed
from .serialization import load as load, save as save
from .tensor import Size as Size, Tensor as Tensor, device as device

vars().update(_methods.FUNCTIONS)
dtype = _dtypes.DType
float32 = float = float64 = double = _dtypes.float32
float16 = half = bfloat16 = _dtypes.float16
int32 = int64 = long = int = _dtypes.int32
int16 = short = _dtypes.int16
int8, uint8, bool = _dtypes.int8, _dtypes.uint8, _dtypes.bool_
complex64 = cfloat = _dtypes.complex64
e, pi, inf, nan = _math.e, _math.pi, _math.inf, _math.nan

if TYPE_CHECKING:

    def __getattr__(name: str) -> _Any: ...
