/** @file jax-js in the benchmark, on its backend for WebAssembly or WebGPU. */

import { blockUntilReady, defaultDevice, init, numpy as np, tree } from "@jax-js/jax";
import { WORKLOADS } from "./workloads.js";

/** @import { Side } from "../timing.js" */
/** @import { Workload } from "../workloads.js" */
/** @typedef {import("@jax-js/jax").Array} JaxArray */

/** @param {"wasm" | "webgpu"} device */
export async function start(device) {
  const devices = await init(device);
  if (!devices.includes(device)) throw new Error(`jax-js: no ${device} backend here`);
  // With shared memory it would compute on all processors.
  if (device === "wasm" && globalThis.crossOriginIsolated) {
    throw new Error("jax-js: threads in an isolated page");
  }
  defaultDevice(device);
}

/**
 * Prepares a workload; returns null if there is no function for it.
 *
 * @param {Workload} workload
 * @param {(Float32Array | Int32Array)[]} arrays
 * @returns {Side | null}
 */
export function prepare({ operation, inputs, options = {}, onHost }, arrays) {
  const make = WORKLOADS[operation];
  if (!make) return null;
  const operands = onHost
    ? []
    : inputs.map(({ shape }, i) => np.array(arrays[i].slice(), { shape }));
  const { step, after, reads } = make(onHost ? arrays : operands, options);
  const submitsLater = defaultDevice() === "webgpu";

  /** @param {number} repetitions */
  const run = async (repetitions) => {
    const start = performance.now();
    for (let i = 1; i <= repetitions; i++) {
      const result = step();
      if (reads) {
        await result.data();
        continue;
      }
      // On WebGPU only the last result is waited for. The others are submitted, which a result without a reader is not.
      if (submitsLater && i < repetitions) {
        result.gpuBufferSync();
        continue;
      }
      if (submitsLater) {
        result.ref.gpuBufferSync();
        side.thread = performance.now() - start;
      }
      await blockUntilReady(result);
      result.dispose();
    }
    return performance.now() - start;
  };

  /** @type {Side} */
  const side = {
    async first() {
      await blockUntilReady(operands);
      const start = performance.now();
      const result = step();
      await (reads ? result.data() : blockUntilReady(result));
      const took = performance.now() - start;
      if (!reads) result.dispose();
      return took;
    },
    round: run,
    async values() {
      const result = step();
      return /** @type {any} */ ((after ? after(result) : result).data());
    },
    release: () => tree.dispose(operands),
  };
  return side;
}
