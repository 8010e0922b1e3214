// Run a graph model in TensorFlow.js and write its results, which the tests compare with.
//
//     node tests/models/data/run_tfjs_model.mjs model.json input.json output.json
//
// The input is an object of {data, shape, dtype} by the name of the node. The output has the same
// form; its data are base64 of float32 or int32.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as tf from "@tensorflow/tfjs";

const [, , path, inputs, outputs] = process.argv;
const model = JSON.parse(readFileSync(path, "utf8"));
/** @type {{ paths: string[], weights: tf.io.WeightsManifestEntry[] }[]} */
const groups = model.weightsManifest;
const files = groups.flatMap((group) =>
  group.paths.map((name) => readFileSync(join(dirname(path), name))),
);
const weights = new Uint8Array(Buffer.concat(files)).buffer;
await tf.setBackend("cpu");
const graph = await tf.loadGraphModel({
  load: async () => ({
    ...model,
    weightSpecs: groups.flatMap((group) => group.weights),
    weightData: weights,
  }),
});
const tensors = Object.entries(JSON.parse(readFileSync(inputs, "utf8"))).map(([name, input]) => [
  name,
  tf.tensor(input.data, input.shape, input.dtype),
]);
const results = [await graph.executeAsync(Object.fromEntries(tensors))].flat();
/** @type {Record<string, object>} */
const contents = {};
for (const [at, result] of results.entries()) {
  const data = Buffer.from((await result.data()).buffer).toString("base64");
  contents[graph.outputNodes[at]] = { data, shape: result.shape, dtype: result.dtype };
}
writeFileSync(outputs, `${JSON.stringify(contents)}\n`);
