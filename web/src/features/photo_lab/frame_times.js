/** @file Median time and rate of the last frames. */

/** @import { PhotoFrame } from "../../python/protocol.js" */

const MAX_FRAMES = 30;
const MAX_GAP = 500; // milliseconds; a longer gap starts a new measurement

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

  /** @param {PhotoFrame} frame @param {boolean} isMoving true if the next frame follows immediately */
  add(frame, isMoving) {
    const last = this.#frames.at(-1);
    if (last && frame.at - last.at > MAX_GAP) this.#frames = [];
    this.#frames = [...this.#frames, frame].slice(-MAX_FRAMES);
    const sorted = this.#frames.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
    this.#milliseconds.textContent = sorted[sorted.length >> 1].toFixed(1);
    const seconds = (frame.at - this.#frames[0].at) / 1000;
    this.#rate.textContent =
      isMoving && seconds > 0 ? ((this.#frames.length - 1) / seconds).toFixed(0) : "–";
  }
}
