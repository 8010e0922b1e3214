/** @file Starts Python: Pyodide, the py_tensor wheel, and the Python files of whoever starts it. */

import { DownloadMeter } from "./download_meter.js";

/** @import { PyodideInterface } from "pyodide" */
/** @import { Progress } from "./protocol.js" */

/**
 * @typedef {object} Program
 * @property {Record<string, string>} sources Python files, path to text
 * @property {Record<string, object>} modules objects that Python imports by these names
 */

const FOLDER = "/home/pyodide/program";
const MEGABYTE = 1e6;
// Until the large files have begun, what is known of the total is far too little.
const LEAST_TOTAL = 10 * MEGABYTE;
// How the bar is shared out: the downloads take most of a first visit, starting Python takes most of a later one.
const DOWNLOADED = 0.7;
const STARTED = 0.9;

/**
 * @param {string} base address of the site's folder
 * @param {Program} program
 * @param {(progress: Progress) => void} report
 * @returns {Promise<PyodideInterface>}
 */
export async function startPython(base, program, report) {
  report({ step: "Downloading Python", fraction: 0 });
  const meter = new DownloadMeter((got, total) => {
    const expected = Math.max(total, LEAST_TOTAL);
    const size = `${(got / MEGABYTE).toFixed(1)} of ${(expected / MEGABYTE).toFixed(1)} MB`;
    report({ step: `Downloading Python, ${size}`, fraction: (DOWNLOADED * got) / expected });
  });
  try {
    const folder = new URL("pyodide/", base).href;
    /** @type {typeof import("pyodide")} */
    const { loadPyodide } = await import(/* @vite-ignore */ `${folder}pyodide.mjs`);
    const pyodide = await loadPyodide({
      indexURL: folder,
      // Only an absolute address: with a relative one packages are silently left out.
      lockFileURL: `${folder}pyodide-lock.json`,
      packages: ["py_tensor"],
    });
    // A wheel that is missing or damaged does not make loadPyodide reject.
    if (!("py_tensor" in pyodide.loadedPackages)) {
      throw new Error(`py_tensor: the wheel did not load; ${meter.failures.join("; ")}`);
    }
    report({ step: "Starting py_tensor", fraction: STARTED });
    install(pyodide, program);
    await pyodide.runPythonAsync("import py_tensor");
    report({ step: "Ready", fraction: 1 });
    return pyodide;
  } finally {
    meter.stop();
  }
}

/**
 * @param {PyodideInterface} pyodide
 * @param {Program} program
 */
function install(pyodide, { sources, modules }) {
  for (const [name, module] of Object.entries(modules)) pyodide.registerJsModule(name, module);
  pyodide.FS.mkdirTree(FOLDER);
  for (const [path, source] of Object.entries(sources)) {
    pyodide.FS.writeFile(`${FOLDER}/${path.slice(path.lastIndexOf("/") + 1)}`, source);
  }
  pyodide.runPython(`import sys; sys.path.insert(0, "${FOLDER}")`);
}
