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
   * @param {import("./textures.js").Shape} shape
   * @param {number} address
   * @param {number} byteLength
   */
  function upload(handle, shape, address, byteLength) {
    const { format, width, bytes } = shape;
    if (byteLength > bytes)
      throw new Error(`buffer ${handle} has ${bytes} bytes; got ${byteLength}`);
    const { texture } = textures.open(handle, shape);
    const { View, elementBytes, texelBytes } = format;
    const rowBytes = width * texelBytes;
    const target = gl.TEXTURE_2D;
    state.edit(target, texture);
    let view = heap.view(View);
    let at = address / elementBytes;
    if (!Number.isInteger(at)) {
      view = new View(
        heap.bytes().slice(address, address + Math.floor(byteLength / elementBytes) * elementBytes)
          .buffer,
      );
      at = 0;
    }
    const rows = Math.floor(byteLength / rowBytes);
    const texels = Math.floor((byteLength - rows * rowBytes) / texelBytes);
    const done = rows * rowBytes + texels * texelBytes;
    if (rows > 0)
      gl.texSubImage2D(target, 0, 0, 0, width, rows, format.format, format.type, view, at);
    at += rows * width * 4;
    if (texels > 0)
      gl.texSubImage2D(target, 0, 0, rows, texels, 1, format.format, format.type, view, at);
    if (done < byteLength) {
      const last = new Uint8Array(texelBytes);
      last.set(heap.bytes().subarray(address + done, address + byteLength));
      gl.texSubImage2D(
        target,
        0,
        texels,
        rows,
        1,
        1,
        format.format,
        format.type,
        new View(last.buffer),
      );
    }
    uploads += 1;
  }

  return {
    upload,
    stats() {
      return { uploads };
    },
  };
}
