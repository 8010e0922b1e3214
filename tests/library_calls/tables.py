"""Functions of pandas and NumPy, which convert tensors to arrays of NumPy, and of Python."""

from __future__ import annotations

import bisect
import statistics
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from .call import BINARY, LABELS, MASK, Call, P, V, X, Y, converted


def table(name: str, function: Callable[..., Any], *data: Any) -> Call:
    """Return a call that gives a table, column or array of pandas as an array of NumPy."""

    def run(xp: Any) -> Any:
        found = function(*converted(xp, data))
        return found.to_numpy() if hasattr(found, "to_numpy") else found

    return Call(f"pandas {name}", run, host=True)


# fmt: off
CALLS: list[Call] = [
    table("Series", pd.Series, Y),
    table("Series of integers", pd.Series, LABELS),
    table("Series of masks", pd.Series, MASK[0]),
    table("Series index", lambda y, i: pd.Series(y, index=i).sort_index(), Y, np.arange(12, dtype="int32")[::-1].copy()),
    table("Series arithmetic", lambda a, b: pd.Series(a) + b, V, V),
    table("Series reflected arithmetic", lambda a, b: a * pd.Series(b), V, V),
    table("Series comparison", lambda a, b: pd.Series(a) > b, V, V),
    table("Series mask", lambda a, m: pd.Series(a)[m], Y, BINARY > 0),
    table("Series isin", lambda a, b: pd.Series(a).isin(b), LABELS, LABELS[:2]),
    table("Series map", lambda a: pd.Series(a).map(lambda v: v * 2), Y),
    table("Series value_counts", lambda a: pd.Series(a).value_counts(sort=False), LABELS),
    table("Series rolling", lambda a: pd.Series(a).rolling(3).mean()[2:], V),
    table("Series loc", lambda a, i: pd.Series(a).iloc[i], V, LABELS),
    table("Series assign", lambda a, b: (s := pd.Series(a.tolist()), s.__setitem__(slice(0, 2), b))[0], V, V[:2]),
    table("Series where", lambda a, m: pd.Series(a).where(m, 0.0), Y, BINARY > 0),
    table("Series quantile", lambda a: pd.Series(a).quantile(0.3), Y),
    table("DataFrame", pd.DataFrame, X),
    table("DataFrame columns", lambda x: pd.DataFrame(x, columns=list("abcd"))[["b", "d"]], X),
    table("DataFrame of columns", lambda y, k: pd.DataFrame({"y": y, "k": k}), Y, LABELS),
    table("DataFrame new column", lambda x, y: pd.DataFrame(x).assign(y=y), X, Y),
    table("DataFrame groupby", lambda y, k: pd.DataFrame({"y": y, "k": k}).groupby("k").sum(), Y, LABELS),
    table("DataFrame merge", lambda k, y: pd.DataFrame({"k": k, "y": y}).merge(pd.DataFrame({"k": [0, 1], "z": [5, 6]})), LABELS, Y),
    table("DataFrame pivot_table", lambda k, b, y: pd.DataFrame({"k": k, "b": b, "y": y}).pivot_table("y", "k", "b"), LABELS, BINARY, Y),
    table("DataFrame query", lambda y: pd.DataFrame({"y": y}).query("y > 0"), Y),
    table("DataFrame describe", lambda x: pd.DataFrame(x).describe(), X),
    table("DataFrame corr", lambda x: pd.DataFrame(x).corr(), X),
    table("DataFrame dot", lambda x, y: pd.DataFrame(x).T.dot(y), X, Y),
    table("DataFrame apply", lambda x: pd.DataFrame(x).apply(np.sum), X),
    table("DataFrame arithmetic", lambda x, y: pd.DataFrame(x) - y, X, Y[:4]),
    table("DataFrame sort_values", lambda y: pd.DataFrame({"y": y}).sort_values("y"), Y),
    table("DataFrame ewm", lambda y: pd.Series(y).ewm(span=3).mean(), Y),
    table("DataFrame iloc", lambda x, i: pd.DataFrame(x).iloc[i], X, LABELS),
    table("concat", lambda a, b: pd.concat([pd.Series(a), pd.Series(b)]), V, Y),
    table("cut", lambda y, b: pd.cut(y, b, labels=False), np.abs(P[0]), np.asarray([0.0, 1.0, 2.0, 5.0])),
    table("qcut", lambda y: pd.qcut(pd.Series(y), 3, labels=False), Y),
    table("factorize", lambda k: pd.factorize(np.asarray(k))[0], LABELS),
    table("get_dummies", lambda k: pd.get_dummies(pd.Series(k)), LABELS),
    table("crosstab", lambda k, b: pd.crosstab(np.asarray(k), np.asarray(b)), LABELS, BINARY),
    table("to_datetime", lambda k: pd.to_datetime(pd.Series(k), unit="s").dt.second, LABELS),
    table("Index", pd.Index, LABELS),
    table("unique", lambda k: pd.unique(np.asarray(k)), LABELS),
    table("to_numeric", lambda y: pd.to_numeric(pd.Series(y)), Y),
    table("interpolate", lambda y: pd.Series(y).where(pd.Series(y) > 0).interpolate(limit_direction="both"), Y),
    table("np.mean of Series", lambda y: np.mean(pd.Series(y)), Y),
    table("np.concatenate", lambda y: np.concatenate([np.asarray(y), pd.Series(y)]), Y),
    table("Counter", lambda k: sorted(Counter(k).values()), LABELS),
    table("statistics.mean", lambda y: statistics.mean(map(float, y)), Y),
    table("bisect", lambda y: bisect.bisect(np.sort(np.asarray(y)), 0.5), Y),
    table("dictionary of elements", lambda k: [{0: 5, 1: 6, 2: 7}[key] for key in k], LABELS),
]
