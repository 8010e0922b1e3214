"""The public functions, one module per chapter of the array API standard; most are also methods.

Input: tensors, array-likes and Python numbers. Output: lazy tensors. `elementwise` has a function
for each op of that kind. The other chapters build functions with axes, shapes or several steps.
`methods` binds the methods and operators of `Tensor`. Read `decorators`, `elementwise`,
`statistical` and `manipulation` first.
"""

from __future__ import annotations

from ..tensor import Tensor
from .methods import TensorMethods

CHAPTERS = (
    "creation",
    "data_types",
    "elementwise",
    "complex_numbers",
    "statistical",
    "nan_statistics",
    "order_statistics",
    "manipulation",
    "joining",
    "indexing",
    "searching",
    "segments",
    "sorting",
    "sets",
    "utility",
    "linear_algebra",
    "einsum",
    "neural",
    "convolution",
)
"""Names of the modules whose functions `py_tensor` exports."""

Tensor.__bases__ = (TensorMethods,)
