"""Programs over all kinds of kernels and all dtypes, which CPython and a page run.

Their leaves are small whole numbers, so that sums and products of float16 are exact, too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import py_tensor as pt

INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32")
FLOATS = ("float16", "float32")
REAL = (*INTEGERS, *FLOATS)
ALL = ("bool", *REAL, "complex64")
NUMBERS = (*REAL, "complex64")


def leaf(*shape: int, dtype: str = "float32", seed: int = 1) -> pt.Tensor:
    """Return whole numbers from -4 to 4, or from 0 to 8 without a sign."""
    size, values = 1, []
    for length in shape:
        size *= length
    low = 0 if dtype[0] in "ub" else 4
    for _ in range(size):
        seed = (1103515245 * seed + 12345) % (1 << 31)
        values.append((seed >> 16) % 9 - low)
    if dtype == "bool":
        return pt.asarray([value > 3 for value in values]).reshape(shape)
    if dtype == "complex64":
        parts = zip(values, reversed(values), strict=True)
        return pt.asarray([complex(*both) for both in parts], dtype=dtype).reshape(shape)
    return pt.asarray(values, dtype=dtype).reshape(shape)


def assigned(dtype: str) -> pt.Tensor:
    x = leaf(6, 9, dtype=dtype)
    x[1:4, ::3] = leaf(3, 3, dtype=dtype, seed=2)
    return x


@pt.kernel(shape=lambda u, v: u.shape, border="wrap")
def spread(i, j, u, v):
    near = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4.0 * u[i, j]
    return u[i, j] + 0.5 * near * v[i, j], int(v[i, j] > 0.5)


@pt.kernel(shape=lambda u, limit: u.shape)
def way(i, j, u, limit):
    total = 0.0
    for k in range(9):
        if abs(u[i, j + k]) > limit:
            return total, k > 2
        total += 0.5 * u[i, j + k]
    return total, False


def index(*shape: int, below: int) -> pt.Tensor:
    return pt.abs(leaf(*shape, dtype="int32", seed=7)) % below


def image(*shape: int, dtype: str = "float32") -> pt.Tensor:
    return leaf(*shape, dtype=dtype, seed=5)


PROGRAMS: dict[str, tuple[tuple[str, ...], Callable[[str], Any]]] = {
    # map
    "arithmetic": (
        NUMBERS,
        lambda t: leaf(5, 7, dtype=t) * leaf(5, 7, dtype=t, seed=2) + leaf(7, dtype=t, seed=3),
    ),
    "comparison": (REAL, lambda t: leaf(5, 8, dtype=t) < leaf(5, 1, dtype=t, seed=2)),
    "choice": (
        ALL,
        lambda t: pt.where(leaf(37, dtype="bool"), leaf(37, dtype=t), leaf(1, dtype=t)),
    ),
    "cast": (REAL, lambda t: [leaf(37, dtype=t).astype(u) for u in ("bool", *REAL)]),
    "bits": (INTEGERS, lambda t: (leaf(37, dtype=t) << 2) ^ ~leaf(37, dtype=t, seed=2)),
    "division": (INTEGERS, lambda t: leaf(37, dtype=t) // (leaf(37, dtype=t, seed=2) | 1)),
    "functions": (
        FLOATS,
        lambda t: [f(leaf(37, dtype=t) / 4) for f in (pt.exp, pt.sin, pt.tanh, pt.erf, pt.sigmoid)],
    ),
    "powers": (FLOATS, lambda t: [pt.sqrt(abs(leaf(37, dtype=t))), abs(leaf(37, dtype=t)) ** 1.5]),
    "complex functions": (
        ("complex64",),
        lambda t: [pt.exp(leaf(9, dtype=t) / 4), abs(leaf(9, dtype=t))],
    ),
    "transposed": (
        ALL,
        lambda t: pt.concat([leaf(9, 14, dtype=t).T, leaf(14, 3, dtype=t)], axis=1),
    ),
    "views": (ALL, lambda t: pt.flip(leaf(6, 8, 5, dtype=t)[:, 1::2].transpose((2, 0, 1)))),
    "padded": (NUMBERS, lambda t: pt.pad(leaf(5, 7, dtype=t), ((1, 2), (0, 3)))),
    "neighbours": (("float32",), lambda t: spread(leaf(9, 14), leaf(9, 14, seed=2))),
    "loop": (("float32",), lambda t: way(leaf(9, 14), 3.0)),
    "random": (("float32",), lambda t: pt.random.uniform((67,), key=pt.random.key(3))),
    # reduce
    "sums": (NUMBERS, lambda t: [leaf(9, 35, dtype=t).sum(axis=axis) for axis in (0, 1, None)]),
    "extremes": (REAL, lambda t: [f(leaf(9, 35, dtype=t), axis=1) for f in (pt.max, pt.min)]),
    "positions": (REAL, lambda t: [leaf(9, 35, dtype=t).argmax(axis=axis) for axis in (0, 1)]),
    "truths": (ALL, lambda t: [f(leaf(9, 35, dtype=t) != 0, axis=0) for f in (pt.any, pt.all)]),
    "products": (NUMBERS, lambda t: pt.prod(leaf(5, 7, dtype=t), axis=1)),
    "long sum": (("int32", "float32"), lambda t: pt.sum(leaf(40, 1000, dtype=t), axis=1)),
    "softmax": (FLOATS, lambda t: pt.softmax(leaf(9, 35, dtype=t))),
    "variance": (FLOATS, lambda t: pt.var(leaf(9, 35, dtype=t), axis=0)),
    # scan
    "running sums": (
        NUMBERS,
        lambda t: [pt.cumulative_sum(leaf(7, 70, dtype=t), axis=a) for a in (0, 1)],
    ),
    "running products": (INTEGERS, lambda t: pt.cumulative_prod(leaf(5, 7, dtype=t), axis=1)),
    # contract
    "product": (NUMBERS, lambda t: leaf(17, 21, dtype=t) @ leaf(21, 23, dtype=t, seed=2)),
    "products of batches": (FLOATS, lambda t: leaf(3, 9, 20, dtype=t) @ leaf(3, 20, 24, dtype=t)),
    "product with a vector": (NUMBERS, lambda t: leaf(17, 21, dtype=t) @ leaf(21, dtype=t, seed=2)),
    "transposed product": (
        ("float32",),
        lambda t: pt.relu(leaf(20, 17).T @ leaf(20, 24) + leaf(24)),
    ),
    "sum of products": (
        ("float32",),
        lambda t: pt.einsum("abc,cbd->da", leaf(4, 5, 6), leaf(6, 5, 7)),
    ),
    "convolution": (
        FLOATS,
        lambda t: pt.conv2d(image(2, 9, 9, 3, dtype=t), image(3, 3, 3, 8, dtype=t)),
    ),
    "strided convolution": (
        ("float32",),
        lambda t: pt.conv2d(image(1, 9, 9, 8), image(3, 3, 8, 16), stride=2, padding="same"),
    ),
    "grouped convolution": (
        ("float32",),
        lambda t: pt.conv2d(image(1, 9, 9, 8), image(3, 3, 4, 8), groups=2, dilation=2),
    ),
    "depthwise convolution": (
        ("float32",),
        lambda t: pt.conv2d(image(1, 9, 9, 8), image(3, 3, 1, 8), groups=8, padding="same"),
    ),
    "pooling": (
        ("float32",),
        lambda t: [f(image(1, 8, 8, 3), 2) for f in (pt.max_pool2d, pt.avg_pool2d)],
    ),
    "transform": (("complex64",), lambda t: pt.fft.fft(leaf(3, 60, dtype=t))),
    # sort and search
    "sorted": (REAL, lambda t: [pt.sort(leaf(5, 67, dtype=t), axis=axis) for axis in (0, 1)]),
    "order": (REAL, lambda t: pt.argsort(leaf(5, 67, dtype=t), stable=True, descending=True)),
    "largest": (("float32", "int32"), lambda t: pt.topk(leaf(5, 67, dtype=t), 3)[0]),
    "search": (
        ("float32", "int32"),
        lambda t: pt.searchsorted(pt.sort(leaf(67, dtype=t)), leaf(9, dtype=t)),
    ),
    "different values": (("int32", "float32"), lambda t: pt.unique(leaf(67, dtype=t))),
    # gather and scatter
    "rows": (ALL, lambda t: pt.take(leaf(9, 14, dtype=t), index(20, below=9), axis=0)),
    "along an axis": (
        ALL,
        lambda t: pt.take_along_axis(leaf(9, 14, dtype=t), index(9, 5, below=14), axis=1),
    ),
    "assigned": (ALL, assigned),
    "added": (
        ("int32", "uint32", "float32"),
        lambda t: leaf(9, 5, dtype=t).at[index(30, below=9)].add(leaf(30, 5, dtype=t, seed=2)),
    ),
    "sums of segments": (
        ("int32", "float32"),
        lambda t: pt.segment_sum(leaf(40, 3, dtype=t), index(40, below=6), 6),
    ),
    "counts": (("int32",), lambda t: pt.bincount(index(67, below=9), minlength=9)),
    # several kernels, also of one plan
    "gradient": (
        ("float32",),
        lambda t: pt.grad(lambda w: pt.sum(pt.tanh(leaf(9, 14) @ w) ** 2))(leaf(14, 5, seed=2) / 8),
    ),
    "solution": (
        ("float32",),
        lambda t: pt.linalg.solve(leaf(5, 5) + 9.0 * pt.eye(5), leaf(5, 2, seed=2)),
    ),
}
"""The dtypes and the function of each program, which returns a tensor or several."""


def plain(value: Any) -> Any:
    """Return dtypes and values as they are in JSON."""
    if isinstance(value, pt.Tensor):
        if value.dtype.name == "complex64":
            return ["complex64", pt.stack([pt.real(value), pt.imag(value)]).tolist()]
        return [value.dtype.name, value.tolist()]
    return [plain(each) for each in value]


def results() -> dict[str, Any]:
    """Return the results of all programs, by program and dtype; errors are their texts."""
    before = pt.env.host_elements
    pt.env.host_elements = 0  # the backend computes tiny values, too
    seen: dict[str, Any] = {}
    try:
        for name, (dtypes, program) in PROGRAMS.items():
            for dtype in dtypes:
                try:
                    seen[f"{name} {dtype}"] = plain(program(dtype))
                except pt.errors.TensorError as error:
                    seen[f"{name} {dtype}"] = f"{type(error).__name__}: {error}"
    finally:
        pt.env.host_elements = before
    return seen
