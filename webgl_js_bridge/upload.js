/** @file Upload bytes of the heap to a texture without reading past the last byte. */
/** @import { Make, Uploader } from "./types" */
import { toHalves } from "./formats.js";

/** @type {Make<Uploader, "gl" | "heap" | "state" | "textures">} */
export function createUploader({ gl, heap, state, textures }) {
  let uploads = 0;

  return {
    upload(handle, format, width, height, address, byteLength) {
      const shape = textures.shape(format, width, height, 0);
      const { View, elementBytes, texelBytes, storedBytes, format: layout, type } = shape.format;
      const room = width * height * texelBytes;
      if (byteLength > room)
        throw new Error(`buffer ${handle} has ${room} bytes; got ${byteLength}`);
      let losses = 0;
      textures.add(handle, shape, ({ texture }) => {
        state.edit(gl.TEXTURE_2D, texture);
        /** @param {number} y @param {number} rows @param {ArrayBufferLike} memory @param {number} at */
        const put = (y, rows, memory, at) => {
          let values = new View(memory, at, rows * width * 4);
          let valueType = type;
          if (values instanceof Float32Array && storedBytes < texelBytes) {
            // Drivers differ in how they round, and in what they make of numbers that are too large.
            const halves = new Uint16Array(values.length);
            losses |= toHalves(values, halves);
            [values, valueType] = [halves, gl.HALF_FLOAT];
          }
          gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, y, width, rows, layout, valueType, values);
        };
        const rowBytes = width * texelBytes;
        const rows = Math.floor(byteLength / rowBytes);
        const rest = address + rows * rowBytes;
        const bytes = heap();
        if (rows > 0 && address % elementBytes === 0) put(0, rows, bytes.buffer, address);
        else if (rows > 0) put(0, rows, bytes.slice(address, rest).buffer, 0);
        if (rest === address + byteLength) return;
        // Upload the whole last row: for partial uploads, drivers clear the texture first or track the parts.
        const row = new Uint8Array(rowBytes);
        row.set(bytes.subarray(rest, address + byteLength));
        put(rows, 1, row.buffer, 0);
      });
      uploads += 1;
      return losses;
    },

    stats: () => ({ uploads }),
  };
}
