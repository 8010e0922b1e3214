/** @file Read textures into the heap, blocking or not, in the format's element type. */
/** @import { Format, Make, Reader, Texture } from "./types" */
import { narrow } from "./formats.js";
import { chooseTogether, markRead, markWanted } from "./together.js";

/** Size of a band of rows read at a time. The browser fetches one band while it copies another. */
const BAND_BYTES = 2 ** 20;
/**
 * Value written to the first element before a read. If the context is lost, readPixels() leaves it
 * there and getError() reports nothing in the same task.
 */
const UNTOUCHED = 85;
/** Time after which an asynchronous read yields to the event loop. */
const TURN_MILLISECONDS = 8;

/** @type {Make<Reader, "gl" | "heap" | "state" | "textures" | "waiting">} */
export function createReader({ gl, heap, state, textures, waiting }) {
  const { INVALID_ENUM, INVALID_VALUE, INVALID_OPERATION, INVALID_FRAMEBUFFER_OPERATION } = gl;
  const misuses = [INVALID_ENUM, INVALID_VALUE, INVALID_OPERATION, INVALID_FRAMEBUFFER_OPERATION];
  /** @type {boolean | undefined} */
  let readsHalves;
  /** @type {WebGLBuffer | null} */
  let pixels = null;
  let capacity = 0;
  let reads = 0;

  /**
   * Return true if readPixels() can read the bound framebuffer in its format's own element type.
   * @param {Format} format
   */
  function isNative({ format, type, wideType }) {
    if (type === wideType) return true;
    // ANGLE over OpenGL ES on NVIDIA advertises reading 16-bit integers in their own type, then fails
    // and loses the context; only the wide types are guaranteed.
    if (format === gl.RGBA_INTEGER) return false;
    // Cached, because each query takes a round trip to the GPU process.
    readsHalves ??=
      gl.getParameter(gl.IMPLEMENTATION_COLOR_READ_TYPE) === type &&
      gl.getParameter(gl.IMPLEMENTATION_COLOR_READ_FORMAT) === format;
    return readsHalves;
  }

  /**
   * Bind a buffer for reading and return the layout of its first `byteLength` bytes.
   * @param {number} handle @param {number} byteLength
   */
  function open(handle, byteLength) {
    const texture = textures.get(handle);
    const { format, width, height, layers } = texture.shape;
    const bytes = width * height * format.texelBytes;
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

  /** Size of a texture's pixels when read in the format's own element type. @param {Texture} texture */
  const bytesOf = ({ shape }) => shape.width * shape.height * shape.format.texelBytes;

  /** Read the results of a run that are asked for together. @param {Texture} first */
  function readTogether(first) {
    const found = chooseTogether(first, textures.find, bytesOf, (texture) => {
      state.into(textures.framebuffer(texture));
      return isNative(texture.shape.format);
    });
    if (found.length === 0) return;
    const total = found.reduce((sum, texture) => sum + bytesOf(texture), 0);
    const bytes = new Uint8Array(total).fill(UNTOUCHED, 0, 4);
    pixels ??= gl.createBuffer();
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, pixels);
    if (total > capacity) {
      gl.bufferData(gl.PIXEL_PACK_BUFFER, total, gl.STREAM_READ);
      capacity = total;
      state.hasNewObjects = true;
    }
    let at = 0;
    for (const texture of found) {
      const { format, width, height } = texture.shape;
      state.into(textures.framebuffer(texture));
      gl.readPixels(0, 0, width, height, format.format, format.type, at);
      at += bytesOf(texture);
    }
    gl.getBufferSubData(gl.PIXEL_PACK_BUFFER, 0, bytes);
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, null);
    // If this failed, each is read alone, which finds the reason.
    if (bytes.subarray(0, 4).every((byte) => byte === UNTOUCHED) || gl.isContextLost()) return;
    at = 0;
    for (const texture of found) {
      markRead(texture);
      texture.ahead = bytes.subarray(at, at + bytesOf(texture));
      at += bytesOf(texture);
    }
  }

  /**
   * Copy a result that was read together with others into the heap. Return false if it was not.
   * @param {number} handle @param {number} address @param {number} byteLength
   */
  function copyAhead(handle, address, byteLength) {
    const texture = textures.get(handle);
    readTogether(texture);
    const { ahead } = texture;
    markWanted(texture);
    if (ahead === null || byteLength > ahead.length) return false;
    heap().set(ahead.subarray(0, byteLength), address);
    texture.ahead = null;
    reads += 1;
    return true;
  }

  /**
   * Read a buffer into the heap, yielding after each band of rows.
   * @param {number} handle @param {number} address @param {number} byteLength
   */
  function* bands(handle, address, byteLength) {
    const { format, exact, type, Values, rowBytes, width } = open(handle, byteLength);
    const band = Math.max(1, Math.floor(BAND_BYTES / rowBytes));
    const direct = exact && address % format.elementBytes === 0;
    for (let done = 0; done < byteLength; ) {
      const rows = Math.min(band, Math.ceil((byteLength - done) / rowBytes));
      // Copy rows that are read in the wide type, and a last row that would write past the target's end.
      const copied = !direct || rows * rowBytes > byteLength - done;
      const count = width * rows * 4;
      const values = copied ? new Values(count) : new Values(heap().buffer, address + done, count);
      state.into(textures.framebuffer(textures.get(handle)));
      values[0] = UNTOUCHED;
      gl.readPixels(0, done / rowBytes, width, rows, format.format, type, values);
      if (values[0] === UNTOUCHED) {
        const status = gl.checkFramebufferStatus(gl.FRAMEBUFFER);
        // A texture without storage; of a lost context WebGL gives another status.
        if (status === gl.FRAMEBUFFER_INCOMPLETE_ATTACHMENT) throw textures.exhausted();
        if (status !== gl.FRAMEBUFFER_COMPLETE) throw new Error("WebGL context lost");
      }
      if (copied) heap().set(narrow(values, format).subarray(0, byteLength - done), address + done);
      done += rows * rowBytes;
      yield;
    }
    reads += 1;
  }

  /**
   * Throw if an error occurred before or during a read.
   * @param {number} handle
   */
  function check(handle) {
    if (gl.isContextLost()) throw new Error("WebGL context lost");
    // The query takes about as long as reading a small texture. Without new objects nothing can have failed.
    if (!state.hasNewObjects) return;
    // isContextLost() may be false until the task ends, even though readPixels() gave zeros.
    const code = gl.getError();
    if (code === gl.NO_ERROR) {
      textures.markChecked();
      return;
    }
    if (code === gl.OUT_OF_MEMORY && !gl.isContextLost()) throw textures.exhausted();
    if (!misuses.some((misuse) => misuse === code) || gl.isContextLost())
      throw new Error("WebGL context lost");
    throw new Error(
      `read: what led to buffer ${handle} failed; got WebGL error 0x${code.toString(16)}; ` +
        "debug mode names the draw",
    );
  }

  return {
    read(handle, address, byteLength) {
      if (!copyAhead(handle, address, byteLength))
        for (const _ of bands(handle, address, byteLength));
      check(handle);
    },

    /**
     * Wait until the draws that write the buffer are done, then copy it. The copy took half the time of a
     * pixel pack buffer when measured. The caller keeps the buffer until the promise is settled.
     */
    async readAsync(handle, address, byteLength) {
      open(handle, byteLength);
      // WebGL treats a length of 0 as the whole buffer.
      if (byteLength === 0) return;
      await waiting.finished();
      if (copyAhead(handle, address, byteLength)) return check(handle);
      let since = performance.now();
      for (const _ of bands(handle, address, byteLength)) {
        if (performance.now() - since < TURN_MILLISECONDS) continue;
        await waiting.until(() => true);
        since = performance.now();
      }
      check(handle);
    },

    /** Forget the objects that the lost context took. */
    clear() {
      pixels = null;
      capacity = 0;
    },

    stats: () => ({ reads }),
  };
}
