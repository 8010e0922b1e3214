"""Test plans: draws with inputs, temporaries, scalars and layers."""

from __future__ import annotations

import json
from array import array

import pytest
from bridge_page import (
    FLOAT32,
    HEAD,
    INT32,
    assert_stats,
    draw_words,
    plan_words,
    read_floats,
    register_double,
    run_double,
    run_words,
    texture_size,
    upload_floats,
)
from playwright_bridge import PlaywrightBridge

from py_tensor.errors import BackendError

pytest_plugins = ["bridge_fixtures"]

ROW = (FLOAT32, 1, 1, 0)
SUBTRACT = f"""{HEAD}uniform highp sampler2D x0;
uniform highp sampler2D x1;
out vec4 y;
void main() {{
  ivec2 at = ivec2(gl_FragCoord.xy);
  y = texelFetch(x0, at, 0) - texelFetch(x1, at, 0);
}}"""
SCALARS = f"""{HEAD}uniform highp sampler2D x0;
uniform float F[2];
uniform int I[1];
uniform uint U[2];
out vec4 y;
void main() {{
  vec4 x = texelFetch(x0, ivec2(gl_FragCoord.xy), 0);
  y = vec4(x.x * F[0] + F[1], float(I[0]), float(U[0] >> 16), float(U[1]));
}}"""
GATHER_LAYERS = f"""{HEAD}uniform highp sampler2DArray x0;
out vec4 y;
void main() {{
  int x = int(gl_FragCoord.x);
  y = texelFetch(x0, ivec3(x & 1, (x >> 1) & 1, x >> 2), 0);
}}"""


def test_one_draw_computes(bridge: PlaywrightBridge) -> None:
    register_double(bridge)
    upload_floats(bridge, 1, [1, 2, 3, 4])
    run_double(bridge, 1, 2)
    assert read_floats(bridge, 2, 4) == [2, 4, 6, 8]


def test_two_draws_share_a_temporary_which_is_freed(bridge: PlaywrightBridge) -> None:
    register_double(bridge)
    bridge.program(2, "subtract", SUBTRACT)
    draws = [draw_words(1, 3, (1, 1), [0]), draw_words(2, 2, (1, 1), [3, 1])]
    bridge.plan(2, plan_words(2, [ROW], draws, temporaries=[ROW]))
    upload_floats(bridge, 1, [1, 2, 3, 4])
    upload_floats(bridge, 2, [5, 5, 5, 5])
    bridge.run(2, run_words(bridge, [1, 2, 3]))
    assert read_floats(bridge, 3, 4) == [-3, -1, 1, 3]
    assert_stats(bridge, texturesInUse=3, texturesFree=1, programs=2, plans=2, draws=2, compiled=2)


def test_one_texture_may_be_two_inputs(bridge: PlaywrightBridge) -> None:
    bridge.program(1, "subtract", SUBTRACT)
    bridge.plan(1, plan_words(1, [ROW], [draw_words(1, 1, (1, 1), [0, 0])]))
    upload_floats(bridge, 1, [1, 2, 3, 4])
    run_double(bridge, 1, 2)
    assert read_floats(bridge, 2, 4) == [0, 0, 0, 0]


def test_scalars_are_exact_and_updated_by_each_run(bridge: PlaywrightBridge) -> None:
    bridge.program(1, "scalars", SCALARS)
    draw = draw_words(1, 1, (1, 1), [0], ([1, 0], [2], [3, 4]))
    bridge.plan(1, plan_words(1, [ROW], [draw]))
    upload_floats(bridge, 1, [10, 0, 0, 0])
    runs = [
        (0.5, 2.0, -7, 0xFFFF0000, 3),
        (0.5, 2.0, -7, 0xFFFF0000, 3),
        (0.25, -2.0, 7, 0x12340000, 4),
    ]
    for output, scalars in enumerate(runs, start=2):
        bridge.run(1, run_words(bridge, [1, output], "ffiII", *scalars))
    for output, (add, times, whole, high, low) in enumerate(runs, start=2):
        assert read_floats(bridge, output, 4) == [10 * times + add, whole, high >> 16, low]


def test_two_draws_with_one_program_have_scalars_of_their_own(bridge: PlaywrightBridge) -> None:
    bridge.program(1, "scalars", SCALARS)
    draws = [
        draw_words(1, 1, (1, 1), [0], ([0, 1], [2], [3, 3])),
        draw_words(1, 2, (1, 1), [0], ([1, 0], [2], [3, 3])),
    ]
    bridge.plan(1, plan_words(1, [ROW, ROW], draws))
    upload_floats(bridge, 1, [10, 0, 0, 0])
    bridge.run(1, run_words(bridge, [1, 2, 3], "ffiI", 1, 2, 3, 4))
    assert read_floats(bridge, 2, 4) == [12, 3, 0, 4]
    assert read_floats(bridge, 3, 4) == [21, 3, 0, 4]


BOTH = f"""{HEAD}uniform highp sampler2D x0;
layout(location=0) out vec4 y0;
layout(location=1) out ivec4 y1;
void main() {{
  y0 = texelFetch(x0, ivec2(gl_FragCoord.xy), 0) * 2.0;
  y1 = ivec4(y0) + 1;
}}"""


def read_ints(bridge: PlaywrightBridge, handle: int) -> list[int]:
    target = array("i", bytes(16))
    bridge.read(handle, target)
    return target.tolist()


def test_targets_of_two_formats_are_drawn_at_once(bridge: PlaywrightBridge) -> None:
    bridge.program(1, "both", BOTH)
    outputs = [ROW, (INT32, 1, 1, 0)]
    bridge.plan(1, plan_words(1, outputs, [draw_words(1, [1, 2], (1, 1), [0])]))
    register_double(bridge, 2)
    upload_floats(bridge, 1, [1, 2, 3, 4])
    bridge.run(1, run_words(bridge, [1, 2, 3]))
    run_double(bridge, 2, 4, plan=2)
    assert (read_floats(bridge, 2, 4), read_ints(bridge, 3)) == ([2, 4, 6, 8], [3, 5, 7, 9])
    assert read_floats(bridge, 4, 4) == [4, 8, 12, 16]
    assert_stats(bridge, draws=2, texturesInUse=4)
    # Textures that the pool gives back and others that replace deleted ones are drawn into.
    for freed, first in ((2, 5), (5, 7)):
        bridge.free(freed)
        bridge.free(freed + 1)
        if first == 7:
            bridge.trim()
        bridge.run(1, run_words(bridge, [1, first, first + 1]))
        assert read_floats(bridge, first, 4) == [2, 4, 6, 8]
        assert read_ints(bridge, first + 1) == [3, 5, 7, 9]


def test_many_pairs_of_targets(bridge: PlaywrightBridge) -> None:
    bridge.program(1, "both", BOTH)
    outputs = [ROW, (INT32, 1, 1, 0)]
    bridge.plan(1, plan_words(1, outputs, [draw_words(1, [1, 2], (1, 1), [0])]))
    upload_floats(bridge, 1, [1, 2, 3, 4])
    # More pairs than framebuffers of several textures are kept; then all are drawn into again.
    for _ in range(2):
        for first in range(2, 602, 2):
            bridge.run(1, run_words(bridge, [1, first, first + 1]))
        for first in (2, 300, 600):
            assert read_floats(bridge, first, 4) == [2, 4, 6, 8]
            assert read_ints(bridge, first + 1) == [3, 5, 7, 9]
        for handle in range(2, 602):
            bridge.free(handle)


def layers_shader(count: int) -> str:
    """Return a shader that draws its position and a layer's number into each layer."""
    outputs = "".join(f"layout(location={i}) out vec4 y{i};" for i in range(count))
    values = "".join(f"y{i} = at + vec4(0.0, 0.0, {i}.0, {i * i}.0);" for i in range(count))
    return f"""{HEAD}{outputs}
    void main() {{
      vec4 at = vec4(gl_FragCoord.xy - 0.5, 0.0, 0.0);
      {values}
    }}"""


def test_layers_are_drawn_at_once_and_read_as_an_array(bridge: PlaywrightBridge) -> None:
    # WebGL2 guarantees four; many devices have eight.
    count = min(bridge.limits()["maxDrawBuffers"], 8)
    assert count >= 4
    bridge.program(1, "layers", layers_shader(count))
    bridge.program(2, "gather", GATHER_LAYERS)
    width = 4 * count
    draws = [draw_words(1, 1, (2, 2)), draw_words(2, 0, (width, 1), [1])]
    bridge.plan(1, plan_words(0, [(FLOAT32, width, 1, 0)], draws, [(FLOAT32, 2, 2, count)]))
    bridge.run(1, run_words(bridge, [1]))
    places = [(x, y, i) for i in range(count) for y in (0, 1) for x in (0, 1)]
    expected = [float(value) for x, y, i in places for value in (x, y, i, i * i)]
    assert read_floats(bridge, 1, 4 * width) == expected
    assert_stats(bridge, bytesInUse=16 * width, bytesFree=16 * width, texturesFree=1)


def test_unused_inputs_and_scalars_are_ignored(bridge: PlaywrightBridge) -> None:
    bridge.program(
        1,
        "unused",
        f"""{HEAD}uniform highp sampler2D x0;
        uniform highp isampler2D x1;
        uniform float F[4];
        uniform int I[2];
        out vec4 y;
        void main() {{ y = vec4(F[1]); }}""",
    )
    draw = draw_words(1, 2, (1, 1), [0, 1], ([0, 1, 2, 3], [0, 1], []))
    bridge.plan(1, plan_words(2, [ROW], [draw]))
    upload_floats(bridge, 1, [0])
    bridge.upload(2, 2, 1, 1, array("i", [1]))
    bridge.run(1, run_words(bridge, [1, 2, 3], "ffff", 1, 2, 3, 4))
    assert read_floats(bridge, 3, 4) == [2, 2, 2, 2]


def test_a_draw_smaller_than_its_texture_leaves_the_rest(bridge: PlaywrightBridge) -> None:
    size = 2 * 4 * 2048
    bridge.program(1, "one", f"{HEAD}out vec4 y; void main() {{ y = vec4(1.0); }}")
    whole = (FLOAT32, *texture_size(size), 0)
    bridge.plan(1, plan_words(0, [whole], [draw_words(1, 0, (2048, 2))]))
    bridge.plan(2, plan_words(0, [whole], [draw_words(1, 0, (2048, 1))]))
    bridge.run(1, run_words(bridge, [1]))
    assert read_floats(bridge, 1, size) == [1] * size
    bridge.trim()
    bridge.run(2, run_words(bridge, [2]))
    assert read_floats(bridge, 2, size) == [1] * (size // 2) + [0] * (size // 2)


def test_a_run_of_another_generation_does_nothing(bridge: PlaywrightBridge) -> None:
    register_double(bridge)
    upload_floats(bridge, 1, [1, 2, 3, 4])
    words = array("i", [bridge.generation() + 1, 1, 2])
    assert bridge.run_now(1, words.tobytes()) == bridge.generation()
    assert_stats(bridge, draws=0, texturesInUse=1)
    words[0] = bridge.generation()
    assert bridge.run_now(1, words.tobytes()) == bridge.generation()
    assert_stats(bridge, draws=1, texturesInUse=2)


@pytest.mark.parametrize("handles", [[8, 2], [1, 1]])
def test_a_run_that_fails_keeps_nothing(bridge: PlaywrightBridge, handles: list[int]) -> None:
    register_double(bridge)
    upload_floats(bridge, 1, [1, 2, 3, 4])
    bridge.run(1, run_words(bridge, handles))
    message = "no buffer 8" if handles[0] == 8 else "buffer 1 is in use already; free it first"
    with pytest.raises(BackendError, match=message):
        bridge.flush()
    assert_stats(bridge, draws=0, texturesInUse=1, texturesFree=0)
    run_double(bridge, 1, 2)
    assert read_floats(bridge, 2, 4) == [2, 4, 6, 8]


def test_the_rest_of_a_queue_runs_after_a_failure(bridge: PlaywrightBridge) -> None:
    register_double(bridge)
    upload_floats(bridge, 1, [1, 2, 3, 4])
    run_double(bridge, 9, 2)
    run_double(bridge, 1, 3)
    bridge.free(1)
    with pytest.raises(BackendError, match="no buffer 9"):
        bridge.flush()
    assert_stats(bridge, draws=1, texturesInUse=1, texturesFree=1)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([1, 1, 0, 1, *ROW, *draw_words(9, 1, (1, 1), [0])], "no program 9"),
        (
            [1, 1, 0, 1, *ROW, *draw_words(1, 1, (1, 1), [0]), 5],
            "plan 2 has 18 words by its counts",
        ),
        ([1, 1, 0, 1, *ROW, *draw_words(1, 0, (1, 1), [0])], "plan 2 draws with slots it lacks"),
        ([1, 1, 0, 1, *ROW, *draw_words(1, 1, (1, 1), [7])], "plan 2 draws with slots it lacks"),
        (
            [1, 1, 0, 1, *ROW, *draw_words(1, 1, (1, 1), [0] * 40)],
            "double reads 40 inputs; at most",
        ),
    ],
)
def test_invalid_plan_words_are_refused(
    bridge: PlaywrightBridge, words: list[int], message: str
) -> None:
    register_double(bridge)
    bridge.plan(2, array("i", words))
    with pytest.raises(BackendError, match=message):
        bridge.flush()
    assert_stats(bridge, plans=1)


def test_ids_that_are_unknown_or_taken_are_refused(bridge: PlaywrightBridge) -> None:
    register_double(bridge)
    bridge.run(5, run_words(bridge, [1]))
    with pytest.raises(BackendError, match="no plan 5"):
        bridge.flush()
    bridge.run(1, run_words(bridge, [1]))
    with pytest.raises(BackendError, match="plan 1 takes 3 words; got 2"):
        bridge.flush()
    register_double(bridge)
    with pytest.raises(BackendError, match="program 1 exists already"):
        bridge.flush()


def test_debug_checks_name_the_program_that_fails(bridge: PlaywrightBridge) -> None:
    """Bind an integer texture to a float sampler, which makes the draw fail."""
    register_double(bridge)
    bridge.upload(1, 2, 1, 1, array("i", [1]))
    bridge.checks(True)
    run_double(bridge, 1, 2)
    with pytest.raises(BackendError, match="shader double: its draw failed; got error 0x502"):
        bridge.flush()
    assert_stats(bridge, texturesInUse=1, texturesFree=1)
    upload_floats(bridge, 3, [1])
    run_double(bridge, 3, 4)
    assert read_floats(bridge, 4, 1) == [2]


def test_a_read_reports_earlier_errors(bridge: PlaywrightBridge) -> None:
    register_double(bridge)
    bridge.upload(1, 2, 1, 1, array("i", [1]))
    run_double(bridge, 1, 2)  # too few new textures to ask the driver for errors
    message = "read: what led to buffer 2 failed; got WebGL error 0x502; debug mode names the draw"
    with pytest.raises(BackendError, match=message):
        read_floats(bridge, 2, 1)


def test_profiling_names_each_draw(bridge: PlaywrightBridge) -> None:
    register_double(bridge)
    upload_floats(bridge, 1, [1])
    run_double(bridge, 1, 2)
    bridge.profile(True)
    run_double(bridge, 1, 3)
    run_double(bridge, 1, 4)
    bridge.profile(False)
    run_double(bridge, 1, 5)
    timings = bridge.timings().value
    assert [name for name, _ in timings] == ["double", "double"]
    assert all(0 <= time < 1000 for _, time in timings)
    assert bridge.timings().value == []
    assert read_floats(bridge, 4, 1) == [2]


def test_draws_are_timed_without_awaiting(bridge: PlaywrightBridge) -> None:
    """Draws that are waited for have times at once, also where the context has a timer."""
    register_double(bridge)
    upload_floats(bridge, 1, [1])
    run_double(bridge, 1, 2)
    bridge.profile(True, True)
    run_double(bridge, 1, 3)
    timings = json.loads(bridge.call("timingsNow"))
    bridge.profile(False)
    assert [name for name, _ in timings] == ["double"]
    assert 0 < timings[0][1] < 1000
    assert bridge.call("timingsNow") == "[]"


def test_plans_and_draws_are_entries_of_the_performance_panel(bridge: PlaywrightBridge) -> None:
    register_double(bridge)
    upload_floats(bridge, 1, [1])
    measures = """() => {
      const found = performance.getEntriesByType("measure").map(({ name, detail }) =>
        [detail.devtools.trackGroup, detail.devtools.track, name]);
      performance.clearMeasures();
      return found;
    }"""
    bridge._page.evaluate(measures)
    bridge.profile(True)
    run_double(bridge, 1, 2)
    bridge.flush()
    bridge.timings()
    bridge.profile(False)
    run_double(bridge, 1, 3)
    bridge.flush()
    found = bridge._page.evaluate(measures)
    assert sorted(found) == [
        ["py_tensor", "kernels", "double"],
        ["py_tensor", "plans", "plan 1: double"],
    ]


def test_peak_of_textures(bridge: PlaywrightBridge) -> None:
    def peak() -> int:
        return bridge.stats()["bytesPeak"] - start

    start = bridge.stats()["bytesInUse"]
    bridge.profile(False)
    for handle in (1, 2, 3):
        bridge.alloc(handle, 0, 4, 4)
    bridge.free(2)
    assert peak() == 3 * 256
    bridge.profile(False)
    assert peak() == 2 * 256
    bridge.free(1)
    bridge.free(3)


def test_bridges_of_one_page_are_independent(bridge: PlaywrightBridge) -> None:
    other = PlaywrightBridge(bridge._page)
    register_double(bridge)
    register_double(other)
    upload_floats(bridge, 1, [1])
    upload_floats(other, 1, [10])
    run_double(bridge, 1, 2)
    run_double(other, 1, 2)
    assert read_floats(bridge, 2, 1) == [2]
    assert read_floats(other, 2, 1) == [20]
    other.destroy()
    assert read_floats(bridge, 2, 1) == [2]


# The GPU takes 20 ms for a draw, and a wait is a read of a pixel. Time stands still otherwise.
SLOW_GPU = """() => {
  const gl = WebGL2RenderingContext.prototype;
  const { drawArrays, readPixels } = gl;
  const { now } = performance;
  let time = now.call(performance);
  let draws = 0;
  globalThis.drawsBeforeWaits = [];
  performance.now = () => time;
  gl.drawArrays = function (...values) {
    draws += 1;
    drawArrays.apply(this, values);
  };
  gl.readPixels = function (...values) {
    drawsBeforeWaits.push(draws);
    time += 20 * draws;
    draws = 0;
    readPixels.apply(this, values);
  };
  globalThis.removeSlowGpu = () => {
    Object.assign(gl, { drawArrays, readPixels });
    performance.now = now;
  };
}"""


def test_work_in_flight_is_bounded(bridge: PlaywrightBridge) -> None:
    register_double(bridge)
    upload_floats(bridge, 1, [1, 2, 3, 4])
    bridge.flush()
    page = bridge._page
    page.evaluate(SLOW_GPU)
    for _ in range(30):
        run_double(bridge, 1, 2)
        bridge.free(2)
    bridge.flush()
    # Five runs of unknown length, then 13 of 20 ms, are above 250 ms.
    waits = page.evaluate("drawsBeforeWaits")
    page.evaluate("removeSlowGpu()")
    assert waits == [5, 13]
