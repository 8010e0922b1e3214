"""Operations of xarray on variables and data arrays that hold arrays of any namespace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import xarray as xr

from .call import Call, P, U, converted

_REDUCTIONS = "sum mean max min std var prod median all any argmax argmin cumsum cumprod count"
ROWS = [10.0, 20.0, 30.0]


def labelled(name: str, function: Callable[..., Any], *data: Any) -> Call:
    """Return a call of a function with data arrays of 3 rows and 5 columns."""

    def run(xp: Any) -> Any:
        arrays = [
            xr.DataArray(x, dims=("row", "column"), coords={"row": ROWS})
            for x in converted(xp, data or (P,))
        ]
        found = function(*arrays)
        if isinstance(found, xr.Dataset):
            return {key: value.data for key, value in found.items()}
        if isinstance(found, (list, tuple)):
            return [getattr(item, "data", item) for item in found]
        return getattr(found, "data", found)

    return Call(f"xarray {name}", run)


def group_mean(x):
    return x.assign_coords(row=[0, 0, 1]).groupby("row").mean()


# fmt: off
CALLS: list[Call] = [
    *[labelled(f"DataArray.{name}", lambda a, name=name: getattr(a, name)("row")) for name in _REDUCTIONS.split()],
    *[labelled(f"DataArray.{name} of all", lambda a, name=name: getattr(a, name)()) for name in _REDUCTIONS.split()[:5]],
    labelled("add", lambda a, b: a + b, P, U),
    labelled("arithmetic", lambda a, b: (a - b) * a / b**2, P, U),
    labelled("reflected arithmetic", lambda a: 1 - a),
    labelled("negate", lambda a: -abs(a)),
    labelled("compare", lambda a, b: (a > b) & (a < 3), P, U),
    labelled("in place", lambda a: a.__iadd__(1.0)),
    labelled("broadcast", lambda a: a - a.mean("column")),
    labelled("align", lambda a: a[1:] + a[:2]),
    labelled("transpose", lambda a: a.transpose("column", "row")),
    labelled("T", lambda a: a.T),
    labelled("isel", lambda a: a.isel(row=1)),
    labelled("isel slice", lambda a: a.isel(column=slice(1, 4, 2))),
    labelled("isel list", lambda a: a.isel(column=[0, 3])),
    labelled("isel pointwise", lambda a: a.isel(row=xr.DataArray([0, 2], dims="at"), column=xr.DataArray([1, 4], dims="at"))),
    labelled("sel", lambda a: a.sel(row=20.0)),
    labelled("sel slice", lambda a: a.sel(row=slice(10.0, 20.0))),
    labelled("sel nearest", lambda a: a.sel(row=22.0, method="nearest")),
    labelled("assign by position", lambda a: (a.__setitem__((0, slice(None)), 0.0), a)[1]),
    labelled("assign by label", lambda a: (a.loc.__setitem__({"row": 20.0}, 5.0), a)[1]),
    labelled("where", lambda a: a.where(a > 1.5)),
    labelled("where nan", lambda a: a.where(a > 1.5, np.nan)),
    labelled("where other", lambda a: a.where(a > 1.5, 0.0)),
    labelled("xr.where", lambda a, b: xr.where(a > 1.5, a, b), P, U),
    labelled("clip", lambda a: a.clip(1.0, 2.0)),
    labelled("round", lambda a: a.round(1)),
    labelled("astype", lambda a: a.astype("int32")),
    labelled("isnull", lambda a: a.isnull()),
    labelled("notnull", lambda a: a.notnull()),
    labelled("fillna", lambda a: a.where(a > 1.5).fillna(0.0)),
    labelled("isin", lambda a: a.isin([1.0, 2.0])),
    labelled("dot", lambda a, b: a.dot(b, dim="column"), P, U),
    labelled("xr.dot", lambda a, b: xr.dot(a, b, dim="row"), P, U),
    labelled("xr.corr", lambda a, b: xr.corr(a, b), P, U),
    labelled("xr.cov", lambda a, b: xr.cov(a, b, dim="column"), P, U),
    labelled("weighted", lambda a, b: a.weighted(b).mean("row"), P, U),
    labelled("xr.concat", lambda a, b: xr.concat([a, b], "row"), P, U),
    labelled("xr.broadcast", lambda a: xr.broadcast(a, a.isel(column=0))),
    labelled("expand_dims", lambda a: a.expand_dims("new")),
    labelled("squeeze", lambda a: a.isel(row=[0]).squeeze()),
    labelled("stack", lambda a: a.stack(all=("row", "column"))),
    labelled("unstack", lambda a: a.stack(all=("row", "column")).unstack()),
    labelled("reshape by coarsen", lambda a: a.isel(column=slice(4)).coarsen(column=2).mean()),
    labelled("rolling", lambda a: a.rolling(column=3).mean()),
    labelled("rolling construct", lambda a: a.rolling(column=2).construct("window")),
    labelled("shift", lambda a: a.shift(column=1)),
    labelled("roll", lambda a: a.roll(column=2)),
    labelled("pad", lambda a: a.pad(column=1, constant_values=0.0)),
    labelled("diff", lambda a: a.diff("column")),
    labelled("differentiate", lambda a: a.differentiate("row")),
    labelled("integrate", lambda a: a.integrate("row")),
    labelled("interp", lambda a: a.interp(row=15.0)),
    labelled("reindex", lambda a: a.reindex(row=[10.0, 15.0])),
    labelled("sortby", lambda a: a.sortby("row", ascending=False)),
    labelled("quantile", lambda a: a.quantile(0.5, "row")),
    labelled("groupby mean", group_mean),
    labelled("idxmax", lambda a: a.idxmax("row")),
    labelled("argsort", lambda a: a.argsort(axis=1)),
    labelled("reduce", lambda a: a.reduce(lambda v, axis: v.__array_namespace__().sum(v, axis=axis), "row")),
    labelled("xr.apply_ufunc", lambda a: xr.apply_ufunc(lambda v: v.__array_namespace__().exp(v), a)),
    labelled("xr.ufuncs.exp", lambda a: xr.ufuncs.exp(a)),
    labelled("np.exp", lambda a: np.exp(a))._replace(host=True),
    labelled("map", lambda a: a.to_dataset(name="v").map(lambda v: v * 2)),
    labelled("Dataset arithmetic", lambda a: a.to_dataset(name="v") + 1),
    labelled("Dataset.mean", lambda a: a.to_dataset(name="v").mean("row")),
    labelled("to_dataarray", lambda a: a.to_dataset(name="v").assign(w=a).to_dataarray()),
    labelled("copy", lambda a: a.copy()),
    labelled("equals", lambda a: a.equals(a.copy())),
    labelled("identical", lambda a: a.identical(a + 1)),
    labelled("values", lambda a: float(a.values.sum())),
    labelled("to_numpy", lambda a: float(a.to_numpy().sum())),
    labelled("item", lambda a: a[0, 0].item()),
    labelled("repr", lambda a: len(repr(a)) > 10),
    labelled("polyfit", lambda a: a.polyfit("row", 1))._replace(host=True),
    labelled("real", lambda a: a.real),
    labelled("conj", lambda a: a.conj()),
    labelled("ones_like", lambda a: xr.ones_like(a)),
    labelled("zeros_like", lambda a: xr.zeros_like(a)),
    labelled("full_like", lambda a: xr.full_like(a, 2.0)),
    labelled("dropna", lambda a: a.where(a > 0.6).dropna("column")),
    labelled("matmul", lambda a: a @ a),
    labelled("Variable.set_dims", lambda a: a.variable.set_dims({"new": 2, "row": 3, "column": 5})),
    labelled("chunked iteration", lambda a: [float(row.sum()) for row in a]),
]
