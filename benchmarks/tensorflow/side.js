/** @file TensorFlow.js in the benchmark. */

import * as tf from "@tensorflow/tfjs";
import { firstPixel, pixels } from "../pixels.js";
import { readOne, readOneLater } from "./read_one.js";
import { READING_WORKLOADS, WORKLOADS } from "./workloads.js";

export { addChain, growth } from "./growth.js";

/** @import { Workload } from "../workloads.js" */
/** @import { Side } from "../timing.js" */

/** Enough elements for TensorFlow.js to compute on the GPU. */
const GPU_ELEMENTS = 1024;
/** @type {tf.Tensor} */
let resident;
/** Waits until a tensor has been computed. @type {(tensor: tf.Tensor) => unknown} */
let wait = readOne;

/** Starts a backend; resolves to the version of TensorFlow.js. @param {string} [backend] */
export async function start(backend = "webgl") {
  if (backend === "webgl") tf.env().set("SOFTWARE_WEBGL_ENABLED", true);
  if (backend === "webgpu") {
    await import("@tensorflow/tfjs-backend-webgpu");
    wait = readOneLater;
  }
  if (!(await tf.setBackend(backend))) throw new Error(`TensorFlow.js: no ${backend} backend here`);
  await tf.ready();
  resident = tf.tidy(() => tf.relu(tf.ones([GPU_ELEMENTS])));
  return tf.version_core;
}

/** Waits until the GPU has executed all commands. */
async function drain() {
  await wait(resident);
}

/**
 * Prepares a workload; returns null if there is no function for it.
 *
 * @param {Workload} workload
 * @param {(Float32Array | Int32Array)[]} arrays
 * @returns {Side | null}
 */
export function prepare({ operation, inputs, options, onHost }, arrays) {
  const make = WORKLOADS[operation] ?? READING_WORKLOADS[operation];
  if (!make) return null;
  tf.engine().startScope();
  const canvas = globalThis.document?.createElement("canvas");
  const operands = onHost ? arrays : inputs.map(({ shape }, i) => tf.tensor(arrays[i], shape));
  const step = make(operands, { ...options, canvas });

  // tf.tidy visits each element of a result, which would be slow for arrays of values.
  /** @type {() => unknown} */
  const once = operation in WORKLOADS ? () => tf.tidy(/** @type {any} */ (step)) : step;
  /** @param {unknown} result */
  const finish = async (result) => {
    if (result instanceof tf.Tensor) await wait(result);
    else if (result === canvas) firstPixel(canvas);
  };
  /** @param {unknown} result */
  const drop = (result) => {
    if (result instanceof tf.Tensor) result.dispose();
  };

  /** @param {number} repetitions */
  const run = async (repetitions) => {
    const start = performance.now();
    for (let i = 1; i <= repetitions; i++) {
      let result = once();
      if (result instanceof Promise) result = await result;
      if (i === repetitions) {
        if (onGpu && operation in WORKLOADS) side.thread = performance.now() - start;
        await finish(result);
      }
      drop(result);
    }
    return performance.now() - start;
  };
  const onGpu = tf.getBackend().startsWith("webg");

  /** @type {Side} */
  const side = {
    async first() {
      await drain();
      return run(1);
    },
    async round(repetitions) {
      await drain();
      return run(repetitions);
    },
    async values() {
      const result = await once();
      if (result === canvas) return pixels(canvas);
      if (!(result instanceof tf.Tensor)) return /** @type {Float32Array} */ (result);
      const values = await result.data();
      result.dispose();
      return /** @type {Float32Array} */ (values);
    },
    release() {
      tf.engine().endScope();
      tf.disposeVariables();
    },
  };
  return side;
}
