/** @file Client of the worker: sends requests, dispatches events, and restarts the worker. */

/** @import { Answer, Events, Request, Started } from "./protocol.js" */

/** Error of requests that were unanswered when the worker was terminated. */
export class StoppedError extends Error {}

export class Client {
  /** @type {Worker | null} */
  #worker = null;
  #createWorker;
  #lastId = 0;
  #isReady = false;
  /** @type {Map<number, { resolve: (value: any) => void, reject: (error: Error) => void }>} */
  #waiting = new Map();
  /** @type {Map<string, ((value: any) => void)[]>} */
  #listeners = new Map();

  /** @param {() => Worker} createWorker */
  constructor(createWorker) {
    this.#createWorker = createWorker;
  }

  /** True when Python has started. */
  get isReady() {
    return this.#isReady;
  }

  /**
   * Adds a listener for one kind of event. Listeners outlive a restart of the worker.
   *
   * @template {keyof Events} K
   * @param {K} name
   * @param {(value: Events[K]) => void} listener
   */
  on(name, listener) {
    this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), listener]);
  }

  /**
   * Terminates the current worker, if any, and starts another; resolves when Python is ready.
   *
   * @param {string} [base] address of the site's folder; without it, that of the page
   * @returns {Promise<Started>}
   */
  async start(base = new URL("./", document.baseURI).href) {
    this.#end();
    const worker = this.#createWorker();
    worker.onmessage = ({ data }) => this.#receive(data);
    worker.onerror = (event) => {
      this.#fail(new Error(`worker: ${event.message || "the script did not load"}`));
    };
    this.#worker = worker;
    const started = await this.call("start", [base]);
    this.#isReady = true;
    return started;
  }

  /**
   * Sends a request and resolves with its answer.
   *
   * @param {string} verb
   * @param {unknown[]} [args]
   * @param {Transferable[]} [transfer]
   * @returns {Promise<any>}
   */
  call(verb, args = [], transfer = []) {
    const worker = this.#worker;
    if (!worker) return Promise.reject(new StoppedError(`${verb}: the worker is not running`));
    this.#lastId += 1;
    /** @type {Request} */
    const request = { id: this.#lastId, verb, args };
    return new Promise((resolve, reject) => {
      this.#waiting.set(request.id, { resolve, reject });
      worker.postMessage(request, transfer);
    });
  }

  /** @param {Answer | { event: string, value: unknown }} message */
  #receive(message) {
    if ("event" in message) {
      for (const listener of this.#listeners.get(message.event) ?? []) listener(message.value);
      return;
    }
    const caller = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.error === undefined) caller?.resolve(message.value);
    else caller?.reject(new Error(message.error));
  }

  #end() {
    this.#isReady = false;
    this.#worker?.terminate();
    this.#worker = null;
    this.#fail(new StoppedError("the worker was restarted"));
  }

  /** @param {Error} error */
  #fail(error) {
    const callers = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of callers) reject(error);
  }
}
