"""Systems of equations and factorizations."""

from __future__ import annotations

import py_tensor as pt

a = pt.asarray([[4.0, 1.0], [1.0, 3.0]])
b = pt.asarray([1.0, 2.0])
x = pt.linalg.solve(a, b)
assert bool(pt.all(pt.abs(a @ x - b) < 1e-5))
u, s, vh = pt.linalg.svd(a)
assert s.shape == (2,)
assert pt.linalg.vector_norm(b, axis=0, keepdims=True).ndim == 1
assert pt.einsum("ij,jk->ik", u, vh).shape == (2, 2)
assert pt.tensordot(a, a, axes=((0,), (1,))).mT.shape == (2, 2)
