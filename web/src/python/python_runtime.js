/** @file Loads Pyodide, the py_tensor wheel and the caller's Python files. */

import { DownloadMeter } from "./download_meter.js";

/** @import { PyodideInterface } from "pyodide" */
/** @import { Progress } from "./protocol.js" */

/**
 * @typedef {object} Program
 * @property {Record<string, string>} sources texts of Python files by path; modules are named after the file alone
 * @property {Record<string, object>} modules JavaScript objects that Python can import, by name
 */

const FOLDER = "/home/pyodide/program";
const MEGABYTE = 1e6;
// Before the large downloads start, the known total is far too small.
const MIN_TOTAL = 10 * MEGABYTE;
// Progress after each phase. Downloads take most of the first visit, starting Python most of later ones.
const DOWNLOADED = 0.7;
const STARTED = 0.9;

/**
 * Starts Python with py_tensor imported.
 *
 * @param {string} base address of the site's folder
 * @param {Program} program
 * @param {(progress: Progress) => void} report
 * @returns {Promise<PyodideInterface>}
 */
export async function startPython(base, program, report) {
  report({ step: "Downloading Python", fraction: 0 });
  const meter = new DownloadMeter((got, total) => {
    const expected = Math.max(total, MIN_TOTAL);
    const size = `${(got / MEGABYTE).toFixed(1)} of ${(expected / MEGABYTE).toFixed(1)} MB`;
    report({ step: `Downloading Python, ${size}`, fraction: (DOWNLOADED * got) / expected });
  });
  try {
    const folder = new URL("pyodide/", base).href;
    /** @type {typeof import("pyodide")} */
    const { loadPyodide } = await import(/* @vite-ignore */ `${folder}pyodide.mjs`);
    const loading = loadPyodide({
      indexURL: folder,
      // With a relative address Pyodide silently skips the packages.
      lockFileURL: `${folder}pyodide-lock.json`,
      packages: ["py_tensor"],
    });
    const [pyodide, bridge] = await Promise.race([
      meter.failure,
      Promise.all([loading, webglBridge()]),
    ]);
    report({ step: "Starting py_tensor", fraction: STARTED });
    install(pyodide, program, bridge);
    await pyodide.runPythonAsync("import py_tensor");
    report({ step: "Ready", fraction: 1 });
    return pyodide;
  } finally {
    meter.stop();
  }
}

/**
 * Loads the WebGL bridge from a file of its own. The WebGPU bridge shares modules with it. If they were part of the
 * worker's script, that bridge would import the script again, since its address has no query, and run it twice.
 */
const webglBridge = () => import("../../../webgl_js_bridge/index.js");

/**
 * @param {PyodideInterface} pyodide
 * @param {Program} program
 * @param {Awaited<ReturnType<typeof webglBridge>>} bridge
 */
function install(pyodide, { sources, modules }, bridge) {
  // Otherwise py_tensor evaluates its own copy, which a Content-Security-Policy may forbid.
  pyodide.registerJsModule("webgl_js_bridge", bridge);
  // Loaded when WebGPU is first used.
  pyodide.registerJsModule("webgpu_js_bridge", {
    /** @param {Parameters<typeof import("../../../webgpu_js_bridge/index.js").createBridge>[0]} options */
    createBridge: async (options) =>
      (await import("../../../webgpu_js_bridge/index.js")).createBridge(options),
  });
  for (const [name, module] of Object.entries(modules)) pyodide.registerJsModule(name, module);
  pyodide.FS.mkdirTree(FOLDER);
  for (const [path, source] of Object.entries(sources)) {
    pyodide.FS.writeFile(`${FOLDER}/${path.slice(path.lastIndexOf("/") + 1)}`, source);
  }
  pyodide.runPython(`import sys; sys.path.insert(0, "${FOLDER}")`);
}
