/** @file Starts Python in a worker, with the module that answers the page's requests. */

import { startPython } from "./python_runtime.js";
import { send } from "./serve_requests.js";

/** @import { Program } from "./python_runtime.js" */
/** @import { Started } from "./protocol.js" */

/** Program that chooses the backend, and whose value says which one and why. Opening a WebGPU device waits. */
const COMPUTING = `
import json
import py_tensor as pt
json.dumps({"backend": await pt.ready(), "renderer": pt.env.renderer, "reason": pt.env.backend_choice})
`;

/**
 * Resolves to a module of Python, and the answer to the page's request to start.
 *
 * @param {string} name of the module
 * @param {string} base address of the site's folder
 * @param {Program} program
 * @returns {Promise<{ module: any, started: Started }>}
 */
export async function startModule(name, base, program) {
  const python = await startPython(
    base,
    program,
    (progress) => send("progress", progress),
    (bytes) => send("importing", bytes),
  );
  const computing = JSON.parse(await python.runPythonAsync(COMPUTING));
  const module = python.pyimport(name);
  const loaded = /** @type {PerformanceResourceTiming[]} */ (
    performance.getEntriesByType("resource")
  );
  // Without those that were given up. Workers of WebKit know no sizes, and list none of these.
  const hasSizes = loaded.some((entry) => entry.encodedBodySize > 0);
  const whole = loaded.filter((entry) => entry.encodedBodySize > 0 || !hasSizes);
  const files = whole.map((entry) => entry.name);
  return { module, started: { ...computing, files } };
}
