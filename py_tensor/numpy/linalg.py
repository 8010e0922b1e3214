"""`py_tensor.linalg`, under NumPy's name."""

from ..errors import NumericError
from ..linalg import *
from ..linalg import __all__ as _names

LinAlgError = NumericError
__all__ = sorted([*_names, "LinAlgError"])
