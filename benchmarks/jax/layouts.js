/** @file Orders of axes: jax-js has channels before rows, the other libraries have them last. */

import { lax, numpy as np } from "@jax-js/jax";

/** @typedef {import("@jax-js/jax").Array} JaxArray */

/** @param {JaxArray} x (n, h, w, c) */
export const channelsFirst = (x) => np.transpose(x, [0, 3, 1, 2]);
/** @param {JaxArray} x (n, c, h, w) */
export const channelsLast = (x) => np.transpose(x, [0, 2, 3, 1]);
/** @param {JaxArray} w (h, w, inputs, outputs) */
export const filtersFirst = (w) => np.transpose(w, [3, 2, 0, 1]);

/** @param {JaxArray} x @param {number} window @param {number} stride */
export function maxPool(x, window, stride) {
  return lax.reduceWindow(
    x,
    (/** @type {JaxArray} */ values) => np.max(values),
    [1, 1, window, window],
    [1, 1, stride, stride],
  );
}
