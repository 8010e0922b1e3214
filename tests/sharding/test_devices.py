"""`pt.sharding` on one device, on eight devices, and without JAX."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import assert_raises

import py_tensor as pt
from py_tensor import errors


def test_on_eight_devices():
    """The number of devices is fixed when JAX starts, hence a process of its own."""
    environment = {
        **os.environ,
        "JAX_PLATFORMS": "cpu",
        "XLA_FLAGS": "--xla_force_host_platform_device_count=8",
    }
    path = Path(__file__).with_name("on_eight_devices.py")
    command = [sys.executable, "-m", "pytest", "-q", "--backend", "jax", str(path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif("config.option.backend == 'jax'")
@pytest.mark.parametrize(
    ("operation", "call"),
    [
        ("mesh", lambda: pt.sharding.mesh((1,), ("data",))),
        ("shard", lambda: pt.sharding.shard(pt.ones(2), None, "data")),
        ("shard_batch", lambda: pt.sharding.shard_batch(pt.ones(2), None)),
        ("use", lambda: pt.sharding.use(None)),
        (
            "shard",
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
def test_other_backends_name_the_one_to_use(operation, call):
    assert_raises(
        errors.BackendError,
        f"{operation}: several devices need the JAX backend; got backend "
        f'"{pt.get_backend()}"; call pt.set_backend("jax") first',
        call,
    )


def test_tensors_without_a_mesh_have_no_sharding():
    assert pt.ones(2).sharding is None
    assert pt.jit(lambda x: x if x.sharding is None else x + 1)(pt.ones(2)).tolist() == [1.0, 1.0]
