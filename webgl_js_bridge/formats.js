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
    ["float32 stored as float16", gl.RGBA16F, gl.FLOAT, Float32Array, float],
  ];
  return rows.map(([name, internalFormat, type, View, wide]) => {
    const elementBytes = View.BYTES_PER_ELEMENT;
    const texelBytes = 4 * elementBytes;
    const halved = internalFormat === gl.RGBA16F && type === gl.FLOAT;
    const storedBytes = halved ? texelBytes / 2 : texelBytes;
    return { name, internalFormat, type, View, elementBytes, texelBytes, storedBytes, ...wide };
  });
}

const float = new Float32Array(1);
const word = new Int32Array(float.buffer);

/** Bits of a float32 from which a number is rounded to an infinite float16, and of an infinity. */
const HALF_END = 0x477ff000;
const INFINITE = 0x7f800000;

/** Return the bits of the float16 nearest to a float32. @param {number} value */
function halfBits(value) {
  float[0] = value;
  const sign = (word[0] >>> 16) & 0x8000;
  const size = word[0] & 0x7fffffff;
  if (size > INFINITE) return sign | 0x7e00;
  if (size >= HALF_END) return sign | 0x7c00;
  if (size < 0x38800000) {
    // Below the smallest normal float16, multiples of 2 ** -24, the last place of 0.5.
    float[0] = Math.abs(value) + 0.5;
    return sign | (word[0] - 0x3f000000);
  }
  return sign | ((size - 0x38000000 + 0xfff + ((size >>> 13) & 1)) >>> 13);
}

/** Bits of the result of `toHalves`. */
const OVERFLOWS = 1;
const UNDERFLOWS = 2;

/**
 * Write the bits of float32 values as float16 to `target`. Return 1 if a finite value becomes infinite, plus
 * 2 if another than zero becomes zero.
 * @param {Float32Array} values @param {Uint16Array} target
 */
export function toHalves(values, target) {
  let losses = 0;
  for (let i = 0; i < values.length; i++) {
    const bits = halfBits(values[i]);
    target[i] = bits;
    if ((bits & 0x7fff) === 0x7c00 && Number.isFinite(values[i])) losses |= OVERFLOWS;
    if ((bits & 0x7fff) === 0 && values[i] !== 0) losses |= UNDERFLOWS;
  }
  return losses;
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
