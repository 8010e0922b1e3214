/** @file jax-js in the benchmark, on its backend for WebAssembly. */

import { blockUntilReady, defaultDevice, init, numpy as np, tree } from "@jax-js/jax";
import { WORKLOADS } from "./workloads.js";

/** @import { Side } from "../timing.js" */
/** @import { Workload } from "../workloads.js" */

export async function start() {
  const devices = await init("wasm");
  if (!devices.includes("wasm")) throw new Error("jax-js: no wasm backend here");
  // With shared memory it would compute on all processors.
  if (globalThis.crossOriginIsolated) throw new Error("jax-js: threads in an isolated page");
  defaultDevice("wasm");
}

/**
 * Prepares a workload; returns null if there is no function for it.
 *
 * @param {Workload} workload
 * @param {(Float32Array | Int32Array)[]} arrays
 * @returns {Side | null}
 */
export function prepare({ operation, inputs, options = {} }, arrays) {
  const make = WORKLOADS[operation];
  if (!make) return null;
  const operands = inputs.map(({ shape }, i) => np.array(arrays[i].slice(), { shape }));
  const { step, after } = make(operands, options);

  /** @param {number} repetitions */
  const run = async (repetitions) => {
    const start = performance.now();
    for (let i = 0; i < repetitions; i++) {
      const result = step();
      await blockUntilReady(result);
      result.dispose();
    }
    return performance.now() - start;
  };

  return {
    first: () => run(1),
    round: run,
    async values() {
      const result = step();
      return /** @type {any} */ ((after ? after(result) : result).data());
    },
    release: () => tree.dispose(operands),
  };
}
