/** @file Whether a model fits into the memory of this device, as far as that is known. */

import { formatBytes } from "../../../ui/metrics.js";

/** @import { Needs } from "../chat.js" */

const LEAST_POSITIONS = 512;
/** The library warns when a page uses more than this part of the memory that it may use: one in so many. */
const WARNED_PART = 4;

/**
 * Bytes of the keys and values of a conversation. Caches have a power of two of positions; null if not known.
 *
 * @param {Needs["cache"]} cache
 * @param {number} length in tokens
 */
export function cacheBytes(cache, length) {
  if (cache === null) return null;
  const positions = Math.max(LEAST_POSITIONS, 2 ** Math.ceil(Math.log2(length)));
  return cache.reduce(
    (sum, [bytes, window]) => sum + bytes * Math.min(positions, window ?? positions),
    0,
  );
}

/**
 * Returns whether a model fits, with the reason. "unknown" if the files do not say before they are loaded.
 *
 * @param {Needs} needs
 * @param {number | null} cache bytes
 * @returns {{ fits: "yes" | "no" | "perhaps" | "unknown", text: string }}
 */
export function fitOf({ weights, largest, limits }, cache) {
  if (weights === null || cache === null)
    return { fits: "unknown", text: "What it needs in memory is known when it is loaded." };
  const whole = weights + cache;
  if (largest !== null && limits.buffer !== null && largest > limits.buffer)
    return {
      fits: "no",
      text: `It does not fit: a weight has ${formatBytes(largest)}, and this device stores at most ${formatBytes(limits.buffer)} in one piece.`,
    };
  if (limits.memory !== null && whole > limits.memory)
    return {
      fits: "no",
      text: `It does not fit: it needs about ${formatBytes(whole)}, and half of this device's memory is ${formatBytes(limits.memory)}.`,
    };
  if (limits.memory !== null && whole > limits.memory / WARNED_PART)
    return {
      fits: "perhaps",
      text: `It may not fit: it needs about ${formatBytes(whole)}, and devices often have ${formatBytes(limits.memory / WARNED_PART)} or less for a page.`,
    };
  return { fits: "yes", text: `It should fit: it needs about ${formatBytes(whole)} in memory.` };
}
