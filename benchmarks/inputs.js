/** @file Random inputs of both libraries, the same in every run. */

/** @import { Input } from "./workloads.js" */

/**
 * Returns a generator of uniform random numbers from 0 to 1 (mulberry32).
 *
 * @param {number} seed
 */
function generator(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Arrays of floats from -scale to scale, or of integers from 0 up to `below`.
 *
 * @param {Input[]} inputs
 * @returns {(Float32Array | Int32Array)[]}
 */
export function randomArrays(inputs) {
  return inputs.map(({ shape, scale = 1, below }, position) => {
    const next = generator(position + 1);
    const size = shape.reduce((product, length) => product * length, 1);
    const array = below === undefined ? new Float32Array(size) : new Int32Array(size);
    for (let i = 0; i < size; i++) {
      array[i] = below === undefined ? (2 * next() - 1) * scale : Math.floor(next() * below);
    }
    return array;
  });
}
