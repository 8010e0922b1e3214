/** @file Work that is done once, when it is first needed. */

export class Once {
  #work;
  /** @type {Promise<void> | null} */
  #result = null;

  /** @param {() => Promise<void>} work */
  constructor(work) {
    this.#work = work;
  }

  /** True while the work is under way, and after it has succeeded. */
  get begun() {
    return this.#result !== null;
  }

  /** Starts the work, or waits for the one that was started; after a failure it starts anew. */
  done() {
    this.#result ??= this.#work().catch((error) => {
      this.#result = null;
      throw error;
    });
    return this.#result;
  }
}
