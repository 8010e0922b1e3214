/** @file Table of workloads: names, sizes, amount of work and tolerances for both libraries. */

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
 * An array that both libraries get: floats from -scale to scale, or integers from 0 up to `below`.
 *
 * @typedef {{ shape: number[], scale?: number, below?: number }} Input
 */

/**
 * A computation that each library implements in its function named `operation`.
 *
 * @typedef {object} Workload
 * @property {string} operation
 * @property {string} size
 * @property {Input[]} inputs
 * @property {boolean} [onHost] pass typed arrays instead of tensors
 * @property {Record<string, unknown>} [options] further arguments of the functions
 * @property {number} flops
 * @property {number} bytes size of the inputs and the result
 * @property {number} atol
 * @property {number} rtol
 * @property {number} [different] share of the elements that may differ by more
 */

/** @param {Workload} workload */
export function nameOf({ operation, size }) {
  return `${operation} ${size}`;
}

/**
 * Scales a length and keeps its remainder modulo 4.
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
 * @param {number} factor scales the large sizes
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
 * Returns the workloads whose names contain one of the parts, or all if there are no parts.
 *
 * @param {Workload[]} all
 * @param {string[]} parts
 */
export function selected(all, parts) {
  if (parts.length === 0) return all;
  const chosen = all.filter((workload) => parts.some((part) => nameOf(workload).includes(part)));
  if (chosen.length > 0) return chosen;
  const names = [...new Set(all.map(({ operation }) => operation))].join(", ");
  throw new Error(`bench: no workload matches; got only=${parts}; choose from ${names}`);
}
