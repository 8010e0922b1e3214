/** @file Reading textures into the heap, blocking or not, in the width of the format. */
/** @import { Format, Make, Reader } from "./types" */
import { narrow } from "./formats.js";

/** Rows that go through a copy are read this many bytes at a time. */
const BAND_BYTES = 2 ** 22;

/** @type {Make<Reader, "gl" | "heap" | "state" | "textures" | "waiting">} */
export function createReader({ gl, heap, state, textures, waiting }) {
  const { INVALID_ENUM, INVALID_VALUE, INVALID_OPERATION, INVALID_FRAMEBUFFER_OPERATION } = gl;
  const misuses = [INVALID_ENUM, INVALID_VALUE, INVALID_OPERATION, INVALID_FRAMEBUFFER_OPERATION];
  /** @type {boolean | undefined} */
  let readsHalves;
  let reads = 0;

  /**
   * Whether the implementation reads the bound framebuffer, which has this format, in its own width.
   * @param {Format} format
   */
  function isNative({ format, type, wideType }) {
    if (type === wideType) return true;
    // ANGLE over OpenGL ES on NVIDIA advertises reading 16-bit integers in their own type, then fails
    // and loses the context; only the wide types are guaranteed.
    if (format === gl.RGBA_INTEGER) return false;
    // Asked once: the answer takes a round trip.
    readsHalves ??=
      gl.getParameter(gl.IMPLEMENTATION_COLOR_READ_TYPE) === type &&
      gl.getParameter(gl.IMPLEMENTATION_COLOR_READ_FORMAT) === format;
    return readsHalves;
  }

  /**
   * Makes `handle` the one read, and says how its first bytes come.
   * @param {number} handle @param {number} byteLength
   */
  function open(handle, byteLength) {
    const texture = textures.get(handle);
    const { format, bytes, width, layers } = texture.shape;
    if (layers > 0) throw new Error(`buffer ${handle} has layers; only plain ones can be read`);
    if (byteLength > bytes)
      throw new Error(`buffer ${handle} has ${bytes} bytes; got ${byteLength} asked`);
    state.into(textures.framebuffer(texture));
    const exact = isNative(format);
    return {
      format,
      exact,
      type: exact ? format.type : format.wideType,
      Values: exact ? format.View : format.WideView,
      rowBytes: width * format.texelBytes,
      width: Math.min(width, Math.ceil(byteLength / format.texelBytes)),
    };
  }

  return {
    read(handle, address, byteLength) {
      const { format, exact, type, Values, rowBytes, width } = open(handle, byteLength);
      let done = 0;
      if (exact && address % format.elementBytes === 0 && byteLength >= rowBytes) {
        const rows = Math.floor(byteLength / rowBytes);
        const values = new Values(heap().buffer, address, rows * width * 4);
        gl.readPixels(0, 0, width, rows, format.format, type, values);
        done = rows * rowBytes;
      }
      // A last row that the heap has no room for as a whole, or rows that come in another width.
      const band = Math.max(1, Math.floor(BAND_BYTES / rowBytes));
      for (; done < byteLength; done += band * rowBytes) {
        const rows = Math.min(band, Math.ceil((byteLength - done) / rowBytes));
        const values = new Values(width * rows * 4);
        gl.readPixels(0, done / rowBytes, width, rows, format.format, type, values);
        heap().set(narrow(values, format).subarray(0, byteLength - done), address + done);
      }
      reads += 1;
      // isContextLost() tells only after the task has ended; what was read then is zeros.
      const code = gl.getError();
      if (code === gl.NO_ERROR) return;
      if (!misuses.some((misuse) => misuse === code) || gl.isContextLost())
        throw new Error("WebGL context lost");
      throw new Error(
        `read: what led to buffer ${handle} failed; got WebGL error 0x${code.toString(16)}; ` +
          "debug mode names the draw",
      );
    },

    async readAsync(handle, address, byteLength) {
      const { format, exact, type, Values, rowBytes, width } = open(handle, byteLength);
      // WebGL takes a length of 0 for all there is.
      if (byteLength === 0) return;
      const rows = Math.ceil(byteLength / rowBytes);
      const count = width * rows * 4;
      const buffer = gl.createBuffer();
      gl.bindBuffer(gl.PIXEL_PACK_BUFFER, buffer);
      gl.bufferData(gl.PIXEL_PACK_BUFFER, count * Values.BYTES_PER_ELEMENT, gl.STREAM_READ);
      gl.readPixels(0, 0, width, rows, format.format, type, 0);
      gl.bindBuffer(gl.PIXEL_PACK_BUFFER, null);
      const fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
      gl.flush();
      reads += 1;
      if (fence === null) throw new Error("WebGL context lost");
      await waiting.until(() => gl.clientWaitSync(fence, 0, 0) !== gl.TIMEOUT_EXPIRED);
      gl.deleteSync(fence);
      gl.bindBuffer(gl.PIXEL_PACK_BUFFER, buffer);
      if (exact) gl.getBufferSubData(gl.PIXEL_PACK_BUFFER, 0, heap(), address, byteLength);
      else {
        const values = new Values(count);
        gl.getBufferSubData(gl.PIXEL_PACK_BUFFER, 0, values);
        heap().set(narrow(values, format).subarray(0, byteLength), address);
      }
      gl.bindBuffer(gl.PIXEL_PACK_BUFFER, null);
      gl.deleteBuffer(buffer);
      if (gl.isContextLost()) throw new Error("WebGL context lost");
    },

    stats: () => ({ reads }),
  };
}
