"""Functions of array-api-compat and array-api-extra."""

from __future__ import annotations

import array_api_compat as compat
import array_api_extra as xpx
import numpy as np

from .call import LABELS, Call, P, U, V, X, of

NANS = np.asarray([1.0, np.nan, np.inf, -np.inf], "float32")

_UPDATES = "set add subtract multiply divide power min max"


def assigned(name):
    return lambda x: getattr(xpx.at(x, (slice(None), 0)), name)(2.0)


# fmt: off
CALLS: list[Call] = [
    of("array_api_compat.array_namespace", lambda x: compat.array_namespace(x).sum(x), X),
    of("array_api_compat.array_namespace two arrays", lambda x, y: compat.array_namespace(x, y, 1.0, None).matmul(x, y), P, P.T.copy()),
    of("array_api_compat.array_namespace api_version", lambda x: compat.array_namespace(x, api_version="2024.12").sum(x), X),
    of("array_api_compat.get_namespace", lambda x: compat.get_namespace(x).sum(x), X),
    of("array_api_compat.is_array_api_obj", lambda x: [compat.is_array_api_obj(x), compat.is_array_api_obj(1.0)], X),
    of("array_api_compat.is_writeable_array", compat.is_writeable_array, X),
    of("array_api_compat.is_lazy_array", compat.is_lazy_array, X),
    of("array_api_compat.size", compat.size, X),
    of("array_api_compat.device", lambda x: compat.array_namespace(x).ones(2, device=compat.device(x)), X),
    of("array_api_compat.to_device", lambda x: compat.to_device(x, compat.device(x)), X),
    of("array_api_compat.is_jax_array", compat.is_jax_array, X),
    of("array_api_compat.is_torch_array", compat.is_torch_array, X),
    Call("array_api_compat.is_torch_namespace", compat.is_torch_namespace),
    of("array_api_extra.apply_where", lambda x: xpx.apply_where(x > 1, x, lambda v: v.__array_namespace__().log(v), fill_value=0.0), P),
    of("array_api_extra.apply_where two functions", lambda x: xpx.apply_where(x > 1, x, lambda v: v * 2, lambda v: -v), P),
    of("array_api_extra.argpartition", lambda x: x[xpx.argpartition(x, 3)][3], V),
    of("array_api_extra.partition", lambda x: xpx.partition(x, 3)[3], V),
    of("array_api_extra.atleast_nd", xpx.atleast_nd, V, ndim=3),
    of("array_api_extra.broadcast_shapes", xpx.broadcast_shapes, (3, 1), (1, 4)),
    of("array_api_extra.cov", xpx.cov, X.T.copy()),
    of("array_api_extra.create_diagonal", xpx.create_diagonal, V[:4], offset=1),
    of("array_api_extra.default_dtype", lambda x: str(xpx.default_dtype(x.__array_namespace__())).endswith(("float64", "float32")), V),
    of("array_api_extra.expand_dims", xpx.expand_dims, X, axis=(0, 2)),
    of("array_api_extra.isclose", xpx.isclose, V, V + 1e-7),
    of("array_api_extra.isin", xpx.isin, LABELS, np.asarray([0, 2], "int32")),
    of("array_api_extra.kron", xpx.kron, P, U),
    of("array_api_extra.lazy_apply", lambda x: xpx.lazy_apply(np.cbrt, x, as_numpy=True), P),
    of("array_api_extra.nan_to_num", xpx.nan_to_num, NANS[:2], fill_value=3.0),
    of("array_api_extra.nunique", xpx.nunique, LABELS),
    of("array_api_extra.one_hot", xpx.one_hot, LABELS, 3),
    of("array_api_extra.pad", xpx.pad, X, 2, constant_values=1.0),
    of("array_api_extra.searchsorted", xpx.searchsorted, np.sort(V), np.asarray([0.0, 1.0], "float32")),
    of("array_api_extra.setdiff1d", xpx.setdiff1d, LABELS, np.asarray([1], "int32")),
    of("array_api_extra.union1d", xpx.union1d, LABELS, np.asarray([7], "int32")),
    of("array_api_extra.sinc", xpx.sinc, V),
    of("array_api_extra.angle", xpx.angle, (V + 1j).astype("complex64")),
    *[of(f"array_api_extra.at.{name}", assigned(name), P) for name in _UPDATES.split()],
    of("array_api_extra.at mask", lambda x: xpx.at(x)[x > 1].set(0.0), P),
    of("array_api_extra.at indices", lambda x, i: xpx.at(x)[i].add(1.0), V, LABELS[:3]),
    of("array_api_extra.at copy=False", lambda x: xpx.at(x)[0].set(1.0, copy=False), V),
    of("array_api_extra.testing.assert_equal", lambda x: xpx.testing.assert_equal(x, x) is None, V),
    of("array_api_extra.unravel_index", xpx.unravel_index, np.asarray([5, 7], "int32"), (3, 4)),
    *[of(f"array_api_extra.{f.__name__}", f, V) for f in (xpx.deg2rad, xpx.rad2deg)],
    *[of(f"array_api_extra.{f.__name__}", f, NANS) for f in (xpx.nanmax, xpx.nanmin)],
    *[of(f"array_api_extra.{f.__name__}", f, NANS[:2]) for f in (xpx.nanmean, xpx.nansum)],
    *[Call(f"array_api_extra.{f.__name__}", lambda xp, f=f: f(4, offset=1, xp=xp)) for f in (xpx.tril_indices, xpx.triu_indices)],
    Call("array_api_extra.diag_indices", lambda xp: xpx.diag_indices(4, ndim=2, xp=xp)),
]
