"""Integrals of samples under the names of `jax.scipy.integrate`.

>>> import py_tensor as pt
>>> pt.scipy.integrate.trapezoid(pt.asarray([1.0, 3.0])).item()
2.0
"""

from ..functions.utility import trapezoid

__all__ = ["trapezoid"]
