/** @file Measures a trained model in several libraries: compares the outputs, then times rounds, each in another order. */

import { textOf } from "../web/src/ui/error_text.js";
import { randomArrays } from "./inputs.js";
import { digits } from "./results.js";
import { geometricMean, median } from "./timing.js";

/** @import { Section } from "./results.js" */

/**
 * @typedef {{ name: string, shape: number[], dtype: string }} Described an input of a model
 * @typedef {Float32Array | Int32Array | Uint8Array} Values
 *
 * @typedef {object} Trained a model in one library
 * @property {number} milliseconds duration of loading
 * @property {(arrays: (Float32Array | Int32Array)[], described: Described[]) => void | Promise<void>} give sets the inputs
 * @property {() => number | Promise<number>} run milliseconds of a call that ends with reading all outputs
 * @property {() => Promise<Values[]>} values all outputs of a call
 * @property {() => void} release frees all resources
 *
 * @typedef {object} Measured one model in one library
 * @property {string} model file
 * @property {string} library
 * @property {number} [load] milliseconds; missing after an error
 * @property {number} [first] milliseconds of the first call
 * @property {number} [median] milliseconds of the calls after it
 * @property {number} [error] largest difference to py_tensor's outputs, divided by the largest value
 * @property {string} [failure]
 */

export const OURS = "py_tensor";
const LEAST_ROUNDS = 3;
const LARGEST_ERROR = 1e-4;
const PIXEL_VALUES = 256;

/** Returns true if py_tensor failed or the outputs differ; another library may refuse a model. @param {Measured} row */
export function hasFailed({ library, failure, error = 0 }) {
  return (library.startsWith(OURS) && failure !== undefined) || error > LARGEST_ERROR;
}

/** @param {Described[]} described */
function arraysOf(described) {
  return randomArrays(
    described.map(({ shape, dtype }) =>
      dtype.startsWith("float") ? { shape } : { shape, below: PIXEL_VALUES },
    ),
  );
}

/**
 * Error of the worst output: the largest difference divided by the largest value. Of integers, which may be labels, it
 * is the part of the values that differ.
 *
 * @param {Values[]} ours
 * @param {Values[]} theirs
 */
export function relativeError(ours, theirs) {
  const sizes = [ours, theirs].map((outputs) => outputs.map(({ length }) => length).join(" "));
  if (sizes[0] !== sizes[1]) throw new Error(`outputs have ${sizes[1]} values, not ${sizes[0]}`);
  const errors = theirs.map((expected, output) => {
    if (!(expected instanceof Float32Array))
      return expected.filter((value, i) => value !== ours[output][i]).length / expected.length;
    let difference = 0;
    let largest = Number.MIN_VALUE;
    for (let i = 0; i < expected.length; i++) {
      const distance = Math.abs(ours[output][i] - expected[i]);
      difference = Math.max(
        difference,
        Number.isNaN(distance) ? Number.POSITIVE_INFINITY : distance,
      );
      largest = Math.max(largest, Math.abs(expected[i]));
    }
    return difference / largest;
  });
  return Math.max(...errors);
}

/**
 * Returns the libraries in the order of their first calls: those whose names contain one of the given parts come first, in
 * the order of the parts. A first call after another library's may find a driver that has already started.
 *
 * @template {{ library: string }} Row
 * @param {Row[]} rows
 * @param {string[]} order parts of names
 * @returns {Row[]}
 */
function ordered(rows, order) {
  /** @param {Row} row */
  const rank = ({ library }) => {
    const index = order.findIndex((part) => library.includes(part));
    return index < 0 ? order.length : index;
  };
  return [...rows].sort((a, b) => rank(a) - rank(b));
}

/**
 * Measures a model in py_tensor, the first of the libraries, and in the others.
 *
 * All libraries load the model before the first call of any, because py_tensor reads the shapes of the inputs from the file.
 *
 * @param {string} model file
 * @param {[string, () => Promise<Trained & { described?: Described[] }>][]} libraries names, and functions that load the model
 * @param {number} runs least number of calls for a median
 * @param {string[]} order parts of the names of libraries, in the order of their first calls
 * @returns {Promise<Measured[]>}
 */
export async function measureTrained(model, libraries, runs, order) {
  /** @type {(Measured & { loaded?: Trained, values?: Values[], times: number[] })[]} */
  const rows = libraries.map(([library]) => ({ model, library, times: [] }));
  /** @type {Described[]} */
  let described = [];
  for (const [at, [, load]] of libraries.entries()) {
    const row = rows[at];
    try {
      const loaded = await load();
      row.loaded = loaded;
      row.load = loaded.milliseconds;
      if (loaded.described) described = loaded.described;
    } catch (error) {
      row.failure = textOf(error);
      // Without the shapes that py_tensor reads from the file, no other library can run.
      if (at === 0) break;
    }
  }
  for (const row of ordered(rows, order)) {
    if (!row.loaded) continue;
    try {
      await row.loaded.give(arraysOf(described), described);
      row.first = await row.loaded.run();
      row.values = await row.loaded.values();
    } catch (error) {
      row.failure = textOf(error);
    }
  }
  const expected = rows[0].values;
  for (const row of rows.slice(1)) {
    try {
      if (expected && row.values) row.error = relativeError(expected, row.values);
    } catch (error) {
      row.failure = textOf(error);
    }
  }
  const timed = rows.filter(({ failure, loaded }) => loaded && !failure);
  // Each library has each turn of a round equally often.
  const rounds = timed.length * Math.ceil(LEAST_ROUNDS / Math.max(timed.length, 1));
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < timed.length; turn++) {
      const { loaded, times } = timed[(round + turn) % timed.length];
      await loaded?.run();
      for (let i = 0; i < runs / rounds; i++) times.push((await loaded?.run()) ?? 0);
    }
  }
  return rows.map(({ loaded, times, values, ...row }) => {
    loaded?.release();
    return times.length > 0 ? { ...row, median: median(times) } : row;
  });
}

/**
 * Table of the rows, with the ratios to py_tensor and their geometric means.
 *
 * @param {Measured[]} rows
 * @returns {Section}
 */
export function trainedSection(rows) {
  /** @type {Map<string, { first: number, median: number }[]>} */
  const ratios = new Map();
  /** @param {number | undefined} value */
  const shown = (value) => (value === undefined ? "-" : digits(value));
  const cells = rows.map((row) => {
    const ours = rows.find(({ model }) => model === row.model);
    const name = `${row.model}, ${row.library}`;
    const times = [shown(row.load), shown(row.first), shown(row.median)];
    if (!ours?.median || !ours.first || !row.median || !row.first || ours === row) {
      return [name, ...times, "", "", ""];
    }
    const ratio = { first: row.first / ours.first, median: row.median / ours.median };
    ratios.set(row.library, [...(ratios.get(row.library) ?? []), ratio]);
    return [name, ...times, shown(ratio.median), shown(ratio.first), shown(row.error)];
  });
  for (const [library, all] of ratios) {
    const means = [all.map(({ median }) => median), all.map(({ first }) => first)];
    const slower = all.filter(({ median }) => median < 1).length;
    const name = `${all.length} models, ${library}`;
    cells.push([name, "", "", "mean", ...means.map((ratios) => digits(geometricMean(ratios))), ""]);
    cells.push([`  where py_tensor is slower: ${slower}`, "", "", "", "", "", ""]);
  }
  return {
    title: "Trained models",
    columns: ["", "load ms", "1st ms", "ms", "ratio", "1st", "error"],
    rows: cells,
    notes: rows.flatMap(({ model, library, failure }) =>
      failure ? [`${model}, ${library}: ${failure}`] : [],
    ),
  };
}
