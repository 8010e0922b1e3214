/** @file Runs Python, and draws the picture that the page asks for. */

import { loadPyodide } from "./pyodide/pyodide.mjs";

/** Loads Python, py_tensor and picture.py. */
async function load() {
  const pyodide = await loadPyodide({ packages: ["py_tensor"] });
  // Pyodide only logs it if a package is missing.
  if (!("py_tensor" in pyodide.loadedPackages)) throw new Error("py_tensor did not load");
  pyodide.FS.writeFile("picture.py", await (await fetch("picture.py")).text());
  // The module makes tensors. Called like this, Python may wait for the GPU.
  return pyodide.runPythonAsync("import picture; picture");
}

const loaded = load();
let canvas;

self.onmessage = async ({ data }) => {
  canvas ??= data.canvas;
  try {
    const picture = await loaded;
    self.postMessage(await picture.show(data.waves, canvas));
  } catch (error) {
    self.postMessage(String(error));
  }
};
