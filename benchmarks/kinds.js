/** @file Kinds of workloads: functions of lengths that return inputs, amount of work and tolerance. */

/** @import { Workload } from "./workloads.js" */

/**
 * Tolerance per term for sums of n terms. With terms from -1 to 1, a running sum grows like sqrt(n), and so does
 * the number of its rounding errors that do not cancel, so the difference grows like n. The largest differences
 * between elements of matrix products were 0.5e-7 n to 0.8e-7 n, for n from 256 to 2048.
 */
export const ROUNDING = 2 ** -23;

/** @param {number[]} shape */
function count(shape) {
  return shape.reduce((product, length) => product * length, 1);
}

/**
 * A workload that reads each input once and writes the output once.
 *
 * @param {string} operation
 * @param {string} size
 * @param {(number[] | { shape: number[], scale?: number, below?: number })[]} inputs
 * @param {number[]} output shape of the result
 * @param {Pick<Workload, "flops" | "atol"> & Partial<Workload>} rest
 * @returns {Workload}
 */
export function workload(operation, size, inputs, output, rest) {
  const arrays = inputs.map((input) => (Array.isArray(input) ? { shape: input } : input));
  const elements = [...arrays.map(({ shape }) => shape), output].map(count);
  const bytes = 4 * elements.reduce((total, each) => total + each, 0);
  return { operation, size, inputs: arrays, bytes, rtol: 0, ...rest };
}

/** @param {number} m @param {number} k @param {number} n */
export function matmul(m, k, n) {
  const inputs = [
    [m, k],
    [k, n],
  ];
  const work = { flops: 2 * m * k * n, atol: ROUNDING * k, rtol: 1e-5 };
  return workload("matmul", `${m}x${k}x${n}`, inputs, [m, n], work);
}

/** @param {number} batch @param {number} m @param {number} k @param {number} n */
export function batchedMatmul(batch, m, k, n) {
  const inputs = [
    [batch, m, k],
    [batch, k, n],
  ];
  const work = { flops: 2 * batch * m * k * n, atol: ROUNDING * k, rtol: 1e-5 };
  return workload("batched_matmul", `${batch}x${m}x${k}x${n}`, inputs, [batch, m, n], work);
}

/** relu(((x * 1.5 + 0.25) * x - 0.25) / 3) * 0.5 + x: eight operations. @param {number} rows @param {number} columns */
export function elementwiseChain(rows, columns) {
  const shape = [rows, columns];
  const work = { flops: 8 * rows * columns, atol: 1e-6, rtol: 1e-6 };
  return workload("elementwise_chain", `${rows}x${columns}`, [shape], shape, work);
}

/** @param {number} rows @param {number} columns */
export function biasRelu(rows, columns) {
  const shape = [rows, columns];
  const work = { flops: 2 * rows * columns, atol: 0 };
  return workload("bias_relu", `${rows}x${columns}`, [shape, [columns]], shape, work);
}

/** @param {number} rows @param {number} columns @param {number | null} axis null for all axes */
export function sum(rows, columns, axis) {
  const length = axis === null ? rows * columns : [rows, columns][axis];
  const result = axis === null ? [] : [[columns], [rows]][axis];
  const axes = axis === null ? "all" : `axis ${axis}`;
  // Both libraries sum all elements in parts, so few rounding errors are of large sums. The difference was 0.9e-4
  // for a million elements.
  const atol = ROUNDING * (axis === null ? 8 * length ** 0.5 : length);
  const work = { flops: rows * columns, atol, rtol: 1e-5, options: { axis } };
  return workload("sum", `${rows}x${columns} ${axes}`, [[rows, columns]], result, work);
}

/** @param {number} rows @param {number} columns */
export function softmax(rows, columns) {
  const shape = [rows, columns];
  // Maximum, difference, exponential, sum, quotient.
  const work = { flops: 5 * rows * columns, atol: 1e-8, rtol: 1e-5 };
  return workload("softmax", `${rows}x${columns}`, [{ shape, scale: 4 }], shape, work);
}

/** @param {number} rows @param {number} columns */
export function exponential(rows, columns) {
  const shape = [rows, columns];
  const work = { flops: rows * columns, atol: 0, rtol: 1e-6 };
  return workload("exp", `${rows}x${columns}`, [{ shape, scale: 8 }], shape, work);
}

/** One addition, whose result is not part of a larger graph. @param {number} side */
export function eagerAdd(side) {
  const shape = [side, side];
  const work = { flops: side * side, atol: 0, rtol: 1e-6 };
  return workload("eager_add", `${side}x${side}`, [shape, shape], shape, work);
}

/** @param {number} length */
export function sort(length) {
  const work = { flops: 0, atol: 0 };
  return workload("sort", `${length}`, [[length]], [length], work);
}

/** Two substances that react and diffuse on a torus; the result is their sum. @param {number} side @param {number} steps */
export function grayScott(side, steps) {
  const shape = [side, side];
  const input = { shape, scale: 0.5 };
  // Each step has 22 operations per element of both substances together.
  const work = { flops: 22 * steps * side * side, atol: 1e-5, options: { steps } };
  return workload("gray_scott", `${side}x${side}, ${steps} steps`, [input, input], shape, work);
}

/** @param {number} rows @param {number} columns */
export function layerNorm(rows, columns) {
  const shape = [rows, columns];
  // Mean, deviation, its square, their mean, quotient, scale, shift.
  const work = { flops: 7 * rows * columns, atol: 1e-5, rtol: 1e-5, options: { epsilon: 1e-5 } };
  return workload("layer_norm", `${rows}x${columns}`, [shape, [columns], [columns]], shape, work);
}

/** @param {number} rows @param {number} columns */
export function argmax(rows, columns) {
  const work = { flops: rows * columns, atol: 0 };
  return workload("argmax", `${rows}x${columns}`, [[rows, columns]], [rows], work);
}

/** @param {number} rows @param {number} columns */
export function transpose(rows, columns) {
  const work = { flops: 0, atol: 0 };
  return workload("transpose", `${rows}x${columns}`, [[rows, columns]], [columns, rows], work);
}

/** @param {number} rows @param {number} columns @param {number} taken rows */
export function gather(rows, columns, taken) {
  const indices = { shape: [taken], below: rows };
  const size = `${taken} of ${rows}x${columns}`;
  const work = workload("gather", size, [[rows, columns], indices], [taken, columns], {
    flops: 0,
    atol: 0,
  });
  // Reads only the selected rows.
  return { ...work, bytes: 4 * (taken + 2 * taken * columns) };
}

/** @param {number} rows @param {number} columns */
export function cumulativeSum(rows, columns) {
  const shape = [rows, columns];
  const work = { flops: rows * columns, atol: ROUNDING * columns, rtol: 1e-5 };
  return workload("cumulative_sum", `${rows}x${columns}`, [shape], shape, work);
}

/** @param {number} parts @param {number} rows @param {number} columns of each part */
export function concat(parts, rows, columns) {
  const inputs = Array.from({ length: parts }, () => [rows, columns]);
  const work = { flops: 0, atol: 0 };
  return workload(
    "concat",
    `${parts} of ${rows}x${columns}`,
    inputs,
    [rows, parts * columns],
    work,
  );
}

/** @param {string} operation @param {number} length of the chain @param {number} side */
export function addChain(operation, length, side) {
  const shape = [side, side];
  // A compiler may reorder additions in one shader. Each addition rounds by at most 2 ** -24 of a sum that is at
  // most 1 or the result.
  const rounding = length * 2 ** -24;
  const work = {
    flops: length * side * side,
    atol: rounding,
    rtol: rounding,
    options: { length },
  };
  return workload(operation, `${length} of ${side}x${side}`, [shape, shape], shape, work);
}

/**
 * @param {number} side of the image
 * @param {number} channels
 * @param {number} outputs
 * @param {number} kernel
 * @param {number} stride
 */
export function convolution(side, channels, outputs, kernel, stride) {
  const result = Math.ceil(side / stride);
  const products = kernel * kernel * channels;
  const inputs = [
    [1, side, side, channels],
    [kernel, kernel, channels, outputs],
  ];
  return workload(
    "conv2d",
    `${kernel}x${kernel}/${stride} ${side}x${side}x${channels}-${outputs}`,
    inputs,
    [1, result, result, outputs],
    {
      flops: 2 * result * result * outputs * products,
      atol: ROUNDING * products,
      rtol: 1e-5,
      options: { stride },
    },
  );
}

/** @param {number} side @param {number} channels @param {number} kernel @param {number} stride */
export function depthwise(side, channels, kernel, stride) {
  const result = Math.ceil(side / stride);
  const inputs = [
    [1, side, side, channels],
    [kernel, kernel, 1, channels],
  ];
  return workload(
    "depthwise_conv2d",
    `${kernel}x${kernel}/${stride} ${side}x${side}x${channels}`,
    inputs,
    [1, result, result, channels],
    {
      flops: 2 * result * result * channels * kernel * kernel,
      atol: ROUNDING * kernel * kernel,
      rtol: 1e-5,
      options: { stride },
    },
  );
}

/**
 * @param {number} side
 * @param {number} channels
 * @param {number} outputs
 * @param {number} kernel
 * @param {number} stride
 */
export function transposedConvolution(side, channels, outputs, kernel, stride) {
  const result = side * stride;
  const inputs = [
    [1, side, side, channels],
    [kernel, kernel, outputs, channels],
  ];
  return workload(
    "conv2d_transpose",
    `${kernel}x${kernel}/${stride} ${side}x${side}x${channels}-${outputs}`,
    inputs,
    [1, result, result, outputs],
    {
      flops: 2 * side * side * channels * outputs * kernel * kernel,
      atol: ROUNDING * kernel * kernel * channels,
      rtol: 1e-5,
      options: { stride },
    },
  );
}

/** @param {number} side @param {number} channels @param {number} window @param {number} stride */
export function maxPool(side, channels, window, stride) {
  const result = Math.floor((side - window) / stride) + 1;
  return workload(
    "max_pool2d",
    `${window}x${window}/${stride} ${side}x${side}x${channels}`,
    [[1, side, side, channels]],
    [1, result, result, channels],
    {
      flops: result * result * channels * window * window,
      atol: 0,
      options: { window, stride },
    },
  );
}

/** Uploads an array and computes its relu. @param {number} rows @param {number} columns */
export function upload(rows, columns) {
  const shape = [rows, columns];
  const work = { flops: rows * columns, atol: 0, onHost: true, options: { shape } };
  return workload("upload", `${rows}x${columns}`, [shape], shape, work);
}

/** Computes x + 1 and reads all elements. @param {string} operation @param {number} rows @param {number} columns */
export function readBack(operation, rows, columns) {
  const shape = [rows, columns];
  return workload(operation, `${rows}x${columns}`, [shape], shape, {
    flops: rows * columns,
    atol: 0,
  });
}

/** Computes a picture, (x + 1) / 2, and draws it on a canvas. @param {number} height @param {number} width */
export function draw(height, width) {
  const shape = [height, width, 3];
  // Values halfway between two bytes may be rounded either way.
  const work = { flops: 2 * height * width * 3, atol: 1 };
  return workload("draw", `${height}x${width}`, [shape], [height, width, 1], work);
}
