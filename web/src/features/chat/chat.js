/**
 * @file The language model of the page: looks at models, loads one, answers messages, and tells the parts of the page.
 *
 * Parts listen to "model" (facts of a model that was loaded), "answering" (true and false), and "answered".
 */

/** @import { Client } from "../../python/client.js" */

/**
 * @typedef {string | Record<string, File>} Source an address, or files by name
 *
 * @typedef {object} Needs what a model needs; null for numbers that are not known before it is loaded
 * @property {string} name
 * @property {number | null} bytes of the files
 * @property {boolean} isDownload
 * @property {number | null} weights bytes in memory
 * @property {number | null} largest bytes of the largest weight
 * @property {number | null} parameters
 * @property {[number, number | null][] | null} cache bytes of a token, and the window, of some blocks
 * @property {number | null} length of sequences that the model was trained for
 * @property {{ memory: number | null, buffer: number | null }} limits
 *
 * @typedef {{ tensors: number, bytes: number, deviceBytes: number }} Memory
 * @typedef {object} Facts
 * @property {number} layers
 * @property {number} heads
 * @property {string} note on its chat template
 * @property {{ temperature: number, topP: number }} sampling
 * @property {Memory} memory
 *
 * @typedef {object} Outcome how an answer ended
 * @property {string} text
 * @property {string} reason
 * @property {number} tokens
 * @property {number} firstSeconds
 * @property {number} tokensPerSecond
 * @property {number} cacheTokens
 * @property {number} forgotten number of messages for which there was no room
 * @property {Memory} memory
 *
 * @typedef {{ role: "system" | "user" | "assistant", content: string }} Message
 * @typedef {{ temperature: number, top_p: number, max_tokens: number, seed?: number }} Options
 * @typedef {{ tokens: string[], weights: number[][], before: number }} Attention
 * @typedef {{ model: Facts & { needs: Needs }, answering: boolean, answered: Outcome | null, cleared: null }} ChatEvents
 */

export class Chat {
  /** @type {Map<string, ((value: any) => void)[]>} */
  #listeners = new Map();
  #isAnswering = false;
  /** Facts of the loaded model. @type {Facts | null} */
  facts = null;

  /** @param {Client} client */
  constructor(client) {
    this.client = client;
  }

  get isAnswering() {
    return this.#isAnswering;
  }

  /**
   * @template {keyof ChatEvents} K
   * @param {K} name
   * @param {(value: ChatEvents[K]) => void} listener
   */
  on(name, listener) {
    this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), listener]);
  }

  /**
   * @template {keyof ChatEvents} K
   * @param {K} name
   * @param {ChatEvents[K]} value
   */
  emit(name, value) {
    for (const listener of this.#listeners.get(name) ?? []) listener(value);
  }

  /** @param {string} method @param {...unknown} args */
  #call(method, ...args) {
    return this.client.call("call", [method, ...args]);
  }

  /** Reads the headers of a model. @param {Source} source @returns {Promise<Needs>} */
  async describe(source) {
    const needs = await this.#call("describe", source);
    if (needs.problem) throw new Error(needs.problem);
    return needs;
  }

  /**
   * Loads a model; the one before stays if this fails. Resolves to false if it was cancelled.
   *
   * @param {Source} source
   * @param {Needs} needs
   * @param {number} mostBytes that may be downloaded
   */
  async load(source, needs, mostBytes) {
    const facts = await this.#call("load", source, mostBytes);
    if (facts.problem) throw new Error(facts.problem);
    if (facts.cancelled) return false;
    this.facts = facts;
    this.emit("model", { ...facts, needs });
    return true;
  }

  cancel() {
    return this.#call("cancel");
  }

  /**
   * Answers the last message. Pieces of the answer are "answer" events of the client.
   *
   * @param {Message[]} messages
   * @param {number} length most tokens of the conversation
   * @param {Options} options
   * @returns {Promise<Outcome>}
   */
  async answer(messages, length, options) {
    this.#setAnswering(true);
    /** @type {Outcome | null} */
    let outcome = null;
    try {
      outcome = await this.#call("answer", messages, length, options);
      return /** @type {Outcome} */ (outcome);
    } finally {
      this.#setAnswering(false);
      this.emit("answered", outcome);
    }
  }

  /** @param {boolean} isAnswering */
  #setAnswering(isAnswering) {
    this.#isAnswering = isAnswering;
    this.emit("answering", isAnswering);
  }

  stop() {
    return this.#call("stop");
  }

  /** @param {number} layer @param {number} head @returns {Promise<Attention>} */
  attention(layer, head) {
    return this.#call("attention", layer, head);
  }
}
