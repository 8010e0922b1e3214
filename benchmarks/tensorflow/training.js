/** @file Training steps in TensorFlow.js; each returns the loss before the step. */

import * as tf from "@tensorflow/tfjs";

/**
 * @param {tf.Tensor[]} inputs images, labels, weights
 * @param {Record<string, any>} options
 * @param {(images: tf.Tensor, weights: tf.Variable[]) => tf.Tensor} logits
 */
function training([images, labels, ...initial], { rate }, logits) {
  const weights = initial.map((value) => tf.variable(value));
  // The default of epsilon is 1e-4 on WebGL and 1e-7 elsewhere.
  const optimizer = tf.train.adam(rate, 0.9, 0.999, 1e-7);
  const classes = initial[initial.length - 1].size;
  const expected = tf.oneHot(/** @type {tf.Tensor1D} */ (labels), classes);
  return () => {
    const loss = optimizer.minimize(
      () => tf.losses.softmaxCrossEntropy(expected, logits(images, weights)),
      true,
      weights,
    );
    return /** @type {tf.Scalar} */ (loss);
  };
}

/** @param {tf.Tensor[]} inputs @param {Record<string, any>} options */
export function trainMlp(inputs, options) {
  return training(inputs, options, (images, weights) => {
    let x = /** @type {tf.Tensor2D} */ (images);
    for (let i = 0; i < weights.length; i += 2) {
      const b = /** @type {tf.Tensor2D} */ (/** @type {unknown} */ (weights[i]));
      const activation = i + 2 < weights.length ? "relu" : "linear";
      x = /** @type {tf.Tensor2D} */ (
        tf.fused.matMul({ a: x, b, bias: weights[i + 1], activation })
      );
    }
    return x;
  });
}

/** @param {tf.Tensor[]} inputs @param {Record<string, any>} options */
export function trainCnn(inputs, options) {
  return training(inputs, options, (images, weights) => {
    let x = /** @type {tf.Tensor4D} */ (images);
    const dense = weights.length - 2;
    for (let i = 0; i < dense; i += 2) {
      const filter = /** @type {tf.Tensor4D} */ (/** @type {unknown} */ (weights[i]));
      const bias = weights[i + 1];
      const y = tf.fused.conv2d({ x, filter, strides: 1, pad: "same", bias, activation: "relu" });
      x = tf.maxPool(y, 2, 2, "valid");
    }
    const a = /** @type {tf.Tensor2D} */ (tf.reshape(x, [x.shape[0], -1]));
    const b = /** @type {tf.Tensor2D} */ (/** @type {unknown} */ (weights[dense]));
    return tf.fused.matMul({ a, b, bias: weights[dense + 1] });
  });
}
