"""Test buffers of the WebGPU bridge: uploads, reads, the pool, and times of dispatches."""

from __future__ import annotations

import random

import pytest
from bridge_page import assert_stats, run_words
from gpu_bridge_page import (
    DOUBLE,
    draw_words,
    plan_words,
    read_floats,
    register_double,
    run_double,
    upload_floats,
)
from playwright.sync_api import Page
from playwright_bridge import PlaywrightGpuBridge

from py_tensor.errors import BackendError, OutOfMemoryError

pytest_plugins = ["bridge_fixtures"]

MEBIBYTE = 1 << 20


@pytest.mark.parametrize("size", [0, 1, 3, 4, 15, 16, 17, 4099, MEBIBYTE + 5, 33 * MEBIBYTE + 7])
def test_bytes_round_trip(gpu_bridge: PlaywrightGpuBridge, size: int) -> None:
    data = random.Random(size).randbytes(size)
    gpu_bridge.upload(1, size, data)
    for verb in (gpu_bridge.read, gpu_bridge.read_async):
        target = bytearray(size)
        verb(1, target)
        assert target == data
    assert_stats(gpu_bridge, uploads=1, buffersInUse=1, bytesInUse=max(16, -(-size // 16) * 16))


def test_elements_after_the_last_are_zero(gpu_bridge: PlaywrightGpuBridge) -> None:
    gpu_bridge.upload(1, 16, b"\xff" * 16)
    gpu_bridge.free(1)
    gpu_bridge.upload(2, 5, b"\1" * 5)
    target = bytearray(16)
    gpu_bridge.read(2, target)
    assert target == b"\1" * 5 + bytes(11)


def test_wrong_calls_are_errors(gpu_bridge: PlaywrightGpuBridge) -> None:
    register_double(gpu_bridge)
    gpu_bridge.alloc(1, 16)
    largest = gpu_bridge.limits()["maxStorageBufferBindingSize"]
    for error, text, verb, *values in [
        (BackendError, "buffer 1 is in use already; free it first", "alloc", 1, 16),
        (BackendError, "buffer 2 has 16 bytes; got 17", "upload", 2, 16, 0, 17),
        (BackendError, "buffer 1 has 16 bytes; got 17 asked", "read", 1, 0, 17),
        (BackendError, "no buffer 9", "read", 9, 0, 4),
        (BackendError, "no plan 9", "ready", 9),
        (BackendError, "program 1 exists already", "program", 1, "double", DOUBLE),
        (OutOfMemoryError, "a buffer is too large; got", "alloc", 3, largest + 1),
    ]:
        with pytest.raises(error, match=text):
            gpu_bridge._ask(verb, *values)
    assert_stats(gpu_bridge, buffersInUse=1, programs=1, plans=1)


@pytest.mark.parametrize(
    ("inputs", "targets"), [((), (1,)), ((0, 0), (1,))], ids=["too few", "too many"]
)
def test_a_draw_that_does_not_fit_its_shader_is_refused(
    gpu_bridge: PlaywrightGpuBridge, inputs: tuple[int, ...], targets: tuple[int, ...]
) -> None:
    gpu_bridge.program(1, "double", DOUBLE)
    gpu_bridge.plan(1, plan_words(1, [16], [draw_words(1, targets, inputs)]))
    with pytest.raises(BackendError, match="shader double has the bindings rw; got"):
        gpu_bridge.flush()


def test_freed_buffers_are_used_again_the_last_first(gpu_bridge: PlaywrightGpuBridge) -> None:
    for handle, size in enumerate((16, 16, 32), start=1):
        gpu_bridge.alloc(handle, size)
    for handle in (1, 2, 3):
        gpu_bridge.free(handle)
    assert_stats(gpu_bridge, buffersInUse=0, bytesInUse=0, buffersFree=3, bytesFree=64)
    upload_floats(gpu_bridge, 4, [1, 2, 3, 4])
    gpu_bridge.alloc(5, 32)
    assert_stats(gpu_bridge, buffersInUse=2, bytesInUse=48, buffersFree=1, bytesFree=16)
    gpu_bridge.pool_limit(8)
    assert_stats(gpu_bridge, buffersFree=0, bytesFree=0, bytesPeak=64, poolLimit=8)
    gpu_bridge.free(4)
    gpu_bridge.free(5)
    assert_stats(gpu_bridge, buffersInUse=0, buffersFree=0)


def test_a_donated_leaf_is_freed_after_its_last_read(gpu_bridge: PlaywrightGpuBridge) -> None:
    gpu_bridge.program(1, "double", DOUBLE)
    draws = [draw_words(1, [2], [0]), draw_words(1, [1], [2])]
    gpu_bridge.plan(1, plan_words(1, [16], draws, temporaries=[16]))
    upload_floats(gpu_bridge, 1, [1, 2, 3, 4])
    gpu_bridge.run(1, run_words(gpu_bridge, [-1, 2]))
    assert read_floats(gpu_bridge, 2, 4) == [4, 8, 12, 16]
    assert_stats(gpu_bridge, buffersInUse=1, buffersFree=1)
    with pytest.raises(BackendError, match=r"^no buffer 1$"):
        read_floats(gpu_bridge, 1, 4)


def test_results_of_a_run_are_read_together_from_the_second_run_on(
    bridge_page: Page, gpu_bridge: PlaywrightGpuBridge
) -> None:
    gpu_bridge.program(1, "double", DOUBLE)
    draws = [draw_words(1, [1], [0]), draw_words(1, [2], [1])]
    gpu_bridge.plan(1, plan_words(1, [16, 16], draws))
    upload_floats(gpu_bridge, 1, [1, 2, 3, 4])
    bridge_page.evaluate(
        """() => {
          const { mapAsync } = GPUBuffer.prototype;
          globalThis.maps = 0;
          GPUBuffer.prototype.mapAsync = function (...values) {
            globalThis.maps += 1;
            return mapAsync.apply(this, values);
          };
          globalThis.repair = () => Object.assign(GPUBuffer.prototype, { mapAsync });
        }"""
    )
    for run, expected in enumerate((2, 3, 4)):
        first, second = 2 + 2 * run, 3 + 2 * run
        gpu_bridge.run(1, run_words(gpu_bridge, [1, first, second]))
        assert read_floats(gpu_bridge, first, 4) == [2, 4, 6, 8]
        assert read_floats(gpu_bridge, second, 4) == [4, 8, 12, 16]
        assert bridge_page.evaluate("maps") == expected
    bridge_page.evaluate("repair()")
    assert_stats(gpu_bridge, reads=6)


@pytest.mark.parametrize("blocking", [False, True])
def test_each_dispatch_is_measured(gpu_bridge: PlaywrightGpuBridge, blocking: bool) -> None:
    gpu_bridge.program(1, "double", DOUBLE)
    gpu_bridge.program(2, "again", DOUBLE)
    draws = [draw_words(1, [2], [0]), draw_words(2, [1], [2])]
    gpu_bridge.plan(1, plan_words(1, [16], draws, temporaries=[16]))
    upload_floats(gpu_bridge, 1, [1, 2, 3, 4])
    gpu_bridge.profile(True, blocking)
    for output in (2, 3):
        gpu_bridge.run(1, run_words(gpu_bridge, [1, output]))
    times = gpu_bridge.timings_now()
    assert [name for name, _ in times] == ["double", "again"] * 2
    assert all(0 <= time < 10_000 for _, time in times)
    gpu_bridge.profile(False)
    run_double(gpu_bridge, 1, 4)
    assert gpu_bridge.timings_now() == []
    assert read_floats(gpu_bridge, 4, 4) == [4, 8, 12, 16]


FIXED = DOUBLE.replace("y0: array<vec4<f32>>", "y0: array<vec4<f32>, 64>").replace(
    "arrayLength(&y0)", "64"
)


def run_failing(bridge: PlaywrightGpuBridge) -> None:
    """Run plan 2, whose second dispatch needs a larger buffer than it gets."""
    register_double(bridge)
    bridge.program(2, "fixed", FIXED)
    bridge.plan(2, plan_words(1, [16], [draw_words(1, [1], [0]), draw_words(2, [1], [0])]))
    upload_floats(bridge, 1, [1, 2, 3, 4])
    bridge.run(2, run_words(bridge, [1, 2]))


def test_read_does_not_need_the_event_of_an_error(bridge_page: Page) -> None:
    bridge_page.evaluate("GPUDevice.prototype.addEventListener = () => {}")
    bridge = PlaywrightGpuBridge(bridge_page)
    bridge_page.evaluate("delete GPUDevice.prototype.addEventListener")
    run_failing(bridge)
    with pytest.raises(BackendError, match=r"^run: .* is too small"):
        read_floats(bridge, 2, 4)
    bridge.destroy()


def test_checks_name_the_dispatch_that_failed(gpu_bridge: PlaywrightGpuBridge) -> None:
    run_failing(gpu_bridge)
    with pytest.raises(BackendError, match=r"^run: "):
        read_floats(gpu_bridge, 2, 4)
    gpu_bridge.checks(True)
    gpu_bridge.run(2, run_words(gpu_bridge, [1, 3]))
    with pytest.raises(BackendError, match=r"^shader fixed: its dispatch failed; got "):
        read_floats(gpu_bridge, 3, 4)
    run_double(gpu_bridge, 1, 4)
    assert read_floats(gpu_bridge, 4, 4) == [2, 4, 6, 8]


def test_a_queue_of_long_work_is_bounded(gpu_bridge: PlaywrightGpuBridge) -> None:
    register_double(gpu_bridge)
    upload_floats(gpu_bridge, 1, [1, 2, 3, 4])
    # A plan that has not been measured is taken for a long one.
    answers = [gpu_bridge.run_now(1, run_words(gpu_bridge, [1, 2 + run])) for run in range(8)]
    assert -1 in answers
    assert set(answers) <= {1, -1}


def test_limits_describe_the_adapter(gpu_bridge: PlaywrightGpuBridge) -> None:
    limits = gpu_bridge.limits()
    assert limits["maxStorageBuffersPerShaderStage"] >= 8
    assert limits["maxComputeInvocationsPerWorkgroup"] >= 256
    assert "swiftshader" in limits["renderer"].lower()
    assert limits["parallelCompile"] is True
    assert isinstance(limits["languageFeatures"], list)
    assert limits["timer"] == ("timestamp-query" in limits["features"])
