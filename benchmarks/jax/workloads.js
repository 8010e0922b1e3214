/** @file The workloads in jax-js, all compiled but for the eager ones, which makes them faster. */

import { jit, lax, nn, numpy as np } from "@jax-js/jax";
import { channelsFirst, channelsLast, filtersFirst, maxPool } from "./layouts.js";
import { trainCnn, trainMlp } from "./training.js";

/** @typedef {import("@jax-js/jax").Array} JaxArray */

/**
 * One repetition, and what makes its result one in the order of the other libraries. jax-js consumes its arguments; `ref`
 * keeps one.
 *
 * @typedef {{ step: () => JaxArray, after?: (result: JaxArray) => JaxArray }} Prepared
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
  gather: calls(jit((table, indices) => np.take(table, indices, 0))),
  conv2d: (inputs, options) => convolution(inputs, options, false),
  depthwise_conv2d: (inputs, options) => convolution(inputs, options, true),
  max_pool2d: ([x], { window, stride }) => {
    const image = np.add(channelsFirst(x.ref), 0);
    const pool = jit((/** @type {JaxArray} */ x) => maxPool(x, window, stride));
    return { step: () => pool(image.ref), after: channelsLast };
  },
  eager_add: calls(np.add),
  add_chain_jit: (inputs, { length }) => calls(jit((a, b) => added(a, b, length)))(inputs),
  gray_scott: ([first, second], { steps }) => ({
    step() {
      let [u, v] = [first.ref, second.ref];
      for (let step = 0; step < steps; step++) [u, v] = react(u, v);
      return np.add(u, v);
    },
  }),
  train_mlp: trainMlp,
  train_cnn: trainCnn,
};
