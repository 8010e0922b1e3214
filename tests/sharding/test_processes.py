"""Training on eight devices and in two processes gives the results of one device."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from work_limit import HANG_SECONDS

import py_tensor as pt

ROOT = Path(__file__).parent.parent.parent
PROGRAM = ROOT / "examples" / "outgrowing" / "train_digits.py"
"""Time for anything: other programs may keep the processor busy."""


def start(*arguments, devices=1):
    environment = {
        **os.environ,
        "JAX_PLATFORMS": "cpu",
        "PYTHONPATH": str(ROOT),
        "XLA_FLAGS": f"--xla_force_host_platform_device_count={devices}",
    }
    return subprocess.Popen(
        [sys.executable, str(PROGRAM), *map(str, arguments)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def start_job(path, epochs, devices=1):
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
    job = ("--backend", "jax", "--epochs", epochs, "--checkpoint", path, "--hosts", 2)
    return [
        start(*job, "--coordinator", address, "--host", host, devices=devices) for host in range(2)
    ]


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


def losses(process):
    """Wait until a process ends well; return the loss and the accuracy of each epoch by number."""
    printed, errors = process.communicate(timeout=HANG_SECONDS)
    assert process.returncode == 0, printed + errors
    lines = re.findall(r"epoch (\d+): loss ([\d.]+), accuracy ([\d.]+)", printed)
    return {int(epoch): (float(loss), float(accuracy)) for epoch, loss, accuracy in lines}


def test_a_job_continues_after_a_process_was_killed(tmp_path):
    path = tmp_path / "state.safetensors"
    first, second = start_job(path, 1000)
    try:
        epochs = 0
        while epochs < 2 and (line := first.stdout.readline()):
            epochs += line.startswith("epoch")
        assert epochs == 2, first.stderr.read()
        second.kill()
        _, text = first.communicate(timeout=HANG_SECONDS)
        assert first.returncode != 0
        assert "BackendError: jax: a computation of 2 processes failed, probably because" in text
        assert "start all processes again, and continue from the last checkpoint" in text
    finally:
        for process in (first, second):
            process.kill()
            process.communicate()

    done = pt.io.load(path)["epochs"].item()
    assert done >= 2
    copy = tmp_path / "copy.safetensors"
    copy.write_bytes(path.read_bytes())
    whole = start("--backend", "numpy", "--epochs", done + 2)
    job = start_job(path, done + 2)
    alone = start("--backend", "numpy", "--epochs", done + 2, "--checkpoint", copy)
    expected = losses(whole)
    wanted = {epoch: expected[epoch] for epoch in (done + 1, done + 2)}
    for continued in (losses(job[0]), losses(alone)):
        assert continued.keys() == wanted.keys()
        for epoch, values in wanted.items():
            np.testing.assert_allclose(continued[epoch], values, rtol=1e-5)
    assert losses(job[1]) == {}
    assert pt.io.load(path)["epochs"].item() == done + 2


@pytest.mark.parametrize(("killed", "devices"), [(0, 1), (1, 2)])
def test_no_process_outlives_another(tmp_path, killed, devices):
    """JAX ends the others: the coordinator was killed, or a step used several devices of each."""
    job = start_job(tmp_path / "state.safetensors", 1000, devices)
    try:
        while (line := job[0].stdout.readline()) and not line.startswith("epoch 2"):
            pass
        assert line, job[0].stderr.read()
        job[killed].kill()
        _, text = job[1 - killed].communicate(timeout=HANG_SECONDS)
        assert job[1 - killed].returncode == -signal.SIGABRT
        assert "another task died" in text
    finally:
        for process in job:
            process.kill()
            process.communicate()
    # The file of the last complete epoch is whole.
    assert pt.io.load(tmp_path / "state.safetensors")["epochs"].item() >= 1


@pytest.mark.parametrize("split", [1, 2])
def test_eight_devices_give_the_losses_of_one(split):
    one = start("--backend", "numpy", "--epochs", 2)
    eight = start("--backend", "jax", "--epochs", 2, "--split", split, devices=8)
    expected, divided = losses(one), losses(eight)
    assert divided.keys() == expected.keys() == {1, 2}
    for epoch, values in expected.items():
        np.testing.assert_allclose(divided[epoch], values, rtol=1e-5)
