/** @file MobileNetV2 1.0: the shapes of its layers, with batch normalisation folded into weights. */

/** @import { Input, Workload } from "./workloads.js" */
import { workload } from "./kinds.js";

/**
 * One inverted residual block. The weights are passed separately, in order.
 *
 * @typedef {{ expand: boolean, stride: number, residual: boolean }} Block
 */

/** Expansion, channels, repetitions, first stride: table 2 of arXiv:1801.04381. */
const TABLE = [
  [1, 16, 1, 1],
  [6, 24, 2, 2],
  [6, 32, 3, 2],
  [6, 64, 4, 2],
  [6, 96, 3, 1],
  [6, 160, 3, 2],
  [6, 320, 1, 1],
];
const FIRST = 32;
const LAST = 1280;
const CLASSES = 1000;

/**
 * @param {string} operation
 * @param {number} image width and height
 * @returns {Workload}
 */
export function mobilenet(operation, image) {
  /** @type {Input[]} */
  const weights = [];
  let flops = 0;
  let side = image;

  /**
   * @param {number} kernel
   * @param {number} inputs number of channels that each output sums over
   * @param {number} outputs
   * @param {number} stride
   */
  const layer = (kernel, inputs, outputs, stride = 1) => {
    side = Math.ceil(side / stride);
    const products = kernel * kernel * inputs;
    flops += 2 * side * side * outputs * products;
    // He initialisation keeps the variance of the values constant from layer to layer.
    const scale = (6 / products) ** 0.5;
    weights.push(
      { shape: [kernel, kernel, inputs, outputs], scale },
      { shape: [outputs], scale: 0.1 },
    );
  };

  layer(3, 3, FIRST, 2);
  let channels = FIRST;
  /** @type {Block[]} */
  const blocks = [];
  for (const [expansion, outputs, repetitions, firstStride] of TABLE) {
    for (let number = 0; number < repetitions; number++) {
      const stride = number === 0 ? firstStride : 1;
      const wide = channels * expansion;
      if (expansion > 1) layer(1, channels, wide);
      layer(3, 1, wide, stride);
      layer(1, wide, outputs);
      blocks.push({
        expand: expansion > 1,
        stride,
        residual: stride === 1 && channels === outputs,
      });
      channels = outputs;
    }
  }
  layer(1, channels, LAST);
  flops += 2 * LAST * CLASSES;
  const dense = [{ shape: [LAST, CLASSES], scale: (3 / LAST) ** 0.5 }, { shape: [CLASSES] }];
  const inputs = [{ shape: [1, image, image, 3] }, ...weights, ...dense];
  return workload(operation, `${image}x${image}`, inputs, [1, CLASSES], {
    flops,
    // Rounding errors accumulate over 53 layers. The difference was 2e-5 at 224x224.
    atol: 2e-4,
    rtol: 1e-4,
    options: { blocks },
  });
}
