/** @file The table of workloads: the one source of names, sizes, work and tolerances, for both sides. */

import {
  addChain,
  argmax,
  batchedMatmul,
  biasRelu,
  concat,
  convolution,
  cumulativeSum,
  depthwise,
  draw,
  elementwiseChain,
  gather,
  layerNorm,
  matmul,
  maxPool,
  readBack,
  softmax,
  sum,
  transpose,
  transposedConvolution,
  upload,
} from "./kinds.js";
import { mobilenet } from "./mobilenet.js";
import { trainCnn, trainMlp } from "./training.js";

/**
 * An array that both sides get: floats from -scale to scale, or integers from 0 up to `below`.
 *
 * @typedef {{ shape: number[], scale?: number, below?: number }} Input
 */

/**
 * What both sides compute, each by its function named `operation`.
 *
 * @typedef {object} Workload
 * @property {string} operation
 * @property {string} size
 * @property {Input[]} inputs
 * @property {boolean} [onHost] hand the inputs over as they are, not as tensors
 * @property {Record<string, unknown>} [options] what the functions get besides
 * @property {number} flops
 * @property {number} bytes inputs read once and results written once
 * @property {number} atol
 * @property {number} rtol
 */

/** @param {Workload} workload */
export function nameOf({ operation, size }) {
  return `${operation} ${size}`;
}

/**
 * A length made larger or smaller: multiples of 4 stay such, odd ones stay odd.
 *
 * @param {number} length
 * @param {number} factor
 */
export function scaled(length, factor) {
  if (factor === 1) return length;
  const rest = length % 4;
  return Math.max(4, Math.round((length * factor) / 4) * 4) + rest;
}

/**
 * @param {number} factor of the large sizes
 * @returns {Workload[]}
 */
export function workloads(factor = 1) {
  /** @param {number} length */
  const s = (length) => scaled(length, factor);
  const side = s(1024);
  return [
    matmul(s(256), s(256), s(256)),
    matmul(s(512), s(512), s(512)),
    matmul(s(1024), s(1024), s(1024)),
    matmul(s(2048), s(2048), s(2048)),
    matmul(s(1000), s(1001), s(999)),
    matmul(1, s(4096), s(4096)),
    batchedMatmul(s(32), s(128), s(64), s(128)),
    elementwiseChain(side, side),
    biasRelu(side, side),
    sum(side, side, null),
    sum(side, side, 0),
    sum(side, side, 1),
    softmax(side, side),
    layerNorm(side, side),
    argmax(side, side),
    transpose(side, side),
    gather(s(10_000), s(128), s(4096)),
    cumulativeSum(side, side),
    concat(8, s(256), s(512)),
    addChain("add_chain", 100, 64),
    addChain("add_chain_jit", 100, 64),
    convolution(s(56), s(64), s(64), 3, 1),
    convolution(s(28), s(128), s(256), 1, 1),
    convolution(s(14), s(384), s(64), 1, 1),
    convolution(s(224), 3, 32, 3, 2),
    depthwise(s(56), s(128), 3, 1),
    transposedConvolution(s(64), s(64), s(64), 4, 2),
    maxPool(s(112), s(64), 2, 2),
    maxPool(s(112), s(64), 3, 2),
    mobilenet("mobilenet_v2", s(224)),
    mobilenet("mobilenet_v2_jit", s(224)),
    trainMlp(128, [784, 256, 128, 10]),
    trainCnn(64, 28, [1, 16, 32], 10),
    upload(side, side),
    readBack("read_back", side, side),
    readBack("read_back_async", side, side),
    draw(256, 256),
  ];
}

/**
 * Those whose name holds one of the parts; all where there are no parts.
 *
 * @param {Workload[]} all
 * @param {string[]} parts
 */
export function selected(all, parts) {
  if (parts.length === 0) return all;
  const chosen = all.filter((workload) => parts.some((part) => nameOf(workload).includes(part)));
  if (chosen.length > 0) return chosen;
  const names = [...new Set(all.map(({ operation }) => operation))].join(", ");
  throw new Error(`bench: no workload is named so; got only=${parts}; choose from ${names}`);
}
