/** @file Compares the model with TensorFlow.js or ONNX Runtime Web, which are loaded when this is asked for. */

import { fileName } from "../model/program_text.js";
import { onnxLoader, onnxSource } from "../onnx_runtime.js";

/** @import { Trained, Described, Measured } from "../../../../../benchmarks/trained.js" */
/** @import { Analyser, Description } from "../analyser.js" */

/** @type {Record<string, string>} */
const LIBRARIES = { tfjs: "TensorFlow.js", onnx: "ONNX Runtime Web" };
const RUNS = "15";

/** The library that reads the same file, or null. @param {Description} description */
export function otherLibrary({ format }) {
  return LIBRARIES[format] ?? null;
}

/**
 * Measures alternating rounds, in which each call ends with reading all outputs.
 *
 * @param {Analyser} analyser
 * @param {Description} description
 * @returns {Promise<Measured[]>}
 */
export async function compare(analyser, description) {
  const { measureTrained, OURS } = await import("../../../../../benchmarks/trained.js");
  const { source, format } = description;
  /** @type {[string, () => Promise<Trained & { described?: Described[] }>][]} */
  const libraries = [[OURS, () => ours(analyser, description)]];
  if (format === "tfjs") {
    const { startBackend } = await import("../../../../../benchmarks/tensorflow/trained.js");
    const load = await startBackend("webgl");
    libraries.push(["TensorFlow.js webgl", () => load(source)]);
  } else {
    const content = await onnxSource(source);
    for (const provider of /** @type {const} */ (["webgl", "wasm"])) {
      const load = await onnxLoader(provider);
      libraries.push([`ONNX Runtime ${provider}`, () => load(content)]);
    }
  }
  const runs = Number(new URLSearchParams(location.search).get("runs") ?? RUNS);
  return measureTrained(fileName(source), libraries, runs, [OURS]);
}

/** @param {Analyser} analyser @param {Description} description */
async function ours(analyser, { loadMs }) {
  return {
    milliseconds: loadMs,
    described: /** @type {Described[]} */ (await analyser.call("speed", "described")),
    give: (/** @type {(Float32Array | Int32Array)[]} */ arrays) =>
      analyser.call("speed", "give", [arrays]),
    run: () => analyser.call("speed", "call"),
    values: () => analyser.call("speed", "values"),
    release() {},
  };
}
