/** @file The module `demo_host` that Python imports: sends output and reports to the page. */

/** @import { Events } from "./protocol.js" */

const LINE = 1000; // characters of a write that is never cut
const MAX_TEXT = 200_000; // characters of a program that are shown; the browser becomes slow with more
const TEXT_DELAY = 40; // milliseconds
const NUMBERS_DELAY = 120; // milliseconds

export class HostModule {
  /** @type {<K extends keyof Events>(event: K, value: Events[K], transfer?: Transferable[]) => void} */
  #send;
  #text = "";
  #textIsError = false;
  #textSince = 0;
  #textTimer = 0;
  #characters = 0;
  #numbersTimer = 0;
  #numbersSent = -Infinity;

  /** @param {<K extends keyof Events>(event: K, value: Events[K], transfer?: Transferable[]) => void} send */
  constructor(send) {
    this.#send = send;
  }

  /** Called when a program starts. */
  begin = () => {
    this.flush();
    this.#characters = 0;
  };

  /**
   * Sends complete lines immediately: a program that computes for long afterwards lets no timer fire. Parts of
   * lines are collected.
   *
   * @param {string} text
   * @param {boolean} isError
   */
  write = (text, isError) => {
    const room = MAX_TEXT - this.#characters - this.#text.length;
    if (room < 0) return;
    if (isError !== this.#textIsError) this.flush();
    if (this.#text === "") this.#textSince = performance.now();
    this.#textIsError = isError;
    // A single write may be larger than what the page can show; a line is shown whole.
    this.#text += text.slice(0, Math.max(room, LINE));
    if (text.includes("\n") || performance.now() - this.#textSince > TEXT_DELAY) this.flush();
    else this.#textTimer ||= setTimeout(this.flush, TEXT_DELAY);
  };

  flush = () => {
    clearTimeout(this.#textTimer);
    this.#textTimer = 0;
    const text = this.#text;
    if (text === "") return;
    this.#text = "";
    this.#send("output", { kind: "text", text, error: this.#textIsError });
    this.#characters += text.length;
    if (this.#characters > MAX_TEXT)
      this.#send("output", { kind: "note", text: "Further text is not shown." });
  };

  /** Reports that the program has ended, but not yet its work on the GPU. */
  waiting = () => {
    this.flush();
    this.#send("waiting", null);
  };

  /** @param {string} html @param {string} key output with the same key is replaced; "" for none */
  html = (html, key) => {
    this.flush();
    this.#send("output", { kind: "html", html, key });
  };

  /** @param {number} width @param {number} height */
  canvas = (width, height) => new OffscreenCanvas(width, height);

  /** @param {string} title @param {string} caption @param {OffscreenCanvas} canvas */
  picture = (title, caption, canvas) => {
    this.flush();
    const bitmap = canvas.transferToImageBitmap();
    this.#send("output", { kind: "picture", title, caption, bitmap }, [bitmap]);
  };

  /** Receives the events of the visitor's pointer on pictures; positions are from 0 to 1. */
  pointer = Object.assign(new EventTarget(), { clientWidth: 1, clientHeight: 1 });

  /** @param {Uint8Array} bytes of float32 samples @param {number} rate samples per second */
  sound = (bytes, rate) => {
    const samples = new Float32Array(bytes.slice().buffer);
    this.#send("sound", { samples, rate }, [samples.buffer]);
  };

  /** @param {string} name @param {Uint8Array} bytes */
  download = (name, bytes) => this.#send("download", { name, blob: new Blob([bytes.slice()]) });

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

  /** @param {string} section @param {number} epoch where its training goes on after a loss of the context */
  recovered = (section, epoch) => this.#send("recovered", { section, epoch });

  /** @param {string} report as JSON */
  surface = (report) => this.#send("surface", JSON.parse(report));

  /** Returns the live numbers; set when Python has started. @type {() => Events["numbers"]} */
  readNumbers = () => ({});

  /** Sends the live numbers after a delay, when the values that a function still holds are gone. */
  numbers = () => {
    this.#numbersTimer ||= setTimeout(() => this.#sendNumbers(), NUMBERS_DELAY);
  };

  /**
   * Sends the live numbers between two frames of an animation, unless they were sent a moment ago. After a delay, the
   * next frame may be half done, and its values would count.
   */
  numbersOfFrame = () => {
    if (performance.now() - this.#numbersSent > NUMBERS_DELAY) this.#sendNumbers();
  };

  #sendNumbers() {
    clearTimeout(this.#numbersTimer);
    this.#numbersTimer = 0;
    this.#numbersSent = performance.now();
    this.#send("numbers", this.readNumbers());
  }

  now = () => performance.now();

  /** Resolves at the next animation frame; there are none while the page is hidden. */
  nextFrame = () => {
    this.flush();
    return new Promise((resolve) => requestAnimationFrame(resolve));
  };
}
