/** @file Typed views of the caller's linear memory, made anew whenever that memory has grown. */

/** @typedef {ReturnType<typeof createHeap>} Heap */

/**
 * @param {() => Uint8Array} current returns the memory as it is now
 */
export function createHeap(current) {
  let bytes = current();
  let words = new Int32Array(bytes.buffer);
  /** @type {Map<import("./formats.js").View, import("./formats.js").Values>} */
  const views = new Map();

  function refresh() {
    const now = current();
    if (now.buffer === bytes.buffer && now.length === bytes.length) return;
    bytes = now;
    words = new Int32Array(bytes.buffer, 0, bytes.buffer.byteLength >>> 2);
    views.clear();
  }

  return {
    bytes() {
      refresh();
      return bytes;
    },
    words() {
      refresh();
      return words;
    },
    /** @param {import("./formats.js").View} View */
    view(View) {
      refresh();
      let view = views.get(View);
      if (!view) {
        view = new View(
          /** @type {ArrayBuffer} */ (bytes.buffer),
          0,
          Math.floor(bytes.buffer.byteLength / View.BYTES_PER_ELEMENT),
        );
        views.set(View, view);
      }
      return view;
    },
  };
}
