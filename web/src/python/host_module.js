/** @file The module `demo_host` that Python imports: sends output and reports to the page. */

/** @import { Events } from "./protocol.js" */

const MAX_BUFFERED_TEXT = 4096; // characters
const TEXT_DELAY = 40; // milliseconds
const NUMBERS_DELAY = 120; // milliseconds

export class HostModule {
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
   * Collects small prints into one message. A timer would not fire while a program computes, so the clock is read
   * at each call.
   *
   * @param {string} text
   * @param {boolean} isError
   */
  write = (text, isError) => {
    if (isError !== this.#textIsError) this.flush();
    if (this.#text === "") this.#textSince = performance.now();
    this.#textIsError = isError;
    this.#text += text;
    if (this.#text.length > MAX_BUFFERED_TEXT || performance.now() - this.#textSince > TEXT_DELAY)
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

  /** @param {number} step @param {Uint8Array} bytes of float32 probabilities */
  digitsTest = (step, bytes) => {
    const probabilities = new Float32Array(bytes.slice().buffer);
    this.#send("digitsTest", { step, probabilities });
  };

  /** @param {string} report as JSON */
  surface = (report) => this.#send("surface", JSON.parse(report));

  /**
   * Sends the live numbers, at most once per delay; the last ones are always sent.
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

  /** Resolves at the next animation frame; there are none while the page is hidden. */
  nextFrame = () => {
    this.flush();
    return new Promise((resolve) => requestAnimationFrame(resolve));
  };
}
