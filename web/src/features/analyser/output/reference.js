/** @file The same model in TensorFlow.js, which is loaded when it is first needed: its outputs, and its toPixels. */

/** @import { Analyser, Description } from "../analyser.js" */

/** @typedef {{ name: string, shape: number[], largest: number, difference: number }} Row */

let loaded = "";
/** @type {any} the model of `loaded` */
let model = null;

async function library() {
  const tf = await import("@tensorflow/tfjs");
  await tf.ready();
  return tf;
}

/** Draws RGBA bytes with TensorFlow.js. @param {Uint8Array} bytes @param {number} height @param {number} width @param {HTMLCanvasElement} canvas */
export async function drawWithTensorFlow(bytes, height, width, canvas) {
  const tf = await library();
  const tensor = tf.tensor3d(Int32Array.from(bytes), [height, width, 4], "int32");
  await tf.browser.toPixels(tensor, canvas);
  tensor.dispose();
}

/**
 * Runs the model in TensorFlow.js on the present input, and compares the outputs.
 *
 * @param {Analyser} analyser
 * @param {Description} description
 * @returns {Promise<Row[]>}
 */
export async function compareWithTensorFlow(analyser, { source }) {
  if (typeof source !== "string") throw new Error("compare: open the model by its address");
  const tf = await library();
  if (loaded !== source) {
    const { format } = await (await fetch(source)).json();
    model?.dispose();
    const load = format === "layers-model" ? tf.loadLayersModel : tf.loadGraphModel;
    model = await load(source);
    loaded = source;
  }
  const shapes = await analyser.call("output", "shapes");
  /** @type {Record<string, any>} */
  const inputs = {};
  for (const [name, [shape, dtype]] of Object.entries(shapes.inputs)) {
    const values = await read(analyser, name, "input");
    inputs[nodeOf(model, "inputs", name)] = tf.tensor(
      dtype.startsWith("float") ? values : Int32Array.from(values),
      shape,
      dtype.startsWith("float") ? "float32" : "int32",
    );
  }
  const names = Object.keys(shapes.outputs);
  const isGraph = "executeAsync" in model;
  const results = isGraph
    ? await model.executeAsync(
        inputs,
        names.map((name) => nodeOf(model, "outputs", name)),
      )
    : model.predict(Object.values(inputs));
  const tensors = [results].flat();
  /** @type {Row[]} */
  const rows = [];
  for (const [at, name] of names.entries()) {
    const [ours, theirs] = [await read(analyser, name, "output"), await tensors[at].data()];
    rows.push({ name, shape: tensors[at].shape, ...furthest(ours, theirs) });
  }
  for (const tensor of [...tensors, ...Object.values(inputs)]) tensor.dispose();
  return rows;
}

/** TensorFlow's name of an input or output of the signature. @param {any} graph @param {string} kind @param {string} name */
function nodeOf(graph, kind, name) {
  return graph.modelSignature?.[kind]?.[name]?.name ?? name;
}

/** @param {Analyser} analyser @param {string} name @param {string} kind */
async function read(analyser, name, kind) {
  /** @type {Uint8Array<ArrayBuffer>} */
  const bytes = await analyser.call("output", "values", [name, kind]);
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
}

/** @param {ArrayLike<number>} ours @param {ArrayLike<number>} theirs */
function furthest(ours, theirs) {
  let largest = 0;
  let difference = ours.length === theirs.length ? 0 : Number.POSITIVE_INFINITY;
  for (let at = 0; at < theirs.length; at += 1) {
    largest = Math.max(largest, Math.abs(theirs[at]));
    difference = Math.max(difference, Math.abs(ours[at] - theirs[at]));
  }
  return { largest, difference };
}
