/** @file Finds the GPU that WebGL2 uses in this worker. */

/**
 * Returns the name of the renderer, or null and the browser's reason if there is no WebGL2.
 *
 * @returns {{ renderer: string | null, reason: string }}
 */
export function probeWebGL() {
  if (typeof OffscreenCanvas === "undefined") {
    return {
      renderer: null,
      reason: "this browser has no OffscreenCanvas in workers; it needs a newer browser",
    };
  }
  const canvas = new OffscreenCanvas(1, 1);
  let reason =
    "the browser gave no reason; hardware acceleration may be switched off in its settings";
  canvas.addEventListener("webglcontextcreationerror", (event) => {
    if (event instanceof WebGLContextEvent && event.statusMessage) reason = event.statusMessage;
  });
  const gl = canvas.getContext("webgl2");
  if (!gl) return { renderer: null, reason };
  const names = gl.getExtension("WEBGL_debug_renderer_info");
  const renderer = gl.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
  // Browsers limit the number of contexts, and this one would count until it is garbage-collected.
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return { renderer: String(renderer), reason: "" };
}
