/** @file MobileNetV2 in TensorFlow.js, with its fused operations. */

import * as tf from "@tensorflow/tfjs";

/** @import { Block } from "../mobilenet.js" */

/** @param {tf.Tensor[]} inputs @param {Record<string, any>} options */
export function mobilenet([image, ...weights], { blocks }) {
  const filters = weights.map((w) => {
    const [height, width, inputs, outputs] = w.shape;
    // TensorFlow.js expects depthwise weights in the same memory order, but with another shape.
    return w.rank === 4 && height > 1 && inputs === 1
      ? tf.reshape(w, [height, width, outputs, 1])
      : w;
  });
  return () => {
    let used = 0;
    /**
     * @param {typeof tf.fused.conv2d | typeof tf.fused.depthwiseConv2d} operation
     * @param {any} x
     * @param {"linear" | "relu6"} activation
     * @param {number} strides
     */
    const layer = (operation, x, activation, strides = 1) => {
      const filter = /** @type {tf.Tensor4D} */ (filters[used]);
      const bias = filters[used + 1];
      used += 2;
      return operation({ x, filter, strides, pad: "same", bias, activation });
    };
    const { conv2d, depthwiseConv2d } = tf.fused;
    let x = layer(conv2d, image, "relu6", 2);
    for (const { expand, stride, residual } of /** @type {Block[]} */ (blocks)) {
      let y = expand ? layer(conv2d, x, "relu6") : x;
      y = layer(depthwiseConv2d, y, "relu6", stride);
      y = layer(conv2d, y, "linear");
      x = residual ? tf.add(x, y) : y;
    }
    x = layer(conv2d, x, "relu6");
    const a = /** @type {tf.Tensor2D} */ (tf.mean(x, [1, 2]));
    const b = /** @type {tf.Tensor2D} */ (filters[used]);
    return tf.fused.matMul({ a, b, bias: filters[used + 1] });
  };
}
