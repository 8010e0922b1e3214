/** @file The smallest page with TensorFlow.js on WebGL2, whose start is measured. */

import * as tf from "@tensorflow/tfjs";
import { check, MATRIX, momentsOf, now, reportStart, SIDE } from "./measured.js";

async function startAndCompute() {
  tf.env().set("SOFTWARE_WEBGL_ENABLED", true);
  if (!(await tf.setBackend("webgl"))) throw new Error("TensorFlow.js: no webgl backend here");
  await tf.ready();
  const ready = now();
  const x = tf.tensor2d(MATRIX, [SIDE, SIDE]);
  const product = await tf.matMul(x, x).data();
  const moments = momentsOf(ready);
  check(product);
  return moments;
}

reportStart(startAndCompute());
