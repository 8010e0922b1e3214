/**
 * @file The model that the page analyses: loads it in the worker, runs it, and tells the parts of the page about it.
 *
 * A part is a function `create…(analyser)` that returns nothing, or an object with `show(description)`, which is called when
 * a model has been loaded and before its first run. Parts listen to "model" (a description), "input" (a text for the
 * visitor), "output" (milliseconds of each stage of a run), "select" (the position of a layer) and "times" (milliseconds of
 * each layer alone), and call methods of the Python part of their name with
 * `analyser.call(part, method, ...args)`. In Python, `AnalyserSession` holds the model, the input and the outputs.
 */

/** @import { Client } from "../../python/client.js" */

/**
 * @typedef {object} Value an input or output of a model
 * @property {string} name
 * @property {string} dtype
 * @property {(number | string | null)[] | null} shape
 * @property {[number, number] | null} quantization scale and zero point
 *
 * @typedef {object} Layer
 * @property {string} name
 * @property {string} operator
 * @property {string[]} inputs
 * @property {string[]} outputs
 * @property {number} parameters
 * @property {number} bytes
 * @property {string} shape
 * @property {number} multiplyAdds
 * @property {Record<string, string>} attributes
 *
 * @typedef {object} Description
 * @property {string} name
 * @property {string} format
 * @property {string} producer
 * @property {Value[]} inputs
 * @property {Value[]} outputs
 * @property {Record<string, number[]>} shapes of the inputs that the numbers are for
 * @property {number} parameters
 * @property {number} bytes of the parameters in the file
 * @property {number} bytesRead
 * @property {number} loadMs
 * @property {number | null} multiplyAdds
 * @property {string} quantization
 * @property {string} failure why the shapes of the layers are not known; "" if they are
 * @property {Layer[]} layers
 * @property {Source} source
 *
 * @typedef {[string, number[], string, number]} Weight name, shape, dtype and bytes of a tensor
 * @typedef {{ input: number, model: number, output: number, total: number }} Stages milliseconds
 * @typedef {{
 *   model: Description,
 *   input: string,
 *   output: Stages,
 *   select: number,
 *   times: (number | null)[],
 *   tasks: { tasks: [string, string][], task: string },
 *   task: string,
 * }} AnalyserEvents
 * @typedef {string | Record<string, File>} Source an address, or files by name
 * @typedef {{ show?: (description: Description) => unknown }} Part
 */

/** Files that are no model, or none that can be read. */
export class ModelProblem extends Error {
  /** @param {{ found: string, reason: string, weights: Weight[] }} problem */
  constructor({ found, reason, weights }) {
    super(reason);
    this.found = found;
    this.weights = weights;
  }
}

export class Analyser {
  /** @type {Map<string, ((value: any) => void)[]>} */
  #listeners = new Map();
  /** @type {Part[]} */
  #parts = [];
  /** @type {Promise<Stages> | null} */
  #running = null;
  /** @type {Description | null} */
  description = null;
  /** Takes files that belong to the open model, or returns false. @type {(files: Record<string, File>) => boolean} */
  takeFiles = () => false;

  /** @param {Client} client */
  constructor(client) {
    this.client = client;
  }

  /** Adds a part of the page. @param {Part | undefined} part */
  add(part) {
    if (part) this.#parts.push(part);
  }

  /**
   * @template {keyof AnalyserEvents} K
   * @param {K} name
   * @param {(value: AnalyserEvents[K]) => void} listener
   */
  on(name, listener) {
    this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), listener]);
  }

  /**
   * @template {keyof AnalyserEvents} K
   * @param {K} name
   * @param {AnalyserEvents[K]} value
   */
  emit(name, value) {
    for (const listener of this.#listeners.get(name) ?? []) listener(value);
  }

  /**
   * Calls a method of a Python part. Files, canvases and bitmaps reach it as they are, plain objects as dicts.
   *
   * @param {string} part
   * @param {string} method
   * @param {unknown[]} [args]
   * @param {Transferable[]} [transfer]
   */
  call(part, method, args = [], transfer = []) {
    return this.client.call("call", [part, method, ...args], transfer);
  }

  /**
   * Loads a model and shows it. If it cannot be loaded, the model before stays.
   *
   * @param {Source} source
   * @returns {Promise<Description>}
   */
  async load(source) {
    const answer = await this.call("session", "load", [source]);
    if (answer.problem) throw new ModelProblem(answer.problem);
    return this.#show({ ...answer, source });
  }

  /** Runs the model on random inputs of other shapes from now on. @param {Record<string, number[]>} shapes */
  async reshape(shapes) {
    if (!this.description) return;
    const { source } = this.description;
    await this.#show({ ...(await this.call("session", "reshape", [shapes])), source });
  }

  /** @param {Description} description */
  async #show(description) {
    this.description = description;
    this.emit("model", description);
    for (const part of this.#parts) await part.show?.(description);
    return description;
  }

  cancel() {
    return this.call("session", "cancel");
  }

  /** Runs the model on the present input. Calls during a run wait for its end. @returns {Promise<Stages>} */
  async run() {
    while (this.#running) await this.#running.catch(() => {});
    this.#running = this.call("session", "run");
    try {
      const stages = await this.#running;
      this.emit("output", stages);
      return stages;
    } finally {
      this.#running = null;
    }
  }
}
