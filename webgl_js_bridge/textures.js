/** @file Textures by the caller's handles, and the pool of freed textures for reuse. */
/** @import { Handles, Make, Shape, Texture, Textures } from "./types" */
import { createFormats } from "./formats.js";
import { createHandles } from "./handles.js";

/** Name of the error for failed allocations, which Python turns into an exception of that name. */
const OUT_OF_MEMORY = "OutOfMemoryError";
/** Error of the buffers that are given up then. */
const LOST = "the tensor was lost when GPU memory ran out; got no elements; compute it again";
/** Bytes of new textures after which the driver is asked for errors, a round trip to the GPU process. */
const UNCHECKED = 2 ** 20;
/** Framebuffers of several textures that are kept. */
const JOINED = 256;

/** @type {Make<Textures, "gl" | "state">} */
export function createTextures({ gl, state }) {
  const formats = createFormats(gl);
  /** @type {Map<number, Shape>} */
  const shapes = new Map();
  /** @type {Map<string, { framebuffer: WebGLFramebuffer, textures: Texture[] }>} the last used last */
  const joined = new Map();
  let created = 0;
  /** Bytes of the textures created since the driver was last asked for errors. */
  let bytesCreated = 0;
  /** @type {Handles<Texture>} */
  const handles = createHandles({ create, destroy, isChecked: () => bytesCreated === 0 });

  /** @param {Texture} texture */
  function destroy(texture) {
    gl.deleteFramebuffer(texture.framebuffer);
    for (const [key, { textures }] of joined) if (textures.includes(texture)) separate(key);
    gl.deleteTexture(texture.texture);
    state.forget();
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

  /** @param {Shape} shape @returns {Texture} */
  function create(shape) {
    const texture = gl.createTexture();
    state.hasNewObjects = true;
    const { target, format, width, height, layers, bytes } = shape;
    state.edit(target, texture);
    if (layers === 0) gl.texStorage2D(target, 1, format.internalFormat, width, height);
    else gl.texStorage3D(target, 1, format.internalFormat, width, height, layers);
    gl.texParameteri(target, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(target, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    bytesCreated += bytes;
    const number = created++;
    return { shape, target, texture, framebuffer: null, number, run: null, output: 0, ahead: null };
  }

  /** @type {Textures} */
  const textures = {
    ...handles,

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

    /** Open a buffer and let `fill` write it. */
    add(handle, shape, fill) {
      textures.attempt(() => {
        const texture = textures.open(handle, shape);
        try {
          fill(texture);
          textures.verify();
        } catch (error) {
          textures.free(handle);
          throw error;
        }
      });
    },

    alloc(handle, format, width, height) {
      textures.add(handle, textures.shape(format, width, height, 0), () => {});
    },

    /** Throw if the driver could not create textures; it is asked after `UNCHECKED` bytes, or if `now`. */
    verify(now = false) {
      if (bytesCreated <= (now ? 0 : UNCHECKED)) return;
      const codes = [];
      for (let code = gl.getError(); code !== gl.NO_ERROR && !gl.isContextLost(); ) {
        codes.push(code);
        code = gl.getError();
      }
      if (gl.isContextLost() || codes.includes(gl.CONTEXT_LOST_WEBGL))
        throw new Error("WebGL context lost");
      // All formats in use can be drawn to, so a framebuffer is incomplete only if its texture has no storage.
      if (codes.includes(gl.OUT_OF_MEMORY) || codes.includes(gl.INVALID_FRAMEBUFFER_OPERATION))
        throw textures.exhausted();
      textures.markChecked();
      if (codes.length > 0)
        throw new Error(
          `run: a draw failed; got WebGL error 0x${codes[0].toString(16)}; debug mode names it`,
        );
    },

    /** Note that the driver reported no error of any object so far. */
    markChecked() {
      bytesCreated = 0;
      handles.markChecked();
      state.hasNewObjects = false;
    },

    /** Give up the buffers that may lack storage, or depend on such ones, and return the error. */
    exhausted() {
      const text = `out of GPU memory; got textures of ${handles.stats().bytesInUse} bytes`;
      // The pool has textures without storage, too.
      handles.giveUp(LOST);
      bytesCreated = 0;
      while (gl.getError() !== gl.NO_ERROR && !gl.isContextLost());
      return Object.assign(new Error(text), { name: OUT_OF_MEMORY });
    },

    /**
     * Call `work`. If GPU memory is exhausted, empty the pool and call it once more. `work` calls `verify`
     * at its end and undoes what it did if it fails.
     */
    attempt(work) {
      try {
        work();
      } catch (error) {
        if (/** @type {Error} */ (error).name !== OUT_OF_MEMORY) throw error;
        handles.trim();
        try {
          work();
        } catch {
          handles.trim();
          throw error;
        }
      }
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

    /** Drop all textures after the context was lost. */
    clear() {
      handles.clear("WebGL context lost");
      joined.clear();
      bytesCreated = 0;
    },

    stats() {
      const { inUse: texturesInUse, free: texturesFree, ...bytes } = handles.stats();
      return { texturesInUse, texturesFree, ...bytes };
    },
  };
  return textures;
}
