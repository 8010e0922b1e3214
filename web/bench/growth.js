/** @file How time and memory grow with pending operations, with elements, with iterations. */

import { lastLine } from "./measure.js";

/** @import { Parameters } from "./parameters.js" */
/** @import { PythonSide } from "./python_side.js" */
/** @import { Section } from "./results.js" */

/**
 * What a side can grow.
 *
 * @typedef {object} Growth
 * @property {(length: number, milliseconds: number) => number} chain microseconds of one of so many adds of
 *   64x64 that are pending together; measured for about that long
 * @property {(elements: number, milliseconds: number) => number} elementwise milliseconds of eight operations
 * @property {(iterations: number) => Holdings[]} loop what is held before and after so many small steps
 *
 * @typedef {{ tensors: number, bytes: number }} Holdings tensors alive, and bytes on the GPU, free ones too
 */

const CHAINS = [10, 100, 1000, 10_000];
const FEWEST_ELEMENTS = 2 ** 10;
const MOST_ELEMENTS = 2 ** 26;
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
 * A section with one row for each size; a side that fails at one is not asked for larger ones.
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
  for (let count = FEWEST_ELEMENTS; count <= MOST_ELEMENTS * scale; count *= STEP)
    elements.push(count);
  const chains = grown("Adds pending at once", "us each", CHAINS, {
    ours: (length) => ours.chain(length, milliseconds),
    tf: (length) => theirs.chain(length, milliseconds),
  });
  /** @type {Section} */
  const memory = {
    title: `Held before and after ${ITERATIONS.toLocaleString("en")} steps`,
    columns: ["", "tensors", "after", "MB", "after"],
    rows: [],
    notes: [],
  };
  for (const [name, side] of Object.entries({ ours, tf: theirs })) {
    const [before, after] = side.loop(ITERATIONS);
    const megabytes = [before.bytes / 2 ** 20, after.bytes / 2 ** 20];
    memory.rows.push([name, before.tensors, after.tensors, ...megabytes]);
  }
  const elementwise = grown("8 operations on so many elements", "ms", elements, {
    ours: (count) => ours.elementwise(count, milliseconds),
    tf: (count) => theirs.elementwise(count, milliseconds),
  });
  return [chains, memory, elementwise];
}
