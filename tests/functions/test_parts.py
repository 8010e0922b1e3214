"""Parts of tensors are views, as in NumPy: assigning to one changes the whole, and vice versa."""

from __future__ import annotations

import copy
import pickle
import random

import numpy as np
import pytest
from helpers import assert_raises, assert_values

import py_tensor as pt
from py_tensor import errors

X = np.arange(24, dtype="float32").reshape(2, 3, 4)
S = slice
VIEWS = {
    "integer": lambda x, m: x[1],
    "negative integer": lambda x, m: x[-1],
    "integers": lambda x, m: x[0, 1],
    "slice": lambda x, m: x[:],
    "ellipsis": lambda x, m: x[...],
    "no axes": lambda x, m: x[1, 2, 3, ...],
    "new axis": lambda x, m: x[None],
    "empty key": lambda x, m: x[()],
    "column": lambda x, m: x[:, 1],
    "steps": lambda x, m: x[0, 1::2],
    "backward": lambda x, m: x[::-1, :, ::-2],
    "new axis after integer": lambda x, m: x[1, None],
    "nothing": lambda x, m: x[2:],
    "part of a part": lambda x, m: x[1][1:][0],
    "reshape": lambda x, m: x.reshape((6, 4)),
    "reshape of a part": lambda x, m: x[0].reshape((4, 3)),
    "m.reshape": lambda x, m: m.reshape(x, (4, 6)),
    "T": lambda x, m: x.T,
    "mT": lambda x, m: x.mT,
    "T of a part": lambda x, m: x[0].T[1:],
    "transpose": lambda x, m: x.transpose((1, 0, 2)),
    "permute_dims": lambda x, m: m.permute_dims(x, (1, 0, 2)),
    "moveaxis": lambda x, m: m.moveaxis(x, 0, 1),
    "swapaxes": lambda x, m: x.swapaxes(0, 1),
    "rollaxis": lambda x, m: m.rollaxis(x, 1),
    "expand_dims": lambda x, m: m.expand_dims(x, axis=0),
    "squeeze": lambda x, m: m.squeeze(x[:, :1], axis=1),
    "atleast_2d": lambda x, m: m.atleast_2d(x[0, 0]),
    "flip": lambda x, m: m.flip(x),
    "fliplr": lambda x, m: m.fliplr(x),
    "flipud": lambda x, m: m.flipud(x),
    "rot90": lambda x, m: m.rot90(x),
    "ravel": lambda x, m: x.ravel(),
    "ravel of a part": lambda x, m: x[1].ravel(),
    "split": lambda x, m: m.split(x, 2)[1],
    "array_split": lambda x, m: m.array_split(x, 2, axis=1)[0],
    "hsplit": lambda x, m: m.hsplit(x, [1])[0],
    "vsplit": lambda x, m: m.vsplit(x, 2)[0],
    "dsplit": lambda x, m: m.dsplit(x, 2)[0],
    "unstack": lambda x, m: m.unstack(x)[0],
}
"""Functions whose results share elements with x in NumPy."""
COPIES = {
    "element": lambda x: x[0, 1, 2],
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
    "reshape that copies": lambda x: x.reshape((6, 4), copy=True),
    "flatten": lambda x: x.flatten(),
    "flatten of a row": lambda x: x[0, 0].flatten(),
    "reshape in another order": lambda x: x.T.reshape((6, 4)),
    "reshape of columns": lambda x: x[:, :, 1:3].reshape(-1),
    "ravel in another order": lambda x: x.T.ravel(),
    "ravel of steps": lambda x: x[0, 0, ::2].ravel(),
    "flat": lambda x: x.flat[1:3],
    "broadcast_to": lambda x: pt.broadcast_to(x, (2, 2, 3, 4)),
    "broadcast_arrays": lambda x: pt.broadcast_arrays(x, pt.ones((2, 1, 1, 1)))[0],
    "jit": lambda x: pt.jit(lambda y: y[0])(x),
    "vmap": lambda x: pt.vmap(lambda y: y[0])(x),
}
"""Functions whose results share no elements with x."""


@pytest.mark.parametrize("name", VIEWS)
def test_assignment_to_a_view_changes_the_whole(name):
    x, want = pt.asarray(X), X.copy()
    for array, module in ((x, pt), (want, np)):
        part = VIEWS[name](array, module)
        part += 1
        part[...] = part * 2
        if part.ndim:
            part[:1] = 50
            part[part > 49] = -1
    assert_values(x, want)
    assert_values(VIEWS[name](x, pt), VIEWS[name](want, np))


@pytest.mark.parametrize("name", VIEWS)
def test_assignment_to_the_whole_changes_a_view(name):
    x, want = pt.asarray(X), X.copy()
    part, part_of_want = VIEWS[name](x, pt), VIEWS[name](want, np)
    for array in (x, want):
        array[0, 1] = -5
        array *= 3
        array[1, :, 2:] = array[0, :, 1:3] + 1
    assert_values(part, part_of_want)


@pytest.mark.parametrize("name", COPIES)
def test_assignment_to_a_copy_keeps_the_argument(name):
    x = pt.asarray(X)
    result = COPIES[name](x)
    result[...] = 7
    assert (result == 7).all()
    assert_values(x, X)
    before = COPIES[name](x)
    kept = before.tolist()
    x[...] = 1
    assert before.tolist() == kept


def test_diagonal_is_a_view_that_can_be_assigned_to():
    for shape, offset in (((3, 4), 0), ((4, 3), 1), ((2, 4, 3), -1), ((3, 3), 2)):
        x = np.arange(np.prod(shape), dtype="int32").reshape(shape)
        tensor, want = pt.asarray(x), x.copy()
        pt.linalg.diagonal(tensor, offset=offset)[...] = -7
        rows, columns = np.indices(shape[-2:])
        want[..., columns - rows == offset] = -7
        assert_values(tensor, want)
    tensor = pt.asarray(X)
    pt.diagonal(tensor, 0, 0, 2)[1] += 100
    want = X.copy()
    want[[0, 1], 1, [0, 1]] += 100
    assert_values(tensor, want)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "int32", "uint32", "complex64"])
def test_views_of_every_dtype(dtype):
    x = pt.asarray(X % 2).astype(dtype)
    want = (X % 2).astype(dtype)
    for array in (x, want):
        array[1:, ::-1, 1:][0] = array[0][:, 1:]
        array.T[0, 0] = 1
    assert_values(x, want)


def test_functions_that_change_an_argument_write_through():
    changes = [
        lambda m, part: part.fill(0.0),
        lambda m, part: part[::-1].sort(),
        lambda m, part: part.put([0], [5.0]),
        lambda m, part: part.flat.__setitem__(0, 5.0),
        lambda m, part: m.put(part, [0], [5.0]),
        lambda m, part: m.place(part, part > 1, [5.0]),
        lambda m, part: m.putmask(part, part > 1, [5.0]),
        lambda m, part: m.copyto(part, 5.0),
        lambda m, part: m.fill_diagonal(part, 5.0),
        lambda m, part: m.put_along_axis(part, np.asarray([[0]]), 5.0, 1),
    ]
    for change in changes:
        x, want = pt.asarray(X), X.copy()
        change(pt, x[1])
        change(np, want[1])
        assert_values(x, want)


def test_chained_indices_and_rows_of_a_loop_write_through():
    x, want = pt.asarray(X), X.copy()
    for array in (x, want):
        array[0][1] = 9.0
        array[0][1][2] = 11.0
        array[0][1] += 9.0
        array[1][1:][array[1][1:] > 20] = 0.5
        for at, matrix in enumerate(array):
            matrix[at] *= 2
            for row in matrix:
                row[0] = -row[1]
    assert_values(x, want)


def test_rows_of_a_long_tensor_write_through():
    x = pt.zeros((40, 3))
    for at, row in enumerate(x):
        row += at
        if at < 39:
            x[at + 1, 0] = 100
    want = np.repeat(np.arange(40, dtype="float32"), 3).reshape(40, 3)
    want[1:, 0] += 100
    assert_values(x, want)
    vector = pt.arange(40)
    for element in vector:
        element += 1
    assert_values(vector, np.arange(40, dtype="int32"))


def test_views_of_one_tensor_see_each_other():
    x = pt.zeros(6)
    left, right, everything = x[:4], x[2:], x.reshape(2, 3)
    left += 1
    right *= 5
    everything[0, 0] = 7
    assert left.tolist() == [7.0, 1.0, 5.0, 5.0]
    assert right.tolist() == [5.0, 5.0, 0.0, 0.0]
    assert x.tolist() == [7.0, 1.0, 5.0, 5.0, 0.0, 0.0]


def test_swapping_rows_through_a_view_needs_a_copy_as_in_numpy():
    x, want = pt.asarray(X[0]), X[0].copy()
    for array in (x, want):
        array[0], array[1] = array[1].copy(), array[0].copy()
        array[[0, 2]] = array[[2, 0]]
    assert_values(x, want)


def test_parts_of_tensors_that_are_gone_keep_their_values():
    part = pt.asarray(X)[0]
    part[0] = 7.0
    assert part[0].tolist() == [7.0] * 4
    x = pt.asarray(X)
    part = x[1]
    x.dispose()
    part[0] = 6.0
    assert part[0].tolist() == [6.0] * 4
    outer = pt.asarray(X)
    part = outer[1]
    inner = part[1:]
    del outer
    inner[0] = 1.0
    assert part[1].tolist() == [1.0] * 4


def test_a_part_keeps_no_memory_of_the_whole():
    before = pt.memory()
    x = pt.ones((1000, 4)) + 1
    part = x[:2]
    pt.realize(x, part)
    del x
    assert pt.memory().num_tensors == before.num_tensors + 1
    assert pt.memory().num_bytes == before.num_bytes + 32
    part += 1
    assert part.tolist() == [[3.0] * 4] * 2


def test_repeated_parts_keep_no_list_of_tensors_that_are_gone():
    x = pt.arange(100)
    whole = x
    for _ in range(90):
        x = x[1:]
    assert len(x._links.bases) == 2
    assert len(whole._links.parts) < 40
    x[0] = 5
    assert whole[90:].tolist() == [5, *range(91, 100)]


def test_base_and_shared_memory():
    x = pt.asarray(X)
    assert x.base is None and x[0][1].base is x and (x[0] + 1).base is None
    assert pt.shares_memory(x, x[0]) and pt.may_share_memory(x[0], x[0, 1])
    assert not pt.shares_memory(x[0], x[1])
    assert not pt.shares_memory(x[..., ::2], x[..., 1::2])
    assert not pt.shares_memory(x, x.copy()) and not pt.shares_memory(x, 3)


def test_reshape_without_a_copy_is_refused_where_elements_must_move():
    x = pt.asarray(X[0])
    x.reshape(12, copy=False)[0] = 9
    assert x[0, 0] == 9
    with pytest.raises(errors.ArgumentError, match="reshape: elements must be copied"):
        x.T.reshape(12, copy=False)


def test_parts_in_traced_functions_are_values_of_their_own():
    def chained(x):
        x[0][1] = 9.0
        return x

    def added(x):
        row = x[0]
        row += 1.0
        return x.sum() + row.sum()

    def written(x):
        x = x * 1
        x[0] += 1.0
        x[1] = x[0] * 2
        return x

    for transform in (pt.jit, pt.vmap, lambda f: pt.grad(lambda x: f(x).sum())):
        with pytest.raises(errors.ArgumentError, match="x\\[0, 1\\] = 9"):
            transform(chained)(pt.asarray(X))
    x = pt.asarray(X)
    assert pt.jit(added)(x) == X.sum() + X[0].sum() + 12
    assert_values(pt.grad(added)(x)[0], np.full((3, 4), 2, dtype="float32"))
    assert_values(x, X)
    want = X.copy()
    want[0] += 1
    want[1] = want[0] * 2
    assert_values(pt.jit(written)(pt.asarray(X)), want)
    assert_values(pt.grad(lambda x: (written(x) ** 2).sum())(pt.asarray(X))[1], X[0] * 0)


def test_an_argument_that_a_traced_function_changes_changes_its_whole():
    @pt.jit
    def doubled(x):
        x *= 2

    x = pt.asarray(X)
    doubled(x[1])
    assert_values(x[1], X[1] * 2)
    assert_values(x[0], X[0])
    part = x[0]
    assert_raises(
        errors.TraceError,
        f"jit: cannot assign in place to a tensor from outside change; got {part._spec}; pass it "
        "as an argument, or return the new value",
        lambda: pt.jit(_changing(part))(1.0),
    )


def _changing(part):
    def change(value):
        part[...] = value

    return change


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


def _random_view(rng, array):
    kind = rng.randrange(5)
    if kind == 0 and array.ndim:
        keys = []
        for n in array.shape:
            first, last = sorted((rng.randrange(n + 1), rng.randrange(n + 1)))
            step = rng.choice([1, 1, 2, -1])
            keys.append(S(last, first or None, -1) if step < 0 else S(first, last, step))
        return lambda x: x[tuple(keys)]
    if kind == 1 and array.ndim > 1 and array.shape[0]:
        at = rng.randrange(array.shape[0])
        return lambda x: x[at]
    if kind == 2:
        order = rng.sample(range(array.ndim), array.ndim)
        return lambda x: x.transpose(order)
    if kind == 3:
        return lambda x: x.reshape((-1, 2) if x.size % 2 == 0 and x.size else x.shape)
    return lambda x: x[None] if x.ndim < 4 else x


@pytest.mark.parametrize("seed", range(12))
def test_random_programs_of_views_and_assignments_agree_with_numpy(seed):
    rng = random.Random(seed)
    pairs = [(pt.asarray(X), X.copy())]
    for step in range(25):
        tensor, array = rng.choice(pairs)
        if rng.random() < 0.6:
            view = _random_view(rng, array)
            pairs.append((view(tensor), view(array)))
        elif rng.random() < 0.5:
            array += step
            tensor += step
        else:
            array[...] = array * 2 - step
            tensor[...] = tensor * 2 - step
        if len(pairs) > 8:
            pairs.pop(rng.randrange(1, len(pairs)))
    for tensor, array in pairs:
        assert_values(tensor, array)
