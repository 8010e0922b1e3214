"""Test that programs compile in parallel and report their progress."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic, sleep

import pytest
from bridge_page import (
    FLOAT32,
    HEAD,
    assert_stats,
    draw_words,
    plan_words,
    read_floats,
    register_double,
    run_double,
    run_words,
    upload_floats,
)
from playwright.sync_api import Page
from playwright_bridge import PlaywrightBridge

from py_tensor.errors import BackendError, ShaderError

pytest_plugins = ["bridge_fixtures"]

ROW = (FLOAT32, 1, 1, 0)
COUNT = 5
SPY = """() => {
  const gl = WebGL2RenderingContext.prototype;
  const { linkProgram, getProgramParameter } = gl;
  globalThis.calls = [];
  gl.linkProgram = function (program) {
    calls.push("link");
    return linkProgram.call(this, program);
  };
  gl.getProgramParameter = function (program, name) {
    calls.push({ 0x8b82: "wait", 0x91b1: "ask" }[name] ?? "reflect");
    return getProgramParameter.call(this, program, name);
  };
  globalThis.unspy = () => Object.assign(gl, { linkProgram, getProgramParameter });
}"""
# The browser of the tests may or may not have the extension, so it is simulated. A simulated
# extension reports program n as complete at the (n + 1)-th query.
EXTENSION = """(present) => {
  const gl = WebGL2RenderingContext.prototype;
  const { getExtension, getProgramParameter, linkProgram } = gl;
  const asks = new WeakMap();
  let linked = 0;
  gl.getExtension = function (name) {
    if (name === "KHR_parallel_shader_compile") return present ? {} : null;
    return getExtension.call(this, name);
  };
  gl.linkProgram = function (program) {
    asks.set(program, ++linked);
    return linkProgram.call(this, program);
  };
  gl.getProgramParameter = function (program, name) {
    if (name !== 0x91b1) return getProgramParameter.call(this, program, name);
    if (!present) throw new Error("asked without the extension");
    asks.set(program, asks.get(program) - 1);
    return asks.get(program) < 0;
  };
  const before = { getExtension, getProgramParameter, linkProgram };
  globalThis.withoutPatch = () => Object.assign(gl, before);
}"""


@contextmanager
def extension(page: Page, present: bool) -> Iterator[None]:
    """Simulate a context with or without KHR_parallel_shader_compile."""
    page.evaluate(EXTENSION, present)
    try:
        yield
    finally:
        page.evaluate("() => withoutPatch()")


def program(number: int) -> str:
    return f"{HEAD}out vec4 y;\nvoid main() {{ y = vec4({number}.0) + {number}.5; }}"


def register(bridge: PlaywrightBridge) -> None:
    """Register programs 1, 2, ... and plan 1, which draws with each and twice with the first."""
    for number in range(1, COUNT + 1):
        bridge.program(number, f"program {number}", program(number))
    draws = [draw_words(n, n - 1, (1, 1)) for n in range(1, COUNT + 1)]
    bridge.plan(1, plan_words(0, [ROW] * COUNT, [*draws, draw_words(1, 0, (1, 1))]))


def run(bridge: PlaywrightBridge) -> None:
    bridge.run(1, run_words(bridge, range(1, COUNT + 1)))
    assert read_floats(bridge, 3, 4) == [6.5] * 4


@contextmanager
def spied(page: Page) -> Iterator[list[str]]:
    """Yield a list that receives the recorded program queries at the end of the block."""
    calls: list[str] = []
    page.evaluate(SPY)
    try:
        yield calls
    finally:
        calls += page.evaluate("() => { unspy(); return calls; }")


def test_all_are_started_before_the_first_is_waited_for(
    bridge: PlaywrightBridge, bridge_page: Page
) -> None:
    with spied(bridge_page) as calls:
        register(bridge)
        run(bridge)
    assert calls[:COUNT] == ["link"] * COUNT
    assert calls.count("link") == calls.count("wait") == COUNT


def test_ready_waits_for_nothing(bridge: PlaywrightBridge, bridge_page: Page) -> None:
    with extension(bridge_page, present=True), spied(bridge_page) as calls:
        register(bridge)
        assert [bridge.ready(1) for _ in range(COUNT + 2)] == [0, 1, 2, 3, 4, 5, 5]
        run(bridge)
    # Each is waited for once, right after it was reported complete, and not queried again.
    waits = [at for at, call in enumerate(calls) if call == "wait"]
    assert len(waits) == COUNT
    assert all(calls[at - 1] == "ask" for at in waits)
    assert calls.count("ask") == sum(range(2, COUNT + 2))
    assert_stats(bridge, compiled=COUNT, programs=COUNT)


def test_each_call_waits_for_one_without_the_extension(
    bridge: PlaywrightBridge, bridge_page: Page
) -> None:
    with extension(bridge_page, present=False):
        register(bridge)
        assert [bridge.ready(1) for _ in range(COUNT + 1)] == [1, 2, 3, 4, 5, 5]
    run(bridge)


def test_ready_in_this_browser(bridge: PlaywrightBridge) -> None:
    register(bridge)
    seen = [bridge.ready(1)]
    end = monotonic() + 30
    while seen[-1] < COUNT and monotonic() < end:
        sleep(0.005)
        seen.append(bridge.ready(1))
    assert seen == sorted(seen) and seen[-1] == COUNT
    run(bridge)


def test_ready_reports_errors(bridge: PlaywrightBridge) -> None:
    bridge.program(1, "wrong", f"{HEAD}out vec4 y;\nvoid main() {{ y = nothing; }}")
    bridge.plan(1, plan_words(0, [ROW], [draw_words(1, 0, (1, 1))]))
    end = monotonic() + 30
    with pytest.raises(ShaderError, match=r"^shader wrong: ERROR: 0:5: 'nothing'"):
        while monotonic() < end:
            assert bridge.ready(1) == 0
            sleep(0.005)


def test_ready_after_a_loss_compiles_again(bridge: PlaywrightBridge) -> None:
    register(bridge)
    run(bridge)
    bridge.lose_context()
    with pytest.raises(BackendError, match="WebGL context lost"):
        bridge.ready(1)
    bridge.restore_context()
    end = monotonic() + 30
    while bridge.ready(1) < COUNT and monotonic() < end:
        sleep(0.005)
    assert_stats(bridge, compiled=2 * COUNT)
    run(bridge)


def test_plans_can_be_dropped(bridge: PlaywrightBridge) -> None:
    register(bridge)
    assert_stats(bridge, plans=1, programs=COUNT)
    bridge.drop_plan(1)
    bridge.drop_plan(1)
    assert_stats(bridge, plans=0, programs=COUNT)
    for verb in (lambda: bridge.run(1, run_words(bridge, [])), lambda: bridge.ready(1)):
        with pytest.raises(BackendError, match=r"^no plan 1$"):
            verb()
            bridge.flush()


ADD_ONE = f"""{HEAD}uniform highp sampler2D x0;
out vec4 y;
void main() {{ y = texelFetch(x0, ivec2(gl_FragCoord.xy), 0) + 1.0; }}"""


def register_chain(bridge: PlaywrightBridge) -> None:
    """Register plan 1: leaves 0 and 1, outputs 2 = leaf 0 + 1 + 1, 3 = leaf 1 + 1."""
    bridge.program(1, "add one", ADD_ONE)
    draws = [
        draw_words(1, 4, (1, 1), [0]),
        draw_words(1, 2, (1, 1), [4]),
        draw_words(1, 3, (1, 1), [1]),
    ]
    bridge.plan(1, plan_words(2, [ROW, ROW], draws, temporaries=[ROW]))


@pytest.mark.parametrize(
    ("given", "textures", "left"),
    [([1, 2], 5, 4), ([-1, 2], 4, 3), ([-1, -2], 4, 2), ([1, -2], 5, 3)],
)
def test_later_draws_reuse_donated_leaves(
    bridge: PlaywrightBridge, given: list[int], textures: int, left: int
) -> None:
    register_chain(bridge)
    for handle in (1, 2):
        upload_floats(bridge, handle, [handle] * 4)
    bridge.run(1, run_words(bridge, [*given, 3, 4]))
    assert read_floats(bridge, 3, 4) == [3] * 4
    assert read_floats(bridge, 4, 4) == [3] * 4
    assert_stats(bridge, texturesInUse=left, texturesFree=textures - left)
    for handle in given:
        if handle < 0:
            with pytest.raises(BackendError, match=f"^no buffer {-handle}$"):
                read_floats(bridge, -handle, 4)
        else:
            assert read_floats(bridge, handle, 4) == [handle] * 4


def test_a_run_that_fails_before_it_draws_frees_no_leaf(bridge: PlaywrightBridge) -> None:
    register_chain(bridge)
    upload_floats(bridge, 1, [1] * 4)
    with pytest.raises(BackendError, match=r"^no buffer 2$"):
        bridge.run(1, run_words(bridge, [-1, -2, 3, 4]))
        bridge.flush()
    assert read_floats(bridge, 1, 4) == [1] * 4
    assert_stats(bridge, texturesInUse=1)


def test_a_dropped_program_is_gone(bridge: PlaywrightBridge) -> None:
    register_double(bridge)
    upload_floats(bridge, 1, [1])
    run_double(bridge, 1, 2)
    bridge.drop_plan(1)
    bridge.drop_program(1)
    bridge.drop_program(1)
    assert_stats(bridge, programs=0, plans=0)
    # The id can be reused, and the cached binding does not match the new program.
    register_double(bridge)
    run_double(bridge, 1, 3)
    assert read_floats(bridge, 3, 1) == [2]
    assert bridge.error() == 0
