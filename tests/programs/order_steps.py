"""Steps that index, search, sort and count; their operands must be exact."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from hypothesis import strategies as st

from .movement_steps import SOME, an_axis
from .program import RandomProgram, choose, wide


def take(draw: Any, program: RandomProgram) -> None:
    at = choose(draw, program, axes=SOME, full=True)
    if at is None:
        return
    x, array = program.values[at]
    axis = draw(st.integers(0, x.ndim - 1))
    n = x.shape[axis]
    to = choose(draw, program, "iu", axes=(0, 1, 2)) if draw(st.booleans()) else None
    if to is None:
        given: Any = draw(st.lists(st.integers(-n - 1, n), min_size=1, max_size=5))
        indices, name = program.call("asarray", given), str(given)
    else:
        indices, given = program.values[to]
        name = f"v{to}"
    places = nearest(given, n)
    got = program.call("take", x, indices, axis=axis)
    want = np.take(array, places, axis=axis)
    program.add(got, want, f"take(v{at}, {name}, axis={axis})", exact=program.exact[at])


def nearest(indices: Any, n: int) -> Any:
    """Clamp indices out of range to the nearest end; indices count from 0."""
    indices = np.asarray(indices).astype("int64")
    return np.clip(np.where(indices < 0, indices + n, indices), 0, n - 1)


def take_along_axis(draw: Any, program: RandomProgram) -> None:
    at = choose(draw, program, axes=SOME, full=True)
    if at is None:
        return
    x, array = program.values[at]
    axis = draw(st.integers(0, x.ndim - 1))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    places = rng.integers(-x.shape[axis], x.shape[axis], x.shape)
    got = program.call("take_along_axis", x, program.call("asarray", places), axis=axis)
    want = np.take_along_axis(array, places, axis)
    program.add(got, want, f"take_along_axis(v{at}, axis={axis})", exact=program.exact[at])


def chosen(draw: Any, program: RandomProgram) -> None:
    """Read or assign with a mask or a tensor of indices as a key."""
    at = choose(draw, program, axes=SOME, full=True, exact=True)
    if at is None:
        return
    x, array = program.values[at]
    masked = program.reads and draw(st.booleans())
    key = array > 1 if masked else np.asarray([0, -1, x.shape[0] // 2])
    given = x > 1 if masked and x.dtype.kind != "b" else program.call("asarray", key)
    if draw(st.booleans()):
        program.add(x[given], array[key], f"v{at}[...]", exact=True)
        return
    t, want = program.call("copy", x), array.copy()
    t[given] = 1
    want[key] = 1
    program.add(t, want, f"v{at}[...] = 1", exact=True)


def in_order(array: Any, axis: int, descending: bool) -> Any:
    """Sort stably with NumPy: equal elements keep their order in both directions."""
    if not descending:
        return np.argsort(array, axis=axis, kind="stable")
    backward = np.argsort(np.flip(array, axis), axis=axis, kind="stable")
    return np.flip(array.shape[axis] - 1 - backward, axis)


def ordered(name: str, draw: Any, program: RandomProgram) -> None:
    at = choose(draw, program, axes=SOME, exact=name == "argsort")
    if at is None:
        return
    x, array = program.values[at]
    axis, descending = an_axis(draw, x.shape), draw(st.booleans())
    want = in_order(array, axis, descending)
    if name == "sort":
        want = np.take_along_axis(array, want, axis)
    got = program.call(name, x, axis=axis, descending=descending)
    step = f"{name}(v{at}, axis={axis}, descending={descending})"
    program.add(got, want, step, exact=program.exact[at])


def topk(draw: Any, program: RandomProgram) -> None:
    at = choose(draw, program, axes=SOME, full=True, exact=True)
    if at is None:
        return
    x, array = program.values[at]
    axis, largest = an_axis(draw, x.shape), draw(st.booleans())
    k, which = draw(st.integers(1, x.shape[axis])), draw(st.integers(0, 1))
    order = np.take(in_order(array, axis, largest), range(k), axis=axis)
    want = order if which else np.take_along_axis(array, order, axis)
    got = program.call("topk", x, k, axis=axis, largest=largest)[which]
    step = f"topk(v{at}, {k}, axis={axis}, largest={largest})[{which}]"
    program.add(got, want, step, exact=True)


def searchsorted(draw: Any, program: RandomProgram) -> None:
    at = choose(draw, program, "i", exact=True)
    if at is None:
        return
    x, array = program.values[at]
    side = draw(st.sampled_from(["left", "right"]))
    limits = np.asarray([-3, -1, 0, 0, 2, 5], array.dtype)
    got = program.call("searchsorted", program.call("asarray", limits), x, side=side)
    program.add(got, np.searchsorted(limits, array, side=side), f"searchsorted(v{at}, {side})")


def isin(draw: Any, program: RandomProgram) -> None:
    at = choose(draw, program, "iu")
    if at is None:
        return
    x, array = program.values[at]
    others, invert = np.asarray([0, 2, 5, 100], array.dtype), draw(st.booleans())
    got = program.call("isin", x, program.call("asarray", others), invert=invert)
    program.add(got, np.isin(array, others, invert=invert), f"isin(v{at}, invert={invert})")


def count_nonzero(draw: Any, program: RandomProgram) -> None:
    at = choose(draw, program, axes=SOME, exact=True)
    if at is None:
        return
    x, array = program.values[at]
    axis, keepdims = an_axis(draw, x.shape), draw(st.booleans())
    got = program.call("count_nonzero", x, axis=axis, keepdims=keepdims)
    want = np.count_nonzero(array, axis=axis, keepdims=keepdims)
    program.add(got, want, f"count_nonzero(v{at}, axis={axis})")


def nonzero(draw: Any, program: RandomProgram) -> None:
    at = choose(draw, program, axes=SOME, exact=True) if program.reads else None
    if at is None:
        return
    x, array = program.values[at]
    axis = draw(st.integers(0, x.ndim - 1))
    program.add(
        program.call("nonzero", x)[axis], np.nonzero(array)[axis], f"nonzero(v{at})[{axis}]"
    )


PARTS = {
    "unique_all": (0, 1, 2, 3),
    "unique_counts": (0, 3),
    "unique_inverse": (0, 2),
    "unique_values": (0,),
}
"""Results of np.unique, by position in its tuple, that each function returns."""


def unique(name: str, draw: Any, program: RandomProgram) -> None:
    at = choose(draw, program, exact=True) if program.reads else None
    if at is None:
        return
    x, array = program.values[at]
    which = draw(st.integers(0, len(PARTS[name]) - 1))
    got = program.call(name, x)
    got = got if name == "unique_values" else got[which]
    everything = np.unique(array, return_index=True, return_inverse=True, return_counts=True)
    want = everything[PARTS[name][which]]
    program.add(got, want, f"{name}(v{at})[{which}]", exact=True)


def bincount(draw: Any, program: RandomProgram) -> None:
    at = choose(draw, program, "iu", axes=(1,))
    if at is None:
        return
    x, array = program.values[at]
    length = None if program.reads and draw(st.booleans()) else 6
    x, array = program.call("clip", x, 0, 5), np.clip(array, 0, 5)
    weights = np.arange(x.size, dtype="int32")
    heavy = draw(st.booleans())
    given = program.call("asarray", weights) if heavy else None
    got = program.call("bincount", x, given, length=length)
    want = np.bincount(array, weights if heavy else None, minlength=length or 0)
    program.add(got, want.astype("int64"), f"bincount(v{at}, weights={heavy}, length={length})")


def neutral(name: str, dtype: Any) -> Any:
    """Return the result of a segment without slices."""
    if name not in ("max", "min"):
        return int(name == "prod")
    sign = -1 if name == "max" else 1
    return sign * np.inf if dtype.kind == "f" else (dtype.lowest if sign < 0 else dtype.highest)


def segment(name: str, draw: Any, program: RandomProgram) -> None:
    """Reduce the slices of segments; some slices are in none of them."""
    at = choose(draw, program, "f" if name == "mean" else "fi", axes=SOME, full=True, exact=True)
    if at is None:
        return
    x, array = program.values[at]
    count = draw(st.integers(1, 4))
    ids = np.random.default_rng(draw(st.integers(0, 99))).integers(-1, count + 1, x.shape[0])
    got = program.call(f"segment_{name}", x, program.call("asarray", ids), count)
    want = np.zeros((count, *x.shape[1:]), got.dtype.name)
    for each in range(count):
        slices = wide(array[ids == each])
        full = getattr(np, name)(slices, axis=0) if len(slices) else neutral(name, got.dtype)
        want[each] = np.asarray(full).astype(got.dtype.name)
    program.add(got, want, f"segment_{name}(v{at}, {list(ids)}, {count})")


UPDATES = {"add": np.add, "maximum": np.maximum, "minimum": np.minimum, "multiply": np.multiply}


def updated(draw: Any, program: RandomProgram) -> None:
    """Update rows, some of them several times, or assign each once."""
    at = choose(draw, program, "fi", axes=SOME, full=True, exact=True)
    if at is None:
        return
    x, array = program.values[at]
    name = draw(st.sampled_from(["set", *UPDATES]))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    n = x.shape[0]
    rows = rng.permutation(n)[: n // 2 + 1] if name == "set" else rng.integers(-n, n, 3)
    values = rng.integers(-2, 3, (len(rows), *x.shape[1:])).astype(array.dtype)
    want = array.copy()
    if name == "set":
        want[rows] = values
    else:
        UPDATES[name].at(want, rows, values)
    short = {"maximum": "max", "minimum": "min"}.get(name, name)
    got = getattr(x.at[program.call("asarray", rows)], short)(program.call("asarray", values))
    program.add(got, want, f"v{at}.at[{list(rows)}].{short}(...)", exact=name != "multiply")


def histogram(draw: Any, program: RandomProgram) -> None:
    at = choose(draw, program, full=True, exact=True)
    if at is None:
        return
    x, array = program.values[at]
    # Exact limits, so that no rounding moves an element.
    options: dict[str, Any] = draw(
        st.sampled_from([{"bins": 4, "range": (-2.0, 2.0)}, {"bins": [-3.0, 0.5, 1.0, 4.0]}])
    )
    got, _ = program.call("histogram", x, **options)
    want, _ = np.histogram(array.astype("float64"), **options)
    program.add(got, want, f"histogram(v{at}, {options})")


def quantile(name: str, draw: Any, program: RandomProgram) -> None:
    at = choose(draw, program, "fiu", axes=SOME, full=True)
    if at is None:
        return
    x, array = program.values[at]
    axis, keepdims = draw(st.sampled_from([None, *range(x.ndim)])), draw(st.booleans())
    options: dict[str, Any] = {"axis": axis, "keepdims": keepdims}
    shares = ()
    if name == "quantile":
        shares = (draw(st.sampled_from([0.25, 0.5, 1.0])),)
        options["method"] = draw(st.sampled_from(["linear", "lower", "higher", "midpoint"]))
    got = program.call(name, x, *shares, **options)
    want = getattr(np, name)(wide(array).astype("float64"), *shares, **options)
    program.add(got, want, f"{name}(v{at}, {shares}, {options})")


STEPS = {
    **{name: partial(ordered, name) for name in ("argsort", "sort")},
    **{name: partial(unique, name) for name in PARTS},
    **{name: partial(quantile, name) for name in ("median", "quantile")},
    **{f"segment_{name}": partial(segment, name) for name in ("max", "mean", "min", "prod", "sum")},
    "bincount": bincount,
    "chosen": chosen,
    "count_nonzero": count_nonzero,
    "histogram": histogram,
    "isin": isin,
    "nonzero": nonzero,
    "searchsorted": searchsorted,
    "take": take,
    "take_along_axis": take_along_axis,
    "topk": topk,
    "updated": updated,
}
