"""Helpers of the tests that drive the bridge alone: words of plans and runs, floats in and out."""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Sequence
from pathlib import Path

# The driver is shared with tests/, which is no package.
sys.path.append(str(Path(__file__).parent.parent / "tests"))

from playwright_bridge import PlaywrightBridge

FORMATS = ("float32", "float16", "int32", "uint32", "int16", "uint16", "int8", "uint8")
ITEM_SIZES = (4, 2, 4, 4, 2, 2, 1, 1)
FLOAT32, UINT8 = FORMATS.index("float32"), FORMATS.index("uint8")

HEAD = """#version 300 es
precision highp float;
precision highp int;
"""
DOUBLE = f"""{HEAD}uniform highp sampler2D x0;
layout(location=0) out vec4 y;
void main() {{
  y = texelFetch(x0, ivec2(gl_FragCoord.xy), 0) * 2.0;
}}"""


def texture_size(elements: int) -> tuple[int, int]:
    """Return width and height of the texture that stores so many elements."""
    texels = max(1, -(-elements // 4))
    if texels > 2048:
        return 2048, -(-texels // 2048)
    return 1 << (texels - 1).bit_length(), 1


def upload_floats(bridge: PlaywrightBridge, handle: int, values: Sequence[float]) -> None:
    bridge.upload(handle, FLOAT32, *texture_size(len(values)), array("f", values))


def read_floats(bridge: PlaywrightBridge, handle: int, count: int) -> list[float]:
    target = array("f", bytes(4 * count))
    bridge.read(handle, target)
    return target.tolist()


def draw_words(
    program: int,
    target: int,
    viewport: tuple[int, int],
    inputs: Sequence[int] = (),
    scalars: Sequence[Sequence[int]] = ((), (), ()),
) -> list[int]:
    """Return one draw as a plan has it; `scalars` are the indices that F, I and U take."""
    lists = [value for indices in scalars for value in (len(indices), *indices)]
    return [program, target, *viewport, len(inputs), *inputs, *lists]


def plan_words(
    leaves: int,
    outputs: Sequence[tuple[int, int, int, int]],
    draws: Sequence[Sequence[int]],
    temporaries: Sequence[tuple[int, int, int, int]] = (),
) -> array[int]:
    words = [leaves, len(outputs), len(temporaries), len(draws)]
    for part in (*outputs, *temporaries, *draws):
        words.extend(part)
    return array("i", words)


def run_words(
    bridge: PlaywrightBridge, handles: Sequence[int], codes: str = "", *scalars: float
) -> bytes:
    return struct.pack(f"={1 + len(handles)}i{codes}", bridge.generation(), *handles, *scalars)


def register_double(bridge: PlaywrightBridge) -> None:
    """Register program 1 and plan 1: one row of four floats, doubled."""
    bridge.program(1, "double", DOUBLE)
    bridge.plan(1, plan_words(1, [(FLOAT32, 1, 1, 0)], [draw_words(1, 1, (1, 1), [0])]))


def run_double(bridge: PlaywrightBridge, leaf: int, output: int) -> None:
    bridge.run(1, run_words(bridge, [leaf, output]))


def assert_stats(bridge: PlaywrightBridge, **expected: int) -> None:
    stats = bridge.stats()
    assert {name: stats[name] for name in expected} == expected
