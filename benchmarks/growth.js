/** @file Measures how time and memory grow with pending operations, elements and iterations. */

import { lastLine } from "./attempt.js";

/** @import { Parameters } from "./parameters.js" */
/** @import { PythonSide } from "./python_side.js" */
/** @import { Section } from "./results.js" */

/**
 * Measurements of one library.
 *
 * @typedef {object} Growth
 * @property {(length: number, milliseconds: number) => number} chain microseconds per add in a pending chain of
 *   `length` adds of 64x64; measured for about `milliseconds`
 * @property {(elements: number, milliseconds: number) => number} elementwise milliseconds of
 *   eight operations
 * @property {(iterations: number) => MemoryUse[]} loop memory in use after one step and after
 *   `iterations` more
 *
 * @typedef {{ tensors: number, bytes: number }} MemoryUse live tensors, and bytes on the GPU including pooled ones
 */

const CHAINS = [10, 100, 1000, 10_000];
const MIN_ELEMENTS = 2 ** 10;
const MAX_ELEMENTS = 2 ** 26;
const STEP = 4;
const ITERATIONS = 10_000;

/**
 * @param {PythonSide} python
 * @returns {Growth}
 */
export function pythonGrowth(python) {
  const module = python.module("growth");
  return {
    chain: (length, milliseconds) => module.chain(length, milliseconds),
    elementwise: (elements, milliseconds) => module.elementwise(elements, milliseconds),
    loop: (iterations) => JSON.parse(module.loop(iterations)),
  };
}

/**
 * Measures a section with one row per size. A library that fails at one size is skipped at larger ones.
 *
 * @param {string} title
 * @param {string} unit
 * @param {number[]} sizes
 * @param {Record<string, (size: number) => number>} sides
 * @returns {Section}
 */
function grown(title, unit, sizes, sides) {
  /** @type {Map<string, string>} */
  const failures = new Map();
  const rows = sizes.map((size) => {
    const cells = Object.entries(sides).map(([name, side]) => {
      if (failures.has(name)) return "-";
      try {
        return side(size);
      } catch (error) {
        console.warn(error);
        failures.set(name, `${name} stops at ${size}: ${lastLine(error)}`);
        return "-";
      }
    });
    return [size.toLocaleString("en"), ...cells];
  });
  const columns = [unit, ...Object.keys(sides)];
  return { title: `${title}, ${unit}`, columns, rows, notes: [...failures.values()] };
}

/**
 * @param {{ ours: Growth, theirs: Growth }} sides
 * @param {Parameters} parameters
 * @returns {Promise<Section[]>}
 */
export async function growthSections({ ours, theirs }, { scale, milliseconds }) {
  const elements = [];
  for (let count = MIN_ELEMENTS; count <= MAX_ELEMENTS * scale; count *= STEP) elements.push(count);
  const chains = grown("Pending adds", "us each", CHAINS, {
    ours: (length) => ours.chain(length, milliseconds),
    tf: (length) => theirs.chain(length, milliseconds),
  });
  /** @type {Section} */
  const memory = {
    title: `Memory before and after ${ITERATIONS.toLocaleString("en")} steps`,
    columns: ["", "tensors", "after", "MB", "after"],
    rows: [],
    notes: [],
  };
  for (const [name, side] of Object.entries({ ours, tf: theirs })) {
    const [before, after] = side.loop(ITERATIONS);
    const megabytes = [before.bytes / 2 ** 20, after.bytes / 2 ** 20];
    memory.rows.push([name, before.tensors, after.tensors, ...megabytes]);
  }
  const elementwise = grown("8 operations by number of elements", "ms", elements, {
    ours: (count) => ours.elementwise(count, milliseconds),
    tf: (count) => theirs.elementwise(count, milliseconds),
  });
  return [chains, memory, elementwise];
}
