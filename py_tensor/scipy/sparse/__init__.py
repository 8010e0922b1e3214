"""Iterative solvers under the names of `jax.scipy.sparse`.

>>> import py_tensor as pt
>>> pt.scipy.sparse.linalg.cg(pt.asarray([[4.0]]), pt.asarray([8.0]))[0].tolist()
[2.0]
"""

from . import linalg as linalg

__all__ = ["linalg"]
