"""Test plans of the WebGPU bridge: dispatches with inputs, temporaries and scalars."""

from __future__ import annotations

from itertools import pairwise

import pytest
from bridge_page import assert_stats, run_words
from gpu_bridge_page import (
    DOUBLE,
    SCALARS,
    SUBTRACT,
    draw_words,
    plan_words,
    read_floats,
    register_double,
    run_double,
    upload_floats,
)
from playwright_bridge import PlaywrightGpuBridge

from py_tensor.errors import BackendError

pytest_plugins = ["bridge_fixtures"]


def test_one_dispatch_computes(gpu_bridge: PlaywrightGpuBridge) -> None:
    register_double(gpu_bridge)
    upload_floats(gpu_bridge, 1, [1, 2, 3, 4])
    run_double(gpu_bridge, 1, 2)
    assert read_floats(gpu_bridge, 2, 4) == [2, 4, 6, 8]


def test_two_dispatches_share_a_temporary_which_is_freed(gpu_bridge: PlaywrightGpuBridge) -> None:
    register_double(gpu_bridge)
    gpu_bridge.program(2, "subtract", SUBTRACT)
    draws = [draw_words(1, [3], [0]), draw_words(2, [2], [3, 1])]
    gpu_bridge.plan(2, plan_words(2, [16], draws, temporaries=[16]))
    upload_floats(gpu_bridge, 1, [1, 2, 3, 4])
    upload_floats(gpu_bridge, 2, [5, 5, 5, 5])
    gpu_bridge.run(2, run_words(gpu_bridge, [1, 2, 3]))
    assert read_floats(gpu_bridge, 3, 4) == [-3, -1, 1, 3]
    assert_stats(gpu_bridge, buffersInUse=3, buffersFree=1, plans=2, draws=2, compiled=2)


def test_one_buffer_may_be_two_inputs(gpu_bridge: PlaywrightGpuBridge) -> None:
    gpu_bridge.program(1, "subtract", SUBTRACT)
    gpu_bridge.plan(1, plan_words(1, [16], [draw_words(1, [1], [0, 0])]))
    upload_floats(gpu_bridge, 1, [1, 2, 3, 4])
    run_double(gpu_bridge, 1, 2)
    assert read_floats(gpu_bridge, 2, 4) == [0, 0, 0, 0]


def test_scalars_are_exact_and_updated_by_each_run(gpu_bridge: PlaywrightGpuBridge) -> None:
    gpu_bridge.program(1, "scalars", SCALARS)
    draw = draw_words(1, [1], [0], ([1, 0], [2], [3, 4]))
    gpu_bridge.plan(1, plan_words(1, [16], [draw]))
    upload_floats(gpu_bridge, 1, [10, 0, 0, 0])
    runs = [
        (0.5, 2.0, -7, 0xFFFF0000, 3),
        (0.5, 2.0, -7, 0xFFFF0000, 3),
        (0.25, -2.0, 7, 0x12340000, 4),
    ]
    for output, scalars in enumerate(runs, start=2):
        gpu_bridge.run(1, run_words(gpu_bridge, [1, output], "ffiII", *scalars))
    for output, (add, times, whole, high, low) in enumerate(runs, start=2):
        assert read_floats(gpu_bridge, output, 4) == [10 * times + add, whole, high >> 16, low]


def test_two_dispatches_of_one_program_have_scalars_of_their_own(
    gpu_bridge: PlaywrightGpuBridge,
) -> None:
    gpu_bridge.program(1, "scalars", SCALARS)
    draws = [
        draw_words(1, [1], [0], ([0, 1], [2], [3, 3])),
        draw_words(1, [2], [0], ([1, 0], [2], [3, 3])),
    ]
    gpu_bridge.plan(1, plan_words(1, [16, 16], draws))
    upload_floats(gpu_bridge, 1, [10, 0, 0, 0])
    gpu_bridge.run(1, run_words(gpu_bridge, [1, 2, 3], "ffiI", 1, 2, 3, 4))
    assert read_floats(gpu_bridge, 2, 4) == [12, 3, 0, 4]
    assert read_floats(gpu_bridge, 3, 4) == [21, 3, 0, 4]


def test_a_long_plan_is_submitted_in_parts(gpu_bridge: PlaywrightGpuBridge) -> None:
    gpu_bridge.program(1, "double", DOUBLE)
    slots = [0, *[2 + step % 2 for step in range(39)]]
    draws = [draw_words(1, [target], [source]) for source, target in pairwise(slots)]
    draws.append(draw_words(1, [1], [2]))
    gpu_bridge.plan(1, plan_words(1, [16], draws, temporaries=[16, 16]))
    upload_floats(gpu_bridge, 1, [1, 2, 3, 4])
    for output in range(2, 5):
        gpu_bridge.run(1, run_words(gpu_bridge, [1, output]))
        assert read_floats(gpu_bridge, output, 4) == [value * 2.0**40 for value in (1, 2, 3, 4)]
    assert_stats(gpu_bridge, draws=120, buffersInUse=4, buffersFree=2)


def test_a_wrong_shader_is_named_with_its_line(gpu_bridge: PlaywrightGpuBridge) -> None:
    gpu_bridge.program(1, "wrong", DOUBLE.replace("* 2.0", "* two"))
    gpu_bridge.plan(1, plan_words(1, [16], [draw_words(1, [1], [0])]))
    upload_floats(gpu_bridge, 1, [1, 2, 3, 4])
    with pytest.raises(BackendError) as error:
        gpu_bridge.prepare(1)
        gpu_bridge.flush()
    text = str(error.value)
    assert type(error.value).__name__ == "ShaderError"
    assert text.startswith("shader wrong: ERROR: 0:6: unresolved value 'two'"), text
    assert "^^^" in text.splitlines()[-2] or "^^^" in text
    with pytest.raises(BackendError, match="shader wrong"):
        run_double(gpu_bridge, 1, 2)
        gpu_bridge.flush()
