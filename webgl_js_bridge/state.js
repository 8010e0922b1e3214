/** @file Cache of the context's bindings. A draw makes only the GL calls that change a binding. */
/** @import { Bindings, Make, State } from "./types" */

/** @type {Make<State, "gl">} */
export function createState({ gl }) {
  const units = gl.getParameter(gl.MAX_TEXTURE_IMAGE_UNITS);
  const pixel = new Uint8Array(4);
  /** @returns {Bindings} */
  const unknown = () => ({ flat: new Array(units), layered: new Array(units), unit: -1 });
  let bound = unknown();

  /** @type {State} */
  const state = {
    units,
    hasNewObjects: true,

    /** Set the state that never changes. A restored context starts with the defaults again. */
    reset() {
      bound = unknown();
      gl.disable(gl.DITHER);
      gl.pixelStorei(gl.PACK_ALIGNMENT, 1);
      gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    },

    bind(unit, target, texture) {
      const textures = target === gl.TEXTURE_2D ? bound.flat : bound.layered;
      if (textures[unit] === texture) return;
      if (bound.unit !== unit) gl.activeTexture(gl.TEXTURE0 + unit);
      gl.bindTexture(target, texture);
      bound.unit = unit;
      textures[unit] = texture;
    },

    /** Bind a texture to unit 0 and make that unit active, for calls that change the texture. */
    edit(target, texture) {
      if (bound.unit !== 0) gl.activeTexture(gl.TEXTURE0);
      bound.unit = 0;
      state.bind(0, target, texture);
    },

    use(program) {
      if (bound.program === program) return;
      gl.useProgram(program);
      bound.program = program;
    },

    into(framebuffer) {
      if (bound.framebuffer === framebuffer) return;
      gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer);
      bound.framebuffer = framebuffer;
    },

    viewport(width, height) {
      if (bound.width === width && bound.height === height) return;
      gl.viewport(0, 0, width, height);
      bound.width = width;
      bound.height = height;
    },

    /** Wait for the GPU by reading a pixel, since gl.finish() only flushes in browsers. */
    finish() {
      const { framebuffer = null } = bound;
      state.into(null);
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
      state.into(framebuffer);
    },

    /** Clear the cache, because deleting an object unbinds it. */
    forget() {
      bound = unknown();
    },
  };
  return state;
}
