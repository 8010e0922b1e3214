/** @file Graph models in TensorFlow.js. */

import * as tf from "@tensorflow/tfjs";

/** @import { Trained } from "../trained.js" */

/**
 * Starts a backend, "webgl", "webgpu" or "wasm"; resolves to a function that loads a model for it.
 *
 * @param {string} backend
 * @returns {Promise<(source: string | Record<string, File>) => Promise<Trained>>}
 */
export async function startBackend(backend) {
  if (backend === "webgpu") await import("@tensorflow/tfjs-backend-webgpu");
  if (backend === "wasm" && globalThis.document) (await import("./wasm_page.js")).useSiteWasm();
  const choose = async () => {
    if (!(await tf.setBackend(backend))) throw new Error(`TensorFlow.js: no ${backend} backend`);
  };
  return async (source) => {
    await choose();
    return load(source, backend !== "webgpu", choose);
  };
}

/**
 * @param {string | Record<string, File>} source address of the model, or its files by name
 * @param {boolean} blocks reads wait for the device, which takes webgl 4 ms less; webgpu has no such reads
 * @param {() => Promise<void>} choose makes the model's backend the one that computes
 * @returns {Promise<Trained>}
 */
async function load(source, blocks, choose) {
  const start = performance.now();
  const graph = await tf.loadGraphModel(typeof source === "string" ? source : handlerOf(source));
  const milliseconds = performance.now() - start;
  /** @type {tf.Tensor[]} */
  let inputs = [];
  let waits = false;
  const results = async () => {
    if (!waits) {
      try {
        return [graph.execute(inputs)].flat();
      } catch (error) {
        // TensorFlow.js refuses graphs with control flow or open shapes before it runs them.
        if (!String(error).includes("executeAsync")) throw error;
        waits = true;
      }
    }
    return [await graph.executeAsync(inputs)].flat();
  };
  const read = async () => {
    const tensors = await results();
    const values = blocks
      ? tensors.map((tensor) => tensor.dataSync())
      : await Promise.all(tensors.map((tensor) => tensor.data()));
    tf.dispose(tensors);
    return values;
  };
  return {
    milliseconds,
    async give(arrays, described) {
      await choose();
      inputs = described.map(({ shape }, at) =>
        tf.tensor(arrays[at], shape, arrays[at] instanceof Float32Array ? "float32" : "int32"),
      );
    },
    async run() {
      await choose();
      const began = performance.now();
      await read();
      return performance.now() - began;
    },
    async values() {
      await choose();
      return read();
    },
    release() {
      tf.dispose(inputs);
      graph.dispose();
    },
  };
}

/** Reads a model from files, of which TensorFlow.js wants that of the graph first. @param {Record<string, File>} files */
function handlerOf(files) {
  const isGraph = (/** @type {File} */ { name }) => Number(name.endsWith(".json"));
  return tf.io.browserFiles(Object.values(files).sort((a, b) => isGraph(b) - isGraph(a)));
}
