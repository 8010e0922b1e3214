// Adds layers models that TensorFlow.js itself saves, with its results, to
// tests/models/data/tfjs_layers_saved.json: node tests/models/data/make_tfjs_layers.mjs
import { writeFileSync } from "node:fs";
import * as tf from "@tensorflow/tfjs";

const L = tf.layers;

/**
 * Returns the result of a layer.
 *
 * @param {tf.layers.Layer} layer
 * @param {tf.SymbolicTensor | tf.SymbolicTensor[]} inputs
 */
function apply(layer, inputs) {
  return /** @type {tf.SymbolicTensor} */ (layer.apply(inputs));
}

function functional() {
  const x = tf.input({ shape: [6, 5, 2], name: "image" });
  const y = tf.input({ shape: [4], name: "numbers" });
  const shared = L.dense({ units: 3, activation: "hardSigmoid", name: "shared" });
  let z = apply(L.conv2d({ filters: 3, kernelSize: 3, padding: "same", activation: "relu" }), x);
  z = apply(L.batchNormalization({}), z);
  z = apply(L.separableConv2d({ filters: 4, kernelSize: 2, depthMultiplier: 2 }), z);
  z = apply(L.globalAveragePooling2d({ dataFormat: "channelsLast" }), z);
  const merged = apply(L.concatenate(), [apply(shared, y), apply(shared, z)]);
  return tf.model({ inputs: [y, x], outputs: [apply(L.dense({ units: 2 }), merged), z] });
}

function nested() {
  const a = tf.input({ shape: [4] });
  const inner = tf.model({
    inputs: a,
    outputs: apply(L.dense({ units: 4, name: "fc" }), a),
    name: "inner",
  });
  const chain = tf.sequential({ name: "chain" });
  chain.add(L.dense({ units: 4, inputShape: [4], activation: "elu" }));
  chain.add(L.leakyReLU({ alpha: 0.2 }));
  const x = tf.input({ shape: [4] });
  const y = apply(chain, apply(inner, x));
  return tf.model({ inputs: x, outputs: [apply(inner, y), apply(L.add(), [x, y])] });
}

function sequences() {
  const model = tf.sequential();
  model.add(L.embedding({ inputDim: 7, outputDim: 3, inputLength: 5, maskZero: true }));
  model.add(
    L.bidirectional({
      layer: L.lstm({ units: 4, returnSequences: true }),
      mergeMode: "concat",
    }),
  );
  model.add(L.timeDistributed({ layer: L.dense({ units: 3 }) }));
  model.add(L.gru({ units: 3, returnSequences: true, recurrentActivation: "sigmoid" }));
  model.add(L.rnn({ cell: [L.lstmCell({ units: 2 }), L.gruCell({ units: 3 })] }));
  model.add(L.dense({ units: 2, activation: "softmax" }));
  return model;
}

function recurrent() {
  const x = tf.input({ shape: [3, 5, 5, 2] });
  const z = apply(L.convLstm2d({ filters: 2, kernelSize: 2, returnSequences: false }), x);
  const y = apply(L.upSampling2d({ size: [2, 1] }), apply(L.zeroPadding2d({ padding: 1 }), z));
  return tf.model({
    inputs: x,
    outputs: apply(L.conv2dTranspose({ filters: 2, kernelSize: 3, strides: 2 }), y),
  });
}

/**
 * Returns lengths; those that calls decide are 1.
 *
 * @param {(number | null)[]} shape
 */
function sizesOf(shape) {
  return shape.map((length) => length ?? 1);
}

/** @type {Record<string, number>} */
const integers = { sequences: 7 };
/** @type {Record<string, object>} */
const cases = {};
for (const build of [functional, nested, sequences, recurrent]) {
  const model = build();
  for (const weight of model.weights) {
    const value = tf.randomNormal(sizesOf(weight.shape), 0, 0.5, "float32", 3);
    weight.write(weight.name.includes("variance") ? tf.abs(value).add(0.5) : value);
  }
  const inputs = model.inputs.map(({ shape }) => {
    const sizes = [2, ...sizesOf(shape).slice(1)];
    const most = integers[build.name];
    return most
      ? tf.randomUniform(sizes, 1, most, "int32", 5).toFloat()
      : tf.randomNormal(sizes, 0, 1, "float32", 5);
  });
  const outputs = [model.predict(inputs.length === 1 ? inputs[0] : inputs)].flat();
  /** @type {tf.io.ModelArtifacts[]} */
  const artifacts = [];
  await model.save(
    tf.io.withSaveHandler(async (content) => {
      artifacts.push(content);
      return { modelArtifactsInfo: { dateSaved: new Date(), modelTopologyType: "JSON" } };
    }),
  );
  const [saved] = artifacts;
  /** @param {tf.Tensor} tensor */
  const described = (tensor) => ({ shape: tensor.shape, values: [...tensor.dataSync()] });
  cases[build.name] = {
    // Old versions leave the format out.
    model: {
      modelTopology: saved.modelTopology,
      weightsManifest: [{ paths: ["weights.bin"], weights: saved.weightSpecs }],
    },
    weights: Buffer.from(/** @type {ArrayBuffer} */ (saved.weightData)).toString("base64"),
    inputs: inputs.map(described),
    outputs: outputs.map(described),
  };
}
writeFileSync(new URL("tfjs_layers_saved.json", import.meta.url), `${JSON.stringify(cases)}\n`);
