/** @file Start Python in a page or a worker with given options of `start`, and run programs in it. */

import { start } from "../pyodide/start.js";

/** @type {ReturnType<typeof start>} */
let python;

/** @param {object} options @param {string} program */
async function run(options, program) {
  python ??= start(options);
  return (await python).runPythonAsync(program);
}

if ("document" in globalThis) {
  globalThis.runHere = run;
  globalThis.runInWorker = (options, program) =>
    new Promise((resolve, reject) => {
      const worker = new Worker(import.meta.url, { type: "module" });
      worker.onmessage = ({ data: { value, error } }) => (error ? reject(error) : resolve(value));
      worker.postMessage([options, program]);
    });
} else {
  self.onmessage = async ({ data }) => {
    try {
      self.postMessage({ value: await run(...data) });
    } catch (error) {
      self.postMessage({ error: error.message });
    }
  };
}
