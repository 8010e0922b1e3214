"""Operations on arrays of JAX, where `jax.numpy` lacks a function or differs from NumPy.

Input: arrays or tracers of JAX, and the static argument of operations that have one. Output: an
array. Op definitions refer to these functions in their field `jax`. Only the JAX backend imports
this module.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from .contractions import Window

FEW_TAPS = 32
"""Size of a window up to which it is stacked from slices, which XLA fuses; others are gathered."""


# --- elementwise ----------------------------------------------------------------------------------


def floor_divide(x: Any, y: Any) -> Any:
    """Return the rounded quotient, by the remainder like NumPy; integers divided by 0 give 0."""
    if not jnp.issubdtype(x.dtype, jnp.floating):
        zero = y == 0
        return jnp.where(zero, 0, jnp.floor_divide(x, jnp.where(zero, 1, y)))
    x, y = jnp.broadcast_arrays(x, y)
    rest = lax.rem(x, y)
    quotient = (x - rest) / y - ((rest != 0) & ((rest < 0) != (y < 0)))
    quotient = jnp.where(quotient == 0, jnp.copysign(0, x / y), jnp.round(quotient))
    return jnp.where(y == 0, x / y, quotient)


def remainder(x: Any, y: Any) -> Any:
    """Return the remainder with the sign of the divisor; integers modulo 0 give 0."""
    if not jnp.issubdtype(x.dtype, jnp.floating):
        zero = y == 0
        return jnp.where(zero, 0, jnp.remainder(x, jnp.where(zero, 1, y)))
    rest = jnp.remainder(x, y)
    return jnp.where(rest == 0, jnp.copysign(0, y), rest)


def sign(x: Any) -> Any:
    """Return the sign; that of -0.0 is 0.0."""
    return jnp.where(x == 0, 0, jnp.sign(x))


def cos_of_turn(p: Any, n: Any) -> Any:
    """Reduce the angle to an eighth of a turn in integers, which is exact."""
    p = p % n
    # Twice the numerator of the angle's distance from a multiple of half a turn.
    twice = 2 * jnp.minimum(p, n - p)
    far = twice > n - twice
    twice = jnp.where(far, n - twice, twice)
    near = twice <= n - 3 * twice
    angle = jnp.where(near, 2 * twice, n - 2 * twice).astype(jnp.float32) / n * (math.pi / 2)
    size = jnp.where(near, jnp.cos(angle), jnp.sin(angle))
    return jnp.where(far, -size, size)


def erf(x: Any) -> Any:
    return lax.erf(x)


def erfc(x: Any) -> Any:
    return lax.erfc(x)


def erfinv(x: Any) -> Any:
    return lax.erf_inv(x)


def lgamma(x: Any) -> Any:
    return lax.lgamma(x)


def digamma(x: Any) -> Any:
    return jnp.where(x == 0, jnp.nan, lax.digamma(x))


def i0(x: Any) -> Any:
    return jnp.where(jnp.isinf(x), jnp.inf, jax.scipy.special.i0(x))


def betainc(a: Any, b: Any, x: Any) -> Any:
    return lax.betainc(*jnp.broadcast_arrays(a, b, x))


def complex_(re: Any, im: Any, _: Any) -> Any:
    return lax.complex(*jnp.broadcast_arrays(re, im))


# --- views, padding -------------------------------------------------------------------------------


def slice_(x: Any, parts: tuple[tuple[int, int, int], ...]) -> Any:
    first, end, steps = [], [], []
    for start, length, step in parts:
        last = start + max(length - 1, 0) * step
        first.append(min(start, last))
        end.append(max(start, last) + 1 if length else first[-1])
        steps.append(abs(step) or 1)
    x = lax.slice(x, first, end, steps)
    return lax.rev(x, [axis for axis, part in enumerate(parts) if part[2] < 0])


def window(x: Any, arg: tuple[tuple[int, int, int, int], ...]) -> Any:
    for axis, size, step, dilation in arg:
        count = (x.shape[axis] - dilation * (size - 1) - 1) // step + 1
        if size <= FEW_TAPS:
            reach = (count - 1) * step + 1
            starts = [tap * dilation for tap in range(size)]
            taps = [lax.slice_in_dim(x, at, at + reach, step, axis) for at in starts]
            x = jnp.stack(taps, axis=-1)
        else:
            places = jnp.arange(count)[:, None] * step + jnp.arange(size) * dilation
            x = jnp.moveaxis(jnp.take(x, places, axis=axis, mode="clip"), axis + 1, -1)
    return x


def pad(x: Any, value: Any, widths: Any) -> Any:
    return lax.pad(x, value, widths)


# --- gathers, scatters, sorts ---------------------------------------------------------------------


def take(x: Any, indices: Any, axis: int) -> Any:
    length = x.shape[axis]
    if jnp.issubdtype(indices.dtype, jnp.signedinteger):
        indices = indices.astype(jnp.promote_types(indices.dtype, jnp.int32))
        indices = jnp.where(indices < 0, indices + length, indices)
    return jnp.take(x, indices, axis=axis, mode="clip")


def take_along_axis(x: Any, indices: Any, arg: tuple[int, bool]) -> Any:
    return jnp.take_along_axis(x, indices, axis=arg[0], mode="clip")


def scatter_add(x: Any, indices: Any, arg: tuple[int, int]) -> Any:
    axis, length = arg
    places = indices.reshape(-1)
    # Negative indices would count from the end.
    places = jnp.where((places >= 0) & (places < length), places, length)
    before, after = x.shape[:axis], x.shape[axis + indices.ndim :]
    rows = x.reshape(*before, places.size, *after)
    # Round only the final sum to a narrow dtype, not each partial sum.
    narrow = x.dtype.itemsize < 4 and jnp.issubdtype(x.dtype, jnp.floating)
    wide = jnp.float32 if narrow else x.dtype
    result = jnp.zeros((*before, length, *after), wide)
    at = (slice(None),) * axis + (places,)
    return result.at[at].add(rows.astype(wide), mode="drop").astype(x.dtype)


def argsort(x: Any, arg: tuple[int, bool]) -> Any:
    axis, descending = arg
    if not descending:
        return jnp.argsort(x, axis=axis)
    backward = jnp.argsort(jnp.flip(x, axis=axis), axis=axis)
    return jnp.flip(x.shape[axis] - 1 - backward, axis=axis)


def search(x: Any, values: Any, right: bool) -> Any:
    find = partial(jnp.searchsorted, side="right" if right else "left")
    return jax.vmap(find)(x, values).astype(jnp.int32)


def last_position(places: Any, arg: tuple[int, bool]) -> Any:
    length, _ = arg
    # Negative indices would count from the end.
    places = jnp.where(places < 0, length, places)
    positions = jnp.arange(places.size, dtype=jnp.int32)
    return jnp.full(length, -1, jnp.int32).at[places].max(positions, mode="drop")


# --- contractions ---------------------------------------------------------------------------------


def convolve(x: Any, w: Any, window: Window) -> Any:
    """Return the convolution of NHWC input and HWIO weights as (groups, pixels, channels)."""
    sides = zip(window.pad, window.reach, x.shape[1:3], strict=True)
    result = lax.conv_general_dilated(
        x,
        w,
        window.stride,
        [(low, reach - low - n) for low, reach, n in sides],
        rhs_dilation=window.dilation,
        dimension_numbers=("NHWC", "HWIO", "NHWC"),
        feature_group_count=window.groups,
    )
    pixels, outs = math.prod(result.shape[:3]), result.shape[3] // window.groups
    return result.reshape(pixels, window.groups, outs).transpose(1, 0, 2)


# --- linear algebra -------------------------------------------------------------------------------


def _unpacked(matrix: Any, parts: int) -> Any:
    if parts == 1:
        return matrix
    half = matrix.shape[-1] // 2
    return lax.complex(matrix[..., :half], matrix[..., half:])


def _packed(matrix: Any, parts: int) -> Any:
    return matrix if parts == 1 else jnp.concatenate((matrix.real, matrix.imag), axis=-1)


def _beside(values: Any, parts: int) -> Any:
    """Return one row of real values in the layout of matrices with `parts` parts."""
    values = values[..., None, :]
    return values if parts == 1 else jnp.concatenate((values, jnp.zeros_like(values)), axis=-1)


def cholesky(a: Any, parts: int) -> Any:
    """Return the lower factors; all elements are NaN if a matrix is not positive definite."""
    root = jnp.linalg.cholesky(_unpacked(a, parts), symmetrize_input=False)
    wrong = jnp.isnan(root).any(axis=(-2, -1), keepdims=True)
    return _packed(jnp.where(wrong, jnp.nan, root), parts)


def solve(a: Any, b: Any, parts: int) -> Any:
    """Return the solutions; all elements are NaN if a matrix is singular."""
    factors = jax.scipy.linalg.lu_factor(_unpacked(a, parts))
    solution = jax.scipy.linalg.lu_solve(factors, _unpacked(b, parts))
    pivots = jnp.diagonal(factors[0], axis1=-2, axis2=-1)
    singular = (pivots == 0).any(axis=-1)[..., None, None]
    return _packed(jnp.where(singular, jnp.nan, solution), parts)


def det(a: Any, parts: int) -> Any:
    return _packed(jnp.linalg.det(_unpacked(a, parts))[..., None], parts)


def slogdet(a: Any, parts: int) -> Any:
    sign, logarithm = jnp.linalg.slogdet(_unpacked(a, parts))
    return jnp.concatenate((_packed(sign[..., None], parts), logarithm[..., None]), axis=-1)


def qr(a: Any, arg: tuple[int, bool]) -> Any:
    parts, complete = arg
    q, r = jnp.linalg.qr(_unpacked(a, parts), mode="complete" if complete else "reduced")
    return jnp.concatenate((_packed(q, parts), _packed(r, parts)), axis=-1 if complete else -2)


def eigh(a: Any, parts: int) -> Any:
    values, vectors = jnp.linalg.eigh(_unpacked(a, parts))
    return jnp.concatenate((_packed(vectors, parts), _beside(values, parts)), axis=-2)


def svd(a: Any, arg: tuple[int, bool]) -> Any:
    parts, vectors = arg
    matrix = _unpacked(a, parts)
    if not vectors:
        return jnp.linalg.svd(matrix, full_matrices=False, compute_uv=False)
    u, s, vh = jnp.linalg.svd(matrix, full_matrices=False)
    v = jnp.conj(jnp.matrix_transpose(vh))
    return jnp.concatenate((_packed(u, parts), _packed(v, parts), _beside(s, parts)), axis=-2)
