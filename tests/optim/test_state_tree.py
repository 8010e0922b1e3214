"""A training state as a tree, which files hold, and back."""

from __future__ import annotations

import pytest
from helpers import assert_raises, assert_values

import py_tensor as pt
from py_tensor import errors


def model():
    shared = pt.asarray([[1.0, 2.0], [3.0, 4.0]])
    return {
        "first": shared,
        "again": shared,
        "half": pt.asarray([0.5], dtype="float16"),
        "count": pt.asarray([7], dtype="int32"),
    }


def after_two_steps(optimizer):
    state = optimizer.init(model())
    for _ in range(2):
        state = optimizer.update(state, state.params)
    return state


@pytest.mark.parametrize("optimizer", [pt.optim.sgd(0.1), pt.optim.adam(0.1, ema=0.9)])
def test_a_state_continues_from_its_tree(optimizer, tmp_path):
    state = after_two_steps(optimizer)
    path = tmp_path / "state.safetensors"
    pt.io.save(state.to_tree(), path)
    start = optimizer.init(model())
    again = start.with_tree(pt.io.load(path, like=start.to_tree()))
    assert again.step == 2
    assert again.params["count"].tolist() == [7]
    for at, vector in enumerate(state.vectors):
        assert_values(again.vectors[at], vector.numpy())
        for name, slot in state.slots.items():
            assert_values(again.slots[name][at], slot[at].numpy())


def test_a_tree_has_the_names_and_the_precision_of_the_vectors():
    optimizer = pt.optim.momentum(1e-4)
    tree = after_two_steps(optimizer).to_tree()
    assert sorted(tree) == ["params", "slots", "step"]
    assert list(tree["slots"]) == ["velocity"]
    # float16 cannot hold these changes.
    assert tree["params"]["half"].dtype is pt.float32
    assert 0 < 0.5 - tree["params"]["half"].item() < 2e-4
    assert tree["params"]["again"].tolist() == tree["params"]["first"].tolist()


def test_trees_that_do_not_fit():
    state = pt.optim.momentum(0.1).init(model())
    tree = pt.optim.adam(0.1).init(model()).to_tree()
    assert_raises(
        errors.ArgumentError,
        "with_tree: the tree belongs to another optimizer; got slots ['mean', 'square'] for "
        "['velocity']; use the optimizer that made it",
        lambda: state.with_tree(tree),
    )
    tree = state.to_tree()
    tree["params"]["first"] = pt.ones((3, 2))
    assert_raises(
        errors.ShapeError,
        "with_tree: value must have its parameter's shape; got shape (3, 2) for (2, 2); pass the "
        "tree of a state of the same parameters",
        lambda: state.with_tree(tree),
    )
