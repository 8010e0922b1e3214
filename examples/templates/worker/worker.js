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
let wanted;
let isDrawing = false;

/** Draws what the page asked for last, until nothing is left: one picture at a time. */
async function draw() {
  isDrawing = true;
  try {
    const picture = await loaded;
    while (wanted !== undefined) {
      const waves = wanted;
      wanted = undefined;
      self.postMessage(await picture.show(waves, canvas));
    }
  } catch (error) {
    self.postMessage(String(error));
  }
  isDrawing = false;
}

self.onmessage = ({ data }) => {
  canvas ??= data.canvas;
  wanted = data.waves;
  if (!isDrawing) draw();
};
