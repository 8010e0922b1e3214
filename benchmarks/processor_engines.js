/** @file Starts the libraries that compute on the processor. */

/** @import { Engine } from "./engines.js" */
/** @import { PythonSide } from "./python_side.js" */

/**
 * Starts libraries by name: "tensorflow" and "jax" on WebAssembly, or py_tensor by a name of its backends.
 *
 * @param {string[]} libraries
 * @param {object} start
 * @param {() => Promise<PythonSide>} start.python
 * @param {() => Promise<void>} start.useWasm says where TensorFlow.js' program for WebAssembly is
 * @returns {Promise<Engine[]>}
 */
export async function startEngines(libraries, start) {
  /** @type {Engine[]} */
  const engines = [];
  /** @type {PythonSide | null} */
  let python = null;
  for (const library of libraries) {
    if (library === "tensorflow") {
      await start.useWasm();
      const tensorflow = await import("./tensorflow/side.js");
      await tensorflow.start("wasm");
      engines.push({ name: "TF.js wasm", prepare: tensorflow.prepare });
    } else if (library === "jax") {
      const jax = await import("./jax/side.js");
      await jax.start();
      engines.push({ name: "jax-js wasm", prepare: jax.prepare });
    } else {
      python ??= await start.python();
      const side = python;
      engines.push({
        name: `py_tensor ${library}`,
        prepare: (workload, arrays) => side.prepare(workload, arrays, library),
      });
    }
  }
  return engines;
}
