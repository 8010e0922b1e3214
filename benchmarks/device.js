/** @file Entry point of the page that tells what py_tensor can do on this device: backends, right values, speed, facts. */

import { adapterLine } from "./adapter.js";
import { rendererName } from "./device_limits.js";
import { PythonSide } from "./python_side.js";
import { digits } from "./results.js";
import { report, send, showSections, startPage } from "./section_page.js";

/** @import { Section } from "./results.js" */

/**
 * @typedef {object} Measured
 * @property {number} start milliseconds until the backend is ready
 * @property {string[]} wrong names of checks with other values than plain Python
 * @property {number} checks their number
 * @property {number} call milliseconds of a small call with its read
 * @property {number} flops GFLOP/s of a product of matrices
 * @property {Record<string, string>} facts values of `pt.env`
 */

const BACKENDS = ["webgpu", "webgl", "wasm"];
const COLUMNS = ["", "right", "start ms", "call ms", "GFLOP/s"];

/** Sizes and features of a device, as far as the browser tells them. @returns {Promise<string[][]>} */
async function browserFacts() {
  const { deviceMemory } = /** @type {{ deviceMemory?: number }} */ (navigator);
  const quota = await navigator.storage?.estimate().then(
    (estimate) => estimate.quota,
    () => undefined,
  );
  const canvas = globalThis.OffscreenCanvas && new OffscreenCanvas(1, 1).getContext("webgl2");
  const yes = (/** @type {unknown} */ value) => (value ? "yes" : "no");
  return [
    ["browser", navigator.userAgent],
    ["processors", String(navigator.hardwareConcurrency ?? "not told")],
    ["memory, GiB", String(deviceMemory ?? "not told")],
    ["storage for the page, GB", quota ? digits(quota / 1e9) : "not told"],
    ["reads that suspend Python (JSPI)", yes("Suspending" in WebAssembly)],
    ["threads of WebAssembly (isolated page)", yes(globalThis.crossOriginIsolated)],
    ["WebGL2 in a worker", yes(canvas)],
    ["WebGPU", yes("gpu" in navigator)],
  ];
}

/** @param {string[][]} rows @returns {Section} */
const factSection = (rows) => ({ title: "Browser", columns: ["", ""], rows, notes: [] });

async function run() {
  const python = new PythonSide();
  const version = await python.start((step) => report(step), false);
  const module = python.module("device");
  await report("Computing the expected values in plain Python");
  const expected = await module.expected();
  /** @type {Section} */
  const backends = { title: "Backends", columns: COLUMNS, rows: [], notes: [] };
  /** @type {Section[]} */
  const facts = [];
  const browser = factSection(await browserFacts());
  let failed = 0;
  for (const backend of BACKENDS) {
    await report(`Checking ${backend}`);
    try {
      /** @type {Measured} */
      const found = JSON.parse(await module.measured(backend, expected));
      const { wrong, checks, start, call, flops } = found;
      const right = `${checks - wrong.length} of ${checks}`;
      backends.rows.push([backend, right, ...[start, call, flops].map(digits)]);
      if (wrong.length > 0) backends.notes.push(`${backend} is wrong in ${wrong.join(", ")}`);
      failed += wrong.length;
      facts.push({
        title: `Values of pt.env on ${backend}`,
        columns: ["", ""],
        rows: Object.entries(found.facts),
        notes: [],
      });
    } catch (error) {
      backends.rows.push([backend, "not here", "-", "-", "-"]);
      // The last line of a Python error has its text.
      backends.notes.push(`${backend}: ${String(error).trim().split("\n").at(-1)}`);
    }
    showSections([backends, browser]);
    send("/log", (backends.rows.at(-1) ?? []).join("  "));
  }
  return {
    renderer: await nameOfGpu(),
    versions: { py_tensor: version },
    sections: [backends, browser, ...facts],
    summary: { failed },
  };
}

/** The name that WebGL2 tells, or WebGPU's. */
async function nameOfGpu() {
  try {
    return rendererName();
  } catch {
    return adapterLine().catch(() => "no GPU");
  }
}

startPage(run);
