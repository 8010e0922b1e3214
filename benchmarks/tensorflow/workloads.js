/** @file The workloads in TensorFlow.js, written as its users would write them. */

import * as tf from "@tensorflow/tfjs";
import { grayScott } from "./gray_scott.js";
import { mobilenet } from "./mobilenet.js";
import { trainCnn, trainMlp } from "./training.js";

/**
 * One repetition that returns a tensor. It runs in `tf.tidy`; the caller disposes the result.
 *
 * @typedef {() => tf.Tensor} Step
 *
 * One repetition that reads values or draws on the canvas, and disposes its tensors.
 *
 * @typedef {() => unknown} ReadingStep
 * @typedef {{ canvas: HTMLCanvasElement, [option: string]: any }} Options
 */

/** Chain of adds. @param {tf.Tensor} a @param {tf.Tensor} b @param {number} length */
export function added(a, b, length) {
  let x = a;
  for (let i = 0; i < length; i++) x = tf.add(x, b);
  return x;
}

/** @param {tf.Tensor[]} inputs @param {Options} options */
function addChain([a, b], { length }) {
  return () => added(a, b, length);
}

/** Eight elementwise operations. @param {tf.Tensor} x */
export function chained(x) {
  return x.mul(1.5).add(0.25).mul(x).sub(0.25).div(3).relu().mul(0.5).add(x);
}

/** @type {Record<string, (inputs: any[], options: Options) => Step>} */
export const WORKLOADS = {
  matmul:
    ([a, b]) =>
    () =>
      tf.matMul(a, b),
  batched_matmul:
    ([a, b]) =>
    () =>
      tf.matMul(a, b),
  elementwise_chain:
    ([x]) =>
    () =>
      chained(x),
  bias_relu:
    ([x, bias]) =>
    () =>
      tf.relu(tf.add(x, bias)),
  sum:
    ([x], { axis }) =>
    () =>
      tf.sum(x, axis ?? undefined),
  softmax:
    ([x]) =>
    () =>
      tf.softmax(x),
  exp:
    ([x]) =>
    () =>
      tf.exp(x),
  eager_add:
    ([a, b]) =>
    () =>
      tf.add(a, b),
  attention:
    ([q, k, v], { scale }) =>
    () =>
      tf.matMul(tf.softmax(tf.matMul(q, k, false, true).mul(scale)), v),
  scatter_add:
    ([values, positions], { length }) =>
    () =>
      tf.unsortedSegmentSum(values, positions, length),
  product_chain:
    ([x, w], { length }) =>
    () => {
      let y = x;
      for (let i = 0; i < length; i++) y = tf.matMul(y, w);
      return y;
    },
  // TensorFlow.js has no sort of values.
  sort:
    ([x]) =>
    () =>
      tf.reverse(tf.topk(x, x.size).values),
  gray_scott: grayScott,
  layer_norm:
    ([x, scale, shift], { epsilon }) =>
    () => {
      const { mean, variance } = tf.moments(x, -1, true);
      return x.sub(mean).mul(variance.add(epsilon).rsqrt()).mul(scale).add(shift);
    },
  argmax:
    ([x]) =>
    () =>
      tf.argMax(x, -1),
  transpose:
    ([x]) =>
    () =>
      tf.transpose(x),
  gather:
    ([table, indices]) =>
    () =>
      tf.gather(table, indices),
  cumulative_sum:
    ([x]) =>
    () =>
      tf.cumsum(x, x.rank - 1),
  concat: (parts) => () => tf.concat(parts, 1),
  add_chain: addChain,
  add_chain_jit: addChain,
  conv2d:
    ([x, w], { stride }) =>
    () =>
      tf.conv2d(x, w, stride, "same"),
  depthwise_conv2d: ([x, w], { stride }) => {
    const [height, width, , channels] = w.shape;
    const filter = tf.reshape(w, [height, width, channels, 1]);
    return () => tf.depthwiseConv2d(x, /** @type {tf.Tensor4D} */ (filter), stride, "same");
  },
  conv2d_transpose: ([x, w], { stride }) => {
    const [, height, width] = x.shape;
    const outputs = w.shape[2];
    return () =>
      tf.conv2dTranspose(x, w, [1, height * stride, width * stride, outputs], stride, "same");
  },
  max_pool2d:
    ([x], { window, stride }) =>
    () =>
      tf.maxPool(x, window, stride, "valid"),
  mobilenet_v2: mobilenet,
  mobilenet_v2_jit: mobilenet,
  train_mlp: trainMlp,
  train_cnn: trainCnn,
  upload:
    ([data], { shape }) =>
    () =>
      tf.relu(tf.tensor(data, shape)),
};

/** @type {Record<string, (inputs: any[], options: Options) => ReadingStep>} */
export const READING_WORKLOADS = {
  read_back:
    ([x]) =>
    () => {
      const result = tf.add(x, 1);
      const values = result.dataSync();
      result.dispose();
      return values;
    },
  read_back_async:
    ([x]) =>
    async () => {
      const result = tf.add(x, 1);
      const values = await result.data();
      result.dispose();
      return values;
    },
  draw:
    ([x], { canvas }) =>
    async () => {
      const picture = tf.tidy(() => x.add(1).div(2));
      await tf.browser.toPixels(picture, canvas);
      picture.dispose();
      return canvas;
    },
};
