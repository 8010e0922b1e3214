/** @file Compares the block chosen for a contraction with all candidates. */

/** @import { Parameters } from "./parameters.js" */
/** @import { PythonSide } from "./python_side.js" */
/** @import { Section } from "./results.js" */
import { scaled } from "./workloads.js";

/** @param {number} scale @returns {[string, number[]][]} */
const cases = (scale) => {
  /** @param {number} length */
  const s = (length) => scaled(length, scale);
  return [
    ["matmul", [s(256), s(256), s(256)]],
    ["matmul", [s(512), s(512), s(512)]],
    ["matmul", [s(1024), s(1024), s(1024)]],
    ["matmul", [s(1000), s(1001), s(999)]],
    ["matmul", [1, s(4096), s(4096)]],
    ["matmul", [s(784), s(128), s(256)]],
    ["matmul", [s(196), s(384), s(64)]],
    ["conv2d", [s(56), s(64), s(64), 3, 1]],
    ["conv2d", [s(64), s(64), s(64), 3, 1]],
    ["conv2d", [s(14), s(256), s(256), 3, 1]],
    ["conv2d", [s(224), 3, 32, 3, 2]],
  ];
};

/** @param {[string, number]} candidate */
const time = ([, milliseconds]) => milliseconds;

/**
 * @param {PythonSide} python
 * @param {Parameters} parameters
 * @returns {Section[]}
 */
export function tileSections(python, { scale, milliseconds }) {
  const module = python.module("tiles");
  const rows = cases(scale).map(([operation, lengths]) => {
    /** @type {[string, number][]} */
    const tilings = JSON.parse(module.compared(operation, lengths, milliseconds / 4));
    const best = tilings.toSorted((a, b) => time(a) - time(b))[0];
    const name = `${operation} ${lengths.join(" ")}`;
    return [
      name,
      time(tilings[0]),
      time(best),
      Math.max(...tilings.map(time)),
      tilings[0][0],
      best[0],
    ];
  });
  const columns = ["", "chosen", "best", "worst", "chosen block", "best block"];
  return [{ title: "Blocks of contractions, ms", columns, rows, notes: [] }];
}
