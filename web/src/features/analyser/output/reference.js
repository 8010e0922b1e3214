/** @file The same model in other libraries, which are loaded when they are first needed: its outputs, and toPixels of TensorFlow.js. */

import { onnxLoader, onnxSource } from "../onnx_runtime.js";

/** @import { Analyser, Description } from "../analyser.js" */

/**
 * @typedef {object} Row the numbers of an output
 * @property {string} name
 * @property {number[]} shape
 * @property {number} largest absolute value
 * @property {number} difference the largest one
 * @property {number} at position of the largest difference in the flat output
 * @property {number} ours value there
 * @property {number} theirs value there
 *
 * @typedef {Record<string, [number[], string]>} Kinds shapes and dtypes by name
 * @typedef {{ inputs: Kinds, outputs: Kinds }} Shapes
 */

let loaded = "";
/** @type {any} the model of `loaded` */
let model = null;

async function tensorFlow() {
  const tf = await import("@tensorflow/tfjs");
  await tf.ready();
  return tf;
}

/** Draws RGBA bytes with TensorFlow.js. @param {Uint8Array} bytes @param {number} height @param {number} width @param {HTMLCanvasElement} canvas */
export async function drawWithTensorFlow(bytes, height, width, canvas) {
  const tf = await tensorFlow();
  const tensor = tf.tensor3d(Int32Array.from(bytes), [height, width, 4], "int32");
  await tf.browser.toPixels(tensor, canvas);
  tensor.dispose();
}

/** Libraries that can run the model: names and titles. @param {Description} description @returns {[string, string][]} */
export function librariesOf({ format, source }) {
  const isTensorFlow = format === "tfjs" && typeof source === "string";
  /** @type {[string, string]} */
  const onnx = ["onnx", "ONNX Runtime Web"];
  return isTensorFlow ? [["tfjs", "TensorFlow.js"], onnx] : [onnx];
}

/**
 * Runs the model in another library on the present input, and compares the outputs.
 *
 * @param {Analyser} analyser
 * @param {Description} description
 * @param {string} library a name of `librariesOf`
 * @returns {Promise<Row[]>}
 */
export async function compareOutputs(analyser, description, library) {
  /** @type {Shapes} */
  const shapes = await analyser.call("output", "shapes");
  const runIn = library === "tfjs" ? runInTensorFlow : runInOnnxRuntime;
  const theirs = await runIn(analyser, description, shapes);
  /** @type {Row[]} */
  const rows = [];
  for (const [at, [name, [shape]]] of Object.entries(shapes.outputs).entries()) {
    const ours = await read(analyser, name, "output");
    rows.push({ name, shape, ...furthest(ours, theirs[at]) });
  }
  return rows;
}

/** @param {Analyser} analyser @param {Description} description @param {Shapes} shapes @returns {Promise<ArrayLike<number>[]>} */
async function runInTensorFlow(analyser, { source }, shapes) {
  const tf = await tensorFlow();
  if (loaded !== source) {
    const address = String(source);
    const { format } = await (await fetch(address)).json();
    model?.dispose();
    const load = format === "layers-model" ? tf.loadLayersModel : tf.loadGraphModel;
    model = await load(address);
    loaded = address;
  }
  /** @type {Record<string, any>} */
  const inputs = {};
  for (const [name, [shape, dtype]] of Object.entries(shapes.inputs)) {
    const values = await readInput(analyser, name, dtype);
    const kind = values instanceof Float32Array ? "float32" : "int32";
    inputs[nodeOf(model, "inputs", name)] = tf.tensor(values, shape, kind);
  }
  const names = Object.keys(shapes.outputs).map((name) => nodeOf(model, "outputs", name));
  const isGraph = "executeAsync" in model;
  const results = isGraph
    ? await model.executeAsync(inputs, names)
    : model.predict(Object.values(inputs));
  const tensors = [results].flat();
  const values = await Promise.all(tensors.map((tensor) => tensor.data()));
  for (const tensor of [...tensors, ...Object.values(inputs)]) tensor.dispose();
  return values;
}

/**
 * Runs an ONNX file as it is, and models of other formats as the ONNX file that py_tensor writes of them.
 *
 * @param {Analyser} analyser
 * @param {Description} description
 * @param {Shapes} shapes
 * @returns {Promise<ArrayLike<number>[]>}
 */
async function runInOnnxRuntime(analyser, { format, source }, shapes) {
  const load = await onnxLoader("wasm");
  const isOnnx = format === "onnx";
  const session = await load(
    isOnnx ? await onnxSource(source) : await analyser.call("output", "exported"),
  );
  const described = Object.entries(shapes.inputs).map(([name, [shape, dtype]]) => ({
    name,
    shape,
    dtype,
  }));
  const arrays = [];
  for (const { name, dtype } of described) arrays.push(await readInput(analyser, name, dtype));
  try {
    await session.give(arrays, described);
    return await session.values();
  } finally {
    session.release();
  }
}

/** TensorFlow's name of an input or output of the signature. @param {any} graph @param {string} kind @param {string} name */
function nodeOf(graph, kind, name) {
  return graph.modelSignature?.[kind]?.[name]?.name ?? name;
}

/** @param {Analyser} analyser @param {string} name @param {string} dtype */
async function readInput(analyser, name, dtype) {
  const values = await read(analyser, name, "input");
  return dtype.startsWith("float") ? values : Int32Array.from(values);
}

/** @param {Analyser} analyser @param {string} name @param {string} kind */
async function read(analyser, name, kind) {
  /** @type {Uint8Array<ArrayBuffer>} */
  const bytes = await analyser.call("output", "values", [name, kind]);
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
}

/** @param {ArrayLike<number>} ours @param {ArrayLike<number>} theirs */
function furthest(ours, theirs) {
  if (ours.length !== theirs.length)
    throw new Error(`compare: outputs have other sizes; got ${ours.length} and ${theirs.length}`);
  let largest = 0;
  let difference = 0;
  let at = 0;
  for (let i = 0; i < theirs.length; i += 1) {
    largest = Math.max(largest, Math.abs(theirs[i]));
    if (Object.is(ours[i], theirs[i])) continue;
    const distance = Math.abs(ours[i] - theirs[i]);
    // A NaN on one side alone is further away than any number.
    const size = Number.isNaN(distance) ? Number.POSITIVE_INFINITY : distance;
    if (size > difference) [difference, at] = [size, i];
  }
  return { largest, difference, at, ours: ours[at], theirs: theirs[at] };
}
