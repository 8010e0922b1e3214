"""Helpers of the tests of the WebGPU bridge: shaders, and words of plans and runs."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Sequence
from pathlib import Path

# tests/ also uses the driver and is not a package.
sys.path.append(str(Path(__file__).parent.parent / "tests"))

from bridge_page import run_words
from playwright_bridge import PlaywrightGpuBridge

DOUBLE = """
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y0: array<vec4<f32>>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) at: vec3<u32>) {
  if (at.x < arrayLength(&y0)) { y0[at.x] = x0[at.x] * 2.0; }
}"""
SUBTRACT = """
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> x1: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> y0: array<vec4<f32>>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) at: vec3<u32>) {
  if (at.x < arrayLength(&y0)) { y0[at.x] = x0[at.x] - x1[at.x]; }
}"""
SCALARS = """
struct Parameters { F0: f32, F1: f32, I0: i32, U0: u32, U1: u32 }
@group(0) @binding(0) var<storage, read> x0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y0: array<vec4<f32>>;
@group(0) @binding(2) var<uniform> P: Parameters;
@compute @workgroup_size(1)
fn main() {
  y0[0] = vec4(x0[0].x * P.F0 + P.F1, f32(P.I0), f32(P.U0 >> 16), f32(P.U1));
}"""


def draw_words(
    program: int,
    targets: Sequence[int],
    inputs: Sequence[int] = (),
    scalars: Sequence[Sequence[int]] = ((), (), ()),
    groups: tuple[int, int, int] = (1, 1, 1),
) -> list[int]:
    """Encode one dispatch of a plan; `scalars` are the indices of the scalars of F, I and U."""
    lists = [value for indices in scalars for value in (len(indices), *indices)]
    return [program, *groups, len(targets), *targets, len(inputs), *inputs, *lists]


def plan_words(
    leaves: int,
    outputs: Sequence[int],
    draws: Sequence[Sequence[int]],
    temporaries: Sequence[int] = (),
) -> array[int]:
    """Encode a plan; `outputs` and `temporaries` are sizes in bytes."""
    words = [leaves, len(outputs), len(temporaries), len(draws), *outputs, *temporaries]
    for draw in draws:
        words.extend(draw)
    return array("i", words)


def upload_floats(bridge: PlaywrightGpuBridge, handle: int, values: Sequence[float]) -> None:
    bridge.upload(handle, 4 * len(values), array("f", values))


def read_floats(bridge: PlaywrightGpuBridge, handle: int, count: int) -> list[float]:
    target = array("f", bytes(4 * count))
    bridge.read(handle, target)
    return target.tolist()


def register_double(bridge: PlaywrightGpuBridge, number: int = 1) -> None:
    """Register program and plan `number`, which double four floats."""
    bridge.program(number, "double", DOUBLE)
    bridge.plan(number, plan_words(1, [16], [draw_words(number, [1], [0])]))


def run_double(bridge: PlaywrightGpuBridge, leaf: int, output: int, plan: int = 1) -> None:
    bridge.run(plan, run_words(bridge, [leaf, output]))
