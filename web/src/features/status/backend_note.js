/** @file Tells visitors which backend computes, and why this page is slow for them if it is. */

import { find } from "../../ui/dom.js";

/** @import { Started } from "../../python/protocol.js" */

/** Parts of the names of renderers that run on the processor: Chromium's, Mesa's and those of Windows. */
const ON_PROCESSOR = /swiftshader|llvmpipe|softpipe|basic render|software/i;
/** @type {Record<string, string>} */
const NAMES = {
  webgpu: "WebGPU",
  webgl: "WebGL2",
  wasm: "WebAssembly",
  numpy: "NumPy",
  python: "plain Python",
};
const SETTINGS = "Hardware acceleration may be switched off in the browser's settings.";

/**
 * Returns the backend, and the GPU if one computes.
 *
 * @param {Started} started
 */
export function describeBackend({ backend, renderer }) {
  const name = NAMES[backend] ?? backend;
  return renderer ? `${name}, ${renderer}` : name;
}

/** @param {Started} started */
export function showBackend(started) {
  const { backend, renderer, reason } = started;
  let text = `Runs on ${describeBackend(started)}`;
  if (backend === "wasm" && reason.includes("webgl:"))
    text += ` (no GPU found). With a GPU this page is faster. ${SETTINGS}`;
  else if (backend === "python") text += `, which is slow. The exact reason: ${reason}`;
  else if (ON_PROCESSOR.test(renderer ?? ""))
    text += `, without a GPU: everything on this page is many times slower. ${SETTINGS}`;
  const note = find("backend-note", HTMLElement);
  note.textContent = text;
  note.title = reason;
  note.hidden = false;
  find("backend", HTMLElement).textContent = `${describeBackend(started)}; ${reason}`;
}
