/** @file Times of the stages of the last runs: medians, and the range of the middle 80 percent. */

/** @import { Stages } from "../analyser.js" */

const KEPT = 60; // runs

/** @typedef {{ median: number, low: number, high: number }} Spread milliseconds */

export class StageTimes {
  /** @type {(Stages & { at: number })[]} */
  #runs = [];

  clear() {
    this.#runs = [];
  }

  /** @param {Stages} stages @param {number} at milliseconds */
  add(stages, at) {
    this.#runs.push({ ...stages, at });
    if (this.#runs.length > KEPT) this.#runs.shift();
  }

  get count() {
    return this.#runs.length;
  }

  /** @param {keyof Stages} stage @returns {Spread | null} */
  spread(stage) {
    const times = this.#runs.map((run) => run[stage]).sort((a, b) => a - b);
    if (times.length === 0) return null;
    const at = (/** @type {number} */ share) => times[Math.round(share * (times.length - 1))];
    return { median: at(0.5), low: at(0.1), high: at(0.9) };
  }

  /** Runs per second, or null before the second run. */
  get perSecond() {
    const first = this.#runs[0];
    const last = this.#runs.at(-1);
    if (!first || !last || last.at === first.at) return null;
    return ((this.#runs.length - 1) * 1000) / (last.at - first.at);
  }
}
