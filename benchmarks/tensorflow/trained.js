/** @file Graph models in TensorFlow.js. */

import * as tf from "@tensorflow/tfjs";

/** @import { Trained } from "../trained.js" */

/** @param {string} url @returns {Promise<Trained>} */
export async function loadGraph(url) {
  const start = performance.now();
  const graph = await tf.loadGraphModel(url);
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
    const values = tensors.map((tensor) => tensor.dataSync());
    tf.dispose(tensors);
    return values;
  };
  return {
    milliseconds,
    give(arrays, described) {
      inputs = described.map(({ shape }, at) =>
        tf.tensor(arrays[at], shape, arrays[at] instanceof Float32Array ? "float32" : "int32"),
      );
    },
    async run() {
      const began = performance.now();
      await read();
      return performance.now() - began;
    },
    values: read,
    release() {
      tf.dispose(inputs);
      graph.dispose();
    },
  };
}
