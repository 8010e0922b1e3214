/** @file Reading textures into the heap, blocking or not, in the width of the format. */
/** @import { Format, Make, Reader } from "./types" */
import { narrow } from "./formats.js";

/** Rows are read this many bytes at a time: the browser fetches one band while it copies another. */
const BAND_BYTES = 2 ** 20;
/** A read that need not block gives the page its turn this often. */
const TURN_MILLISECONDS = 8;

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

  /**
   * Reads the bytes of a buffer band by band, and stops after each.
   * @param {number} handle @param {number} address @param {number} byteLength
   */
  function* bands(handle, address, byteLength) {
    const { format, exact, type, Values, rowBytes, width } = open(handle, byteLength);
    const band = Math.max(1, Math.floor(BAND_BYTES / rowBytes));
    const direct = exact && address % format.elementBytes === 0;
    for (let done = 0; done < byteLength; ) {
      const rows = Math.min(band, Math.ceil((byteLength - done) / rowBytes));
      // Rows that come in another width, or the last of which the heap has no room for as a whole.
      const copied = !direct || rows * rowBytes > byteLength - done;
      const count = width * rows * 4;
      const values = copied ? new Values(count) : new Values(heap().buffer, address + done, count);
      state.into(textures.framebuffer(textures.get(handle)));
      gl.readPixels(0, done / rowBytes, width, rows, format.format, type, values);
      if (copied) heap().set(narrow(values, format).subarray(0, byteLength - done), address + done);
      done += rows * rowBytes;
      yield;
    }
    reads += 1;
  }

  return {
    read(handle, address, byteLength) {
      for (const _ of bands(handle, address, byteLength));
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

    /**
     * Waits until what leads to the buffer is done, then copies, which takes little: measured, half the
     * time of a pixel buffer's way. The caller keeps the buffer until the promise is settled.
     */
    async readAsync(handle, address, byteLength) {
      open(handle, byteLength);
      // WebGL takes a length of 0 for all there is.
      if (byteLength === 0) return;
      const fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
      gl.flush();
      if (fence === null) throw new Error("WebGL context lost");
      await waiting.until(() => gl.clientWaitSync(fence, 0, 0) !== gl.TIMEOUT_EXPIRED);
      gl.deleteSync(fence);
      let since = performance.now();
      for (const _ of bands(handle, address, byteLength)) {
        if (performance.now() - since < TURN_MILLISECONDS) continue;
        await waiting.until(() => true);
        since = performance.now();
      }
      if (gl.isContextLost()) throw new Error("WebGL context lost");
    },

    stats: () => ({ reads }),
  };
}
