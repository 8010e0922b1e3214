/** @file Reading textures into the heap, blocking or not, in the width of the format. */

import { narrow } from "./formats.js";

/**
 * @typedef {import("./formats.js").Format} Format
 * @typedef {import("./textures.js").Texture} Texture
 */

/** Rows that go through a copy are read this many bytes at a time. */
const BAND_BYTES = 2 ** 22;

/**
 * @param {WebGL2RenderingContext} gl
 * @param {object} parts
 * @param {import("./heap.js").Heap} parts.heap
 * @param {import("./state.js").State} parts.state
 * @param {import("./textures.js").Textures} parts.textures
 * @param {import("./wait.js").Waiting} parts.waiting
 */
export function createReader(gl, { heap, state, textures, waiting }) {
  /** @type {Map<Format, boolean>} */
  const native = new Map();
  /** @type {Set<number>} */
  const misuses = new Set([
    gl.INVALID_ENUM,
    gl.INVALID_VALUE,
    gl.INVALID_OPERATION,
    gl.INVALID_FRAMEBUFFER_OPERATION,
  ]);
  let reads = 0;

  /**
   * Whether the implementation reads the bound framebuffer, which has this format, in its own width.
   * @param {Format} format
   */
  function isNative(format) {
    if (format.type === format.wideType) return true;
    // ANGLE over OpenGL ES on NVIDIA advertises reading 16-bit integers in their own type, then fails
    // and loses the context; only the wide types are guaranteed.
    if (format.format === gl.RGBA_INTEGER) return false;
    let known = native.get(format);
    if (known === undefined) {
      known =
        gl.getParameter(gl.IMPLEMENTATION_COLOR_READ_TYPE) === format.type &&
        gl.getParameter(gl.IMPLEMENTATION_COLOR_READ_FORMAT) === format.format;
      native.set(format, known);
    }
    return known;
  }

  /**
   * Makes `handle` the one read, and says how.
   * @param {number} handle
   * @param {number} byteLength
   */
  function open(handle, byteLength) {
    const texture = textures.get(handle);
    const { format, bytes, width } = texture.shape;
    if (texture.layers > 0)
      throw new Error(`buffer ${handle} has layers; only plain ones can be read`);
    if (byteLength > bytes)
      throw new Error(`buffer ${handle} has ${bytes} bytes; got ${byteLength} asked`);
    state.into(textures.framebuffer(texture));
    const exact = isNative(format);
    return {
      format,
      width,
      rowBytes: width * format.texelBytes,
      exact,
      type: exact ? format.type : format.wideType,
      Values: exact ? format.View : format.WideView,
    };
  }

  /**
   * @param {number} handle
   * @param {number} address
   * @param {number} byteLength
   */
  function read(handle, address, byteLength) {
    const { format, width, rowBytes, exact, type, Values } = open(handle, byteLength);
    let done = 0;
    if (exact && address % format.elementBytes === 0) {
      const rows = Math.floor(byteLength / rowBytes);
      const at = address / format.elementBytes;
      if (rows > 0) gl.readPixels(0, 0, width, rows, format.format, type, heap.view(Values), at);
      done = rows * rowBytes;
    }
    // A last row that the heap has no room for as a whole, or rows that come in another width.
    const band = Math.max(1, Math.floor(BAND_BYTES / rowBytes));
    while (done < byteLength) {
      const rows = Math.min(band, Math.ceil((byteLength - done) / rowBytes));
      const texels = Math.min(width, Math.ceil((byteLength - done) / format.texelBytes));
      const values = new Values(texels * rows * 4);
      gl.readPixels(0, done / rowBytes, texels, rows, format.format, type, values);
      const bytes = narrow(values, format);
      const wanted = Math.min(bytes.length, byteLength - done);
      heap.bytes().set(wanted === bytes.length ? bytes : bytes.subarray(0, wanted), address + done);
      done += wanted;
    }
    reads += 1;
    // isContextLost() tells only after the task has ended; what was read then is zeros.
    const code = gl.getError();
    if (code === gl.NO_ERROR) return;
    if (!misuses.has(code) || gl.isContextLost()) throw new Error("WebGL context lost");
    throw new Error(
      `read: what led to buffer ${handle} failed; got WebGL error 0x${code.toString(16)}; ` +
        "debug mode names the draw",
    );
  }

  /**
   * @param {number} handle
   * @param {number} address
   * @param {number} byteLength
   */
  async function readAsync(handle, address, byteLength) {
    const { format, width, rowBytes, exact, type, Values } = open(handle, byteLength);
    // WebGL takes a length of 0 for all there is.
    if (byteLength === 0) return;
    const rows = Math.ceil(byteLength / rowBytes);
    const texels = Math.min(width, Math.ceil(byteLength / format.texelBytes));
    const count = texels * rows * 4;
    const buffer = gl.createBuffer();
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, buffer);
    gl.bufferData(gl.PIXEL_PACK_BUFFER, count * Values.BYTES_PER_ELEMENT, gl.STREAM_READ);
    gl.readPixels(0, 0, texels, rows, format.format, type, 0);
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, null);
    const fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.flush();
    reads += 1;
    if (fence === null) throw new Error("WebGL context lost");
    await waiting.until(() => {
      if (gl.isContextLost()) throw new Error("WebGL context lost");
      return gl.clientWaitSync(fence, 0, 0) !== gl.TIMEOUT_EXPIRED;
    });
    gl.deleteSync(fence);
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, buffer);
    if (exact) gl.getBufferSubData(gl.PIXEL_PACK_BUFFER, 0, heap.bytes(), address, byteLength);
    else {
      const values = new Values(count);
      gl.getBufferSubData(gl.PIXEL_PACK_BUFFER, 0, values);
      heap.bytes().set(narrow(values, format).subarray(0, byteLength), address);
    }
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, null);
    gl.deleteBuffer(buffer);
    if (gl.isContextLost()) throw new Error("WebGL context lost");
  }

  return {
    read,
    readAsync,
    stats() {
      return { reads };
    },
  };
}
