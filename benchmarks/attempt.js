/** @file One library while a workload is measured, and its times. */

import { calibrate, median } from "./timing.js";

/** @import { Side, Times } from "./timing.js" */
/** @import { Workload } from "./workloads.js" */

/**
 * Times of one library, or its error; null if it has no function for the workload.
 *
 * @typedef {Times | { error: string } | null} Outcome
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

/** Last line of an error's message, which leaves out a traceback. @param {unknown} error */
export function lastLine(error) {
  const text = error instanceof Error ? error.message : String(error);
  return text.trimEnd().split("\n").pop() ?? "";
}

/** State of one library while a workload is measured. */
export class Attempt {
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

  /** Repeats until compilers that optimize hot code have done so. @param {number} milliseconds */
  async warm(milliseconds) {
    await this.#try(async () => {
      let rest = milliseconds;
      for (let count = 1; this.#side && rest > 0; count *= 2) rest -= await this.#side.round(count);
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
