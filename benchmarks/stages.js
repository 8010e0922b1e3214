/** @file Time of each stage of a call into py_tensor, and total time of TensorFlow.js for comparison. */

import { median } from "./timing.js";

/** @import { PythonSide } from "./python_side.js" */
/** @import { Section } from "./results.js" */

const PASSES = 60;
// Browsers recompile hot WebAssembly with an optimizing compiler.
const WARMUP_CALLS = 20;
const READS = { "one element": false, "all elements": true };

/**
 * @param {PythonSide} python
 * @param {(whole: boolean, passes: number) => number} addChain milliseconds in TensorFlow.js
 * @param {number} rounds
 * @returns {Promise<Section[]>}
 */
export async function stageSections(python, addChain, rounds) {
  const module = python.module("stages");
  for (let i = 0; i < WARMUP_CALLS; i++) {
    module.chain(WARMUP_CALLS, true);
    module.node_building();
  }
  /** @param {() => number | Promise<number>} work */
  const medianOf = async (work) => {
    const values = [];
    for (let round = 0; round < rounds; round++) values.push(await work());
    return median(values);
  };
  const rows = [
    ["a + b, creating and dropping a node, us", await medianOf(() => module.node_building())],
  ];
  for (const [what, whole] of Object.entries(READS)) {
    const ours = `100 adds, ${what} read`;
    rows.push([`${ours}, blocks`, await medianOf(() => module.chain(PASSES, whole))]);
    rows.push([`${ours}, waits`, await medianOf(() => module.chain.callPromising(PASSES, whole))]);
    rows.push([`${ours}, TensorFlow.js`, await medianOf(() => addChain(whole, PASSES))]);
  }
  /** @type {Map<string, number[]>} */
  const stages = new Map();
  for (let round = 0; round < rounds; round++) {
    for (const [stage, time] of Object.entries(JSON.parse(module.stages(PASSES)))) {
      stages.set(stage, [...(stages.get(stage) ?? []), time]);
    }
  }
  for (const [stage, times] of stages) rows.push([`  ${stage}`, median(times)]);
  return [{ title: "Stages of 100 adds, ms", columns: ["", "median"], rows, notes: [] }];
}
