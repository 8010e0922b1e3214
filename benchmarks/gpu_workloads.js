/** @file Table of the workloads that compare libraries on the GPU. */

import { eagerAdd, ROUNDING, sort, workload } from "./kinds.js";
import { scaled, workloads } from "./workloads.js";

/** @import { Workload } from "./workloads.js" */

/** Rows of the table of `workloads` that only WebGL2 can have, since they block or draw. */
const LEFT_OUT = ["read_back", "draw"];

/** Attention of all positions to all others, for each head alone. @param {number} heads @param {number} positions @param {number} features */
function attention(heads, positions, features) {
  const shape = [heads, positions, features];
  return workload("attention", shape.join("x"), [shape, shape, shape], shape, {
    flops: 4 * heads * positions ** 2 * features,
    atol: ROUNDING * features,
    rtol: 1e-5,
    options: { scale: features ** -0.5 },
  });
}

/** Sums of the values at the same position. @param {number} count @param {number} length */
function scatterAdd(count, length) {
  const positions = { shape: [count], below: length };
  return workload("scatter_add", `${count} to ${length}`, [[count], positions], [length], {
    flops: count,
    atol: (ROUNDING * 4 * count) / length,
    options: { length },
  });
}

/** Product of two matrices of 8-bit integers; sums have 32 bits. @param {number} length */
function int8Product(length) {
  const input = { shape: [length, length], below: 128 };
  const work = { flops: 2 * length ** 3, atol: 0 };
  return workload("int8_product", String(length), [input, input], [length, length], work);
}

/** Small products, each of which needs the one before: the cost of starting a kernel. @param {number} length */
function productChain(length) {
  const side = 64;
  // This scale keeps the size of the values from one product to the next.
  const inputs = [{ shape: [side, side] }, { shape: [side, side], scale: (3 / side) ** 0.5 }];
  return workload("product_chain", `${length} of ${side}x${side}`, inputs, [side, side], {
    flops: 2 * length * side ** 3,
    atol: 1e-3,
    rtol: 1e-3,
    options: { length },
  });
}

/**
 * @param {number} factor scales the large sizes
 * @returns {Workload[]}
 */
export function gpuWorkloads(factor = 1) {
  /** @param {number} length */
  const s = (length) => scaled(length, factor);
  return [
    ...workloads(factor).filter(({ operation }) => !LEFT_OUT.includes(operation)),
    // 64 MiB for each of three arrays: the speed of memory.
    eagerAdd(s(4096)),
    attention(8, s(1024), 64),
    sort(s(1024) ** 2),
    scatterAdd(s(100_000), s(10_000)),
    int8Product(s(1024)),
    productChain(s(100)),
  ];
}
