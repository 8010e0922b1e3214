/** @file Runs Python, and draws the picture that the page asks for. */

import { loadPyodide } from "./pyodide/pyodide.mjs";

/** Loads Python, py_tensor and picture.py. */
async function load() {
  const pyodide = await loadPyodide({ packages: ["py_tensor"] });
  // Pyodide only logs it if a package is missing.
  if (!("py_tensor" in pyodide.loadedPackages)) throw new Error("py_tensor did not load");
  pyodide.FS.writeFile("picture.py", await (await fetch("picture.py")).text());
  return pyodide.pyimport("picture");
}

const loaded = load();
let canvas;

self.onmessage = async ({ data }) => {
  canvas ??= data.canvas;
  try {
    const picture = await loaded;
    self.postMessage(picture.show(data.waves, canvas));
  } catch (error) {
    self.postMessage(String(error));
  }
};
