/** @file ONNX files in ONNX Runtime Web. */

/** @import { Trained, Values } from "./trained.js" */

/** @typedef {(source: string | Uint8Array) => Promise<Trained>} Loader */

/** Types of inputs whose numbers have an array of another kind than py_tensor's. @type {Record<string, (values: any) => any>} */
const ARRAYS = {
  int64: (values) => BigInt64Array.from(values, BigInt),
  uint8: (values) => Uint8Array.from(values),
  int8: (values) => Int8Array.from(values),
  bool: (values) => Uint8Array.from(values),
  float64: (values) => Float64Array.from(values),
};

/**
 * Starts ONNX Runtime Web from a folder that is not part of the site; resolves to its version and a function that loads a
 * model for a provider.
 *
 * @param {string} folder address of its `dist` folder
 * @param {string[]} providers "webgl", "wasm" or "webgpu"
 */
export async function startRuntime(folder, providers) {
  // The file for all providers has the older of two ways to use WebGPU.
  const file = providers.includes("webgl") ? "ort.all.min.mjs" : "ort.webgpu.min.mjs";
  const runtime = await import(/* @vite-ignore */ new URL(file, folder).href);
  runtime.env.wasm.wasmPaths = folder;
  runtime.env.wasm.numThreads = 1;
  return {
    version: String(runtime.env.versions.common),
    loader: (/** @type {string} */ provider) => loaderOf(runtime, provider),
  };
}

/** Returns a function that loads a model. @param {any} runtime the module of ONNX Runtime Web @param {string} provider "webgl", "wasm" or "webgpu" @returns {Loader} */
export function loaderOf(runtime, provider) {
  runtime.env.logLevel = "error";
  return async (source) => {
    const start = performance.now();
    const session = await runtime.InferenceSession.create(source, {
      executionProviders: [provider],
    });
    const milliseconds = performance.now() - start;
    /** @type {Record<string, any>} */
    let inputs = {};
    const read = async () => {
      const results = await session.run(inputs);
      return session.outputNames.map((/** @type {string} */ name) => plain(results[name].data));
    };
    // The file's types, of which py_tensor has fewer. The provider webgl does not tell them.
    const types = Object.fromEntries(
      provider === "webgl"
        ? []
        : session.inputMetadata.map((/** @type {any} */ { name, type }) => [name, type]),
    );
    return {
      milliseconds,
      give(arrays, described) {
        inputs = Object.fromEntries(
          described.map(({ name, shape, dtype }, at) => {
            const type = types[name] ?? dtype;
            const values = ARRAYS[type]?.(arrays[at]) ?? arrays[at];
            return [name, new runtime.Tensor(type, values, shape)];
          }),
        );
      },
      async run() {
        const began = performance.now();
        await read();
        return performance.now() - began;
      },
      values: read,
      release: () => session.release(),
    };
  };
}

/** 64-bit integers as 32-bit ones, which py_tensor has. @param {any} values @returns {Values} */
function plain(values) {
  return values instanceof BigInt64Array ? Int32Array.from(values, Number) : values;
}
