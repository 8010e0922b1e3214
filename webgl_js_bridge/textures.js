/** @file Textures by the caller's handles, and the pool of freed textures for reuse. */
/** @import { Make, Shape, Texture, Textures } from "./types" */
import { createFormats } from "./formats.js";

/** Default limit of the pool in bytes. */
const CEILING = 512 * 2 ** 20;
/** Size in bytes from which an allocation is checked. The check costs a round trip to the GPU process. */
const LARGE = 64 * 2 ** 20;
/** Framebuffers of several textures that are kept. */
const JOINED = 256;

/** @type {Make<Textures, "gl" | "state">} */
export function createTextures({ gl, state }) {
  const formats = createFormats(gl);
  /** @type {Map<number, Shape>} */
  const shapes = new Map();
  /** @type {Map<number, Texture>} */
  const handles = new Map();
  /** @type {Set<number>} handles not yet freed whose textures were lost with the context */
  const lost = new Set();
  /** @type {Set<Texture>} freed textures, oldest first */
  const pool = new Set();
  /** @type {Map<string, { framebuffer: WebGLFramebuffer, textures: Texture[] }>} the last used last */
  const joined = new Map();
  let created = 0;
  let ceiling = CEILING;
  let texturesInUse = 0;
  let bytesInUse = 0;
  let bytesFree = 0;
  /** Maximum of `bytesInUse` since the last reset. */
  let bytesPeak = 0;

  /** Delete the oldest pooled textures until the pool holds at most `limit` bytes. @param {number} limit */
  function shrink(limit) {
    for (const texture of pool) {
      if (bytesFree <= limit) return;
      pool.delete(texture);
      bytesFree -= texture.shape.bytes;
      // The oldest texture of the pool is also the oldest of its shape.
      texture.shape.free.shift();
      gl.deleteFramebuffer(texture.framebuffer);
      for (const [key, { textures }] of joined) if (textures.includes(texture)) separate(key);
      gl.deleteTexture(texture.texture);
      state.forget();
    }
  }

  /** Delete a framebuffer of several textures. @param {string} key */
  function separate(key) {
    gl.deleteFramebuffer(joined.get(key)?.framebuffer ?? null);
    joined.delete(key);
    state.forget();
  }

  /** Return a new framebuffer, which is bound, with draw buffers. @param {number} count */
  function drawn(count) {
    const framebuffer = gl.createFramebuffer();
    state.hasNewObjects = true;
    state.into(framebuffer);
    gl.drawBuffers(Array.from({ length: count }, (_, i) => gl.COLOR_ATTACHMENT0 + i));
    return framebuffer;
  }

  /**
   * Create a texture; return null if GPU memory is exhausted.
   * @param {Shape} shape @returns {Texture | null}
   */
  function allocate(shape) {
    const texture = gl.createTexture();
    state.hasNewObjects = true;
    const { target, format, width, height, layers } = shape;
    state.edit(target, texture);
    if (layers === 0) gl.texStorage2D(target, 1, format.internalFormat, width, height);
    else gl.texStorage3D(target, 1, format.internalFormat, width, height, layers);
    gl.texParameteri(target, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(target, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    if (shape.bytes < LARGE || gl.getError() !== gl.OUT_OF_MEMORY)
      return { shape, target, texture, framebuffer: null, number: created++ };
    gl.deleteTexture(texture);
    state.forget();
    return null;
  }

  /** Create a texture, emptying the pool if memory is exhausted. @param {Shape} shape */
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
      const key = ((layers * 16 + format) * 65536 + width) * 65536 + height;
      const known = shapes.get(key);
      if (known) return known;
      const target = layers === 0 ? gl.TEXTURE_2D : gl.TEXTURE_2D_ARRAY;
      const bytes = width * height * row.storedBytes * Math.max(layers, 1);
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
      bytesPeak = Math.max(bytesPeak, bytesInUse);
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
      lost.delete(handle);
      return texture;
    },

    alloc(handle, format, width, height) {
      textures.open(handle, textures.shape(format, width, height, 0));
    },

    get(handle) {
      const texture = handles.get(handle);
      if (texture !== undefined) return texture;
      throw new Error(lost.has(handle) ? "WebGL context lost" : `no buffer ${handle}`);
    },

    free(handle) {
      lost.delete(handle);
      const texture = handles.get(handle);
      if (texture === undefined) return;
      handles.delete(handle);
      textures.release(texture);
    },

    /** Return a texture's framebuffer, with one draw buffer for each layer of an array texture. */
    framebuffer(texture) {
      if (texture.framebuffer !== null) return texture.framebuffer;
      const at = gl.COLOR_ATTACHMENT0;
      const { layers } = texture.shape;
      texture.framebuffer = drawn(Math.max(layers, 1));
      if (layers === 0)
        gl.framebufferTexture2D(gl.FRAMEBUFFER, at, gl.TEXTURE_2D, texture.texture, 0);
      for (let i = 0; i < layers; i++)
        gl.framebufferTextureLayer(gl.FRAMEBUFFER, at + i, texture.texture, 0, i);
      return texture.framebuffer;
    },

    /** Return a framebuffer with one draw buffer for each of several plain textures of one size. */
    joint(textures) {
      const key = textures.map(({ number }) => number).join();
      let found = joined.get(key);
      joined.delete(key);
      if (found === undefined) {
        for (const oldest of joined.keys()) if (joined.size >= JOINED) separate(oldest);
        found = { framebuffer: drawn(textures.length), textures };
        for (let i = 0; i < textures.length; i++)
          gl.framebufferTexture2D(
            gl.FRAMEBUFFER,
            gl.COLOR_ATTACHMENT0 + i,
            gl.TEXTURE_2D,
            textures[i].texture,
            0,
          );
      }
      joined.set(key, found);
      return found.framebuffer;
    },

    poolLimit(bytes) {
      ceiling = bytes;
      shrink(ceiling);
    },

    trim: () => shrink(0),

    resetPeak() {
      bytesPeak = bytesInUse;
    },

    /** Drop all textures after the context was lost. */
    clear() {
      for (const shape of shapes.values()) shape.free = [];
      for (const handle of handles.keys()) lost.add(handle);
      handles.clear();
      pool.clear();
      joined.clear();
      texturesInUse = bytesInUse = bytesFree = 0;
    },

    stats: () => ({
      texturesInUse,
      bytesInUse,
      bytesPeak,
      texturesFree: pool.size,
      bytesFree,
      poolLimit: ceiling,
    }),
  };
  return textures;
}
