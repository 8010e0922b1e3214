"""Functions of the language, compiled as WGSL by a browser."""

from __future__ import annotations

import pytest

from py_tensor.language.printer import ONE
from py_tensor.language.wgsl import WGSL

MESSAGES = """async (code) => {
  const adapter = await navigator.gpu.requestAdapter();
  const device = await adapter.requestDevice();
  const info = await device.createShaderModule({ code }).getCompilationInfo();
  device.destroy();
  return info.messages.map(({ lineNum, message }) => `line ${lineNum}: ${message}`);
}"""


def names_of_functions():
    functions = {name: WGSL.function(name) for name in WGSL.blocks}
    return [
        name + lanes
        for name, function in functions.items()
        if function is not None
        for name in [f"pt_{name}_{kind}" for kind in function.kinds] or [f"pt_{name}"]
        for lanes in ("", ONE)
    ]


@pytest.mark.usefixtures("webgpu")
def test_every_function_compiles(page):
    names = names_of_functions()
    assert len(names) > 150
    code = ["@group(0) @binding(0) var<storage, read_write> y0: array<vec4<f32>>;"]
    code += WGSL.included(" ".join(names))
    assert page.evaluate(MESSAGES, "\n".join(code)) == []
