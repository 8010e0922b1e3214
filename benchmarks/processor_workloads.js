/** @file Table of the workloads that compare libraries on the processor. */

import {
  addChain,
  batchedMatmul,
  convolution,
  cumulativeSum,
  depthwise,
  eagerAdd,
  elementwiseChain,
  exponential,
  gather,
  grayScott,
  layerNorm,
  matmul,
  maxPool,
  softmax,
  sort,
  sum,
  transpose,
} from "./kinds.js";
import { trainCnn, trainMlp } from "./training.js";
import { scaled } from "./workloads.js";

/** @import { Workload } from "./workloads.js" */

/**
 * @param {number} factor scales the large sizes
 * @returns {Workload[]}
 */
export function processorWorkloads(factor = 1) {
  /** @param {number} length */
  const s = (length) => scaled(length, factor);
  const side = s(1000);
  return [
    ...[64, 128, 256, 512, 1024].map((length) => matmul(s(length), s(length), s(length))),
    matmul(1, s(1024), s(1024)),
    batchedMatmul(s(32), s(128), s(64), s(128)),
    elementwiseChain(side, side),
    exponential(side, side),
    softmax(side, side),
    sum(side, side, 1),
    transpose(side, side),
    layerNorm(side, side),
    cumulativeSum(side, side),
    sort(s(100_000)),
    gather(s(10_000), s(128), s(4096)),
    convolution(s(56), s(64), s(64), 3, 1),
    convolution(s(28), s(128), s(256), 1, 1),
    depthwise(s(56), s(128), 3, 1),
    maxPool(s(112), s(64), 2, 2),
    eagerAdd(64),
    eagerAdd(4),
    addChain("add_chain_jit", 100, 64),
    grayScott(s(512), 10),
    // The networks of the site's training of digits.
    trainMlp(64, [64, 128, 10]),
    trainCnn(64, 8, [1, 8, 16], 10),
  ];
}
