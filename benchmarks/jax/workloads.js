/** @file The workloads in jax-js, all compiled but for the eager ones, which makes them faster. */

import { grad, jit, lax, nn, numpy as np } from "@jax-js/jax";
import { channelsFirst, channelsLast, filtersFirst, maxPool } from "./layouts.js";
import { mobilenet, mobilenetJit } from "./mobilenet.js";
import { trainCnn, trainMlp } from "./training.js";

/** @typedef {import("@jax-js/jax").Array} JaxArray */

/**
 * One repetition, and what makes its result one in the order of the other libraries. jax-js consumes its arguments; `ref`
 * keeps one. With `reads`, a repetition includes reading all values.
 *
 * @typedef {{ step: () => JaxArray, after?: (result: JaxArray) => JaxArray, reads?: boolean }} Prepared
 */

/** A step of a function of the inputs. @param {(...inputs: JaxArray[]) => JaxArray} work @returns {(inputs: JaxArray[]) => Prepared} */
function calls(work) {
  return (inputs) => ({ step: () => work(...inputs.map((input) => input.ref)) });
}

/** Convolves as jax-js does, with channels before rows. @param {JaxArray[]} inputs @param {Record<string, any>} options @param {boolean} apart @returns {Prepared} */
function convolution([x, w], { stride }, apart) {
  const channels = x.shape[3];
  // A copy, since a transpose alone is a view.
  const image = np.add(channelsFirst(x.ref), 0);
  const filter = np.add(filtersFirst(w.ref), 0);
  const options = apart ? { featureGroupCount: channels } : {};
  // Under jit it takes 3 to 8 times as long.
  const step = () =>
    lax.convGeneralDilated(image.ref, filter.ref, [stride, stride], "SAME", options);
  return { step, after: channelsLast };
}

/** @param {JaxArray[]} inputs @param {Record<string, any>} options @returns {Prepared} */
function transposedConvolution([x, w], { stride }) {
  const image = np.add(channelsFirst(x.ref), 0);
  const filter = np.add(filtersFirst(w.ref), 0);
  const options = { transposeKernel: true };
  const step = () => lax.convTranspose(image.ref, filter.ref, [stride, stride], "SAME", options);
  return { step, after: channelsLast };
}

/** The sum of rows at the same position is the gradient of a gather. @param {JaxArray[]} inputs @param {Record<string, any>} options @returns {Prepared} */
function scatterAdd(inputs, { length }) {
  const taken = (
    /** @type {JaxArray} */ table,
    /** @type {JaxArray} */ values,
    /** @type {JaxArray} */ positions,
  ) => np.sum(np.take(table, positions, 0).mul(values));
  const added = jit((/** @type {JaxArray} */ values, /** @type {JaxArray} */ positions) =>
    grad(taken)(np.zeros([length]), values, positions),
  );
  return calls(added)(inputs);
}

/** @param {JaxArray} q @param {JaxArray} k @param {JaxArray} v */
function attention(q, k, v) {
  // jax-js has the heads after the positions; with one head, each of the batch is one.
  const [heads, positions, features] = q.shape;
  const [a, b, c] = [q, k, v].map((x) => np.reshape(x, [heads, positions, 1, features]));
  return np.reshape(nn.dotProductAttention(a, b, c), [heads, positions, features]);
}

/** @param {JaxArray} x @param {JaxArray} w @param {number} length */
function products(x, w, length) {
  let y = x;
  for (let i = 0; i < length; i++) y = np.matmul(y, i + 1 < length ? w.ref : w);
  return y;
}

/** @param {JaxArray} a @param {JaxArray} b @param {number} length */
function added(a, b, length) {
  let x = a;
  for (let i = 0; i < length; i++) x = np.add(x, i + 1 < length ? b.ref : b);
  return x;
}

/** @param {JaxArray} z */
function laplacian(z) {
  const down = np.add(np.roll(z.ref, 1, 0), np.roll(z.ref, -1, 0));
  const across = np.add(np.roll(z.ref, 1, 1), np.roll(z.ref, -1, 1));
  return np.subtract(np.add(down, across), np.multiply(z, 4));
}

const react = jit((/** @type {JaxArray} */ u, /** @type {JaxArray} */ v) => {
  const r = u.ref.mul(v.ref).mul(v.ref);
  const fed = laplacian(u.ref).mul(0.16).sub(r.ref).add(np.subtract(1, u.ref).mul(0.035));
  const grown = laplacian(v.ref).mul(0.08).add(r).sub(v.ref.mul(0.1));
  return [u.add(fed), v.add(grown)];
});

/** @type {Record<string, (inputs: any[], options: Record<string, any>) => Prepared>} */
export const WORKLOADS = {
  matmul: calls(jit(np.matmul)),
  batched_matmul: calls(jit(np.matmul)),
  elementwise_chain: calls(
    jit((x) => nn.relu(x.ref.mul(1.5).add(0.25).mul(x.ref).sub(0.25).div(3)).mul(0.5).add(x)),
  ),
  exp: calls(jit(np.exp)),
  softmax: calls(jit((x) => nn.softmax(x))),
  sum: (inputs, { axis }) => calls(jit((x) => np.sum(x, axis)))(inputs),
  // A transpose alone is a view.
  transpose: calls(jit((x) => np.add(np.transpose(x), 0))),
  layer_norm: (inputs, { epsilon }) =>
    calls(jit((x, scale, shift) => nn.standardize(x, -1, { epsilon }).mul(scale).add(shift)))(
      inputs,
    ),
  cumulative_sum: calls(jit((x) => np.cumsum(x, -1))),
  sort: calls(jit((x) => np.sort(x))),
  argmax: calls(jit((x) => np.argmax(x, -1))),
  bias_relu: calls(jit((x, bias) => nn.relu(np.add(x, bias)))),
  attention: calls(jit(attention)),
  scatter_add: scatterAdd,
  // jax-js has no 8-bit integers.
  int8_product: calls(jit(np.matmul)),
  product_chain: (inputs, { length }) => calls(jit((x, w) => products(x, w, length)))(inputs),
  gather: calls(jit((table, indices) => np.take(table, indices, 0))),
  conv2d: (inputs, options) => convolution(inputs, options, false),
  depthwise_conv2d: (inputs, options) => convolution(inputs, options, true),
  conv2d_transpose: transposedConvolution,
  mobilenet_v2: mobilenet,
  mobilenet_v2_jit: mobilenetJit,
  max_pool2d: ([x], { window, stride }) => {
    const image = np.add(channelsFirst(x.ref), 0);
    const pool = jit((/** @type {JaxArray} */ x) => maxPool(x, window, stride));
    return { step: () => pool(image.ref), after: channelsLast };
  },
  eager_add: calls(np.add),
  add_chain: (inputs, { length }) => calls((a, b) => added(a, b, length))(inputs),
  add_chain_jit: (inputs, { length }) => calls(jit((a, b) => added(a, b, length)))(inputs),
  gray_scott: ([first, second], { steps }) => ({
    step() {
      let [u, v] = [first.ref, second.ref];
      for (let step = 0; step < steps; step++) [u, v] = react(u, v);
      return np.add(u, v);
    },
  }),
  upload: ([data], { shape }) => ({ step: () => nn.relu(np.array(data, { shape })) }),
  read_back_async: ([x]) => ({ step: () => np.add(x.ref, 1), reads: true }),
  train_mlp: trainMlp,
  train_cnn: trainCnn,
};
