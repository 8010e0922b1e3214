/** @file The module `demo_page` that Python imports: where programs print, show and wait. */

/** @import { Events } from "./protocol.js" */

const TEXT_LIMIT = 4096; // characters held back at most
const TEXT_DELAY = 40; // milliseconds
const NUMBERS_DELAY = 120;

export class PageModule {
  /** @type {<K extends keyof Events>(event: K, value: Events[K], transfer?: Transferable[]) => void} */
  #send;
  #text = "";
  #textIsError = false;
  #textSince = 0;
  #numbers = "";
  #numbersTimer = 0;

  /** @param {<K extends keyof Events>(event: K, value: Events[K], transfer?: Transferable[]) => void} send */
  constructor(send) {
    this.#send = send;
  }

  /**
   * Gathers small prints into one message; a busy program's text still streams, since the clock is read here.
   *
   * @param {string} text
   * @param {boolean} isError
   */
  write = (text, isError) => {
    if (isError !== this.#textIsError) this.flush();
    if (this.#text === "") this.#textSince = performance.now();
    this.#textIsError = isError;
    this.#text += text;
    if (this.#text.length > TEXT_LIMIT || performance.now() - this.#textSince > TEXT_DELAY)
      this.flush();
  };

  flush = () => {
    if (this.#text !== "")
      this.#send("output", { kind: "text", text: this.#text, error: this.#textIsError });
    this.#text = "";
  };

  /** @param {string} caption @param {string} rows as JSON */
  table = (caption, rows) => {
    this.flush();
    this.#send("output", { kind: "table", caption, rows: JSON.parse(rows) });
  };

  /** @param {number} width @param {number} height */
  canvas = (width, height) => new OffscreenCanvas(width, height);

  /** @param {string} title @param {string} caption @param {OffscreenCanvas} canvas */
  picture = (title, caption, canvas) => {
    this.flush();
    const bitmap = canvas.transferToImageBitmap();
    this.#send("output", { kind: "picture", title, caption, bitmap }, [bitmap]);
  };

  /** @param {number} milliseconds */
  photoFrame = (milliseconds) => {
    this.#send("photoFrame", { milliseconds, at: performance.now() });
  };

  /** @param {string} report as JSON */
  digits = (report) => this.#send("digits", JSON.parse(report));

  /** @param {number} step @param {Uint8Array} bytes of the probabilities, float32 */
  digitsTest = (step, bytes) => {
    const probabilities = new Float32Array(bytes.slice().buffer);
    this.#send("digitsTest", { step, probabilities });
  };

  /** @param {string} report as JSON */
  surface = (report) => this.#send("surface", JSON.parse(report));

  /**
   * At most a few times a second, and always the last ones.
   *
   * @param {string} numbers as JSON
   */
  numbers = (numbers) => {
    this.#numbers = numbers;
    if (this.#numbersTimer) return;
    this.#numbersTimer = setTimeout(() => {
      this.#numbersTimer = 0;
      this.#send("numbers", JSON.parse(this.#numbers));
    }, NUMBERS_DELAY);
  };

  now = () => performance.now();

  /** Resolves when the screen is ready for another picture; a hidden page waits. */
  nextFrame = () => {
    this.flush();
    return new Promise((resolve) => requestAnimationFrame(resolve));
  };
}
