/** @file Measures one workload in both libraries: compares the results, then times alternate rounds. */

import { compare } from "./compare.js";
import { randomArrays } from "./inputs.js";
import { calibrate, median } from "./timing.js";
import { nameOf } from "./workloads.js";

/** @import { Comparison } from "./compare.js" */
/** @import { DeviceLimits } from "./device_limits.js" */
/** @import { Side, Times } from "./timing.js" */
/** @import { Workload } from "./workloads.js" */

/**
 * Times of one library, or its error; null if it has no function for the workload.
 *
 * @typedef {Times | { error: string } | null} Outcome
 *
 * @typedef {object} Row
 * @property {string} name
 * @property {number} flops
 * @property {number} bytes
 * @property {Outcome} ours
 * @property {Outcome} theirs
 * @property {Comparison | null} comparison null unless both libraries computed a result
 * @property {number | null} ratio median of TensorFlow.js divided by that of py_tensor
 * @property {number} limit least milliseconds that the device needs
 * @property {number | null} share limit divided by the median of py_tensor
 *
 * @typedef {(workload: Workload, arrays: (Float32Array | Int32Array)[]) => Side | null} Prepare
 */

/**
 * @param {Outcome} outcome
 * @returns {outcome is Times}
 */
export function isTimed(outcome) {
  return outcome !== null && "median" in outcome;
}

/** Returns true if a library failed or the results differ. @param {Row} row */
export function hasFailed({ ours, theirs, comparison }) {
  return [ours, theirs].some((side) => side && "error" in side) || comparison?.same === false;
}

/** Last line of an error's message, which leaves out a traceback. @param {unknown} error */
export function lastLine(error) {
  const text = error instanceof Error ? error.message : String(error);
  return text.trimEnd().split("\n").pop() ?? "";
}

/** State of one library while a workload is measured. */
class Attempt {
  /** @type {Side | null} */
  #side = null;
  #first = 0;
  #repetitions = 0;
  /** @type {number[]} */
  #times = [];
  #error = "";
  /** @type {ArrayLike<number> | null} */
  values = null;

  /** @param {() => Side | null} prepare */
  async start(prepare) {
    await this.#try(async () => {
      this.#side = prepare();
      if (!this.#side) return;
      this.#first = await this.#side.first();
      this.values = await this.#side.values();
    });
  }

  /** @param {number} milliseconds target duration of a round */
  async calibrate(milliseconds) {
    await this.#try(async () => {
      if (this.#side) this.#repetitions = await calibrate(this.#side, milliseconds);
    });
  }

  async round() {
    await this.#try(async () => {
      if (this.#side) this.#times.push(await this.#side.round(this.#repetitions));
    });
  }

  /** @param {() => Promise<void>} work */
  async #try(work) {
    try {
      await work();
    } catch (error) {
      console.warn(error);
      this.fail(lastLine(error));
    }
  }

  /** @param {string} error */
  fail(error) {
    this.#error = error;
    this.close();
  }

  close() {
    this.#side?.release();
    this.#side = null;
  }

  /** @returns {Outcome} */
  get outcome() {
    if (this.#error) return { error: this.#error };
    if (this.#times.length === 0) return null;
    const times = this.#times.map((time) => time / this.#repetitions);
    return {
      first: this.#first,
      median: median(times),
      minimum: Math.min(...times),
      repetitions: this.#repetitions,
    };
  }
}

/**
 * @param {Workload} workload
 * @param {{ ours: Prepare, theirs: Prepare }} sides
 * @param {{ rounds: number, milliseconds: number }} settings
 * @param {DeviceLimits} device
 * @returns {Promise<Row>}
 */
export async function measure(workload, sides, { rounds, milliseconds }, device) {
  const arrays = randomArrays(workload.inputs);
  const ours = new Attempt();
  const theirs = new Attempt();
  await ours.start(() => sides.ours(workload, arrays));
  await theirs.start(() => sides.theirs(workload, arrays));
  const comparison =
    ours.values && theirs.values ? compare(ours.values, theirs.values, workload) : null;
  // The time of a wrong result would be meaningless.
  if (comparison?.same === false) ours.fail(`wrong: ${comparison.text}`);
  await ours.calibrate(milliseconds);
  await theirs.calibrate(milliseconds);
  for (let round = 0; round < rounds; round++) {
    await ours.round();
    await theirs.round();
  }
  ours.close();
  theirs.close();
  const limit =
    1e3 * Math.max(workload.flops / device.flops, workload.bytes / device.bytesPerSecond);
  const our = ours.outcome;
  const their = theirs.outcome;
  return {
    name: nameOf(workload),
    flops: workload.flops,
    bytes: workload.bytes,
    ours: our,
    theirs: their,
    comparison,
    ratio: isTimed(our) && isTimed(their) ? their.median / our.median : null,
    limit,
    share: isTimed(our) ? limit / our.median : null,
  };
}
