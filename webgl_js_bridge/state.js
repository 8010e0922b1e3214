/** @file The context's bindings as they are, so that a draw asks only for what changes. */

/**
 * @typedef {ReturnType<typeof createState>} State
 * @typedef {import("./textures.js").Texture} Texture
 */

/**
 * @param {WebGL2RenderingContext} gl
 */
export function createState(gl) {
  const units = gl.getParameter(gl.MAX_TEXTURE_IMAGE_UNITS);
  /** @type {(WebGLTexture | null)[]} */
  const flat = new Array(units).fill(null);
  /** @type {(WebGLTexture | null)[]} */
  const layered = new Array(units).fill(null);
  let unit = 0;
  /** @type {WebGLProgram | null} */
  let program = null;
  /** @type {WebGLFramebuffer | null} */
  let framebuffer = null;
  let width = -1;
  let height = -1;
  const pixel = new Uint8Array(4);

  const state = {
    units,

    /** Sets what never changes; after a restore everything is at its default again. */
    reset() {
      flat.fill(null);
      layered.fill(null);
      unit = 0;
      program = null;
      framebuffer = null;
      width = -1;
      height = -1;
      gl.disable(gl.DITHER);
      gl.pixelStorei(gl.PACK_ALIGNMENT, 1);
      gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    },

    /**
     * @param {number} at
     * @param {Texture} texture
     */
    bind(at, texture) {
      const bound = texture.layers === 0 ? flat : layered;
      if (bound[at] === texture.texture) return;
      if (unit !== at) {
        gl.activeTexture(gl.TEXTURE0 + at);
        unit = at;
      }
      gl.bindTexture(texture.target, texture.texture);
      bound[at] = texture.texture;
    },

    /**
     * Binds to unit 0 and leaves that unit active, for calls that change the texture itself.
     * @param {number} target
     * @param {WebGLTexture} texture
     */
    edit(target, texture) {
      const bound = target === gl.TEXTURE_2D ? flat : layered;
      if (unit !== 0) gl.activeTexture(gl.TEXTURE0);
      unit = 0;
      if (bound[0] !== texture) gl.bindTexture(target, texture);
      bound[0] = texture;
    },

    /** @param {WebGLProgram} next */
    use(next) {
      if (program === next) return;
      gl.useProgram(next);
      program = next;
    },

    /** @param {WebGLFramebuffer | null} next */
    into(next) {
      if (framebuffer === next) return;
      gl.bindFramebuffer(gl.FRAMEBUFFER, next);
      framebuffer = next;
    },

    /**
     * @param {number} w
     * @param {number} h
     */
    viewport(w, h) {
      if (width === w && height === h) return;
      gl.viewport(0, 0, w, h);
      width = w;
      height = h;
    },

    /** Waits for the GPU by reading a pixel: in browsers gl.finish() only flushes. */
    finish() {
      const back = framebuffer;
      state.into(null);
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
      state.into(back);
    },

    /**
     * Deleting unbinds, so a new object of the same name must not count as bound.
     * @param {WebGLTexture} texture
     * @param {WebGLFramebuffer | null} itsFramebuffer
     */
    forget(texture, itsFramebuffer) {
      for (let i = 0; i < units; i++) {
        if (flat[i] === texture) flat[i] = null;
        if (layered[i] === texture) layered[i] = null;
      }
      if (itsFramebuffer !== null && framebuffer === itsFramebuffer) framebuffer = null;
    },
  };
  return state;
}
