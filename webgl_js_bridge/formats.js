/** @file The table of storage formats: a small int from the caller to what WebGL wants to hear. */

/**
 * @typedef {Float32Array | Int32Array | Uint32Array | Int16Array | Uint16Array | Int8Array | Uint8Array} Values
 * @typedef {Float32ArrayConstructor | Int32ArrayConstructor | Uint32ArrayConstructor | Int16ArrayConstructor
 *   | Uint16ArrayConstructor | Int8ArrayConstructor | Uint8ArrayConstructor} View
 *
 * @typedef {object} Format
 * @property {number} id
 * @property {string} name
 * @property {number} internalFormat
 * @property {number} format
 * @property {number} type
 * @property {View} View elements as they lie in the heap (halves as their bits)
 * @property {number} elementBytes
 * @property {number} texelBytes
 * @property {number} wideType the type every implementation reads this format as
 * @property {View} WideView
 */

/**
 * @param {WebGL2RenderingContext} gl
 * @returns {Format[]}
 */
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
  return rows.map(([name, internalFormat, type, View, wide], id) => {
    const elementBytes = View.BYTES_PER_ELEMENT;
    const texelBytes = 4 * elementBytes;
    return { id, name, internalFormat, type, View, elementBytes, texelBytes, ...wide };
  });
}

const bits = new Float32Array(1);
const bitsAsInt = new Int32Array(bits.buffer);

/**
 * The bits of a half that holds exactly the given value, which was read from a half.
 * @param {number} value
 */
function halfBits(value) {
  bits[0] = value;
  const word = bitsAsInt[0];
  const sign = (word >>> 16) & 0x8000;
  const exponent = (word >>> 23) & 0xff;
  const mantissa = word & 0x7fffff;
  if (exponent === 0xff) return sign | 0x7c00 | (mantissa ? 0x200 | (mantissa >>> 13) : 0);
  if (exponent < 103) return sign;
  if (exponent < 113) return sign | ((mantissa | 0x800000) >>> (126 - exponent));
  return sign | ((exponent - 112) << 10) | (mantissa >>> 13);
}

/**
 * The bytes of `values`, which were read wide, in the format's own width.
 * @param {Values} values
 * @param {Format} format
 */
export function narrow(values, format) {
  if (values.constructor === format.View)
    return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  const narrowed = new format.View(values.length);
  if (format.name === "float16")
    for (let i = 0; i < values.length; i++) narrowed[i] = halfBits(values[i]);
  else narrowed.set(values);
  return new Uint8Array(narrowed.buffer);
}
