/** @file Results of workloads in 64-bit floats, from loops as simple as possible. */

/** @import { Workload } from "./workloads.js" */

/** @typedef {Float32Array | Int32Array} Values */

/** @param {number[]} shape */
const count = (shape) => shape.reduce((product, length) => product * length, 1);

/**
 * @param {Values | Float64Array} a (batch, m, k)
 * @param {Values | Float64Array} b (batch, k, n)
 * @param {number[]} lengths
 */
function products(a, b, [batch, m, k, n]) {
  const result = new Float64Array(batch * m * n);
  for (let row = 0; row < batch * m; row++) {
    const right = Math.floor(row / m) * k * n;
    const out = result.subarray(row * n, (row + 1) * n);
    for (let t = 0; t < k; t++) {
      const factor = a[row * k + t];
      for (let j = 0; j < n; j++) out[j] += factor * b[right + t * n + j];
    }
  }
  return result;
}

/** @param {ArrayLike<number>} values @param {(value: number, index: number) => number} change */
const mapped = (values, change) => Float64Array.from(values, change);

/** Applies a function to each row. @param {Values | Float64Array} x @param {number} columns @param {(row: Float64Array) => ArrayLike<number>} change */
function rowwise(x, columns, change) {
  const rows = Float64Array.from(x);
  for (let start = 0; start < rows.length; start += columns) {
    const row = rows.subarray(start, start + columns);
    row.set(change(row));
  }
  return rows;
}

/** @param {ArrayLike<number>} values */
function total(values) {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i];
  return sum;
}

/** Padding before the first element for "same". @param {number} length @param {number} kernel @param {number} stride */
function before(length, kernel, stride) {
  const result = Math.ceil(length / stride);
  return Math.max(0, (result - 1) * stride + kernel - length) >> 1;
}

/** @param {Values} x @param {Values} w @param {number[][]} shapes @param {number} stride @param {boolean} apart one filter for each channel */
function convolved(x, w, [image, filter], stride, apart) {
  const [, height, width, channels] = image;
  const [rows, columns, , outputs] = filter;
  const [high, wide] = [Math.ceil(height / stride), Math.ceil(width / stride)];
  const result = new Float64Array(high * wide * outputs);
  for (let at = 0; at < high * wide; at++) {
    const top = Math.floor(at / wide) * stride - before(height, rows, stride);
    const left = (at % wide) * stride - before(width, columns, stride);
    const out = result.subarray(at * outputs, (at + 1) * outputs);
    for (let tap = 0; tap < rows * columns; tap++) {
      const row = top + Math.floor(tap / columns);
      const column = left + (tap % columns);
      if (row < 0 || row >= height || column < 0 || column >= width) continue;
      const pixel = (row * width + column) * channels;
      if (apart) {
        for (let c = 0; c < channels; c++) out[c] += x[pixel + c] * w[tap * channels + c];
        continue;
      }
      for (let c = 0; c < channels; c++) {
        const factor = x[pixel + c];
        const start = (tap * channels + c) * outputs;
        for (let o = 0; o < outputs; o++) out[o] += factor * w[start + o];
      }
    }
  }
  return result;
}

/** @param {Values} x @param {number[]} shape @param {number} window @param {number} stride */
function pooled(x, [, height, width, channels], window, stride) {
  const [high, wide] = [height, width].map((length) => Math.floor((length - window) / stride) + 1);
  const result = new Float64Array(high * wide * channels);
  for (let at = 0; at < result.length; at++) {
    const place = Math.floor(at / channels);
    const [top, left] = [Math.floor(place / wide) * stride, (place % wide) * stride];
    let largest = Number.NEGATIVE_INFINITY;
    for (let tap = 0; tap < window * window; tap++) {
      const row = top + Math.floor(tap / window);
      const column = left + (tap % window);
      largest = Math.max(largest, x[(row * width + column) * channels + (at % channels)]);
    }
    result[at] = largest;
  }
  return result;
}

/** @param {Values} first @param {Values} second @param {number} side @param {number} steps */
function reacted(first, second, side, steps) {
  let [u, v] = [Float64Array.from(first), Float64Array.from(second)];
  /** @param {Float64Array} x @param {number} at */
  const laplacian = (x, at) => {
    const row = at - (at % side);
    const column = at % side;
    const all = side * side;
    const neighbours =
      x[(at + side) % all] +
      x[(at + all - side) % all] +
      x[row + ((column + 1) % side)] +
      x[row + ((column + side - 1) % side)];
    return neighbours - 4 * x[at];
  };
  for (let step = 0; step < steps; step++) {
    const [a, b] = [u, v];
    u = mapped(a, (x, i) => x + 0.16 * laplacian(a, i) - x * b[i] * b[i] + 0.035 * (1 - x));
    v = mapped(b, (x, i) => x + 0.08 * laplacian(b, i) + a[i] * x * x - 0.1 * x);
  }
  return mapped(u, (x, i) => x + v[i]);
}

/** @param {Float64Array} row @param {Values} scale @param {Values} shift @param {number} epsilon */
function normalized(row, scale, shift, epsilon) {
  const mean = total(row) / row.length;
  const variance = total(row.map((x) => (x - mean) ** 2)) / row.length;
  return row.map((x, i) => ((x - mean) / Math.sqrt(variance + epsilon)) * scale[i] + shift[i]);
}

/** Softmax of a row. @param {Float64Array} row */
function softmax(row) {
  const largest = row.reduce((a, b) => Math.max(a, b));
  const powers = row.map((x) => Math.exp(x - largest));
  const sum = total(powers);
  return powers.map((x) => x / sum);
}

/** @param {Values[]} operands query, key and value @param {number[]} lengths */
function attention([q, k, v], [heads, positions, features]) {
  const turned = mapped(k, (_, i) => {
    const [head, rest] = [Math.floor(i / (positions * features)), i % (positions * features)];
    const [feature, position] = [Math.floor(rest / positions), rest % positions];
    return k[(head * positions + position) * features + feature];
  });
  const scores = products(q, turned, [heads, positions, features, positions]);
  const scaled = mapped(scores, (score) => score / Math.sqrt(features));
  const weights = rowwise(scaled, positions, softmax);
  return products(weights, v, [heads, positions, positions, features]);
}

/** Sums of the values at each position. @param {Values} values @param {Values} positions @param {number} length */
function scattered(values, positions, length) {
  const sums = new Float64Array(length);
  for (let i = 0; i < values.length; i++) sums[positions[i]] += values[i];
  return sums;
}

/** @param {Float64Array} row */
const largestAt = (row) => row.reduce((best, value, i) => (value > row[best] ? i : best), 0);

/** Running sums of a row. @param {Float64Array} row */
function running(row) {
  let sum = 0;
  return row.map((x) => {
    sum += x;
    return sum;
  });
}

/** @type {Record<string, (arrays: Values[], shapes: number[][], options: Record<string, any>) => Float64Array>} */
const REFERENCES = {
  matmul: ([a, b], [[m, k], [, n]]) => products(a, b, [1, m, k, n]),
  batched_matmul: ([a, b], [[batch, m, k], [, , n]]) => products(a, b, [batch, m, k, n]),
  elementwise_chain: ([x]) =>
    mapped(x, (x) => Math.max(((x * 1.5 + 0.25) * x - 0.25) / 3, 0) * 0.5 + x),
  exp: ([x]) => mapped(x, (x) => Math.exp(x)),
  softmax: ([x], [[, columns]]) => rowwise(x, columns, softmax),
  sum: ([x], [[rows, columns]], { axis }) => {
    const sums = new Float64Array(axis === null ? 1 : [columns, rows][axis]);
    const position =
      axis === 1
        ? (/** @type {number} */ i) => Math.floor(i / columns)
        : (/** @type {number} */ i) => i % columns;
    x.forEach((value, i) => {
      sums[axis === null ? 0 : position(i)] += value;
    });
    return sums;
  },
  argmax: ([x], [[rows, columns]]) =>
    mapped(new Float64Array(rows), (_, i) =>
      largestAt(Float64Array.from(x.subarray(i * columns, (i + 1) * columns))),
    ),
  attention: (operands, [shape]) => attention(operands, shape),
  scatter_add: ([values, positions], _, { length }) => scattered(values, positions, length),
  int8_product: ([a, b], [[m, k], [, n]]) => products(a, b, [1, m, k, n]),
  transpose: ([x], [[rows, columns]]) =>
    mapped(x, (_, i) => x[(i % rows) * columns + Math.floor(i / rows)]),
  layer_norm: ([x, scale, shift], [[, columns]], { epsilon }) =>
    rowwise(x, columns, (row) => normalized(row, scale, shift, epsilon)),
  cumulative_sum: ([x], [[, columns]]) => rowwise(x, columns, running),
  sort: ([x]) => Float64Array.from(x).sort(),
  gather: ([table, indices], [[, columns]]) =>
    mapped(
      new Float64Array(indices.length * columns),
      (_, i) => table[indices[Math.floor(i / columns)] * columns + (i % columns)],
    ),
  conv2d: ([x, w], shapes, { stride }) => convolved(x, w, shapes, stride, false),
  depthwise_conv2d: ([x, w], shapes, { stride }) => convolved(x, w, shapes, stride, true),
  max_pool2d: ([x], [shape], { window, stride }) => pooled(x, shape, window, stride),
  eager_add: ([a, b]) => mapped(a, (x, i) => x + b[i]),
  add_chain_jit: ([a, b], _, { length }) => mapped(a, (x, i) => x + length * b[i]),
  gray_scott: ([u, v], [[side]], { steps }) => reacted(u, v, side, steps),
};

/**
 * Returns the result of a workload in 64-bit floats, or null if there is no reference for it.
 *
 * @param {Workload} workload
 * @param {Values[]} arrays
 */
export function referenceOf({ operation, inputs, options = {} }, arrays) {
  const shapes = inputs.map(({ shape }) => shape);
  if (shapes.some((shape, i) => count(shape) !== arrays[i].length)) {
    throw new Error(`bench: arrays do not fit the shapes of ${operation}`);
  }
  return REFERENCES[operation]?.(arrays, shapes, options) ?? null;
}
