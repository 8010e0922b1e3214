"""Helpers of the bridge tests: encode plans and runs as words, upload and read floats."""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Sequence
from pathlib import Path

# tests/ also uses the driver and is not a package.
sys.path.append(str(Path(__file__).parent.parent / "tests"))

from playwright_bridge import PlaywrightBridge

FORMATS = ("float32", "float16", "int32", "uint32", "int16", "uint16", "int8", "uint8")
ITEM_SIZES = (4, 2, 4, 4, 2, 2, 1, 1)
FLOAT32, INT32, UINT8 = map(FORMATS.index, ("float32", "int32", "uint8"))

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
    """Return the width and height of the texture that stores `elements` elements."""
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
    target: int | Sequence[int],
    viewport: tuple[int, int],
    inputs: Sequence[int] = (),
    scalars: Sequence[Sequence[int]] = ((), (), ()),
) -> list[int]:
    """Encode one draw of a plan; `scalars` are the indices of the scalars of F, I and U."""
    lists = [value for indices in scalars for value in (len(indices), *indices)]
    targets = [target] if isinstance(target, int) else target
    return [program, *viewport, len(targets), *targets, len(inputs), *inputs, *lists]


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


def register_double(bridge: PlaywrightBridge, number: int = 1) -> None:
    """Register program and plan `number`, which double four floats."""
    bridge.program(number, "double", DOUBLE)
    draw = draw_words(number, 1, (1, 1), [0])
    bridge.plan(number, plan_words(1, [(FLOAT32, 1, 1, 0)], [draw]))


def run_double(bridge: PlaywrightBridge, leaf: int, output: int, plan: int = 1) -> None:
    bridge.run(plan, run_words(bridge, [leaf, output]))


def assert_stats(bridge: PlaywrightBridge, **expected: int) -> None:
    stats = bridge.stats()
    assert {name: stats[name] for name in expected} == expected
