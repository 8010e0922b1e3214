/** @file Reads one element, which waits for all previous commands. */

import * as tf from "@tensorflow/tfjs";

/** Blocks: `await data()` polls with timers, which takes milliseconds longer. @param {tf.Tensor} tensor */
export function readOne(tensor) {
  if (tensor.rank === 0) return tensor.dataSync();
  const element = first(tensor);
  const values = element.dataSync();
  element.dispose();
  return values;
}

/** Waits as `readOne` does, for a backend without blocking reads. @param {tf.Tensor} tensor */
export async function readOneLater(tensor) {
  if (tensor.rank === 0) {
    await tensor.data();
    return;
  }
  const element = first(tensor);
  await element.data();
  element.dispose();
}

/** @param {tf.Tensor} tensor */
function first(tensor) {
  const start = tensor.shape.map(() => 0);
  const size = tensor.shape.map(() => 1);
  return tf.slice(tensor, start, size);
}
