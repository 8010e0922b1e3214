"""Policies of `checkpoint`, and the values that a backward pass reads."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import py_tensor as pt
from py_tensor import checkpoint_policies as policies
from py_tensor.ad_checkpoint import checkpoint_name, print_saved_residuals

W = np.float32([[1.0, 2.0], [3.0, 4.0]])
X = np.float32([0.5, -0.5])


def network(w, x):
    for name in ("first", "second"):
        x = checkpoint_name(pt.sin(w @ x), name)
    return pt.sum(x)


def saved(function, capsys):
    print_saved_residuals(function, W, X)
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize(
    ("policy", "kept"),
    [
        (policies.nothing_saveable, 0),
        (None, 0),
        (policies.dots_saveable, 2),
        (policies.dots_with_no_batch_dims_saveable, 2),
        (policies.save_only_these_names("first"), 1),
        (policies.save_any_names_but_these("first", "second"), 0),
    ],
)
def test_policies_choose_what_is_kept(policy, kept, capsys):
    lines = saved(pt.checkpoint(network, policy=policy), capsys)
    assert sum("output of" in line for line in lines) == kept
    assert sum("from the argument" in line for line in lines) == 2


def test_everything_saveable_is_like_no_checkpoint(capsys):
    plain = saved(network, capsys)
    assert saved(pt.checkpoint(network, policy=policies.everything_saveable), capsys) == plain
    everything = policies.save_anything_except_these_names()
    assert saved(pt.checkpoint(network, policy=everything), capsys) == plain
    both = policies.save_from_both_policies(policies.nothing_saveable, everything)
    assert saved(pt.checkpoint(network, policy=both), capsys) == plain


def test_batches_of_products_are_not_kept(capsys):
    @partial(pt.checkpoint, policy=policies.dots_with_no_batch_dims_saveable)
    def products(w, x):
        return pt.sum(pt.sin(pt.stack([w, w]) @ pt.stack([w, 2 * w])))

    assert not [line for line in saved(products, capsys) if "dot" in line]


@pytest.mark.parametrize(
    "policy", [policies.dots_saveable, policies.save_only_these_names("first")]
)
def test_gradients_do_not_depend_on_the_policy(policy):
    expected = pt.grad(network)(W, X).tolist()
    assert pt.grad(pt.checkpoint(network, policy=policy))(W, X).tolist() == expected
    assert pt.grad(pt.remat(network))(W, X).tolist() == expected
