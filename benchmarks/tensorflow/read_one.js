/** @file Reads one element, which waits for all previous commands. */

import * as tf from "@tensorflow/tfjs";

/** Blocks: `await data()` polls with timers, which takes milliseconds longer. @param {tf.Tensor} tensor */
export function readOne(tensor) {
  if (tensor.rank === 0) return tensor.dataSync();
  const start = tensor.shape.map(() => 0);
  const size = tensor.shape.map(() => 1);
  const element = tf.slice(tensor, start, size);
  const values = element.dataSync();
  element.dispose();
  return values;
}
