/** @file The numbers that both sides compute with: seeded, so that every run has the same. */

/** @import { Input } from "./workloads.js" */

/**
 * A generator of evenly spread numbers from 0 to 1 (mulberry32).
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
 * Floats from -scale to scale, or integers from 0 up to `below`.
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
