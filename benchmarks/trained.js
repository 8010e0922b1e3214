/** @file Measures a trained model in several libraries: compares the outputs, then times alternate rounds. */

import { textOf } from "../web/src/ui/error_text.js";
import { randomArrays } from "./inputs.js";
import { digits } from "./results.js";
import { median } from "./timing.js";

/** @import { Section } from "./results.js" */

/**
 * @typedef {{ name: string, shape: number[], dtype: string }} Described an input of a model
 * @typedef {Float32Array | Int32Array | Uint8Array} Values
 *
 * @typedef {object} Trained a model in one library
 * @property {number} milliseconds duration of loading
 * @property {(arrays: (Float32Array | Int32Array)[], described: Described[]) => void} give sets the inputs
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
const ROUNDS = 3;
const LARGEST_ERROR = 1e-4;
const PIXEL_VALUES = 256;

/** Returns true if py_tensor failed or the outputs differ; another library may refuse a model. @param {Measured} row */
export function hasFailed({ library, failure, error = 0 }) {
  return (library === OURS && failure !== undefined) || error > LARGEST_ERROR;
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
 * Largest difference divided by the largest value, of the worst output.
 *
 * @param {Values[]} ours
 * @param {Values[]} theirs
 */
export function relativeError(ours, theirs) {
  const sizes = [ours, theirs].map((outputs) => outputs.map(({ length }) => length).join(" "));
  if (sizes[0] !== sizes[1]) throw new Error(`outputs have ${sizes[1]} values, not ${sizes[0]}`);
  const errors = theirs.map((expected, output) => {
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
 * Measures a model in py_tensor, the first of the libraries, and in the others.
 *
 * @param {string} model file
 * @param {[string, () => Promise<Trained & { described?: Described[] }>][]} libraries names, and functions that load the model
 * @param {number} runs least number of calls for a median
 * @returns {Promise<Measured[]>}
 */
export async function measureTrained(model, libraries, runs) {
  /** @type {(Measured & { loaded?: Trained, times: number[] })[]} */
  const rows = libraries.map(([library]) => ({ model, library, times: [] }));
  /** @type {Described[]} */
  let described = [];
  /** @type {Values[] | null} */
  let expected = null;
  for (const [at, [, load]] of libraries.entries()) {
    const row = rows[at];
    try {
      const loaded = await load();
      row.loaded = loaded;
      row.load = loaded.milliseconds;
      if (loaded.described) described = loaded.described;
      loaded.give(arraysOf(described), described);
      row.first = await loaded.run();
      const values = await loaded.values();
      if (at > 0 && expected) row.error = relativeError(expected, values);
      else expected = values;
    } catch (error) {
      row.failure = textOf(error);
      // Without the shapes that py_tensor reads from the file, no other library can run.
      if (at === 0) break;
    }
  }
  const timed = rows.filter(({ failure, loaded }) => loaded && !failure);
  for (let round = 0; round < ROUNDS; round++) {
    for (const { loaded, times } of timed) {
      await loaded?.run();
      for (let i = 0; i < runs / ROUNDS; i++) times.push((await loaded?.run()) ?? 0);
    }
  }
  return rows.map(({ loaded, times, ...row }) => {
    loaded?.release();
    return times.length > 0 ? { ...row, median: median(times) } : row;
  });
}

/** @param {number[]} values */
const geometricMean = (values) =>
  Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);

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
    const means = [all.map((each) => each.median), all.map(({ first }) => first)];
    const slower = all.filter((each) => each.median < 1).length;
    const name = `${all.length} models, ${library}`;
    cells.push([name, "", "", "mean", ...means.map((each) => digits(geometricMean(each))), ""]);
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
