/** @file What a side of the benchmark does, and how many repetitions make a round. */

/**
 * What does the work: py_tensor in Python, or TensorFlow.js.
 *
 * @typedef {object} Side
 * @property {() => Promise<number>} first milliseconds of the first repetition, until one element of its result is here
 * @property {() => Promise<Float32Array | Int32Array | Uint8ClampedArray>} values one repetition's whole result
 * @property {(repetitions: number) => Promise<number>} round milliseconds, until one element of the last result is here
 * @property {() => void} release gives everything back
 */

/**
 * @typedef {object} Times in milliseconds; of one repetition, but for `first`
 * @property {number} first
 * @property {number} median
 * @property {number} minimum
 * @property {number} repetitions in a round
 */

const FEWEST = 3;
const MOST = 4000;
// What few repetitions say is mostly the read at the end.
const TRUSTED = 0.25;

/**
 * How many repetitions last about that long.
 *
 * @param {Side} side
 * @param {number} milliseconds
 */
export async function calibrate(side, milliseconds) {
  let repetitions = FEWEST;
  for (;;) {
    const took = await side.round(repetitions);
    const fitting = Math.round((repetitions * milliseconds) / Math.max(took, milliseconds / MOST));
    const next = Math.min(Math.max(fitting, FEWEST), MOST);
    if (took >= milliseconds * TRUSTED || repetitions === MOST) return next;
    repetitions = Math.min(Math.max(next, repetitions + 1), MOST);
  }
}

/** @param {number[]} values */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
