/** @file The time of the last frames: the median of their milliseconds, and their rate. */

/** @import { PhotoFrame } from "./protocol.js" */

const KEPT = 30;
const PAUSE = 500; // milliseconds; frames further apart than this are no animation

export class FrameTimes {
  #milliseconds;
  #rate;
  /** @type {PhotoFrame[]} */
  #frames = [];

  /** @param {HTMLElement} milliseconds @param {HTMLElement} rate */
  constructor(milliseconds, rate) {
    this.#milliseconds = milliseconds;
    this.#rate = rate;
  }

  clear() {
    this.#frames = [];
    this.#milliseconds.textContent = "–";
    this.#rate.textContent = "–";
  }

  /** @param {PhotoFrame} frame */
  add(frame) {
    const last = this.#frames.at(-1);
    if (last && frame.at - last.at > PAUSE) this.#frames = [];
    this.#frames = [...this.#frames, frame].slice(-KEPT);
    const sorted = this.#frames.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
    this.#milliseconds.textContent = sorted[sorted.length >> 1].toFixed(1);
    const seconds = (frame.at - this.#frames[0].at) / 1000;
    this.#rate.textContent = seconds > 0 ? ((this.#frames.length - 1) / seconds).toFixed(0) : "–";
  }
}
