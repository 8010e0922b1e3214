"""`pt.sharding` without JAX: errors name the backend to use."""

from __future__ import annotations

import asyncio

import pytest
from helpers import assert_raises

import py_tensor as pt
from py_tensor import errors
from py_tensor.runtime.backends.numpy import NumpyBackend
from py_tensor.runtime.executor import runtime


@pytest.mark.parametrize(
    ("operation", "call"),
    [
        ("mesh", lambda: pt.sharding.mesh((1,), ("data",))),
        ("shard", lambda: pt.sharding.shard(pt.ones(2), None, "data")),
        ("shard_batch", lambda: pt.sharding.shard_batch(pt.ones(2), None)),
        ("use", lambda: pt.sharding.use(None)),
        (
            "fit",
            lambda: asyncio.run(
                pt.train.fit(
                    (lambda w, x: x * w, pt.ones(1)),
                    (pt.ones((2, 1)), pt.ones((2, 1))),
                    loss="mse",
                    optimizer="sgd",
                    mesh="data",
                )
            ),
        ),
    ],
)
def test_other_backends_name_the_one_to_use(operation, call, monkeypatch):
    if pt.get_backend() == "jax":
        monkeypatch.setattr(runtime, "backend", NumpyBackend())
    assert_raises(
        errors.BackendError,
        f"{operation}: several devices need the JAX backend; got backend "
        f'"{pt.get_backend()}"; call pt.set_backend("jax") first',
        call,
    )


def test_tensors_without_a_mesh_have_no_sharding():
    assert pt.ones(2).sharding is None
    assert pt.jit(lambda x: x if x.sharding is None else x + 1)(pt.ones(2)).tolist() == [1.0, 1.0]
