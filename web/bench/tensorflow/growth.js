/** @file How time and memory of TensorFlow.js grow with operations, elements and iterations. */

import * as tf from "@tensorflow/tfjs";
import { readOne } from "./reading.js";
import { added, chained } from "./workloads.js";

/** @import { Growth, Holdings } from "../growth.js" */

const WARMING = 3;

/**
 * Milliseconds of one call of a function that gives a tensor; calls it for about that long.
 *
 * @param {() => tf.Tensor} step
 * @param {number} milliseconds
 */
function timed(step, milliseconds) {
  /** @param {number} repetitions */
  const run = (repetitions) => {
    const start = performance.now();
    for (let i = 1; i <= repetitions; i++) {
      const result = tf.tidy(step);
      if (i === repetitions) readOne(result);
      result.dispose();
    }
    return performance.now() - start;
  };
  run(WARMING);
  let repetitions = 1;
  let took = run(repetitions);
  while (took < milliseconds) {
    repetitions *= 2;
    took = run(repetitions);
  }
  return took / repetitions;
}

/**
 * A scope whose tensors are gone afterwards, whatever happens in it.
 *
 * @template T
 * @param {() => T} work
 * @returns {T}
 */
function scoped(work) {
  tf.engine().startScope();
  try {
    return work();
  } finally {
    tf.engine().endScope();
  }
}

/** @returns {Holdings} */
function held() {
  const { numTensors, numBytesInGPU } = /** @type {tf.MemoryInfo & { numBytesInGPU: number }} */ (
    tf.memory()
  );
  return { tensors: numTensors, bytes: numBytesInGPU };
}

/** @type {Growth} */
export const growth = {
  chain: (length, milliseconds) =>
    scoped(() => {
      const a = tf.ones([64, 64]);
      const b = tf.fill([64, 64], 0.5);
      return (1e3 * timed(() => added(a, b, length), milliseconds)) / length;
    }),

  elementwise: (elements, milliseconds) =>
    scoped(() => {
      const x = tf.fill([elements], 0.5);
      return timed(() => chained(x), milliseconds);
    }),

  loop: (iterations) => {
    /** @type {tf.Tensor} */
    let x = tf.ones([64, 64]);
    const holdings = [1, iterations].map((count) => {
      for (let i = 0; i < count; i++) {
        const next = tf.tidy(() => x.mul(0.5).add(1).relu());
        x.dispose();
        x = next;
      }
      readOne(x);
      return held();
    });
    x.dispose();
    return holdings;
  },
};

/** Milliseconds of 100 chained adds that read one element or all of them. @param {boolean} whole @param {number} passes */
export function addChain(whole, passes) {
  return scoped(() => {
    const a = tf.ones([64, 64]);
    const b = tf.fill([64, 64], 0.5);
    let start = 0;
    for (let pass = 0; pass <= passes; pass++) {
      if (pass === 1) start = performance.now();
      const x = tf.tidy(() => added(a, b, 100));
      const [value] = whole ? x.dataSync() : readOne(x);
      x.dispose();
      if (value !== 51) throw new Error(`add chain: wrong value; got ${value}; 51 is right`);
    }
    return (performance.now() - start) / passes;
  });
}
