"""NumPy's namespace: the functions of `py_tensor` with NumPy's modules, and names of older NumPy.

A program written for NumPy runs with `import py_tensor.numpy as np`, and one for `jax.numpy` with
`import py_tensor.numpy as jnp`. docs/from_numpy.md lists what differs. These are not those of
`py_tensor` itself:

    dtype    converts texts and types to dtypes, and is the class of dtypes for `isinstance`
    zeros, ones, empty, array  also make structured arrays
    emath    functions that give complex numbers where real ones have no result
    random   NumPy's older interface to random numbers, with its order of parameters
    testing  assertions about arrays

>>> import py_tensor.numpy as np
>>> np.random.normal(170, 10, 250).shape
(250,)
>>> np.zeros(2, dtype="f4").dtype == np.dtype(float)
True
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING, Any as _Any

from .. import late as _late
from .dtype_class import dtype as dtype

if TYPE_CHECKING:
    from .. import *
    from . import (
        emath as emath,
        fft as fft,
        lib as lib,
        linalg as linalg,
        random as random,
        testing as testing,
    )
    from .iteration import info as info, nditer as nditer, show_config as show_config
    from .records import array as array, empty as empty, ones as ones, zeros as zeros

_MODULES = ("emath", "fft", "lib", "linalg", "random", "testing")
_HOMES = {
    **dict.fromkeys(("array", "empty", "ones", "zeros"), "records"),
    **dict.fromkeys(("info", "nditer", "show_config"), "iteration"),
}
"""Modules here of names that are imported when they are first used."""
_OLDER = {
    **dict.fromkeys(("Inf", "Infinity", "PINF", "infty"), "inf"),
    **dict.fromkeys(("NaN", "NAN"), "nan"),
    "alltrue": "all", "sometrue": "any", "product": "prod", "cumproduct": "cumprod",
    "in1d": "isin", "row_stack": "vstack", "trapz": "trapezoid", "round_": "round",
    "float_": "float64", "float": "float32", "int": "int32", "bool8": "bool_",
    "complex": "complex64", "complex_": "complex64", "cfloat": "complex64", "asfarray": "asarray",
}  # fmt: skip
"""Names of older NumPy, which programs still use, and today's."""
__all__ = sorted({*_late.namespace().__all__, *_MODULES, *_HOMES, "dtype"})

if not TYPE_CHECKING:

    def __getattr__(name: str) -> _Any:
        """Look up a name in `py_tensor`, and modules here; it is an attribute from then on."""
        if name in _MODULES:
            return _import_module(f"{__name__}.{name}")
        if name.startswith("_") and name not in (*_late.HOMES, "__version__"):
            raise AttributeError(f"module '{__name__}' has no attribute {name!r}")
        try:
            home = _HOMES.get(name)
            own = _import_module(f"{__name__}.{home}") if home else _late.namespace()
            value = getattr(own, _OLDER.get(name, name))
        except AttributeError:
            raise AttributeError(f"module '{__name__}' has no attribute {name!r}") from None
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return __all__
