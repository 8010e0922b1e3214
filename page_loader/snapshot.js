/**
 * @file Make and load copies of Pyodide's memory. This is the only module that uses what Pyodide does not document:
 * the options `_makeSnapshot`, `_loadSnapshot` and `createPyodideModule`, `makeMemorySnapshot`, and the heap.
 *
 * A copy is Pyodide's own format (a header and the heap), except that pages that the WebAssembly file itself fills are
 * zeros, and that the zeros at the end are left out. They are a quarter of its bytes, compressed. Files are not part of it.
 */

/** @import { PyodideConfig, PyodideInterface } from "pyodide" */

/**
 * @typedef {object} Snapshot
 * @property {string} file name of the file with the copy
 * @property {number} bytes of the file
 * @property {number} compressed bytes of the file with ".gz" after its name
 * @property {string} sources name of the archive with the sources of the py_tensor that was copied
 * @property {number} length of the copy in bytes, with the zeros at its end
 * @property {[number, number][]} unchanged first and last byte + 1 of parts of the heap that the WebAssembly file fills
 * @property {number} heap position of the heap in the copy
 */

const PAGE = 256; // bytes; 4096 would leave 40 kB more, compressed

/**
 * Returns options that let `module` have Emscripten's module before Python starts in it.
 *
 * @param {any} createModule the export of pyodide.asm.mjs
 * @param {(module: any) => void} receive
 * @returns {Partial<PyodideConfig>}
 */
const beforePython = (createModule, receive) => ({
  /** @param {any} settings */
  createPyodideModule(settings) {
    settings.preRun.push(receive);
    return createModule(settings);
  },
});

/**
 * Returns options of `loadPyodide` that start from a copy.
 *
 * @param {any} createModule the export of pyodide.asm.mjs
 * @param {Snapshot} snapshot
 * @param {(memory: Uint8Array) => Promise<void>} fill writes the file to the start of the memory, while the WebAssembly is
 *   compiled; it reports a failure itself
 * @returns {Partial<PyodideConfig>}
 */
export function snapshotOptions(createModule, { length, unchanged, heap }, fill) {
  const memory = new Uint8Array(length);
  // Pyodide would go on after a failure, which `fill` itself reports.
  const filled = fill(memory).catch(() => new Promise(() => {}));
  /** @type {any} */
  let module;
  return {
    ...beforePython(createModule, (received) => {
      module = received;
    }),
    // Pyodide takes its size at once, and its bytes after fsInit.
    _loadSnapshot: memory,
    async fsInit() {
      await filled;
      // The WebAssembly file has a size of its own; a larger one that Pyodide passes is ignored.
      if (length - heap > module.HEAPU8.length) module.growMemory(length - heap);
      for (const [start, end] of unchanged)
        memory.set(module.HEAPU8.subarray(start, end), heap + start);
      adapt(module, new DataView(memory.buffer, heap));
    },
  };
}

/** Returns the address of the pointer to the function that calls C functions. @param {any} module */
const trampoline = (module) =>
  module.__PyRuntime + module.HEAP32[module.__PyEM_EMSCRIPTEN_TRAMPOLINE_OFFSET / 4];

/**
 * Changes a copied heap where it depends on the browser.
 *
 * @param {any} module
 * @param {DataView} heap
 */
function adapt(module, heap) {
  // Through the WebAssembly of this browser if it has it; Python could not wait in a function called through JavaScript.
  const pointer = trampoline(module);
  heap.setInt32(pointer, module.HEAP32[pointer / 4], true);
  // The C library has the names of time zones; the offsets it asks for. January has no summer time in the north.
  const year = new Date().getFullYear();
  const offsets = [0, 6].map((month) => new Date(year, month).getTimezoneOffset());
  for (const [i, offset] of [Math.max(...offsets), Math.min(...offsets)].entries()) {
    const hours = [Math.abs(offset) / 60, Math.abs(offset) % 60].map(Math.floor);
    const digits = hours.map((number) => String(number).padStart(2, "0")).join("");
    const name = new TextEncoder().encode(`UTC${offset < 0 ? "+" : "-"}${digits}\0`);
    const address = heap.getUint32(module.___tzname + 4 * i, true);
    for (const [j, byte] of name.entries()) heap.setUint8(address + j, byte);
  }
}

/**
 * Starts Pyodide such that its memory can be copied.
 *
 * @param {(options: PyodideConfig) => Promise<PyodideInterface>} loadPyodide
 * @param {any} createModule
 * @param {PyodideConfig} options
 * @returns {Promise<{ pyodide: PyodideInterface, copy: () => { data: Uint8Array } & Omit<Snapshot, "file" | "bytes" | "compressed" | "sources"> }>}
 */
export async function startCopyable(loadPyodide, createModule, options) {
  /** @type {Uint8Array} */
  let before = new Uint8Array();
  /** @type {any} */
  let emscripten;
  const pyodide = await loadPyodide({
    ...options,
    ...beforePython(createModule, (module) => {
      emscripten = module;
      before = module.HEAPU8.slice();
    }),
    _makeSnapshot: true,
  });
  function copy() {
    const data = pyodide.makeMemorySnapshot();
    const heap = new Uint32Array(data.buffer, data.byteOffset, 2)[1];
    // Node.js versions differ here, and pages have their own.
    new DataView(data.buffer, heap).setInt32(trampoline(emscripten), 0, true);
    const unchanged = clearUnchanged(data.subarray(heap), before);
    return {
      data: data.subarray(0, lengthWithoutZeros(data)),
      length: data.length,
      unchanged,
      heap,
    };
  }
  return { pyodide, copy };
}

/**
 * Clears the pages that two heaps have in common.
 *
 * @param {Uint8Array} heap
 * @param {Uint8Array} before
 * @returns {[number, number][]} the parts that were cleared
 */
function clearUnchanged(heap, before) {
  /** @type {[number, number][]} */
  const parts = [];
  for (let start = 0; start < before.length; start += PAGE) {
    const page = before.subarray(start, start + PAGE);
    if (page.every((byte) => byte === 0) || page.some((byte, i) => byte !== heap[start + i]))
      continue;
    heap.fill(0, start, start + PAGE);
    const last = parts.at(-1);
    if (last?.[1] === start) last[1] += PAGE;
    else parts.push([start, start + PAGE]);
  }
  return parts;
}

/** @param {Uint8Array} data */
function lengthWithoutZeros(data) {
  let length = data.length;
  while (data[length - 1] === 0) length -= 1;
  return length;
}
