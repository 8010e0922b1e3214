"""Test what happens when the driver has no memory for a texture."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator

import pytest
from bridge_page import (
    FLOAT32,
    assert_stats,
    draw_words,
    plan_words,
    read_floats,
    register_double,
    run_double,
    run_words,
)
from playwright.sync_api import Page
from playwright_bridge import PlaywrightBridge

from py_tensor.errors import BackendError, OutOfMemoryError

pytest_plugins = ["bridge_fixtures"]

LARGE = 2048, 64
"""Width and height of a float32 texture of 2 MiB."""
LOST = "the tensor was lost when GPU memory ran out; got no elements; compute it again"
FAIL = """([room, silent]) => {
  // A driver with room for `room` textures, which deleted ones leave to others.
  const gl = WebGL2RenderingContext.prototype;
  const { texStorage2D, deleteTexture, getError } = gl;
  const stored = new Set();
  let failed = false;
  globalThis.repair = () => Object.assign(gl, { texStorage2D, deleteTexture, getError });
  gl.texStorage2D = function (...values) {
    if (stored.size < room) {
      stored.add(this.getParameter(this.TEXTURE_BINDING_2D));
      texStorage2D.apply(this, values);
    } else failed = true;
  };
  gl.deleteTexture = function (texture) {
    stored.delete(texture);
    deleteTexture.call(this, texture);
  };
  gl.getError = function () {
    const code = getError.call(this);
    if (silent || !failed) return code;
    failed = false;  // the framebuffer is incomplete, too
    return this.OUT_OF_MEMORY;
  };
}"""


Fail = Callable[..., None]


@pytest.fixture
def fail(bridge_page: Page) -> Iterator[Fail]:
    """Let the driver have room for `room` more textures; if `silent`, it reports no error."""
    yield lambda room, silent=False: bridge_page.evaluate(FAIL, [room, silent])
    bridge_page.evaluate("repair()")


def register_large(bridge: PlaywrightBridge, rows: int = LARGE[1]) -> None:
    """Register plan 2, which quadruples a large texture through a temporary."""
    register_double(bridge)
    draws = [draw_words(1, 2, LARGE, [0]), draw_words(1, 1, LARGE, [2])]
    output, temporary = (FLOAT32, LARGE[0], rows, 0), (FLOAT32, *LARGE, 0)
    bridge.plan(2, plan_words(1, [output], draws, [temporary]))


def upload_large(bridge: PlaywrightBridge, handle: int) -> None:
    bridge.upload(handle, FLOAT32, *LARGE, array("f", [1.5] * 8))
    bridge.flush()


def run_large(bridge: PlaywrightBridge, leaf: int, output: int) -> None:
    bridge.run(2, run_words(bridge, [leaf, output]))
    bridge.flush()


@pytest.mark.parametrize("silent", [False, True], ids=["reported", "incomplete framebuffer"])
def test_the_pool_is_emptied_and_the_plan_runs_again(
    bridge: PlaywrightBridge, fail: Fail, silent: bool
) -> None:
    register_large(bridge)
    fail(3, silent)
    bridge.alloc(7, FLOAT32, 2048, 65)
    bridge.free(7)
    upload_large(bridge, 1)
    run_large(bridge, 1, 2)
    assert read_floats(bridge, 2, 4) == [6] * 4
    assert_stats(bridge, texturesInUse=2, texturesFree=1, bytesFree=2 << 20, draws=2)


def test_a_failing_run_leaves_nothing(bridge: PlaywrightBridge, fail: Fail) -> None:
    register_large(bridge)
    fail(2)
    upload_large(bridge, 1)
    with pytest.raises(OutOfMemoryError) as raised:
        run_large(bridge, 1, 2)
    text = "webgl: out of GPU memory; got textures of 6291456 bytes; free tensors; most is held by "
    assert str(raised.value).startswith(text)
    assert_stats(bridge, texturesInUse=1, bytesInUse=2 << 20, texturesFree=0, bytesFree=0, draws=0)
    assert read_floats(bridge, 1, 4) == [1.5] * 4


def test_uploads(bridge: PlaywrightBridge, fail: Fail) -> None:
    fail(1)
    upload_large(bridge, 1)
    with pytest.raises(OutOfMemoryError):
        upload_large(bridge, 2)
    bridge.free(1)
    upload_large(bridge, 2)
    assert read_floats(bridge, 2, 4) == [1.5] * 4


def test_small_textures_are_checked_when_they_are_read(
    bridge: PlaywrightBridge, fail: Fail
) -> None:
    register_double(bridge)
    upload_large(bridge, 1)
    fail(0)
    run_double(bridge, 1, 2)
    bridge.flush()
    with pytest.raises(OutOfMemoryError):
        read_floats(bridge, 2, 4)
    with pytest.raises(BackendError, match=LOST):
        read_floats(bridge, 2, 4)
    assert read_floats(bridge, 1, 4) == [1.5] * 4


def test_donated_buffers_of_a_failed_run(bridge: PlaywrightBridge, fail: Fail) -> None:
    register_large(bridge, rows=65)
    fail(2)
    upload_large(bridge, 1)
    with pytest.raises(OutOfMemoryError):
        run_large(bridge, -1, 2)
    with pytest.raises(BackendError, match="the tensor was donated to a function that failed"):
        read_floats(bridge, 1, 4)
    assert_stats(bridge, texturesInUse=0, texturesFree=0)
