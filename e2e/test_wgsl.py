"""Formulas, functions and kernels, printed in WGSL and run by Chromium's WebGPU."""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest
import reference
from compiler import test_golden
from compiler.test_golden import KERNELS
from formulas import SPECIAL, arrays, cases, expected, kind, stored
from numeric_exceptions import SIGN_OF_ZERO, absolute
from op_defs import ELEMENTWISE, dtypes_of, each, tolerance
from plans import DEVICE
from playwright.sync_api import Browser, Page
from random_kernels import Writer, function

import py_tensor as pt
from py_tensor.compiler.stages import make_plan
from py_tensor.compiler.textures.plan import FORMATS, numbers_in, texture_size
from py_tensor.dtypes import DType, bool_, float32, int32, uint32
from py_tensor.ir.node import linearize, tensor_spec
from py_tensor.language.printer import ONE
from py_tensor.language.wgsl import WGSL
from py_tensor.ops import OP_DEFS
from py_tensor.ops.op_def import Elementwise, Reduction, for_dtype
from py_tensor.runtime.executor import backend

STORED = {"f": "f32", "i": "i32", "u": "u32", "m": "u32"}
"""Types of stored elements by kind; truth values are 0 and 1."""
HARNESS = """async () => {
  const adapter = await navigator.gpu.requestAdapter();
  // Tiled kernels draw into up to 8 layers of 16 bytes per texel.
  const { maxColorAttachmentBytesPerSample } = adapter.limits;
  const device = await adapter.requestDevice({
    requiredLimits: { maxColorAttachmentBytesPerSample },
  });
  const buffer = (size, usage) => device.createBuffer({ size, usage });
  globalThis.messages = async (code) => {
    const module = device.createShaderModule({ code });
    const { messages } = await module.getCompilationInfo();
    return [module, messages.map((m) => `${m.type}: line ${m.lineNum}: ${m.message}`)];
  };
  globalThis.compute = async (code, inputs) => {
    const [module, found] = await messages(code);
    if (found.length) throw new Error(found.join("\\n"));
    device.pushErrorScope("validation");
    const size = inputs[0].length * 4;
    const given = inputs.map((bits) => {
      const made = buffer(size, GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST);
      device.queue.writeBuffer(made, 0, new Uint32Array(bits));
      return made;
    });
    const result = buffer(size, GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC);
    const read = buffer(size, GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST);
    const pipeline = device.createComputePipeline({ layout: "auto", compute: { module } });
    const group = device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: [...given, result].map((made, binding) => ({ binding, resource: { buffer: made } })),
    });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(Math.ceil(size / 16 / 64));
    pass.end();
    encoder.copyBufferToBuffer(result, 0, read, 0, size);
    device.queue.submit([encoder.finish()]);
    const error = await device.popErrorScope();
    if (error) throw new Error(error.message);
    await read.mapAsync(GPUMapMode.READ);
    const bits = Array.from(new Uint32Array(read.getMappedRange()));
    for (const made of [...given, result, read]) made.destroy();
    return bits;
  };
  globalThis.draws = async (textures, steps, wanted) => {
    device.pushErrorScope("validation");
    const made = textures.map(({ format, width, height, layers, bytes }) => {
      const { RENDER_ATTACHMENT, TEXTURE_BINDING, COPY_SRC, COPY_DST } = GPUTextureUsage;
      const texture = device.createTexture({
        format,
        size: [width, height, layers || 1],
        usage: RENDER_ATTACHMENT | TEXTURE_BINDING | COPY_SRC | COPY_DST,
      });
      if (bytes) {
        const data = Uint8Array.from(atob(bytes), (character) => character.charCodeAt(0));
        const layout = { bytesPerRow: data.length / height };
        device.queue.writeTexture({ texture }, data, layout, [width, height]);
      }
      return texture;
    });
    const vertex = (await messages(`@vertex fn main(@builtin(vertex_index) n: u32)
      -> @builtin(position) vec4<f32> {
        return vec4<f32>(f32(n & 1u) * 4.0 - 1.0, f32(n & 2u) * 2.0 - 1.0, 0.0, 1.0);
      }`))[0];
    for (const { code, inputs, targets, uniforms, used } of steps) {
      const [module, found] = await messages(code);
      if (found.length) throw new Error(`${found.join("\\n")}\\n${code}`);
      const views = targets.flatMap((slot) =>
        Array.from({ length: textures[slot].layers || 1 }, (_, baseArrayLayer) =>
          made[slot].createView({ dimension: "2d", baseArrayLayer, arrayLayerCount: 1 })));
      const formats = targets.flatMap((slot) =>
        Array(textures[slot].layers || 1).fill(textures[slot].format));
      const pipeline = device.createRenderPipeline({
        layout: "auto",
        vertex: { module: vertex },
        fragment: { module, targets: formats.map((format) => ({ format })) },
      });
      const resources = inputs.map((slot) =>
        made[slot].createView({ dimension: textures[slot].layers ? "2d-array" : "2d" }));
      for (const words of uniforms) {
        const given = buffer(4 * words.length, GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST);
        device.queue.writeBuffer(given, 0, new Uint32Array(words));
        resources.push({ buffer: given });
      }
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginRenderPass({
        colorAttachments: views.map((view) => ({ view, loadOp: "clear", storeOp: "store" })),
      });
      pass.setPipeline(pipeline);
      if (used.length) {
        const entries = used.map((binding) => ({ binding, resource: resources[binding] }));
        const layout = pipeline.getBindGroupLayout(0);
        pass.setBindGroup(0, device.createBindGroup({ layout, entries }));
      }
      pass.draw(3);
      pass.end();
      device.queue.submit([encoder.finish()]);
    }
    const read = [];
    for (const slot of wanted) {
      const { width, height, texel } = textures[slot];
      const bytesPerRow = Math.ceil((width * texel) / 256) * 256;
      const usage = GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST;
      const target = buffer(bytesPerRow * height, usage);
      const encoder = device.createCommandEncoder();
      const texture = made[slot];
      encoder.copyTextureToBuffer({ texture }, { buffer: target, bytesPerRow }, [width, height]);
      device.queue.submit([encoder.finish()]);
      const error = await device.popErrorScope();
      if (error) throw new Error(error.message);
      device.pushErrorScope("validation");
      await target.mapAsync(GPUMapMode.READ);
      const rows = new Uint8Array(target.getMappedRange());
      read.push(Array.from({ length: height }, (_, y) =>
        Array.from(rows.subarray(y * bytesPerRow, y * bytesPerRow + width * texel))).flat());
    }
    await device.popErrorScope();
    for (const texture of made) texture.destroy();
    return read;
  };
}"""


@pytest.fixture(scope="module")
def gpu(launch_chromium: Callable[..., Browser]) -> Iterator[Page]:
    """Page with a WebGPU device, which a processor emulates."""
    browser = launch_chromium("--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader")
    page = browser.new_page()
    page.route("**/*", lambda route: route.fulfill(body="<!doctype html>"))
    page.goto("http://localhost/")
    page.evaluate(HARNESS)
    yield page
    browser.close()


def computed(
    gpu: Page, formula: str, dtypes: Sequence[DType], result: DType, given: Sequence[Any]
) -> Any:
    """Compute a formula of arrays of equal length on the device."""
    length = -(-given[0].size // 4) * 4
    kinds = [kind(dtype) for dtype in dtypes]
    text = WGSL.formula(formula, "".join(kinds), kind(result)).text
    value = text.format(*[f"x{at}[id.x]" for at in range(len(kinds))])
    names = [*[f"x{at}" for at in range(len(kinds))], "y"]
    access = ["read"] * len(kinds) + ["read_write"]
    code = [*WGSL.included(value)]
    code += [
        f"@group(0) @binding({at}) var<storage, {access[at]}> {name}: array<vec4<{STORED[k]}>>;"
        for at, (name, k) in enumerate(zip(names, [*kinds, kind(result)], strict=True))
    ]
    code += [
        "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {",
        *[f"  _ = x{at}[0];" for at in range(len(kinds))],
        f"  if (id.x < {length // 4}u) {{ y[id.x] = {value}; }}",
        "}",
    ]
    bits = [
        np.resize(values.astype(stored(dtype)), length).view(np.uint32).tolist()
        for values, dtype in zip(given, dtypes, strict=True)
    ]
    found = gpu.evaluate("([code, inputs]) => compute(code, inputs)", ["\n".join(code), bits])
    values = np.array(found, np.uint32).view(stored(result))[: given[0].size]
    return values.astype(bool) if result is bool_ else values


@pytest.mark.parametrize(("op", "dtype"), cases())
def test_formulas_compute_values_of_numpy(gpu: Page, op: Elementwise, dtype: DType) -> None:
    specs = [tensor_spec((), dtype)] * op.arity
    if op.name == "where":
        specs = [tensor_spec((), bool_), *specs[1:]]
    inferred = op.infer(specs, None)
    rng = np.random.default_rng(20)
    given = arrays(rng, op, dtype)
    formula = for_dtype(op.formula, inferred.operands[-1])
    got = computed(gpu, formula, inferred.operands, inferred.dtype, given)
    rtol = max(tolerance(op, inferred.dtype), 3e-7 if inferred.dtype.kind == "f" else 0.0)
    np.testing.assert_allclose(
        got, expected(op, given).astype(got.dtype), rtol=rtol, atol=absolute(op.name)
    )


@each([op for op in ELEMENTWISE if float32 in dtypes_of(op) and op.name != "where"])
def test_infinities_nan_and_signed_zeros(gpu: Page, op: Elementwise) -> None:
    given = [np.ravel(values) for values in np.meshgrid(*[SPECIAL] * op.arity, indexing="ij")]
    result = op.infer([tensor_spec((), float32)] * op.arity, None).dtype
    got = computed(gpu, for_dtype(op.formula, float32), [float32] * op.arity, result, given)
    wanted = reference.result(op.name, *given)
    np.testing.assert_allclose(got, wanted, rtol=max(op.tolerance, 1e-6), atol=absolute(op.name))
    if result is float32:
        signed = ~np.isnan(wanted) & ((wanted != 0) | (op.name not in SIGN_OF_ZERO))
        assert (np.signbit(got) == np.signbit(wanted))[signed].all()


@pytest.mark.parametrize("dtype", [float32, int32, uint32], ids=str)
@pytest.mark.parametrize("name", ["sum", "prod", "max", "min"])
def test_reductions_combine(gpu: Page, name: str, dtype: DType) -> None:
    op = OP_DEFS[name]
    assert isinstance(op, Reduction)
    rng = np.random.default_rng(3)
    given = [rng.integers(0, 99, 64).astype(dtype.name) for _ in range(2)]
    got = computed(gpu, for_dtype(op.combine, dtype), [dtype, dtype], dtype, given)
    np.testing.assert_array_equal(got, getattr(np, name)(given, axis=0))


@pytest.mark.parametrize("name", ["any", "all"])
def test_truth_values_combine(gpu: Page, name: str) -> None:
    op = OP_DEFS[name]
    assert isinstance(op, Reduction)
    given = [np.array([0, 0, 1, 1], bool), np.array([0, 1, 0, 1], bool)]
    got = computed(gpu, for_dtype(op.combine, bool_), [bool_, bool_], bool_, given)
    np.testing.assert_array_equal(got, getattr(np, name)(given, axis=0))


@pytest.mark.parametrize("dtype", [float32, int32, uint32], ids=str)
@pytest.mark.parametrize(("name", "wins"), [("argmax", np.greater), ("argmin", np.less)])
def test_winners_of_argmax(gpu: Page, name: str, wins: Any, dtype: DType) -> None:
    op = OP_DEFS[name]
    assert isinstance(op, Reduction)
    rng = np.random.default_rng(4)
    x, y, z, w = (rng.integers(0, 4, 256) for _ in range(4))
    given = [x.astype(dtype.name), y.astype("int32"), z.astype(dtype.name), w.astype("int32")]
    dtypes = [dtype, int32, dtype, int32]
    got = computed(gpu, for_dtype(op.combine, dtype), dtypes, bool_, given)
    np.testing.assert_array_equal(got, wins(x, z) | (x == z) & (y < w))


def test_every_function_compiles(gpu: Page) -> None:
    names = []
    for name in WGSL.blocks:
        function = WGSL.function(name)
        if function is not None:
            names += [f"pt_{name}_{kind}" for kind in function.kinds] or [f"pt_{name}"]
    names += [name + ONE for name in names]
    assert len(names) > 120
    code = "\n".join(WGSL.included(" ".join(names)))
    _, found = gpu.evaluate("async (code) => [null, (await messages(code))[1]]", code)
    assert found == []


# --- kernels --------------------------------------------------------------------------------------

TEXTURES = {
    "float32": ("rgba32float", "float32"),
    "complex64": ("rgba32float", "float32"),
    "float16": ("rgba16float", "float16"),
    **{
        f"{sign}int{bits}": (f"rgba{bits}{sign or 's'}int", f"{sign}int{bits}")
        for sign in ("", "u")
        for bits in (8, 16, 32)
    },
    "bool": ("rgba8uint", "uint8"),
}
"""Format of the texture of each dtype, and the dtype of its numbers."""


def bindings_in(code: str) -> list[int]:
    """Return the numbers of the bindings that a shader uses; WebGPU refuses others."""
    declared = re.findall(r"@binding\((\d+)\) var(?:<.*?>)? (\w+):", code)
    return [int(at) for at, name in declared if len(re.findall(rf"\b{name}\b", code)) > 1]


def drawn(gpu: Page, tensors: Sequence[pt.Tensor], on_processor: bool) -> list[Any]:
    """Compute tensors by the draws of their plan, whose shaders are WGSL."""
    linear = linearize([tensor._node for tensor in tensors])
    plan = make_plan(linear.graph(), DEVICE._replace(printer=WGSL, on_processor=on_processor))
    textures = []
    engine: Any = backend()
    for node in linear.leaves:
        values = engine.array(node.buffer)
        width, height = texture_size(values.size * numbers_in(node.spec.dtype))
        format_, number = TEXTURES[node.spec.dtype.name]
        texels = np.zeros(width * height * 4, number)
        texels[: values.size * numbers_in(node.spec.dtype)] = values.view(number)
        data = base64.b64encode(texels.tobytes()).decode()
        textures.append({"format": format_, "width": width, "height": height, "bytes": data})
    names = {number: name for name, number in FORMATS.items()}
    for slot in (*plan.outputs, *plan.temporaries):
        format_, number = TEXTURES[names[slot.format]]
        texel = 4 * np.dtype(number).itemsize
        textures.append(slot._asdict() | {"format": format_, "texel": texel})
    scalars = [*[node.value for node in linear.scalars], *plan.implicit_uniforms]
    steps = [
        {
            "code": draw.shader.source,
            "used": bindings_in(draw.shader.source),
            "inputs": draw.inputs,
            "targets": draw.targets,
            "uniforms": [
                np.array([scalars[at] for at in places], kind).view("uint32").tolist()
                for places, kind in zip(draw.uniforms, ("float32", "int32", "uint32"), strict=True)
                if places
            ],
        }
        for draw in plan.draws
    ]
    assert [kept.is_leaf for kept in plan.keep] == [False] * len(plan.keep)
    wanted = [plan.leaves + kept.number for kept in plan.keep]
    found = gpu.evaluate("(given) => draws(...given)", [textures, steps, wanted])
    by_node = {}
    for kept, read in zip(plan.keep, found, strict=True):
        node = linear.nodes[kept.node]
        spec = node.spec
        numbers = np.array(read, "uint8").view(TEXTURES[spec.dtype.name][1])
        stored = numbers[: spec.size * numbers_in(spec.dtype)]
        by_node[node] = stored.view(spec.dtype.name).reshape(spec.shape)
    return [by_node[tensor._node] for tensor in tensors]


@pytest.mark.parametrize("name", KERNELS)
def test_kernels_compute_values_of_numpy(gpu: Page, name: str, monkeypatch: Any) -> None:
    """Compare the golden kernels, of all kinds, with what NumPy computes."""
    rng = np.random.default_rng(zlib.crc32(name.encode()))

    def leaf(*shape: int, dtype: str = "float32") -> pt.Tensor:
        values = rng.normal(size=shape) if "float" in dtype else rng.integers(0, 5, shape)
        if dtype == "complex64":
            values = values + 1j * rng.normal(size=shape)
        tensor = pt.asarray(values.astype(dtype))
        pt.realize(tensor)
        return tensor

    monkeypatch.setattr(test_golden, "leaf", leaf)
    made = KERNELS[name]()
    tensors = made if isinstance(made, tuple) else (made,)
    got = drawn(gpu, tensors, name.endswith("_on_processor"))
    for values, tensor in zip(got, tensors, strict=True):
        expected = tensor.numpy()
        assert values.dtype == expected.dtype
        # Sums of up to a million terms are added in another order.
        size = np.abs(expected).max() if expected.dtype.kind in "fc" else 0
        np.testing.assert_allclose(values, expected, rtol=2e-5, atol=2e-5 * size)


@pytest.mark.parametrize("seed", range(12))
def test_random_kernels_compute_values_of_python(gpu: Page, seed: int) -> None:
    indexed = seed % 2 == 1
    text = Writer(3000 + seed, indexed=indexed).text()
    rng = np.random.default_rng(seed)
    x, y = rng.integers(-12, 12, (2, 4, 5)).astype("float32") / 4
    n, m = rng.integers(-9, 9, (2, 4, 5)).astype("int32")
    if indexed:
        kernel = pt.kernel(function(text), shape=(4, 5), border="wrap")
        given = [0.5, -1.25, 3, -2, y]
    else:
        kernel = pt.kernel(function(text))
        given = [x, y, n, m]
    tensors = kernel(*[pt.asarray(part) for part in given])
    for values, wanted in zip(drawn(gpu, tensors, False), kernel.python(*given), strict=True):
        np.testing.assert_array_equal(values, wanted.numpy(), err_msg=text)
