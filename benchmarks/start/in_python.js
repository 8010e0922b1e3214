/** @file Starts Python with py_tensor, in one of three ways, and computes. */

import { check, MATRIX, momentsOf, now, SIDE } from "./measured.js";

/** @import { PyodideInterface } from "pyodide" */

const PROGRAM = `
import py_tensor as pt
from pyodide.ffi import to_js

if backend:
    pt.set_backend(backend)
x = pt.reshape(pt.asarray(matrix.to_memoryview()), (side, side))
to_js(memoryview(await pt.reshape(x @ x, (side * side,)).data()))
`;

/** @param {string} folder @param {boolean} snapshot @returns {Promise<PyodideInterface>} */
async function byLoader(folder, snapshot) {
  const { start } = await import(/* @vite-ignore */ `${folder}start.js`);
  // Archives that load later must not be counted.
  return start({ snapshot, prefetch: false });
}

/** Starts Python as pages without the loader do. @param {string} folder @returns {Promise<PyodideInterface>} */
async function byWheel(folder) {
  const { loadPyodide } = await import(/* @vite-ignore */ `${folder}pyodide.mjs`);
  const lockFileURL = `${folder}pyodide-lock.json`;
  const python = await loadPyodide({ lockFileURL, packages: ["py_tensor"] });
  python.pyimport("py_tensor").destroy();
  return python;
}

/** @type {Record<string, (folder: string) => Promise<PyodideInterface>>} */
const STARTS = {
  snapshot: (folder) => byLoader(folder, true),
  archives: (folder) => byLoader(folder, false),
  wheel: byWheel,
};

/** @param {string} folder address of the site's folder with Pyodide */
export async function startAndCompute(folder) {
  const query = new URLSearchParams(location.search);
  const python = await STARTS[query.get("start") ?? "snapshot"](folder);
  const ready = now();
  python.globals.set("backend", query.get("backend") ?? "");
  python.globals.set("matrix", MATRIX);
  python.globals.set("side", SIDE);
  const product = await python.runPythonAsync(PROGRAM);
  const moments = momentsOf(ready);
  check(product);
  return moments;
}
