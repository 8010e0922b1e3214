/** @file Upload bytes of the heap to a texture without reading past the last byte. */
/** @import { Make, Uploader } from "./types" */

/** Bytes of the longest row: 2048 texels of four 32-bit values. */
const LONGEST_ROW = 2048 * 16;

/** @type {Make<Uploader, "gl" | "heap" | "state" | "textures">} */
export function createUploader({ gl, heap, state, textures }) {
  const row = new Uint8Array(LONGEST_ROW);
  let uploads = 0;

  return {
    upload(handle, format, width, height, address, byteLength) {
      const shape = textures.shape(format, width, height, 0);
      const { View, elementBytes, texelBytes, format: layout, type } = shape.format;
      if (byteLength > shape.bytes)
        throw new Error(`buffer ${handle} has ${shape.bytes} bytes; got ${byteLength}`);
      textures.add(handle, shape, ({ texture }) => {
        state.edit(gl.TEXTURE_2D, texture);
        /** @param {number} y @param {number} rows @param {ArrayBufferLike} memory @param {number} at */
        const put = (y, rows, memory, at) => {
          const values = new View(memory, at, rows * width * 4);
          gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, y, width, rows, layout, type, values);
        };
        const rowBytes = width * texelBytes;
        const rows = Math.floor(byteLength / rowBytes);
        const rest = address + rows * rowBytes;
        const bytes = heap();
        if (rows > 0 && address % elementBytes === 0) put(0, rows, bytes.buffer, address);
        else if (rows > 0) put(0, rows, bytes.slice(address, rest).buffer, 0);
        if (rest === address + byteLength) return;
        // Upload the whole last row: for partial uploads, drivers clear the texture first or track the parts.
        row.set(bytes.subarray(rest, address + byteLength));
        put(rows, 1, row.buffer, 0);
      });
      uploads += 1;
    },

    stats: () => ({ uploads }),
  };
}
