/** @file Start Python in a page or a worker with given options of `start`, and run programs in it. */

import { start } from "../pyodide/start.js";

if (new URLSearchParams(location.search).has("no_promises")) {
  delete WebAssembly.Suspending;
  delete WebAssembly.promising;
}

/** Bytes for which imports waited; programs read them as `js.awaited`. @type {number[]} */
globalThis.awaited = [];
const onImport = (/** @type {number} */ bytes) => awaited.push(bytes);

/** @type {ReturnType<typeof start>} */
let python;

/** @param {object} options @param {string} program */
async function run(options, program) {
  python ??= start({ ...options, onImport });
  return (await python).runPythonAsync(program);
}

if ("document" in globalThis) {
  globalThis.runHere = run;
  /** @type {Worker} */
  let worker;
  globalThis.runInWorker = (options, program) =>
    new Promise((resolve, reject) => {
      worker ??= new Worker(import.meta.url + location.search, { type: "module" });
      worker.onmessage = ({ data: { value, error } }) =>
        error ? reject(new Error(error)) : resolve(value);
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
