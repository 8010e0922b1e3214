/** @file Create the WebGL2 context, probe its limits and watch it for loss. */
/** @import { Canvas, GL } from "./types" */

/**
 * Create a canvas that is not part of the page; an OffscreenCanvas if the browser has one.
 * @param {number} width @param {number} height @returns {Canvas}
 */
export function ownCanvas(width, height) {
  if (typeof OffscreenCanvas !== "undefined") return new OffscreenCanvas(width, height);
  return Object.assign(document.createElement("canvas"), { width, height });
}

/**
 * Return a WebGL2 context of a canvas, or of an own one.
 * @param {Canvas} [canvas] @returns {GL}
 * @throws {Error} If the browser gives the page no WebGL2 context.
 */
export function createContext(canvas) {
  const gl = contextOf(canvas ?? ownCanvas(1, 1));
  if (gl) return gl;
  // WebKitGTK has canvases without a page, but no WebGL in them.
  const other = !canvas && typeof document !== "undefined" && document.createElement("canvas");
  const found = other && contextOf(Object.assign(other, { width: 1, height: 1 }));
  if (found) return found;
  throw new Error(
    "webgl: backend not available: this page gets no WebGL2 context; " +
      "the browser lacks it, has it turned off, or has too many contexts open",
  );
}

/** @param {Canvas} canvas */
function contextOf(canvas) {
  const wishes = { antialias: false, depth: false, powerPreference: "high-performance" };
  return /** @type {GL | null} */ (canvas.getContext("webgl2", wishes));
}

/**
 * Return true if textures of a format can be rendered to. Some drivers report support that they lack,
 * so the function clears one texel and reads it back.
 * @param {GL} gl @param {number} internalFormat
 */
function isRenderable(gl, internalFormat) {
  const texture = gl.createTexture();
  const framebuffer = gl.createFramebuffer();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texStorage2D(gl.TEXTURE_2D, 1, internalFormat, 1, 1);
  gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer);
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
  let works = gl.checkFramebufferStatus(gl.FRAMEBUFFER) === gl.FRAMEBUFFER_COMPLETE;
  if (works) {
    const value = [-1234.5, 0.25, 1, 0];
    const read = new Float32Array(4);
    gl.clearBufferfv(gl.COLOR, 0, value);
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.FLOAT, read);
    // A half-precision float has an 11-bit significand, so it rounds -1234.5 by at most 0.5.
    works = read.every((component, i) => Math.abs(component - value[i]) <= 0.5);
  }
  gl.deleteFramebuffer(framebuffer);
  gl.deleteTexture(texture);
  while (gl.getError() !== gl.NO_ERROR && !gl.isContextLost());
  return works;
}

/** Return the bytes of memory that the browser says the machine has, in coarse steps, or null. */
export function machineMemory() {
  const { deviceMemory } = /** @type {{ deviceMemory?: number }} */ (navigator);
  return deviceMemory ? deviceMemory * 2 ** 30 : null;
}

/** Enable the extensions that the bridge uses and return the limits of the context. @param {GL} gl */
export function probe(gl) {
  gl.getExtension("EXT_color_buffer_float");
  gl.getExtension("EXT_color_buffer_half_float");
  const names = gl.getExtension("WEBGL_debug_renderer_info");
  return {
    maxTextureSize: gl.getParameter(gl.MAX_TEXTURE_SIZE),
    maxTextureUnits: gl.getParameter(gl.MAX_TEXTURE_IMAGE_UNITS),
    maxDrawBuffers: gl.getParameter(gl.MAX_DRAW_BUFFERS),
    maxUniformVectors: gl.getParameter(gl.MAX_FRAGMENT_UNIFORM_VECTORS),
    float32Renderable: isRenderable(gl, gl.RGBA32F),
    float16Renderable: isRenderable(gl, gl.RGBA16F),
    renderer: gl.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : gl.RENDERER),
    vendor: gl.getParameter(names ? names.UNMASKED_VENDOR_WEBGL : gl.VENDOR),
    timer: gl.getExtension("EXT_disjoint_timer_query_webgl2") !== null,
    parallelCompile: gl.getExtension("KHR_parallel_shader_compile") !== null,
    machineMemory: machineMemory(),
  };
}

/**
 * Call `onLost` when the context is lost and `onRestored` when the browser has restored it.
 * @param {GL} gl @param {() => void} onLost @param {() => void} onRestored
 */
export function watch(gl, onLost, onRestored) {
  const canvas = /** @type {EventTarget} */ (gl.canvas);
  let extension = gl.getExtension("WEBGL_lose_context");
  let lost = false;
  let restoreWanted = false;
  const restore = () => setTimeout(() => extension?.restoreContext());

  /** @param {Event} event */
  function whenLost(event) {
    // Without this, the browser never restores the context.
    event.preventDefault();
    lost = true;
    onLost();
    if (restoreWanted) restore();
    restoreWanted = false;
  }

  function whenRestored() {
    lost = false;
    extension = gl.getExtension("WEBGL_lose_context");
    onRestored();
  }

  const ended = new AbortController();
  canvas.addEventListener("webglcontextlost", whenLost, { signal: ended.signal });
  canvas.addEventListener("webglcontextrestored", whenRestored, { signal: ended.signal });
  return {
    isLost: () => lost || gl.isContextLost(),
    lose: () => extension?.loseContext(),
    /** Restore the context. WebGL allows this only after the webglcontextlost event was handled. */
    restore() {
      if (lost) restore();
      else restoreWanted = gl.isContextLost();
    },
    stop() {
      ended.abort();
      extension?.loseContext();
    },
  };
}
