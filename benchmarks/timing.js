/** @file Interface of a library in the benchmark, and the number of repetitions in a round. */

/**
 * One workload in one library: py_tensor in Python, TensorFlow.js or jax-js.
 *
 * @typedef {object} Side
 * @property {() => Promise<number>} first milliseconds of the first repetition, including
 *   the read of one element
 * @property {() => Promise<Float32Array | Int32Array | Uint8ClampedArray>} values all elements of
 *   the result of one repetition
 * @property {(repetitions: number) => Promise<number>} round milliseconds of the repetitions,
 *   including the read of one element of the last result
 * @property {number} [thread] milliseconds of the last round until all its work was submitted
 * @property {() => void} release frees all resources
 */

/**
 * @typedef {object} Times milliseconds per repetition
 * @property {number} first
 * @property {number} median
 * @property {number} minimum
 * @property {number} repetitions number of repetitions in a round
 */

const MIN_REPETITIONS = 3;
const MAX_REPETITIONS = 20_000;
// Rounds shorter than this fraction of the target are dominated by the read at the end.
const MIN_FRACTION = 0.25;

/**
 * Finds the number of repetitions that take about `milliseconds`.
 *
 * @param {Pick<Side, "round">} side
 * @param {number} milliseconds
 */
export async function calibrate(side, milliseconds) {
  let repetitions = MIN_REPETITIONS;
  for (;;) {
    const took = await side.round(repetitions);
    const fitting = Math.round(
      (repetitions * milliseconds) / Math.max(took, milliseconds / MAX_REPETITIONS),
    );
    const next = Math.min(Math.max(fitting, MIN_REPETITIONS), MAX_REPETITIONS);
    if (took >= milliseconds * MIN_FRACTION || repetitions === MAX_REPETITIONS) return next;
    repetitions = Math.min(Math.max(next, repetitions + 1), MAX_REPETITIONS);
  }
}

/** @param {number[]} values */
export function geometricMean(values) {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}

/** @param {number[]} values */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
