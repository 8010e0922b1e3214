"""Test that a shader error shows the wrong line with a caret."""

from __future__ import annotations

import pytest
from bridge_page import (
    FLOAT32,
    HEAD,
    assert_stats,
    draw_words,
    plan_words,
    register_double,
    run_double,
    run_words,
    upload_floats,
)
from playwright.sync_api import Page
from playwright_bridge import PlaywrightBridge

from py_tensor.errors import ShaderError

pytest_plugins = ["bridge_fixtures"]

WRONG = """#version 300 es
precision highp float;
out vec4 y;
void main() {
  float foobar = 1.0;
  y = vec4(foo);
  y += foobar;
}"""
COMPLAINT = """shader wrong: ERROR: 0:6: 'foo' : undeclared identifier
4 | void main() {
5 |   float foobar = 1.0;
6 |   y = vec4(foo);
  |            ^^^
7 |   y += foobar;
8 | }"""


def register_wrong(bridge: PlaywrightBridge, source: str = WRONG) -> None:
    bridge.program(7, "wrong", source)
    row = (FLOAT32, 1, 1, 0)
    bridge.plan(7, plan_words(0, [row], [draw_words(7, 1, (1, 1))], temporaries=[row]))


def test_the_message_shows_line_and_caret(bridge: PlaywrightBridge) -> None:
    register_wrong(bridge)
    bridge.flush()
    bridge.run(7, run_words(bridge, [1]))
    with pytest.raises(ShaderError) as caught:
        bridge.flush()
    assert str(caught.value) == COMPLAINT


def test_each_run_raises_again_and_nothing_leaks(bridge: PlaywrightBridge) -> None:
    register_wrong(bridge)
    for _ in range(3):
        bridge.run(7, run_words(bridge, [1]))
        with pytest.raises(ShaderError):
            bridge.flush()
    assert_stats(bridge, texturesInUse=0, bytesInUse=0, texturesFree=0, draws=0)


def test_nothing_of_the_plan_is_drawn(bridge: PlaywrightBridge) -> None:
    register_double(bridge)
    bridge.program(7, "wrong", WRONG)
    row = (FLOAT32, 1, 1, 0)
    draws = [draw_words(1, 1, (1, 1), [0]), draw_words(7, 1, (1, 1))]
    bridge.plan(7, plan_words(1, [row], draws))
    upload_floats(bridge, 1, [1])
    bridge.run(7, run_words(bridge, [1, 2]))
    with pytest.raises(ShaderError):
        bridge.flush()
    run_double(bridge, 1, 2)
    assert_stats(bridge, draws=1, texturesInUse=2)


def test_a_failure_to_link_is_a_shader_error_too(bridge: PlaywrightBridge) -> None:
    register_wrong(bridge, f"{HEAD}in vec4 nobody; out vec4 y; void main() {{ y = nobody; }}")
    bridge.run(7, run_words(bridge, [1]))
    with pytest.raises(ShaderError, match=r"^shader wrong: .*nobody"):
        bridge.flush()


LOGS = [
    # Mesa's format, which Firefox may pass on unchanged.
    (
        "0:2(9): error: `b' undeclared\n0:3(1): error: other",
        "a\nint a = b;\nc\nd",
        "shader s: 0:2(9): error: `b' undeclared\n1 | a\n2 | int a = b;\n  | ^\n3 | c\n4 | d",
    ),
    (
        "WARNING: 0:1: 'a' : extension\nERROR: 0:12: 'x0' : wrong\n\0",
        "\n".join(["a"] * 11 + ["  x01 = x0 + x0;", "b"]),
        "shader s: ERROR: 0:12: 'x0' : wrong\n10 | a\n11 | a\n12 |   x01 = x0 + x0;\n"
        "   |         ^^\n13 | b",
    ),
    (
        # A part with lines of its own.
        "ERROR: 1:2: 'c' : wrong",
        "a\n#line 1 1\nb\nc\nd\n#line 7 0\ne\nf",
        "shader s: ERROR: 1:2: 'c' : wrong\n1 | b\n2 | c\n  | ^\n3 | d",
    ),
    (
        "ERROR: 0:7: 'e' : wrong",
        "a\n#line 1 1\nb\nc\nd\n#line 7 0\ne\nf",
        "shader s: ERROR: 0:7: 'e' : wrong\n5 | d\n6 | #line 7 0\n7 | e\n  | ^\n8 | f",
    ),
    ("ERROR: too many uniforms", "a", "shader s: ERROR: too many uniforms"),
    ("", "a", "shader s: the driver refused it and gave no reason"),
    ("ERROR: 0:99: 'a' : beyond", "a", "shader s: ERROR: 0:99: 'a' : beyond"),
]


@pytest.mark.parametrize(("log", "source", "message"), LOGS)
def test_logs_of_all_drivers_are_understood(
    bridge_page: Page, log: str, source: str, message: str
) -> None:
    seen = bridge_page.evaluate(
        """async ([log, source]) => {
          const { shaderError } = await import("/webgl_js_bridge/shader_errors.js");
          return shaderError("s", log, source).message;
        }""",
        [log, source],
    )
    assert seen == message
