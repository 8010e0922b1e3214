/** @file Training steps: the shapes of two small networks. */

/** @import { Workload } from "./workloads.js" */
import { workload } from "./kinds.js";

// The backward pass computes two products per layer, the gradients of its weights and of its input.
const PASSES = 3;
const ATOL = 1e-4;

/** @param {number} products number of products summed in each output */
function he(products) {
  return (6 / products) ** 0.5;
}

/**
 * @param {number} batch
 * @param {number[]} lengths of the layers, including input and classes
 * @returns {Workload}
 */
export function trainMlp(batch, lengths) {
  const pairs = lengths.slice(1).map((outputs, i) => ({ inputs: lengths[i], outputs }));
  const weights = pairs.flatMap(({ inputs, outputs }) => [
    { shape: [inputs, outputs], scale: he(inputs) },
    { shape: [outputs], scale: 0.1 },
  ]);
  const products = pairs.reduce((sum, { inputs, outputs }) => sum + inputs * outputs, 0);
  const classes = lengths[lengths.length - 1];
  const data = [{ shape: [batch, lengths[0]] }, { shape: [batch], below: classes }];
  return workload("train_mlp", `${lengths.join("-")} batch ${batch}`, [...data, ...weights], [], {
    flops: 2 * PASSES * batch * products,
    atol: ATOL,
    rtol: ATOL,
    options: { rate: 1e-3 },
  });
}

/**
 * 3x3 convolutions, each followed by relu and a 2x2 maximum, then one dense layer.
 *
 * @param {number} batch
 * @param {number} image width and height
 * @param {number[]} channels from the image to the last convolution
 * @param {number} classes
 * @returns {Workload}
 */
export function trainCnn(batch, image, channels, classes) {
  let side = image;
  let flops = 0;
  const weights = channels.slice(1).flatMap((outputs, i) => {
    const products = 9 * channels[i];
    flops += 2 * PASSES * batch * side * side * outputs * products;
    side = Math.floor(side / 2);
    return [
      { shape: [3, 3, channels[i], outputs], scale: he(products) },
      { shape: [outputs], scale: 0.1 },
    ];
  });
  const features = side * side * channels[channels.length - 1];
  flops += 2 * PASSES * batch * features * classes;
  const dense = [
    { shape: [features, classes], scale: he(features) },
    { shape: [classes], scale: 0.1 },
  ];
  const data = [{ shape: [batch, image, image, channels[0]] }, { shape: [batch], below: classes }];
  const size = `${image}x${image}x${channels.join("-")}-${classes} batch ${batch}`;
  return workload("train_cnn", size, [...data, ...weights, ...dense], [], {
    flops,
    atol: ATOL,
    rtol: ATOL,
    options: { rate: 1e-3 },
  });
}
