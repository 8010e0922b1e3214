/** @file Bytes of the heap into a texture, never looking behind the last of them. */

/**
 * @param {WebGL2RenderingContext} gl
 * @param {object} parts
 * @param {import("./heap.js").Heap} parts.heap
 * @param {import("./state.js").State} parts.state
 * @param {import("./textures.js").Textures} parts.textures
 */
export function createUploader(gl, { heap, state, textures }) {
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
    const rest = byteLength - rows * rowBytes;
    const texels = Math.ceil(rest / texelBytes);
    state.edit(gl.TEXTURE_2D, textures.open(handle, shape).texture);
    /** @type {(y: number, w: number, h: number, values: ArrayBufferView, at: number) => void} */
    const put = (y, w, h, values, at) =>
      gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, y, w, h, layout, type, values, at);
    /** @type {(from: number, bytes: number, room: number) => ArrayBufferView} */
    const copy = (from, bytes, room) => {
      const copied = new Uint8Array(room);
      copied.set(heap.bytes().subarray(from, from + bytes));
      return new View(copied.buffer);
    };
    const at = address / elementBytes;
    const aligned = Number.isInteger(at);
    const whole = rows * rowBytes;
    if (rows > 0 && aligned) put(0, width, rows, heap.view(View), at);
    else if (rows > 0) put(0, width, rows, copy(address, whole, whole), 0);
    if (rest > 0 && aligned && rest % texelBytes === 0)
      put(rows, texels, 1, heap.view(View), at + whole / elementBytes);
    else if (rest > 0) put(rows, texels, 1, copy(address + whole, rest, texels * texelBytes), 0);
    uploads += 1;
  }

  return {
    upload,
    stats() {
      return { uploads };
    },
  };
}
