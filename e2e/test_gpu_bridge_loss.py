"""Test lost devices and missing memory of the WebGPU bridge, and the bridge in a worker."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from bridge_page import assert_stats, run_words
from gpu_bridge_page import DOUBLE, read_floats, register_double, run_double, upload_floats
from playwright.sync_api import Page
from playwright_bridge import PlaywrightGpuBridge

from py_tensor.errors import BackendError, OutOfMemoryError

pytest_plugins = ["bridge_fixtures"]

VERBS = [
    ("limits",),
    ("upload", 5, 16, 0, 4),
    ("alloc", 5, 16),
    ("prepare", 1),
    ("run", 1, 0, 3),
    ("read", 1, 0, 4),
    ("readAsync", 1, 0, 4),
    ("draw", 1, 1, 1, None),
    ("fromPixels", 5, None, 1, 1),
    ("finish",),
    ("timings",),
]


@pytest.fixture
def lost(gpu_bridge: PlaywrightGpuBridge) -> PlaywrightGpuBridge:
    """Bridge with buffer 1, program 1 and plan 1 that lost its device while idle."""
    register_double(gpu_bridge)
    upload_floats(gpu_bridge, 1, [1, 2, 3, 4])
    run_double(gpu_bridge, 1, 2)
    gpu_bridge.flush()
    gpu_bridge.lose_context()
    assert gpu_bridge.is_lost()
    return gpu_bridge


def test_verbs_raise_while_the_device_is_lost(lost: PlaywrightGpuBridge) -> None:
    for command in VERBS:
        with pytest.raises(BackendError, match="webgpu: WebGPU device lost; got no answer"):
            lost.call(*command)
    lost.restore_context()


def test_programs_and_plans_can_be_registered_while_the_device_is_lost(
    lost: PlaywrightGpuBridge,
) -> None:
    register_double(lost, 2)
    lost.flush()
    lost.restore_context()
    upload_floats(lost, 1, [4, 5, 6, 7])
    run_double(lost, 1, 3, plan=2)
    assert read_floats(lost, 3, 4) == [8, 10, 12, 14]


def test_a_device_can_be_lost_many_times(lost: PlaywrightGpuBridge) -> None:
    for generation in (2, 3, 4):
        lost.restore_context()
        assert lost.generation() == generation
        for handle in (1, 2):
            with pytest.raises(BackendError, match="WebGPU device lost"):
                read_floats(lost, handle, 1)
        lost.free(1)
        lost.free(2)
        with pytest.raises(BackendError, match=r"^no buffer 1$"):
            read_floats(lost, 1, 1)
        upload_floats(lost, 1, [generation] * 4)
        run_double(lost, 1, 2)
        assert read_floats(lost, 2, 1) == [2 * generation]
        assert_stats(lost, programs=1, plans=1, buffersInUse=2, buffersFree=0)
        lost.lose_context()
    lost.restore_context()


def test_a_run_prepared_before_the_loss_does_nothing(lost: PlaywrightGpuBridge) -> None:
    words = run_words(lost, [1, 3])
    lost.restore_context()
    upload_floats(lost, 1, [4, 4, 4, 4])
    assert lost.run_now(1, words) == 2
    assert_stats(lost, draws=1, buffersInUse=1)


def test_a_device_that_the_browser_takes_away_is_replaced(bridge_page: Page) -> None:
    seen = bridge_page.evaluate(
        """async () => {
          const devices = [];
          const { requestDevice } = GPUAdapter.prototype;
          GPUAdapter.prototype.requestDevice = async function (...values) {
            devices.push(await requestDevice.apply(this, values));
            return devices.at(-1);
          };
          const { createBridge } = await import("/webgpu_js_bridge/index.js");
          const bridge = await createBridge({ heap: () => new Uint8Array(64) });
          GPUAdapter.prototype.requestDevice = requestDevice;
          devices[0].destroy();
          const end = performance.now() + 10000;
          while (bridge.generation() === 1 && performance.now() < end)
            await new Promise((next) => setTimeout(next, 5));
          const generation = bridge.generation();
          const isLost = bridge.isLost();
          bridge.destroy();
          return [generation, isLost];
        }"""
    )
    assert seen == [2, False]


@pytest.mark.parametrize(
    ("verb", "reason"),
    [("loseContext", "WebGPU device lost"), ("destroy", "the bridge was destroyed")],
)
def test_what_is_awaited_is_rejected(bridge_page: Page, verb: str, reason: str) -> None:
    seen = bridge_page.evaluate(
        """async (verb) => {
          const { createBridge } = await import("/webgpu_js_bridge/index.js");
          const memory = new Uint8Array(65536);
          const bridge = await createBridge({ heap: () => memory });
          bridge.upload(1, 16384, 0, 16384);
          const awaited = [1, 2, 3].map(() => bridge.readAsync(1, 32768, 16384));
          awaited.push(bridge.finish());
          bridge[verb]();
          const ends = await Promise.allSettled(awaited);
          bridge.destroy();
          return ends.map(({ status, reason }) => [status, reason?.message]);
        }""",
        verb,
    )
    assert seen == [["rejected", reason]] * 4


def test_a_page_without_webgpu_gets_an_error(bridge_page: Page) -> None:
    message = bridge_page.evaluate(
        """async () => {
          const { createBridge } = await import("/webgpu_js_bridge/index.js");
          const { requestAdapter } = GPU.prototype;
          GPU.prototype.requestAdapter = async () => null;
          try { await createBridge({ heap: () => new Uint8Array(8) }); }
          catch (error) { return error.message; }
          finally { GPU.prototype.requestAdapter = requestAdapter; }
        }"""
    )
    assert message.startswith(
        "webgpu: backend not available: this page gets no WebGPU adapter; the browser lacks WebGPU"
    )


FAIL = """room => {
  // A device with memory for `room` more buffers.
  const { createBuffer, popErrorScope } = GPUDevice.prototype;
  let left = room;
  let failed = false;
  globalThis.repair = () => Object.assign(GPUDevice.prototype, { createBuffer, popErrorScope });
  GPUDevice.prototype.createBuffer = function (descriptor) {
    if (descriptor.usage & GPUBufferUsage.STORAGE) failed = left-- <= 0;
    return createBuffer.call(this, descriptor);
  };
  GPUDevice.prototype.popErrorScope = function () {
    const answer = popErrorScope.call(this);
    if (!failed) return answer;
    failed = false;
    return answer.then(() => new GPUOutOfMemoryError("no memory"));
  };
}"""


@pytest.fixture
def fail(bridge_page: Page) -> Iterator[Callable[[int], None]]:
    """Let the device have memory for so many more buffers."""
    yield lambda room: bridge_page.evaluate(FAIL, room)
    bridge_page.evaluate("repair()")


def test_missing_memory_is_raised_by_the_next_read(
    gpu_bridge: PlaywrightGpuBridge, fail: Callable[[int], None]
) -> None:
    register_double(gpu_bridge)
    upload_floats(gpu_bridge, 1, [1, 2, 3, 4])
    assert read_floats(gpu_bridge, 1, 4) == [1, 2, 3, 4]
    gpu_bridge.prepare(1)
    gpu_bridge.flush()
    fail(0)
    run_double(gpu_bridge, 1, 2)
    with pytest.raises(OutOfMemoryError) as raised:
        read_floats(gpu_bridge, 2, 4)
    text = "webgpu: out of GPU memory; got buffers of 32 bytes; free tensors; most is held by "
    assert str(raised.value).startswith(text)
    lost = "the tensor was lost when GPU memory ran out; got no elements; compute it again"
    with pytest.raises(BackendError, match=lost):
        read_floats(gpu_bridge, 2, 4)
    assert read_floats(gpu_bridge, 1, 4) == [1, 2, 3, 4]
    assert_stats(gpu_bridge, buffersInUse=1, buffersFree=0)


def test_missing_memory_is_raised_by_the_next_run(
    gpu_bridge: PlaywrightGpuBridge, fail: Callable[[int], None]
) -> None:
    register_double(gpu_bridge)
    upload_floats(gpu_bridge, 1, [1, 2, 3, 4])
    assert read_floats(gpu_bridge, 1, 4) == [1, 2, 3, 4]
    fail(0)
    gpu_bridge.alloc(2, 1 << 20)
    gpu_bridge.finish()
    with pytest.raises(OutOfMemoryError):
        run_double(gpu_bridge, 1, 3)
        gpu_bridge.flush()


WORKER = """
import { createBridge } from "%s/webgpu_js_bridge/index.js";

try {
  const memory = new ArrayBuffer(65536);
  const bridge = await createBridge({ heap: () => new Uint8Array(memory) });
  new Float32Array(memory, 0, 4).set([1, 2, 3, 4]);
  bridge.upload(1, 16, 0, 16);
  bridge.program(1, "double", SOURCE);
  const plan = [1, 1, 0, 1, 16, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0];
  new Int32Array(memory, 64).set(plan);
  bridge.plan(1, 64, plan.length);
  await bridge.prepare(1);
  new Int32Array(memory, 64).set([bridge.generation(), 1, 2]);
  bridge.run(1, 64, 3);
  await bridge.readAsync(2, 256, 16);
  new Uint8Array(memory).set([9, 8, 7, 255], 512);
  bridge.upload(3, 4, 512, 4);
  bridge.alloc(4, 4);
  const picture = new OffscreenCanvas(1, 1);
  picture.getContext("2d").fillRect(0, 0, 1, 1);
  bridge.fromPixels(4, picture, 1, 1);
  await bridge.readAsync(4, 600, 4);
  postMessage({
    awaited: [...new Float32Array(memory, 256, 4)],
    pixel: [...new Uint8Array(memory, 600, 4)],
    error: await bridge.error(),
  });
} catch (error) {
  postMessage(String(error));
}
"""


def test_everything_works_in_a_worker(bridge_page: Page) -> None:
    seen = bridge_page.evaluate(
        """source => new Promise((resolve, reject) => {
          const type = "text/javascript";
          const script = new Blob([source.replace("%s", location.origin)], { type });
          const worker = new Worker(URL.createObjectURL(script), { type: "module" });
          worker.onmessage = ({ data }) => { resolve(data); worker.terminate(); };
          worker.onerror = ({ message }) => reject(new Error(`worker: ${message}`));
        })""",
        WORKER.replace("SOURCE", f"`{DOUBLE}`"),
    )
    assert seen == {"awaited": [2, 4, 6, 8], "pixel": [0, 0, 0, 255], "error": ""}
