"""Steps that slide windows over images."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.lib.stride_tricks import sliding_window_view

from .program import RandomProgram, choose, wide


def windows(images: Any, size: tuple[int, int], stride: int) -> Any:
    """Windows (batch, rows, columns, channels, size) of (batch, height, width, channels)."""
    return sliding_window_view(images, size, axis=(1, 2))[:, ::stride, ::stride]


def images(draw: Any, program: RandomProgram, kinds: str) -> Any:
    """Choose a small value as images, and a window size that fits: name, tensor, array, size."""
    at = choose(draw, program, kinds, axes=(3, 4), full=True, size=400)
    if at is None:
        return None
    x, array = program.values[at]
    batch = array if array.ndim == 4 else array[None]
    size = tuple(draw(st.integers(1, min(n, 3))) for n in batch.shape[1:3])
    return at, x, batch, size


def weights(draw: Any, shape: tuple[int, ...]) -> Any:
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    return (rng.integers(-3, 4, shape) / 2).astype("float32")


def conv2d(draw: Any, program: RandomProgram) -> None:
    found = images(draw, program, "f")
    if found is None:
        return
    at, x, batch, size = found
    stride, pads = draw(st.integers(1, 2)), draw(st.sampled_from([0, 1, ((0, 2), (1, 0))]))
    w = weights(draw, (*size, batch.shape[-1], draw(st.sampled_from([1, 3, 4]))))
    got = program.call("conv2d", x, program.call("asarray", w), stride=stride, padding=pads)
    widths = ((pads, pads),) * 2 if isinstance(pads, int) else pads
    padded = np.pad(wide(batch), ((0, 0), *widths, (0, 0)))
    want = np.einsum("brscyx,yxco->brso", windows(padded, size, stride), w)
    name = f"conv2d(v{at}, {w.shape}, stride={stride}, padding={pads})"
    program.add(got, want.reshape(got.shape), name)


def conv2d_transpose(draw: Any, program: RandomProgram) -> None:
    found = images(draw, program, "f")
    if found is None:
        return
    at, x, batch, (height, width) = found
    stride = draw(st.integers(1, 3))
    w = weights(draw, (height, width, draw(st.sampled_from([1, 3, 4])), batch.shape[-1]))
    got = program.call("conv2d_transpose", x, program.call("asarray", w), stride=stride)
    n, rows, columns, _ = batch.shape
    want = np.zeros((n, (rows - 1) * stride + height, (columns - 1) * stride + width, w.shape[2]))
    for i, j in np.ndindex(rows, columns):
        part = np.einsum("bc,yxoc->byxo", wide(batch)[:, i, j], w)
        want[:, i * stride : i * stride + height, j * stride : j * stride + width] += part
    program.add(got, want.reshape(got.shape), f"conv2d_transpose(v{at}, {w.shape}, {stride})")


def pool(name: str, draw: Any, program: RandomProgram) -> None:
    found = images(draw, program, "f" if name == "avg_pool2d" else "fiu")
    if found is None:
        return
    at, x, batch, size = found
    stride = draw(st.integers(1, 2))
    got = program.call(name, x, size, stride=stride)
    parts = windows(wide(batch), size, stride)
    want = parts.max(axis=(-2, -1)) if name == "max_pool2d" else parts.mean(axis=(-2, -1))
    want = want.reshape(got.shape)
    exact = name == "max_pool2d" and program.exact[at]
    program.add(got, want, f"{name}(v{at}, {size}, stride={stride})", exact=exact)


def rows_of(method: str, n: int, out: int) -> Any:
    """Return the matrix of the weights that resizing `n` pixels to `out` gives them."""
    found = np.zeros((out, n))
    for at in range(out):
        if method == "area":
            low, high = at * n / out, (at + 1) * n / out
            places = np.arange(n)
            parts = np.minimum(high, places + 1) - np.maximum(low, places)
            found[at] = np.maximum(parts, 0.0) * out / n
        else:
            place = np.clip((at + 0.5) * n / out - 0.5, 0, n - 1)
            first = int(place)
            found[at, first] += 1 - (place - first)
            found[at, min(first + 1, n - 1)] += place - first
    return found


def resize(draw: Any, program: RandomProgram) -> None:
    found = images(draw, program, "f")
    if found is None:
        return
    at, x, batch, _ = found
    size = tuple(draw(st.integers(1, 6)) for _ in range(2))
    method = draw(st.sampled_from(["bilinear", "area"]))
    rows, columns = map(rows_of, [method] * 2, batch.shape[1:3], size)
    want = np.einsum("yr,xs,brsc->byxc", rows, columns, wide(batch))
    got = program.call("vision.resize", x, size, method=method)
    program.add(got, want.reshape(got.shape), f"resize(v{at}, {size}, {method})")


def enlarge(draw: Any, program: RandomProgram) -> None:
    found = images(draw, program, "fiu")
    if found is None:
        return
    at, x, batch, _ = found
    factor = draw(st.integers(2, 3))
    size = tuple(factor * n for n in batch.shape[1:3])
    want = np.repeat(np.repeat(batch, factor, axis=1), factor, axis=2)
    got = program.call("vision.resize", x, size, method="nearest")
    program.add(
        got, want.reshape(got.shape), f"resize(v{at}, {size}, nearest)", exact=program.exact[at]
    )


def warp(draw: Any, program: RandomProgram) -> None:
    """Move pixels by a matrix of multiples of 1/4, so that positions are exact."""
    found = images(draw, program, "f")
    if found is None:
        return
    at, x, batch, _ = found
    quarters = [draw(st.integers(-6, 6)) / 4 for _ in range(6)]
    a, b, c, d, e, f = quarters
    mode, size = draw(st.sampled_from(["nearest", "constant"])), (3, 5)
    rows, columns = np.indices(size)
    # Pixels around the image are 0, or those at its edges.
    reach = 20
    padding = ((0, 0), (reach, reach), (reach, reach), (0, 0))
    padded = np.pad(wide(batch), padding, mode="edge" if mode == "nearest" else "constant")
    across, down = (a * columns + b * rows + c, d * columns + e * rows + f)
    left, top = np.floor(across).astype(int), np.floor(down).astype(int)
    want = 0.0
    for i, j in np.ndindex(2, 2):
        part = (1 - abs(down - top - i)) * (1 - abs(across - left - j))
        want = want + part[..., None] * padded[:, top + i + reach, left + j + reach]
    matrix = program.call("asarray", np.float32([quarters[:3], quarters[3:]]))
    got = program.call("vision.warp_affine", x, matrix, size, fill_mode=mode)
    program.add(got, want.reshape(got.shape), f"warp_affine(v{at}, {quarters}, {mode})")


STEPS = {
    "avg_pool2d": partial(pool, "avg_pool2d"),
    "conv2d": conv2d,
    "conv2d_transpose": conv2d_transpose,
    "enlarge": enlarge,
    "max_pool2d": partial(pool, "max_pool2d"),
    "resize": resize,
    "warp": warp,
}
