/**
 * @file Choose the results of a run that are read together, since each read waits for the GPU process. They are
 * those that were also read after the plan's last run.
 */
/** @import { Stored } from "./types" */

/**
 * Bytes of results that are read together. On an H100, four results of 40 KB took 0.92 ms instead of 1.26, four of
 * 256 KB 1.16 instead of 1.79, and four of 1 MB 2.6 instead of 3.2, but four of 4 MB took longer than one by one.
 */
const TOGETHER_BYTES = 4 * 2 ** 20;

/**
 * Return the results of a run that were also read after the plan's last run, or none if they have too many bytes.
 * One that is not asked for this time is left out the next time.
 * @template {Stored<Item>} Item
 * @param {NonNullable<Item["run"]>} run
 * @param {(handle: number) => Item | undefined} find
 * @param {(item: Item) => number} bytesOf
 * @param {number} most
 * @param {(item: Item) => boolean} [accepts]
 * @returns {Item[]}
 */
export function wantedResults(run, find, bytesOf, most, accepts = () => true) {
  /** @type {Item[]} */
  const found = [];
  let total = 0;
  for (const handle of run.handles) {
    const item = find(handle);
    if (item?.run !== run || !run.wanted[item.output] || !accepts(item)) continue;
    found.push(item);
    total += bytesOf(item);
  }
  return total > most ? [] : found;
}

/**
 * Return the results to read together with the first one that is asked for, which is one of them, or none.
 * @template {Stored<Item>} Item
 * @param {Item} first
 * @param {(handle: number) => Item | undefined} find
 * @param {(item: Item) => number} bytesOf
 * @param {(item: Item) => boolean} [accepts]
 * @returns {Item[]}
 */
export function chooseTogether(first, find, bytesOf, accepts) {
  const { run } = first;
  if (run === null || run.isRead) return [];
  run.isRead = true;
  run.wanted[first.output] = true;
  const found = wantedResults(run, find, bytesOf, TOGETHER_BYTES, accepts);
  return found.length < 2 || !found.includes(first) ? [] : found;
}

/** Note that a result was read, and not yet asked for. @template Item @param {Stored<Item>} item */
export function markRead({ run, output }) {
  if (run !== null) run.wanted[output] = false;
}

/** Note that a result is asked for. @template Item @param {Stored<Item>} item */
export function markWanted({ run, output }) {
  if (run !== null) run.wanted[output] = true;
}
