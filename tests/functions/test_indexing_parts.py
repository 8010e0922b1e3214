"""Assignment to parts of tensors, as in `x[0][1] = 9`, which are views in NumPy and values here."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from helpers import assert_raises, assert_values

import py_tensor as pt
from py_tensor import errors

X = np.arange(24, dtype="float32").reshape(2, 3, 4)
S = slice
BASIC = [
    0,
    -1,
    (0, 1),
    S(None),
    ...,
    None,
    (),
    (S(None), 1),
    (..., 0),
    (0, S(1, None, 2)),
    (1, None),
]
NO_PARTS = {
    "list": lambda x: x[[0, 1]],
    "mask": lambda x: x[x > 3],
    "tensor of indices": lambda x: x[pt.asarray([1])],
    "list after a slice": lambda x: x[:, [0, 2]],
    "copy": lambda x: x[0].copy(),
    "pt.copy": lambda x: pt.copy(x[0]),
    "copy.copy": lambda x: copy.copy(x[0]),
    "copy.deepcopy": lambda x: copy.deepcopy(x[0]),
    "asarray": lambda x: pt.asarray(x[0], copy=True),
    "array": lambda x: pt.array(x[0]),
    "pickle": lambda x: pickle.loads(pickle.dumps(x[0])),
    "computed": lambda x: x[0] * 1,
    "cast": lambda x: x[0].astype("int32"),
    "at": lambda x: x.at[0].set(5),
    "reshape": lambda x: x.reshape((6, 4)),
    "reshape of a part": lambda x: x[0].reshape((4, 3)),
    "T": lambda x: x.T,
    "mT": lambda x: x.mT,
    "transpose": lambda x: x.transpose((1, 0, 2)),
    "permute_dims": lambda x: pt.permute_dims(x, (1, 0, 2)),
    "moveaxis": lambda x: pt.moveaxis(x, 0, 1),
    "swapaxes": lambda x: x.swapaxes(0, 1),
    "rollaxis": lambda x: pt.rollaxis(x, 1),
    "expand_dims": lambda x: pt.expand_dims(x, axis=0),
    "squeeze": lambda x: pt.squeeze(x[:, :1], axis=1),
    "flip": lambda x: pt.flip(x),
    "fliplr": lambda x: pt.fliplr(x),
    "flipud": lambda x: pt.flipud(x),
    "rot90": lambda x: pt.rot90(x),
    "ravel": lambda x: x.ravel(),
    "flatten": lambda x: x.flatten(),
    "flat": lambda x: x.flat[1:3],
    "diagonal": lambda x: pt.diagonal(x),
    "broadcast_to": lambda x: pt.broadcast_to(x, (2, 2, 3, 4)),
    "broadcast_arrays": lambda x: pt.broadcast_arrays(x, pt.ones((2, 1, 1, 1)))[0],
    "split": lambda x: pt.split(x, 2)[1],
    "array_split": lambda x: pt.array_split(x, 2, axis=1)[0],
    "hsplit": lambda x: pt.hsplit(x, [1])[0],
    "vsplit": lambda x: pt.vsplit(x, 2)[0],
    "dsplit": lambda x: pt.dsplit(x, 2)[0],
    "unstack": lambda x: pt.unstack(x)[0],
    "trim_zeros": lambda x: pt.trim_zeros(x.flatten()),
    "cropped": lambda x: pt.nn.Cropping1D(1)(x),
    "jit": lambda x: pt.jit(lambda y: y[0])(x),
    "vmap": lambda x: pt.vmap(lambda y: y[0])(x),
}
"""Functions whose results can be assigned to, since NumPy copies or the documentation says so."""


def refused(shape):
    return (
        f"setitem: tensor is a part of another one, which would not change; got a part of shape "
        f"{shape}; write x[0, 1] = 9 instead of x[0][1] = 9, or copy the part first, as in "
        "part = x[0].copy()"
    )


@pytest.mark.parametrize("key", BASIC, ids=str)
def test_parts_cannot_be_assigned_to(key):
    x = pt.asarray(X)
    part = x[key]
    assert_raises(errors.ArgumentError, refused(part.shape), lambda: part.__setitem__(..., 7.0))
    assert_values(part, X[key])
    assert_values(x, X)
    x[key] = 7.0
    assert_values(part, X[key])


def test_chained_indices_cannot_be_assigned_to():
    x = pt.asarray(X)
    with pytest.raises(errors.ArgumentError) as raised:
        x[0][1] = 9.0
    assert str(raised.value) == refused((3, 4))
    with pytest.raises(errors.ArgumentError):
        x[0][1][2] = 9.0
    with pytest.raises(errors.ArgumentError):
        x[0][1] += 9.0
    for row in x:
        with pytest.raises(errors.ArgumentError):
            row[0] = 9.0
    with pytest.raises(ValueError, match="copy the part first"):
        x[0][[0, 1]] = 9.0
    assert_values(x, X)
    x[0, 1] = 9.0
    want = X.copy()
    want[0, 1] = 9
    assert_values(x, want)


@pytest.mark.parametrize(
    "change",
    [
        lambda part: part.fill(0.0),
        lambda part: part.sort(),
        lambda part: part.partition(1),
        lambda part: part.put([0], [5.0]),
        lambda part: part.flat.__setitem__(0, 5.0),
        lambda part: pt.put(part, [0], [5.0]),
        lambda part: pt.place(part, part > 1, [5.0]),
        lambda part: pt.putmask(part, part > 1, [5.0]),
        lambda part: pt.copyto(part, 5.0),
        lambda part: pt.fill_diagonal(part, 5.0),
        lambda part: pt.put_along_axis(part, [[0]], 5.0, 1),
    ],
)
def test_functions_that_change_an_argument_refuse_parts(change):
    x = pt.asarray(X)
    part = x[1]
    with pytest.raises(errors.ArgumentError, match="tensor is a part of another one"):
        change(part)
    assert_values(x, X)
    own = part.copy()
    change(own)
    assert_values(x, X)


@pytest.mark.parametrize("name", NO_PARTS)
def test_other_results_can_be_assigned_to(name):
    x = pt.asarray(X)
    result = NO_PARTS[name](x)
    result[...] = 7
    assert (result == 7).all()
    assert_values(x, X)


def test_assignment_in_place_through_an_index():
    x, want = pt.asarray(X), X.copy()
    for array in (x, want):
        array[0] += 1
        array[:, 1:] *= 2
        array[..., 0] -= array[..., 1]
        array[1, 2, 3] /= 4
        array[None] += 1
    assert_values(x, want)


def test_assignment_in_place_gives_a_part_a_value_of_its_own():
    """As documented: `x[0] += 1` and `part += 1` call the same method of the part."""
    x = pt.asarray(X)
    part = x[0]
    part += 1
    assert_values(part, X[0] + 1)
    assert_values(x, X)
    with pytest.raises(errors.ArgumentError):
        part[0] = 5.0
    part = part + 1
    part[0] = 5.0
    assert part[0, 0].item() == 5.0


def test_parts_of_tensors_that_are_gone_can_be_assigned_to():
    part = pt.asarray(X)[0]
    part[0] = 7.0
    assert part[0].tolist() == [7.0] * 4
    x = pt.asarray(X)
    x = x[1]
    x[0] = 8.0
    assert x[0].tolist() == [8.0] * 4
    x = pt.asarray(X)
    part = x[1]
    x.dispose()
    part[0] = 6.0
    assert part[0].tolist() == [6.0] * 4
    first, second = pt.asarray(X)
    second[...] = 9.0
    assert first.shape == second.shape == (3, 4)


def test_parts_of_parts():
    x = pt.asarray(X)
    inner = x[0][1:]
    with pytest.raises(errors.ArgumentError):
        inner[0] = 1.0
    part = x[0]
    inner = part[1:]
    del x
    with pytest.raises(errors.ArgumentError):
        inner[0] = 1.0
    del part
    inner[0] = 1.0
    assert inner[0].tolist() == [1.0] * 4


def test_repeated_parts_keep_no_list_of_tensors_that_are_gone():
    x = pt.arange(100)
    for _ in range(90):
        x = x[1:]
    assert len(x._wholes) == 1
    x[0] = 5
    assert x.tolist() == [5, *range(91, 100)]


def test_parts_under_jit_and_vmap():
    def chained(x):
        x[0][1] = 9.0
        return x

    def written(x):
        x = x * 1
        x[0] += 1.0
        x[1] = x[0] * 2
        return x

    for transform in (pt.jit, pt.vmap):
        with pytest.raises(errors.ArgumentError, match="x\\[0, 1\\] = 9"):
            transform(chained)(pt.asarray(X))
    want = X.copy()
    want[0] += 1
    want[1] = want[0] * 2
    assert_values(pt.jit(written)(pt.asarray(X)), want)
    assert_values(pt.grad(lambda x: (written(x) ** 2).sum())(pt.asarray(X))[1], X[0] * 0)


def test_modules_assign_to_parameters_that_are_parts():
    """A layer of stacked layers keeps statistics of its own."""
    norm = pt.nn.BatchNorm(3)
    stacked = pt.tree_map(lambda leaf: pt.stack([leaf, leaf]), norm)
    one = pt.tree_map(lambda leaf: leaf[1], stacked)
    one(pt.asarray(X[..., :3]), training=True)
    assert (one.mean != 0).all() and (stacked.mean == 0).all()
    one.load_state_dict(norm.state_dict())
    assert (one.mean == 0).all()
    layer = pt.nn.RNN(1, 1, stateful=True, batch_size=1)
    zeros = pt.zeros((2, 1, 1))
    layer.last_state = zeros[0]
    layer(pt.ones((1, 2, 1)))
    assert (layer.last_state != 0).all() and (zeros == 0).all()
    layer.reset_state()
    assert (layer.last_state == 0).all()
