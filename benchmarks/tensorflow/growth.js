/** @file Measures how time and memory of TensorFlow.js grow with operations, elements and iterations. */

import * as tf from "@tensorflow/tfjs";
import { readOne } from "./read_one.js";
import { added, chained } from "./workloads.js";

/** @import { Growth, MemoryUse } from "../growth.js" */

const WARMUP_CALLS = 3;

/**
 * Measures the milliseconds of one call of a function that returns a tensor, calling it for about `milliseconds`.
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
  run(WARMUP_CALLS);
  let repetitions = 1;
  let took = run(repetitions);
  while (took < milliseconds) {
    repetitions *= 2;
    took = run(repetitions);
  }
  return took / repetitions;
}

/**
 * Runs `work` in a scope that disposes its tensors, also if it throws.
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

/** @returns {MemoryUse} */
function memoryUse() {
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
    const uses = [1, iterations].map((count) => {
      for (let i = 0; i < count; i++) {
        const next = tf.tidy(() => x.mul(0.5).add(1).relu());
        x.dispose();
        x = next;
      }
      readOne(x);
      return memoryUse();
    });
    x.dispose();
    return uses;
  },
};

/** Milliseconds of 100 chained adds and a read of one or all elements. @param {boolean} whole @param {number} passes */
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
      if (value !== 51) throw new Error(`add chain: wrong value; got ${value}; expected 51`);
    }
    return (performance.now() - start) / passes;
  });
}
