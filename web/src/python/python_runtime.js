/** @file Starts Python with py_tensor and the caller's Python files. */

import { start } from "../../../page_loader/start.js";

/** @import { PyodideInterface } from "pyodide" */
/** @import { Progress } from "./protocol.js" */

/**
 * @typedef {object} Program
 * @property {Record<string, string>} sources texts of Python files by path; modules are named after the file alone
 * @property {Record<string, object>} modules JavaScript objects that Python can import, by name
 * @property {boolean} [prefetch] false for a program whose imports are few
 */

const FOLDER = "/home/pyodide/program";
const STEPS = { download: "Downloading Python", ready: "Ready" };

/**
 * Starts Python with py_tensor imported.
 *
 * @param {string} base address of the site's folder
 * @param {Program} program
 * @param {(progress: Progress) => void} report
 * @param {(bytes: number) => void} [onImport] gets the bytes for which imports wait, and 0 when none waits
 * @returns {Promise<PyodideInterface>}
 */
export async function startPython(base, { sources, modules, prefetch }, report, onImport) {
  report({ step: STEPS.download, fraction: 0, downloads: true });
  const pyodide = await start({
    folder: new URL("pyodide/", base).href,
    manifest: import.meta.env.PY_TENSOR_FILES,
    modules,
    prefetch,
    onImport,
    onProgress({ step, loaded, total, fraction }) {
      const [got, all] = [loaded, total].map((bytes) => (bytes / 1e6).toFixed(1));
      const size = step === "download" ? `, ${got} of ${all} MB` : "";
      report({
        step: STEPS[step] + size,
        fraction,
        downloads: step === "download" && loaded < total,
      });
    },
  });
  pyodide.FS.mkdirTree(FOLDER);
  for (const [path, source] of Object.entries(sources)) {
    pyodide.FS.writeFile(`${FOLDER}/${path.slice(path.lastIndexOf("/") + 1)}`, source);
  }
  pyodide.runPython(`import sys; sys.path.insert(0, "${FOLDER}")`);
  return pyodide;
}
