/** @file Textures under the caller's handles, and the pool that freed ones wait in. */
/** @import { Make, Shape, Texture, Textures } from "./types" */
import { createFormats } from "./formats.js";

/** The pool keeps at most this much by default. */
const CEILING = 512 * 2 ** 20;
/** Only an allocation this large is worth a round trip that asks whether it succeeded. */
const LARGE = 64 * 2 ** 20;

/** @type {Make<Textures, "gl" | "state">} */
export function createTextures({ gl, state }) {
  const formats = createFormats(gl);
  /** @type {Map<number, Shape>} */
  const shapes = new Map();
  /** @type {Map<number, Texture>} */
  const handles = new Map();
  /** @type {Set<Texture>} the pool, oldest first */
  const pool = new Set();
  let ceiling = CEILING;
  let texturesInUse = 0;
  let bytesInUse = 0;
  let bytesFree = 0;

  /** @param {number} limit */
  function shrink(limit) {
    for (const texture of pool) {
      if (bytesFree <= limit) return;
      pool.delete(texture);
      bytesFree -= texture.shape.bytes;
      // The oldest of all is the oldest of its shape.
      texture.shape.free.shift();
      gl.deleteFramebuffer(texture.framebuffer);
      gl.deleteTexture(texture.texture);
      state.forget();
    }
  }

  /** @param {Shape} shape @returns {Texture | null} */
  function allocate(shape) {
    const texture = gl.createTexture();
    const { target, format, width, height, layers } = shape;
    state.edit(target, texture);
    if (layers === 0) gl.texStorage2D(target, 1, format.internalFormat, width, height);
    else gl.texStorage3D(target, 1, format.internalFormat, width, height, layers);
    gl.texParameteri(target, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(target, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    if (shape.bytes < LARGE || gl.getError() !== gl.OUT_OF_MEMORY)
      return { shape, target, texture, framebuffer: null };
    gl.deleteTexture(texture);
    state.forget();
    return null;
  }

  /** @param {Shape} shape */
  function create(shape) {
    let texture = allocate(shape);
    if (texture === null) shrink(0);
    texture ??= allocate(shape);
    if (texture !== null) return texture;
    const { format, width, height, bytes } = shape;
    throw new Error(
      `out of GPU memory: no ${format.name} texture of ${width} x ${height} texels; got ${bytes} bytes ` +
        `asked, ${bytesInUse} in use; free some buffers first`,
    );
  }

  /** @type {Textures} */
  const textures = {
    shape(format, width, height, layers) {
      const row = formats[format];
      if (!row) throw new Error(`no format ${format}; formats are 0 to ${formats.length - 1}`);
      const key = ((layers * 8 + format) * 65536 + width) * 65536 + height;
      const known = shapes.get(key);
      if (known) return known;
      const target = layers === 0 ? gl.TEXTURE_2D : gl.TEXTURE_2D_ARRAY;
      const bytes = width * height * row.texelBytes * Math.max(layers, 1);
      const shape = { format: row, width, height, layers, target, bytes, free: [] };
      shapes.set(key, shape);
      return shape;
    },

    take(shape) {
      let texture = shape.free.pop();
      if (texture) {
        pool.delete(texture);
        bytesFree -= shape.bytes;
      } else texture = create(shape);
      texturesInUse += 1;
      bytesInUse += shape.bytes;
      return texture;
    },

    release(texture) {
      const { free, bytes } = texture.shape;
      texturesInUse -= 1;
      bytesInUse -= bytes;
      bytesFree += bytes;
      free.push(texture);
      pool.add(texture);
      if (bytesFree > ceiling) shrink(ceiling);
    },

    open(handle, shape) {
      if (handles.has(handle)) throw new Error(`buffer ${handle} is in use already; free it first`);
      const texture = textures.take(shape);
      handles.set(handle, texture);
      return texture;
    },

    alloc(handle, format, width, height) {
      textures.open(handle, textures.shape(format, width, height, 0));
    },

    get(handle) {
      const texture = handles.get(handle);
      if (texture === undefined) throw new Error(`no buffer ${handle}`);
      return texture;
    },

    free(handle) {
      const texture = handles.get(handle);
      if (texture === undefined) return;
      handles.delete(handle);
      textures.release(texture);
    },

    /** An array texture has one draw buffer for each layer. */
    framebuffer(texture) {
      if (texture.framebuffer !== null) return texture.framebuffer;
      const framebuffer = gl.createFramebuffer();
      texture.framebuffer = framebuffer;
      state.into(framebuffer);
      const at = gl.COLOR_ATTACHMENT0;
      const { layers } = texture.shape;
      if (layers === 0)
        gl.framebufferTexture2D(gl.FRAMEBUFFER, at, gl.TEXTURE_2D, texture.texture, 0);
      for (let i = 0; i < layers; i++)
        gl.framebufferTextureLayer(gl.FRAMEBUFFER, at + i, texture.texture, 0, i);
      gl.drawBuffers(Array.from({ length: Math.max(layers, 1) }, (_, i) => at + i));
      return framebuffer;
    },

    poolLimit(bytes) {
      ceiling = bytes;
      shrink(ceiling);
    },

    trim: () => shrink(0),

    /** Forgets everything, as the GPU did when the context was lost. */
    clear() {
      for (const shape of shapes.values()) shape.free = [];
      handles.clear();
      pool.clear();
      texturesInUse = bytesInUse = bytesFree = 0;
    },

    stats: () => ({ texturesInUse, bytesInUse, texturesFree: pool.size, bytesFree }),
  };
  return textures;
}
