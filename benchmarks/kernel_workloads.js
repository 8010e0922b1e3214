/** @file Workloads that are written as kernels: in Python, in JavaScript for gpu.js, and by hand in GLSL. */

import { matmul, workload } from "./kinds.js";
import { scaled } from "./workloads.js";

/** @import { Workload } from "./workloads.js" */

const STEPS = 256;
const STEP_FLOPS = 14;
const PAIR_FLOPS = 10;

/** @param {number} factor scales the sizes @returns {Workload[]} */
export function kernelWorkloads(factor) {
  const side = scaled(1024, factor);
  const bodies = scaled(4096, factor);
  const length = scaled(512, factor);
  const square = [side, side];
  return [
    workload("mandelbrot", `${side}x${side}, ${STEPS} steps`, [], square, {
      flops: side * side * STEPS * STEP_FLOPS,
      atol: 0,
      // Compilers may contract a product and a sum, which decides about points near the border of the set.
      different: 0.01,
      options: { side, steps: STEPS },
    }),
    workload("stencil", `${side}x${side}`, [square], square, {
      flops: 5 * side * side,
      atol: 1e-6,
    }),
    workload("n_body", String(bodies), [[bodies], [bodies], [bodies]], [bodies], {
      flops: PAIR_FLOPS * bodies * bodies,
      atol: 0,
      rtol: 1e-4,
    }),
    { ...matmul(length, length, length), operation: "product" },
  ];
}
