/** @file Textures under the caller's handles, and the pool that freed ones wait in. */

/** @typedef {ReturnType<typeof createTextures>} Textures */

/** Textures of one format and size. */
export class Shape {
  /**
   * @param {WebGL2RenderingContext} gl
   * @param {import("./formats.js").Format} format
   * @param {number} width
   * @param {number} height
   * @param {number} layers 0 for a plain texture, else the layers of an array texture
   */
  constructor(gl, format, width, height, layers) {
    this.format = format;
    this.width = width;
    this.height = height;
    this.layers = layers;
    this.target = layers === 0 ? gl.TEXTURE_2D : gl.TEXTURE_2D_ARRAY;
    this.bytes = width * height * format.texelBytes * Math.max(layers, 1);
    /** @type {Texture[]} */
    this.free = [];
  }
}

/** A texture with its framebuffer. */
export class Texture {
  /**
   * @param {Shape} shape
   * @param {WebGLTexture} texture
   */
  constructor(shape, texture) {
    this.shape = shape;
    this.texture = texture;
    this.target = shape.target;
    this.layers = shape.layers;
    /** @type {WebGLFramebuffer | null} */
    this.framebuffer = null;
  }
}

/** The pool keeps at most this much by default. */
const CEILING = 512 * 2 ** 20;
/** Only an allocation this large is worth a round trip that asks whether it succeeded. */
const LARGE = 64 * 2 ** 20;

/**
 * @param {WebGL2RenderingContext} gl
 * @param {import("./formats.js").Format[]} formats
 * @param {import("./state.js").State} state
 */
export function createTextures(gl, formats, state) {
  /** @type {Map<number, Shape>} */
  const shapes = new Map();
  /** @type {Map<number, Texture>} */
  const handles = new Map();
  /** @type {Set<Texture>} the pool, oldest first */
  const pool = new Set();
  let ceiling = CEILING;
  let count = 0;
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
      state.forget(texture.texture, texture.framebuffer);
      gl.deleteFramebuffer(texture.framebuffer);
      gl.deleteTexture(texture.texture);
    }
  }

  /** @param {Shape} shape */
  function allocate(shape) {
    const texture = gl.createTexture();
    const { target, format, width, height, layers } = shape;
    state.edit(target, texture);
    if (layers === 0) gl.texStorage2D(target, 1, format.internalFormat, width, height);
    else gl.texStorage3D(target, 1, format.internalFormat, width, height, layers);
    gl.texParameteri(target, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(target, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    if (shape.bytes >= LARGE && gl.getError() === gl.OUT_OF_MEMORY) {
      state.forget(texture, null);
      gl.deleteTexture(texture);
      return null;
    }
    return new Texture(shape, texture);
  }

  /** @param {Shape} shape */
  function create(shape) {
    let texture = allocate(shape);
    if (texture === null) {
      shrink(0);
      texture = allocate(shape);
    }
    if (texture === null) {
      const { format, width, height, bytes } = shape;
      throw new Error(
        `out of GPU memory: no ${format.name} texture of ${width} x ${height} texels; got ${bytes} bytes ` +
          `asked, ${bytesInUse} in use; free some buffers first`,
      );
    }
    return texture;
  }

  const textures = {
    /**
     * @param {number} format
     * @param {number} width
     * @param {number} height
     * @param {number} layers
     */
    shape(format, width, height, layers) {
      const key = ((layers * 8 + format) * 65536 + width) * 65536 + height;
      let shape = shapes.get(key);
      if (!shape) {
        const row = formats[format];
        if (!row) throw new Error(`no format ${format}; formats are 0 to ${formats.length - 1}`);
        shape = new Shape(gl, row, width, height, layers);
        shapes.set(key, shape);
      }
      return shape;
    },

    /**
     * @param {Shape} shape
     * @returns {Texture}
     */
    take(shape) {
      let texture = shape.free.pop();
      if (texture) {
        pool.delete(texture);
        bytesFree -= shape.bytes;
      } else texture = create(shape);
      count += 1;
      bytesInUse += shape.bytes;
      return texture;
    },

    /** @param {Texture} texture */
    release(texture) {
      const { shape } = texture;
      count -= 1;
      bytesInUse -= shape.bytes;
      bytesFree += shape.bytes;
      shape.free.push(texture);
      pool.add(texture);
      if (bytesFree > ceiling) shrink(ceiling);
    },

    /**
     * @param {number} handle
     * @param {Shape} shape
     */
    open(handle, shape) {
      if (handles.has(handle)) throw new Error(`buffer ${handle} is in use already; free it first`);
      const texture = textures.take(shape);
      handles.set(handle, texture);
      return texture;
    },

    /**
     * @param {number} handle
     * @param {number} format
     * @param {number} width
     * @param {number} height
     */
    alloc(handle, format, width, height) {
      textures.open(handle, textures.shape(format, width, height, 0));
    },

    /** @param {number} handle */
    get(handle) {
      const texture = handles.get(handle);
      if (texture === undefined) throw new Error(`no buffer ${handle}`);
      return texture;
    },

    /** @param {number} handle */
    free(handle) {
      const texture = handles.get(handle);
      if (texture === undefined) return;
      handles.delete(handle);
      textures.release(texture);
    },

    /**
     * Its framebuffer: an array texture has one draw buffer for each layer.
     * @param {Texture} texture
     * @returns {WebGLFramebuffer}
     */
    framebuffer(texture) {
      if (texture.framebuffer !== null) return texture.framebuffer;
      const framebuffer = gl.createFramebuffer();
      texture.framebuffer = framebuffer;
      state.into(framebuffer);
      const at = gl.COLOR_ATTACHMENT0;
      if (texture.layers === 0) {
        gl.framebufferTexture2D(gl.FRAMEBUFFER, at, gl.TEXTURE_2D, texture.texture, 0);
        return framebuffer;
      }
      const buffers = [];
      for (let layer = 0; layer < texture.layers; layer++) {
        gl.framebufferTextureLayer(gl.FRAMEBUFFER, at + layer, texture.texture, 0, layer);
        buffers.push(at + layer);
      }
      gl.drawBuffers(buffers);
      return framebuffer;
    },

    /** @param {number} bytes */
    poolLimit(bytes) {
      ceiling = bytes;
      shrink(ceiling);
    },

    trim() {
      shrink(0);
    },

    /** Forgets everything, as the GPU did when the context was lost. */
    clear() {
      handles.clear();
      shapes.clear();
      pool.clear();
      count = bytesInUse = bytesFree = 0;
    },

    stats() {
      return { texturesInUse: count, bytesInUse, texturesFree: pool.size, bytesFree };
    },
  };
  return textures;
}
