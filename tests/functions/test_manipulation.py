"""Views: each alone and in stacks, reading the right elements without copies."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import assert_values

import py_tensor as pt
from py_tensor.ops import OP_DEFS
from py_tensor.tensor import apply


def numbers(*shape):
    return np.arange(np.prod(shape), dtype="float32").reshape(shape)


@pytest.mark.parametrize(
    ("shape", "new"),
    [
        ((6,), (2, 3)),
        ((2, 3), (6,)),
        ((2, 3), (3, -1)),
        ((), (1, 1)),
        ((1,), ()),
        ((0, 3), (3, 0)),
        ((4, 6), (2, 2, -1, 1)),
    ],
    ids=str,
)
def test_reshape(shape, new):
    x = numbers(*shape)
    assert_values(pt.reshape(pt.asarray(x), new), x.reshape(new))


@pytest.mark.parametrize("axes", [(0, 1, 2), (2, 1, 0), (1, 0, 2), (2, 0, 1), (-1, 0, 1)], ids=str)
@pytest.mark.parametrize("shape", [(2, 3, 4), (4, 4, 8), (3, 1, 5), (0, 2, 3)], ids=str)
def test_permute_dims(shape, axes):
    x = numbers(*shape)
    assert_values(pt.permute_dims(pt.asarray(x), axes) + 0, x.transpose(axes))


@pytest.mark.parametrize("shape", [(3, 5), (4, 8), (1, 7), (2, 3, 4)], ids=str)
def test_transposes(shape):
    x = numbers(*shape)
    t = pt.asarray(x)
    assert_values(pt.matrix_transpose(t), np.matrix_transpose(x))
    assert_values(t.mT, np.matrix_transpose(x))
    if x.ndim == 2:
        assert_values(t.T, x.T)


STRIDED = {
    "transposed": lambda x: x.T,
    "transposed but for the first": lambda x: x.T[:, 4:],
    "transposed and flipped": lambda x: x.T[::-1],
    "columns flipped": lambda x: x.T[:, ::-1],
    "from the second": lambda x: x[:, 1:-3],
    "every fourth": lambda x: x[::4, ::4],
    "every eighth of every second": lambda x: x[::2, 3::8].T,
}


@pytest.mark.parametrize("shape", [(16, 24), (64, 64), (12, 100), (64, 260), (1028, 64)], ids=str)
@pytest.mark.parametrize("name", STRIDED)
def test_strided_reads_in_textures_of_any_width(name, shape):
    x = numbers(*shape)
    assert_values(STRIDED[name](pt.asarray(x)) + 0, STRIDED[name](x))


@pytest.mark.parametrize(
    ("shape", "new"),
    [
        ((3,), (2, 3)),
        ((3, 1), (3, 4)),
        ((), (2, 2)),
        ((1,), (0,)),
        ((4,), (5, 4)),
        ((2, 1, 3), (4, 2, 5, 3)),
    ],
    ids=str,
)
def test_broadcast_to(shape, new):
    x = numbers(*shape)
    assert_values(pt.broadcast_to(pt.asarray(x), new), np.broadcast_to(x, new))


@pytest.mark.parametrize("axis", [0, 1, -1, (0, 2), (-1, 0)], ids=str)
def test_expand_dims(axis):
    x = numbers(2, 3)
    assert_values(pt.expand_dims(pt.asarray(x), axis=axis), np.expand_dims(x, axis))


@pytest.mark.parametrize("axis", [None, 0, 2, -2, (0, 2)], ids=str)
def test_squeeze(axis):
    x = numbers(1, 3, 1, 1) if axis != 2 else numbers(1, 3, 1, 2)
    assert_values(pt.squeeze(pt.asarray(x), axis), np.squeeze(x, axis))


@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 1)], ids=str)
@pytest.mark.parametrize("shape", [(3, 5), (4, 8), (0, 2)], ids=str)
def test_flip(shape, axis):
    x = numbers(*shape)
    assert_values(pt.flip(pt.asarray(x), axis=axis), np.flip(x, axis))


@pytest.mark.parametrize(
    ("source", "to"), [(0, 2), (2, 0), (-1, 1), ((0, 1), (1, 0)), ((0, 2), (-1, 0))], ids=str
)
def test_moveaxis(source, to):
    x = numbers(2, 3, 4)
    assert_values(pt.moveaxis(pt.asarray(x), source, to), np.moveaxis(x, source, to))


@pytest.mark.parametrize(
    "width",
    [0, 1, 3, (1, 2), (0, 4), ((1, 2), (0, 3)), ((4, 0), (4, 4)), ((0, 0), (0, 1))],
    ids=str,
)
@pytest.mark.parametrize("shape", [(3, 5), (4, 8), (2, 1)], ids=str)
def test_pad(shape, width):
    x = numbers(*shape)
    assert_values(pt.pad(pt.asarray(x), width), np.pad(x, width))
    assert_values(
        pt.pad(pt.asarray(x), width, constant_values=-2.5), np.pad(x, width, constant_values=-2.5)
    )


@pytest.mark.parametrize(
    "dtype", ["float32", "float16", "int32", "uint32", "int16", "uint16", "int8", "uint8", "bool"]
)
def test_pad_of_every_dtype(dtype):
    x = numbers(3, 5).astype(dtype)
    assert_values(pt.pad(pt.asarray(x), 2, constant_values=1), np.pad(x, 2, constant_values=1))


@pytest.mark.parametrize(
    "dtype", ["float32", "float16", "int32", "uint32", "int16", "uint16", "int8", "uint8", "bool"]
)
def test_every_other_element_of_every_dtype(dtype):
    x = numbers(3, 16).astype(dtype)
    t = pt.asarray(x)
    for start in (0, 1):
        assert_values(t[:, start::2], x[:, start::2])


def test_padding_with_a_tensor():
    x, value = numbers(3, 5), pt.asarray(numbers(1)[0] + 7.0)
    got = apply(OP_DEFS["pad"], (pt.asarray(x), value), ((1, 0, 0), (0, 2, 0)))
    assert_values(got, np.pad(x, ((1, 0), (0, 2)), constant_values=value.item()))


@pytest.mark.parametrize("columns", [3, 4, 6])
def test_pad_before_rows_of_a_slice(columns):
    """Rows of a slice are not contiguous in the sliced tensor."""
    x = numbers(3, 4, 2, columns)
    got = pt.pad(pt.asarray(x)[:, :, 1], ((1, 1), (0, 0), (0, 0)))
    assert_values(got, np.pad(x[:, :, 1], ((1, 1), (0, 0), (0, 0))))


def test_pad_of_empty_tensors():
    assert_values(pt.pad(pt.zeros((0, 2)), 1, constant_values=7.0), np.full((2, 4), 7, "float32"))


@pytest.mark.parametrize("n", [1, 2, 3])
def test_slices_of_slices(n):
    x = numbers(12, 16, 5)
    t, y = pt.asarray(x), x
    for _ in range(n):
        t, y = t[1::2, ::-1, 1:], y[1::2, ::-1, 1:]
    assert_values(t * 2, y * 2)


STACKS = {
    "transposed and flattened": lambda x, xp: x.T.reshape((-1,)),
    "flipped after transposing": lambda x, xp: xp.flip(x.T, axis=0),
    "sliced, transposed, reshaped": lambda x, xp: x[::2, 1:].T.reshape((3, -1)),
    "reshaped across rows": lambda x, xp: x.reshape((8, 6))[1:7:2].T,
    "broadcast and flattened": lambda x, xp: xp.broadcast_to(x[:, None, :], (6, 3, 8)).reshape(
        (-1,)
    ),
    "broadcast, sliced, transposed": lambda x, xp: xp.permute_dims(
        xp.broadcast_to(x[None], (4, 6, 8))[:, ::3], (2, 0, 1)
    ),
    "reshape of reshape": lambda x, xp: x.reshape((4, 12)).reshape((2, 24)).reshape((48,))[3:45:7],
    "transpose twice": lambda x, xp: x.T[1:5].T,
    "backwards through a reshape": lambda x, xp: x.reshape((-1,))[::-5].reshape((2, 5)),
    "padded and cut": lambda x, xp: xp.pad(x, ((1, 2), (3, 1)))[1:-2, 3:-1],
    "padded, transposed, padded": lambda x, xp: xp.pad(xp.pad(x, 1).T, 1),
    "axes around four lanes permuted, then padded": lambda x, xp: xp.pad(
        xp.permute_dims(x.reshape((2, 4, 6)), (2, 1, 0)), ((1, 0), (0, 0), (0, 0))
    ),
    "window by hand": lambda x, xp: xp.stack(
        [x[i : i + 4, j : j + 5] for i in range(3) for j in range(3)]
    ),
}


@pytest.mark.parametrize("name", STACKS)
def test_stacks_of_views(name):
    x = numbers(6, 8)
    assert_values(STACKS[name](pt.asarray(x), pt) + 0, STACKS[name](x, np))


@pytest.mark.parametrize("name", STACKS)
def test_stacks_of_views_of_pending_work(name):
    x = numbers(6, 8)
    assert_values(STACKS[name](pt.asarray(x) * 2 + 1, pt), STACKS[name](x * 2 + 1, np))


@pytest.mark.parametrize("name", STACKS)
def test_stacks_of_views_below_a_reduction(name):
    x = numbers(6, 8)
    want = STACKS[name](x, np)
    assert_values(STACKS[name](pt.asarray(x), pt).sum(axis=0), want.sum(axis=0))
    assert_values(STACKS[name](pt.asarray(x), pt).max(axis=-1), want.max(axis=-1))


def test_views_of_one_value_share_its_texture(engine):
    if not engine.runs_glsl:
        x = pt.asarray(numbers(64, 64)) * 2
        y = x.reshape((-1,))
        pt.realize(x, y)
        hosts = [tensor._node.buffer.host for tensor in (x, y)]
        first, second = (getattr(host, "base", host) for host in hosts)
        assert first is second
        return
    x = pt.asarray(numbers(64, 64)) * 2
    pt.realize(x)
    before = pt.memory().num_bytes_in_gpu
    y = x.reshape((-1,))
    pt.realize(y)
    assert pt.memory().num_bytes_in_gpu == before


def test_every_other_integer():
    x = np.arange(48, dtype="int32").reshape(6, 8)
    for dtype in ("int32", "uint32", "uint8", "float32"):
        t = pt.asarray(x.astype(dtype))
        assert_values(t[:, ::2] + t[:, 1::2], x.astype(dtype)[:, ::2] + x.astype(dtype)[:, 1::2])
