/** @file Objects of the GPU by the caller's handles, and the pool of freed ones for reuse. */
/** @import { Handles, Stored } from "./types" */

/** Default limit of the pool in bytes. */
const CEILING = 512 * 2 ** 20;

/**
 * @template {Stored<Item>} Item
 * @param {object} kind
 * @param {(shape: Item["shape"]) => Item} kind.create
 * @param {(item: Item) => void} kind.destroy
 * @param {() => boolean} kind.isChecked returns false while new objects may lack memory
 * @returns {Handles<Item>}
 */
export function createHandles({ create, destroy, isChecked }) {
  /** @type {Map<number, Item>} */
  const handles = new Map();
  /** @type {Map<number, string>} handles not yet freed whose objects are gone, with the reason */
  const lost = new Map();
  /** @type {Set<Item>} freed objects, oldest first */
  const pool = new Set();
  /** @type {Set<number>} handles opened while new objects may lack memory */
  const unchecked = new Set();
  let poolLimit = CEILING;
  let inUse = 0;
  let bytesInUse = 0;
  let bytesFree = 0;
  /** Maximum of `bytesInUse` since the last reset. */
  let bytesPeak = 0;

  /** @type {Handles<Item>} */
  const store = {
    take(shape) {
      let item = shape.free.pop();
      if (item) {
        pool.delete(item);
        bytesFree -= shape.bytes;
      } else item = create(shape);
      inUse += 1;
      bytesInUse += shape.bytes;
      if (bytesInUse > bytesPeak) bytesPeak = bytesInUse;
      return item;
    },

    release(item) {
      const { free, bytes } = item.shape;
      item.run = item.ahead = null;
      inUse -= 1;
      bytesInUse -= bytes;
      bytesFree += bytes;
      free.push(item);
      pool.add(item);
      if (bytesFree > poolLimit) store.shrink(poolLimit);
    },

    open(handle, shape) {
      if (handles.has(handle)) throw new Error(`buffer ${handle} is in use already; free it first`);
      const item = store.take(shape);
      handles.set(handle, item);
      lost.delete(handle);
      if (!isChecked()) unchecked.add(handle);
      return item;
    },

    get(handle) {
      const item = handles.get(handle);
      if (item !== undefined) return item;
      throw new Error(lost.get(handle) ?? `no buffer ${handle}`);
    },

    find: (handle) => handles.get(handle),

    free(handle) {
      lost.delete(handle);
      unchecked.delete(handle);
      const item = handles.get(handle);
      if (item === undefined) return;
      handles.delete(handle);
      store.release(item);
    },

    /** Free a buffer whose later uses throw an error with the text `reason`. */
    lose(handle, reason) {
      store.free(handle);
      lost.set(handle, reason);
    },

    /** Note that all objects so far have memory. */
    markChecked: () => unchecked.clear(),

    /** Give up the buffers that may lack memory, or depend on such ones, and the pool. */
    giveUp(reason) {
      for (const handle of unchecked) store.lose(handle, reason);
      unchecked.clear();
      store.shrink(0);
    },

    /** Destroy the oldest pooled objects until the pool holds at most `limit` bytes. */
    shrink(limit) {
      for (const item of pool) {
        if (bytesFree <= limit) return;
        pool.delete(item);
        bytesFree -= item.shape.bytes;
        // The oldest object of the pool is also the oldest of its shape.
        item.shape.free.shift();
        destroy(item);
      }
    },

    poolLimit(bytes) {
      poolLimit = bytes;
      store.shrink(bytes);
    },

    trim: () => store.shrink(0),

    resetPeak() {
      bytesPeak = bytesInUse;
    },

    /** Forget all objects after they were lost; using their handles throws `reason`. */
    clear(reason) {
      for (const handle of handles.keys()) lost.set(handle, reason);
      handles.clear();
      for (const { shape } of pool) shape.free = [];
      pool.clear();
      unchecked.clear();
      inUse = bytesInUse = bytesFree = 0;
    },

    stats: () => ({ inUse, bytesInUse, bytesPeak, free: pool.size, bytesFree, poolLimit }),
  };
  return store;
}
