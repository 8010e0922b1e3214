/** @file Bytes of the heap into a texture, never looking behind the last of them. */

import { createHeap } from "./heap.js";

/** Bytes of a row: 2048 texels of four 32-bit values. */
const LONGEST_ROW = 2048 * 16;

/**
 * @param {WebGL2RenderingContext} gl
 * @param {object} parts
 * @param {import("./heap.js").Heap} parts.heap
 * @param {import("./state.js").State} parts.state
 * @param {import("./textures.js").Textures} parts.textures
 */
export function createUploader(gl, { heap, state, textures }) {
  const room = new Uint8Array(LONGEST_ROW);
  const row = createHeap(() => room);
  let uploads = 0;

  /**
   * @param {number} handle
   * @param {number} format
   * @param {number} width
   * @param {number} height
   * @param {number} address
   * @param {number} byteLength
   */
  function upload(handle, format, width, height, address, byteLength) {
    const shape = textures.shape(format, width, height, 0);
    const { bytes } = shape;
    if (byteLength > bytes)
      throw new Error(`buffer ${handle} has ${bytes} bytes; got ${byteLength}`);
    const { View, elementBytes, texelBytes, format: layout, type } = shape.format;
    const rowBytes = width * texelBytes;
    const rows = Math.floor(byteLength / rowBytes);
    const whole = rows * rowBytes;
    state.edit(gl.TEXTURE_2D, textures.open(handle, shape).texture);
    uploads += 1;
    /** @type {(y: number, height: number, values: ArrayBufferView, at: number) => void} */
    const put = (y, height, values, at) =>
      gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, y, width, height, layout, type, values, at);
    const at = address / elementBytes;
    if (rows > 0 && Number.isInteger(at)) put(0, rows, heap.view(View), at);
    else if (rows > 0)
      put(0, rows, new View(heap.bytes().slice(address, address + whole).buffer), 0);
    if (whole === byteLength) return;
    // Drivers clear a texture first, or keep a list of patches, when an upload leaves texels out.
    row.bytes().set(heap.bytes().subarray(address + whole, address + byteLength));
    put(rows, 1, row.view(View), 0);
  }

  return {
    upload,
    stats() {
      return { uploads };
    },
  };
}
