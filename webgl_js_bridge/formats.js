/** @file Storage formats: the caller's format number mapped to WebGL's format, type and array class. */
/** @import { Format, GL, Values, View } from "./types" */

/** Return the formats, indexed by format number. @param {GL} gl @returns {Format[]} */
export function createFormats(gl) {
  const { RGBA, RGBA_INTEGER } = gl;
  const float = { format: RGBA, wideType: gl.FLOAT, WideView: Float32Array };
  const int = { format: RGBA_INTEGER, wideType: gl.INT, WideView: Int32Array };
  const uint = { format: RGBA_INTEGER, wideType: gl.UNSIGNED_INT, WideView: Uint32Array };
  /** @type {[string, number, number, View, Pick<Format, "format" | "wideType" | "WideView">][]} */
  const rows = [
    ["float32", gl.RGBA32F, gl.FLOAT, Float32Array, float],
    ["float16", gl.RGBA16F, gl.HALF_FLOAT, Uint16Array, float],
    ["int32", gl.RGBA32I, gl.INT, Int32Array, int],
    ["uint32", gl.RGBA32UI, gl.UNSIGNED_INT, Uint32Array, uint],
    ["int16", gl.RGBA16I, gl.SHORT, Int16Array, int],
    ["uint16", gl.RGBA16UI, gl.UNSIGNED_SHORT, Uint16Array, uint],
    ["int8", gl.RGBA8I, gl.BYTE, Int8Array, int],
    ["uint8", gl.RGBA8UI, gl.UNSIGNED_BYTE, Uint8Array, uint],
  ];
  return rows.map(([name, internalFormat, type, View, wide]) => {
    const elementBytes = View.BYTES_PER_ELEMENT;
    const texelBytes = 4 * elementBytes;
    return { name, internalFormat, type, View, elementBytes, texelBytes, ...wide };
  });
}

const float = new Float32Array(1);
const word = new Int32Array(float.buffer);

/**
 * Return the bits of the float16 equal to `value`, which float16 must represent exactly. The exponent
 * bias is 15 for float16 and 127 for float32; multiplying by 2 ** -112 changes one into the other.
 * @param {number} value
 */
function halfBits(value) {
  float[0] = value * 2 ** -112;
  return ((word[0] >>> 16) & 0x8000) | ((word[0] >>> 13) & 0x7fff);
}

/**
 * Return the bytes of `values` in the format's element type. `values` may have the format's wide type.
 * @param {Values} values @param {Format} format
 */
export function narrow(values, format) {
  if (values.constructor === format.View) return new Uint8Array(values.buffer);
  const narrowed = new format.View(values);
  if (format.name === "float16")
    for (let i = 0; i < values.length; i++) narrowed[i] = halfBits(values[i]);
  return new Uint8Array(narrowed.buffer);
}
