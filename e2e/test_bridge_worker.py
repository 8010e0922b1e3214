"""Test the bridge in a module worker, which has no DOM."""

from __future__ import annotations

from playwright.sync_api import Page

pytest_plugins = ["bridge_fixtures"]

WORKER = """
import { createBridge } from "%s/webgl_js_bridge/index.js";

const DOUBLE = `#version 300 es
precision highp float;
uniform highp sampler2D x0;
out vec4 y;
void main() { y = texelFetch(x0, ivec2(gl_FragCoord.xy), 0) * 2.0; }`;

try {
  const memory = new ArrayBuffer(65536);
  const bridge = createBridge({ heap: () => new Uint8Array(memory) });
  new Float32Array(memory, 0, 4).set([1, 2, 3, 4]);
  bridge.upload(1, 0, 1, 1, 0, 16);
  bridge.program(1, "double", DOUBLE);
  const plan = [1, 1, 0, 1, 0, 1, 1, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0];
  new Int32Array(memory, 64).set(plan);
  bridge.plan(1, 64, plan.length);
  new Int32Array(memory, 64).set([bridge.generation(), 1, 2]);
  bridge.run(1, 64, 3);
  bridge.read(2, 128, 16);
  await bridge.readAsync(2, 256, 16);
  const canvas = new OffscreenCanvas(1, 1);
  new Uint8Array(memory).set([9, 8, 7, 255], 512);
  bridge.upload(3, 7, 1, 1, 512, 4);
  bridge.draw(3, 1, 1, canvas);
  postMessage({
    read: [...new Float32Array(memory, 128, 4)],
    awaited: [...new Float32Array(memory, 256, 4)],
    drawn: [...canvas.getContext("2d").getImageData(0, 0, 1, 1).data],
    error: bridge.error(),
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
          worker.postMessage(null);
        })""",
        WORKER,
    )
    assert seen == {
        "read": [2, 4, 6, 8],
        "awaited": [2, 4, 6, 8],
        "drawn": [9, 8, 7, 255],
        "error": 0,
    }
