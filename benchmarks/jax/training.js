/** @file Training steps in jax-js; each returns the loss before the step. */

import { jit, lax, nn, numpy as np, tree, valueAndGrad } from "@jax-js/jax";
import { channelsFirst, filtersFirst, maxPool } from "./layouts.js";

/** @import { Prepared } from "./workloads.js" */
/** @typedef {import("@jax-js/jax").Array} JaxArray */

const BETAS = [0.9, 0.999];
const EPSILON = 1e-7;

/**
 * @param {JaxArray[]} inputs images, labels, weights
 * @param {number} rate
 * @param {(images: JaxArray, weights: JaxArray[]) => JaxArray} logits
 * @returns {Prepared}
 */
function training([images, labels, ...initial], rate, logits) {
  const classes = initial[initial.length - 1].size;
  const expected = nn.oneHot(labels.ref, classes);
  const loss = (
    /** @type {JaxArray[]} */ weights,
    /** @type {JaxArray} */ x,
    /** @type {JaxArray} */ y,
  ) => np.mean(np.sum(nn.logSoftmax(logits(x, weights), -1).mul(y), -1)).neg();
  const update = jit(
    (
      /** @type {JaxArray[][]} */ [weights, first, second],
      /** @type {JaxArray} */ factor,
      /** @type {JaxArray} */ x,
      /** @type {JaxArray} */ y,
    ) => {
      const [value, gradients] = valueAndGrad(loss)(tree.ref(weights), x, y);
      const means = first.map((m, i) => m.mul(BETAS[0]).add(gradients[i].ref.mul(1 - BETAS[0])));
      const squares = second.map((s, i) =>
        s.mul(BETAS[1]).add(np.square(gradients[i]).mul(1 - BETAS[1])),
      );
      const next = weights.map((w, i) =>
        w.sub(
          factor.ref
            .slice(0)
            .mul(means[i].ref)
            .div(np.sqrt(squares[i].ref.mul(factor.ref.slice(1))).add(EPSILON)),
        ),
      );
      factor.dispose();
      return [value, next, means, squares];
    },
  );
  let state = [
    initial.map((w) => w.ref),
    initial.map((w) => np.zerosLike(w.ref)),
    initial.map((w) => np.zerosLike(w.ref)),
  ];
  let count = 0;
  return {
    step() {
      count += 1;
      const factor = np.array([rate / (1 - BETAS[0] ** count), 1 / (1 - BETAS[1] ** count)]);
      const [value, ...rest] = update(state, factor, images.ref, expected.ref);
      state = /** @type {any} */ (rest);
      return /** @type {any} */ (value);
    },
  };
}

/** @param {JaxArray[]} inputs @param {Record<string, any>} options */
export function trainMlp(inputs, { rate }) {
  return training(inputs, rate, (images, weights) => {
    let x = images;
    for (let i = 0; i < weights.length; i += 2) {
      x = np.add(np.matmul(x, weights[i]), weights[i + 1]);
      if (i + 2 < weights.length) x = nn.relu(x);
    }
    return x;
  });
}

/** @param {JaxArray[]} inputs @param {Record<string, any>} options */
export function trainCnn(inputs, { rate }) {
  return training(inputs, rate, (images, weights) => {
    let x = channelsFirst(images);
    const dense = weights.length - 2;
    for (let i = 0; i < dense; i += 2) {
      const y = lax.convGeneralDilated(x, filtersFirst(weights[i]), [1, 1], "SAME");
      const bias = np.reshape(weights[i + 1], [1, -1, 1, 1]);
      x = maxPool(nn.relu(np.add(y, bias)), 2, 2);
    }
    // Features are in the order of the other libraries.
    const flat = np.reshape(np.transpose(x, [0, 2, 3, 1]), [x.shape[0], -1]);
    return np.add(np.matmul(flat, weights[dense]), weights[dense + 1]);
  });
}
