/** @file ONNX files in ONNX Runtime Web, which is not part of the site: its folder is given by address. */

/** @import { Trained } from "./trained.js" */

/**
 * Starts ONNX Runtime Web; resolves to its version and a function that loads a model for a provider.
 *
 * @param {string} folder address of its `dist` folder
 */
export async function startRuntime(folder) {
  const runtime = await import(/* @vite-ignore */ new URL("ort.all.min.mjs", folder).href);
  runtime.env.wasm.wasmPaths = folder;
  runtime.env.logLevel = "error";

  /** @param {string} provider "webgl", "wasm" or "webgpu" @returns {(source: string | Uint8Array) => Promise<Trained>} */
  const loader = (provider) => async (source) => {
    const start = performance.now();
    const session = await runtime.InferenceSession.create(source, {
      executionProviders: [provider],
    });
    const milliseconds = performance.now() - start;
    /** @type {Record<string, any>} */
    let inputs = {};
    const read = async () => {
      const results = await session.run(inputs);
      return session.outputNames.map((/** @type {string} */ name) => results[name].data);
    };
    return {
      milliseconds,
      give(arrays, described) {
        inputs = Object.fromEntries(
          described.map(({ name, shape, dtype }, at) => [
            name,
            new runtime.Tensor(dtype, arrays[at], shape),
          ]),
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
  return { version: String(runtime.env.versions.common), loader };
}
