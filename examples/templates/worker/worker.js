/** @file Runs Python, and draws the picture that the page asks for. */

import { start } from "./pyodide/start.js";

/** Starts Python with py_tensor, and imports picture.py. */
async function load() {
  const python = await start({
    onProgress: ({ fraction }) => {
      self.postMessage(`Loading Python: ${Math.round(100 * fraction)} %`);
    },
  });
  python.FS.writeFile("picture.py", await (await fetch("picture.py")).text());
  // The module makes tensors. Called like this, Python may wait for the GPU.
  return python.runPythonAsync("import picture; picture");
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
