/** @file MobileNetV2 in jax-js. */

import { jit, lax, numpy as np } from "@jax-js/jax";
import { channelsFirst, filtersFirst } from "./layouts.js";

/** @import { Block } from "../mobilenet.js" */
/** @import { Prepared } from "./workloads.js" */
/** @typedef {import("@jax-js/jax").Array} JaxArray */

/** @param {JaxArray} x */
const relu6 = (x) => np.clip(x, 0, 6);

/** @param {JaxArray} image @param {JaxArray[]} weights @param {Block[]} blocks */
function logits(image, weights, blocks) {
  let used = 0;
  /** @param {JaxArray} x @param {number} stride @param {number} groups */
  const layer = (x, stride = 1, groups = 1) => {
    const y = lax.convGeneralDilated(x, weights[used].ref, [stride, stride], "SAME", {
      featureGroupCount: groups,
    });
    used += 2;
    return np.add(y, weights[used - 1].ref);
  };
  let x = relu6(layer(image, 2));
  for (const { expand, stride, residual } of blocks) {
    let y = expand ? relu6(layer(x.ref)) : x.ref;
    y = layer(relu6(layer(y, stride, y.shape[1])));
    if (residual) x = np.add(x, y);
    else {
      x.dispose();
      x = y;
    }
  }
  x = relu6(layer(x));
  return np.add(np.matmul(np.mean(x, [2, 3]), weights[used].ref), weights[used + 1].ref);
}

/** A function of one step. @param {boolean} compiled */
function network(compiled) {
  /** @param {JaxArray[]} inputs @param {Record<string, any>} options @returns {Prepared} */
  return ([image, ...weights], { blocks }) => {
    // Copies, since transposes alone are views.
    const picture = np.add(channelsFirst(image.ref), 0);
    const layers = weights.map((w, i) => {
      if (w.shape.length === 4) return np.add(filtersFirst(w.ref), 0);
      return i < weights.length - 2 ? np.reshape(w.ref, [1, -1, 1, 1]) : w.ref;
    });
    /** @param {JaxArray} x @param {JaxArray[]} all */
    const apply = (x, all) => logits(x, all, blocks);
    const run = compiled ? jit(apply) : apply;
    return {
      step: () =>
        run(
          picture.ref,
          layers.map((w) => (compiled ? w.ref : w)),
        ),
    };
  };
}

export const mobilenet = network(false);
export const mobilenetJit = network(true);
