// Run saved models in TensorFlow.js on its own processor backend, as the judge of what py_tensor saves.
//
//     node tests/models/data/judge_tfjs_models.mjs < cases.json > results.json
//
// A case has the text of model.json, its weights as base64, and inputs {data, shape, dtype} in the
// order of the signature. A result is the list of outputs in the same form, or a text if it failed.
import * as tf from "@tensorflow/tfjs";

/** @typedef {{ data: number[], shape: number[], dtype: tf.NumericDataType }} Values */

await tf.setBackend("cpu");

/**
 * @param {{ model: string, weights: string, inputs: Record<string, Values> }} saved
 * @returns {Promise<Values[]>}
 */
async function results(saved) {
  const model = JSON.parse(saved.model);
  /** @type {{ weights: tf.io.WeightsManifestEntry[] }[]} */
  const groups = model.weightsManifest;
  const handler = {
    load: async () => ({
      ...model,
      weightSpecs: groups.flatMap((group) => group.weights),
      weightData: new Uint8Array(Buffer.from(saved.weights, "base64")).buffer,
    }),
  };
  const tensors = Object.fromEntries(
    Object.entries(saved.inputs).map(([name, { data, shape, dtype }]) => [
      name,
      tf.tensor(data, shape, dtype),
    ]),
  );
  let outputs;
  if (model.format === "layers-model") {
    const layers = await tf.loadLayersModel(handler);
    const given = Object.values(tensors);
    outputs = layers.predict(given.length === 1 ? given[0] : given);
  } else {
    const graph = await tf.loadGraphModel(handler);
    outputs = await graph.executeAsync(tensors, Object.keys(model.signature.outputs));
  }
  return Promise.all(
    [outputs].flat().map(async (output) => ({
      data: [...(await output.data())].map(Number),
      shape: output.shape,
      dtype: /** @type {tf.NumericDataType} */ (output.dtype),
    })),
  );
}

let text = "";
for await (const chunk of process.stdin) text += chunk;
const answers = [];
for (const saved of JSON.parse(text)) {
  answers.push(await results(saved).catch((error) => String(error)));
}
process.stdout.write(JSON.stringify(answers));
