/** @file One library while a workload is measured, and its times. */

import { kernelsOf } from "./kernel_count.js";
import { calibrate, median } from "./timing.js";

/** @import { Side, Times } from "./timing.js" */
/** @import { Workload } from "./workloads.js" */

/**
 * Times of one library, or its error; null if it has no function for the workload.
 *
 * @typedef {Times | { error: string } | null} Outcome
 *
 * @typedef {{ kernels: number, milliseconds: number }} Submission
 *   kernels that a call starts, and how long it takes the page's thread to submit them
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

/** Most calls whose time on the page's thread is measured. */
const SUBMISSIONS = 21;

/** State of one library while a workload is measured. */
export class Attempt {
  /** @type {Side | null} */
  #side = null;
  #first = 0;
  #repetitions = 0;
  /** @type {number[]} */
  #times = [];
  #error = "";
  /** @type {Submission | null} */
  submission = null;
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

  /** Counts kernels and times single calls, which no full queue can block. @param {number} milliseconds */
  async submit(milliseconds) {
    await this.#try(async () => {
      const side = this.#side;
      if (side?.thread === undefined) return;
      const one = await kernelsOf(() => side.round(1));
      const kernels = (await kernelsOf(() => side.round(2))) - one;
      const times = [];
      const end = performance.now() + milliseconds;
      while (times.length < SUBMISSIONS && (times.length < 3 || performance.now() < end)) {
        await side.round(1);
        times.push(side.thread);
      }
      this.submission = { kernels, milliseconds: median(times) };
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
