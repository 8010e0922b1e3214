/** @file Starts the libraries that a page or script compares. */

/** @import { Engine } from "./engines.js" */
/** @import { PythonSide } from "./python_side.js" */

/**
 * Starts libraries by name: "tensorflow" and "jax" on one kind of device, or py_tensor by a name of its backends.
 *
 * @param {string[]} libraries
 * @param {"wasm" | "webgpu"} device of TensorFlow.js and jax-js
 * @param {object} start
 * @param {() => Promise<PythonSide>} start.python
 * @param {() => Promise<void>} [start.useWasm] says where TensorFlow.js' program for WebAssembly is
 * @returns {Promise<Engine[]>}
 */
export async function startEngines(libraries, device, start) {
  /** @type {Engine[]} */
  const engines = [];
  /** @type {PythonSide | null} */
  let python = null;
  for (const library of libraries) {
    if (library === "tensorflow") {
      if (device === "wasm") await start.useWasm?.();
      const tensorflow = await import("./tensorflow/side.js");
      const version = await tensorflow.start(device);
      engines.push({ name: `TF.js ${device}`, version, prepare: tensorflow.prepare });
    } else if (library === "jax") {
      const jax = await import("./jax/side.js");
      await jax.start(device);
      engines.push({ name: `jax-js ${device}`, prepare: jax.prepare });
    } else {
      python ??= await start.python();
      const side = python;
      await side.ready(library);
      engines.push({
        name: `py_tensor ${library}`,
        prepare: (workload, arrays) => side.prepare(workload, arrays, library),
      });
    }
  }
  return engines;
}
