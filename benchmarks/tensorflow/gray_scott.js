/** @file Reaction and diffusion in TensorFlow.js: a depthwise convolution computes both Laplacians. */

import * as tf from "@tensorflow/tfjs";

const LAPLACIAN = [0, 1, 0, 1, -4, 1, 0, 1, 0];

/** Repeats the first row after the last one and the last one before the first, and so for columns. @param {tf.Tensor4D} x */
function wrapped(x) {
  const [, height, width] = x.shape;
  const rows = tf.concat(
    [tf.slice(x, [0, height - 1, 0, 0], [1, 1, width, 1]), x, tf.slice(x, 0, [1, 1, width, 1])],
    1,
  );
  const first = tf.slice(rows, 0, [1, height + 2, 1, 1]);
  const last = tf.slice(rows, [0, 0, width - 1, 0], [1, height + 2, 1, 1]);
  return /** @type {tf.Tensor4D} */ (tf.concat([last, rows, first], 2));
}

/** @param {tf.Tensor[]} inputs @param {Record<string, any>} options */
export function grayScott([first, second], { steps }) {
  const [height, width] = first.shape;
  const filter = tf.tensor4d(LAPLACIAN, [3, 3, 1, 1]);
  /** @param {tf.Tensor4D} x */
  const laplacian = (x) => tf.depthwiseConv2d(wrapped(x), filter, 1, "valid");
  return () => {
    let u = /** @type {tf.Tensor4D} */ (tf.reshape(first, [1, height, width, 1]));
    let v = /** @type {tf.Tensor4D} */ (tf.reshape(second, [1, height, width, 1]));
    for (let step = 0; step < steps; step++) {
      [u, v] = tf.tidy(() => {
        const r = u.mul(v).mul(v);
        const fed = laplacian(u).mul(0.16).sub(r).add(u.mul(-0.035).add(0.035));
        const grown = laplacian(v).mul(0.08).add(r).add(v.mul(0.9));
        return [u.add(fed), /** @type {tf.Tensor4D} */ (grown)];
      });
    }
    return tf.reshape(u.add(v), [height, width]);
  };
}
