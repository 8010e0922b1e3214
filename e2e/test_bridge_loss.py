"""Test that functions raise while the context is lost and work after a restore."""

from __future__ import annotations

import pytest
from bridge_page import (
    FLOAT32,
    assert_stats,
    read_floats,
    register_double,
    run_double,
    run_words,
    upload_floats,
)
from playwright.sync_api import Page
from playwright_bridge import PlaywrightBridge

from py_tensor.errors import BackendError

pytest_plugins = ["bridge_fixtures"]

VERBS = [
    ("limits",),
    ("upload", 5, FLOAT32, 1, 1, 0, 4),
    ("alloc", 5, FLOAT32, 1, 1),
    ("run", 1, 0, 3),
    ("read", 1, 0, 4),
    ("readAsync", 1, 0, 4),
    ("draw", 1, 1, 1, None),
    ("fromPixels", 5, None, 1, 1),
    ("finish",),
    ("timings",),
]


@pytest.fixture
def lost(bridge: PlaywrightBridge) -> PlaywrightBridge:
    """Bridge with buffer 1, program 1 and plan 1 that lost its context while idle."""
    register_double(bridge)
    upload_floats(bridge, 1, [1, 2])
    run_double(bridge, 1, 2)
    bridge.flush()
    bridge.lose_context()
    assert bridge.is_lost()
    return bridge


@pytest.mark.parametrize("command", VERBS, ids=lambda command: command[0])
def test_verbs_raise_while_the_context_is_lost(
    lost: PlaywrightBridge, command: tuple[object, ...]
) -> None:
    with pytest.raises(BackendError, match="WebGL context lost"):
        lost.call(*command)
    lost.restore_context()


def test_programs_and_plans_can_be_registered_while_the_context_is_lost(
    lost: PlaywrightBridge,
) -> None:
    register_double(lost, 2)
    lost.flush()
    lost.restore_context()
    upload_floats(lost, 1, [4])
    run_double(lost, 1, 3, plan=2)
    assert read_floats(lost, 3, 1) == [8]


def test_counts_and_free_work_while_the_context_is_lost(lost: PlaywrightBridge) -> None:
    lost.free(1)
    assert_stats(lost, texturesInUse=0, bytesInUse=0, texturesFree=0, programs=1, plans=1)
    assert lost.call("generation") == 1
    lost.restore_context()
    assert not lost.is_lost()
    assert lost.generation() == 2


def test_programs_and_plans_work_after_a_restore(lost: PlaywrightBridge) -> None:
    lost.restore_context()
    for handle in (1, 2):
        with pytest.raises(BackendError, match="WebGL context lost"):
            read_floats(lost, handle, 1)
    lost.free(1)
    with pytest.raises(BackendError, match=r"^no buffer 1$"):
        read_floats(lost, 1, 1)
    upload_floats(lost, 1, [4, 5, 6, 7])
    run_double(lost, 1, 2)
    assert read_floats(lost, 2, 4) == [8, 10, 12, 14]
    assert_stats(lost, programs=1, plans=1, compiled=2, draws=2)
    assert lost.error() == 0


def test_a_run_prepared_before_the_loss_does_nothing(lost: PlaywrightBridge) -> None:
    words = run_words(lost, [1, 3])
    lost.restore_context()
    upload_floats(lost, 1, [4])
    assert lost.run_now(1, words) == 2
    assert_stats(lost, draws=1, texturesInUse=1)


def test_a_context_can_be_lost_many_times(lost: PlaywrightBridge) -> None:
    for generation in (2, 3, 4):
        lost.restore_context()
        assert lost.generation() == generation
        upload_floats(lost, 1, [generation])
        run_double(lost, 1, 2)
        assert read_floats(lost, 2, 1) == [2 * generation]
        lost.lose_context()
    lost.restore_context()


def test_a_loss_in_flight_rejects_what_is_awaited(bridge_page: Page) -> None:
    seen = bridge_page.evaluate(
        """async () => {
          const { createBridge } = await import("/webgl_js_bridge/index.js");
          const memory = new Uint8Array(65536);
          const bridge = createBridge({ heap: () => memory });
          bridge.upload(1, 0, 1024, 1, 0, 16384);
          const reads = [1, 2, 3].map(() => bridge.readAsync(1, 32768, 16384));
          bridge.loseContext();
          const ends = await Promise.allSettled(reads);
          bridge.destroy();
          return ends.map(({ status, reason }) => [status, reason?.message]);
        }"""
    )
    assert seen == [["rejected", "WebGL context lost"]] * 3


def test_destroying_rejects_what_is_awaited(bridge_page: Page) -> None:
    seen = bridge_page.evaluate(
        """async () => {
          const { createBridge } = await import("/webgl_js_bridge/index.js");
          const memory = new Uint8Array(65536);
          const bridge = createBridge({ heap: () => memory });
          bridge.upload(1, 0, 1024, 1, 0, 16384);
          const read = bridge.readAsync(1, 32768, 16384);
          bridge.destroy();
          const [{ status, reason }] = await Promise.allSettled([read]);
          return [status, reason.message];
        }"""
    )
    assert seen == ["rejected", "the bridge was destroyed"]


def test_a_page_without_webgl_gets_an_error(bridge_page: Page) -> None:
    message = bridge_page.evaluate(
        """async () => {
          const { createBridge } = await import("/webgl_js_bridge/index.js");
          const canvas = document.createElement("canvas");
          canvas.getContext("2d");
          try { createBridge({ heap: () => new Uint8Array(8), canvas }); }
          catch (error) { return error.message; }
        }"""
    )
    assert message == (
        "webgl: backend not available: this page gets no WebGL2 context; "
        "the browser lacks it, has it turned off, or has too many contexts open"
    )


def test_canvases_without_webgl_are_replaced_by_those_of_the_page(bridge_page: Page) -> None:
    """As in WebKitGTK, whose canvases outside of a page have no WebGL."""
    values = bridge_page.evaluate(
        """async () => {
          const { createBridge } = await import("/webgl_js_bridge/index.js");
          const { getContext } = OffscreenCanvas.prototype;
          OffscreenCanvas.prototype.getContext = () => null;
          try {
            const memory = new Uint8Array(64);
            new Float32Array(memory.buffer).set([1, 2, 3, 4]);
            const bridge = createBridge({ heap: () => memory });
            bridge.upload(1, 0, 1, 1, 0, 16);
            bridge.read(1, 32, 16);
            bridge.destroy();
            return [...new Float32Array(memory.buffer, 32, 4)];
          } finally {
            OffscreenCanvas.prototype.getContext = getContext;
          }
        }"""
    )
    assert values == [1, 2, 3, 4]
