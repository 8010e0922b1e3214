/** @file Images: draw a buffer to a canvas, and copy an image of the page into a buffer. */
/** @import { Canvas } from "../webgl_js_bridge/types" */
/** @import { Buffer, Make, Pixels } from "./types" */
import { ownCanvas } from "../webgl_js_bridge/context.js";
import { copyCanvas, isPixelData, resize } from "../webgl_js_bridge/pictures.js";

/** Draw pixel p of the buffer, whose row 0 is at the top. The canvas expects premultiplied alpha. */
const TO_CANVAS = `
@group(0) @binding(0) var<storage, read> pixels: array<u32>;
@group(0) @binding(1) var<uniform> width: u32;
@vertex fn cover(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(vec2f(vec2u(i & 1u, i >> 1u)) * 4.0 - 1.0, 0.0, 1.0);
}
@fragment fn color(@builtin(position) at: vec4f) -> @location(0) vec4f {
  let straight = unpack4x8unorm(pixels[u32(at.y) * width + u32(at.x)]);
  return vec4f(straight.rgb * straight.a, straight.a);
}`;

/** Store the pixels of a picture one after the other. */
const FROM_PICTURE = `
@group(0) @binding(0) var picture: texture_2d<f32>;
@group(0) @binding(1) var<storage, read_write> pixels: array<u32>;
@compute @workgroup_size(8, 8) fn main(@builtin(global_invocation_id) at: vec3u) {
  let size = textureDimensions(picture);
  if (at.x < size.x && at.y < size.y) {
    pixels[at.y * size.x + at.x] = pack4x8unorm(textureLoad(picture, at.xy, 0));
  }
}`;
const TILE = 8;

/** @type {WeakMap<Canvas, { context: GPUCanvasContext, device: GPUDevice | null }>} */
const contexts = new WeakMap();

/** Return the WebGPU context of a canvas; none if it has a context of another kind. @param {Canvas} canvas */
function contextOf(canvas) {
  const known = contexts.get(canvas);
  if (known) return known;
  const context = /** @type {GPUCanvasContext | null} */ (canvas.getContext("webgpu"));
  if (context === null) return null;
  const opened = { context, device: null };
  contexts.set(canvas, opened);
  return opened;
}

/** @type {Make<Pixels, "gpu" | "commands" | "buffers">} */
export function createPixels({ gpu, commands, buffers }) {
  /** @type {{ draw: GPURenderPipeline, load: GPUComputePipeline, width: GPUBuffer } | null} */
  let made = null;
  /** @type {Canvas | null} canvas for targets that have a context of another kind */
  let own = null;

  /** Return the pipelines, and the buffer of the width. They are made before the first picture. */
  function make() {
    if (made !== null) return made;
    const { device } = gpu;
    const drawing = device.createShaderModule({ code: TO_CANVAS });
    const format = navigator.gpu.getPreferredCanvasFormat();
    made = {
      draw: device.createRenderPipeline({
        layout: "auto",
        vertex: { module: drawing },
        fragment: { module: drawing, targets: [{ format }] },
      }),
      load: device.createComputePipeline({
        layout: "auto",
        compute: { module: device.createShaderModule({ code: FROM_PICTURE }) },
      }),
      width: device.createBuffer({
        size: 4,
        usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
      }),
    };
    return made;
  }

  /** Check the size of a picture. @param {string} verb @param {number} width @param {number} height @param {Buffer} buffer */
  function check(verb, width, height, { shape: { bytes } }) {
    const got = `got ${width} x ${height}`;
    const largest = gpu.limits.maxTextureDimension2D;
    if (width * height === 0)
      throw new Error(`${verb}: the picture is empty; ${got}; wait until it has loaded`);
    if (Math.max(width, height) > largest)
      throw new Error(
        `${verb}: the picture is too large; ${got}; at most ${largest} each way here`,
      );
    if (4 * width * height > bytes)
      throw new Error(`${verb}: the picture is larger than its buffer; ${got} in ${bytes} bytes`);
  }

  /** Draw a buffer to a canvas that has a WebGPU context. @param {GPUBuffer} buffer @param {Canvas} canvas */
  function present(buffer, canvas) {
    const opened = contextOf(canvas);
    if (opened === null) return false;
    const { device } = gpu;
    const { draw, width } = make();
    if (opened.device !== device) {
      const format = navigator.gpu.getPreferredCanvasFormat();
      opened.context.configure({ device, format, alphaMode: "premultiplied" });
      opened.device = device;
    }
    commands.flush();
    device.queue.writeBuffer(width, 0, Uint32Array.of(canvas.width));
    const encoder = device.createCommandEncoder();
    const view = opened.context.getCurrentTexture().createView();
    const pass = encoder.beginRenderPass({
      colorAttachments: [{ view, loadOp: "clear", storeOp: "store" }],
    });
    pass.setPipeline(draw);
    pass.setBindGroup(0, bindGroup(draw, [{ buffer }, { buffer: width }]));
    pass.draw(3);
    pass.end();
    commands.submit(encoder);
    return true;
  }

  /** @param {GPUPipelineBase} pipeline @param {GPUBindingResource[]} resources */
  function bindGroup(pipeline, resources) {
    const entries = resources.map((resource, binding) => ({ binding, resource }));
    return gpu.device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
  }

  /**
   * Copy a picture to a texture. A browser may not take a source of its kind; a canvas then does.
   * @param {any} source @param {GPUTexture} texture @param {number} width @param {number} height
   */
  function copy(source, texture, width, height) {
    const { queue } = gpu.device;
    const target = { texture, premultipliedAlpha: false };
    try {
      queue.copyExternalImageToTexture({ source }, target, [width, height]);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      const canvas = ownCanvas(width, height);
      const flat = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
      flat.drawImage(source, 0, 0);
      queue.copyExternalImageToTexture({ source: canvas }, target, [width, height]);
    }
  }

  return {
    draw(handle, width, height, target) {
      const buffer = buffers.get(handle);
      check("draw", width, height, buffer);
      if (contextOf(target) !== null) {
        resize(target, width, height);
        present(buffer.buffer, target);
        return;
      }
      own ??= ownCanvas(1, 1);
      resize(own, width, height);
      present(buffer.buffer, own);
      copyCanvas(own, target);
    },

    fromPixels(handle, /** @type {any} */ source, width, height) {
      const buffer = buffers.get(handle);
      check("from_pixels", width, height, buffer);
      const { device } = gpu;
      if (isPixelData(source)) {
        commands.flush();
        device.queue.writeBuffer(buffer.buffer, 0, source.data);
        return;
      }
      const { TEXTURE_BINDING, COPY_DST, RENDER_ATTACHMENT } = GPUTextureUsage;
      const texture = device.createTexture({
        size: [width, height],
        format: "rgba8unorm",
        usage: TEXTURE_BINDING | COPY_DST | RENDER_ATTACHMENT,
      });
      try {
        copy(source, texture, width, height);
        const { load } = make();
        const encoder = device.createCommandEncoder();
        const pass = encoder.beginComputePass();
        pass.setPipeline(load);
        pass.setBindGroup(0, bindGroup(load, [texture.createView(), { buffer: buffer.buffer }]));
        pass.dispatchWorkgroups(Math.ceil(width / TILE), Math.ceil(height / TILE));
        pass.end();
        commands.submit(encoder);
      } finally {
        texture.destroy();
      }
    },

    /** Forget the lost device's objects. */
    clear() {
      made = null;
    },
  };
}
