/** @file Watches downloads, also those that Pyodide starts, by wrapping `fetch` and the compilation of its WebAssembly. */

const WASM = "pyodide.asm.wasm";

/** @typedef {{ bytes: number, compressed: number }} Expected bytes of a file, and what is transferred of it */

export class Downloads {
  #plainFetch = globalThis.fetch;
  #plainInstantiate = WebAssembly.instantiateStreaming;
  #report;
  /** @type {Record<string, Expected>} */
  #expected;
  /** Transferred bytes of each file. @type {Map<string, number>} */
  #loaded = new Map();
  /** @type {PromiseWithResolvers<never>} */
  #failure = Promise.withResolvers();

  /**
   * @param {Record<string, Expected>} expected files that the start needs
   * @param {(loaded: number, total: number) => void} report gets the bytes that are transferred if the server compresses
   */
  constructor(expected, report) {
    this.#expected = expected;
    this.#report = report;
    globalThis.fetch = async (input, options) => {
      const url = input instanceof Request ? input.url : String(input);
      try {
        const response = await this.#plainFetch.call(globalThis, input, options);
        if (!response.ok) this.#fail(url, statusOf(response));
        return this.#counted(url, response);
      } catch (error) {
        this.#fail(url, await this.#reason(url, error));
        throw error;
      }
    };
    // Pyodide would only warn of a damaged file, and wait for ever.
    WebAssembly.instantiateStreaming = async (source, imports) => {
      try {
        const instance = await this.#plainInstantiate.call(WebAssembly, source, imports);
        this.#count(WASM, this.#expected[WASM].bytes);
        return instance;
      } catch (error) {
        // The response may be that of a start that was given up, whose download another object watched.
        const response = await Promise.resolve(source).catch(() => null);
        this.#fail(WASM, response?.ok === false ? statusOf(response) : textOf(error));
        throw error;
      }
    };
    // The caller may stop waiting for it.
    this.failure.catch(() => {});
  }

  /** Rejects when a download fails; Pyodide itself may wait for ever or hide the reason. */
  get failure() {
    return this.#failure.promise;
  }

  stop() {
    globalThis.fetch = this.#plainFetch;
    WebAssembly.instantiateStreaming = this.#plainInstantiate;
  }

  /**
   * Writes a file to the start of an array. A server that compresses sends the file as it is; from another server the
   * copy compressed by gzip is loaded.
   *
   * @param {string} url
   * @param {Uint8Array} target
   */
  async into(url, target) {
    try {
      await this.#fill(url, target);
    } catch (error) {
      this.#failure.reject(error);
      throw error;
    }
  }

  /** @param {string} url @param {Uint8Array} target */
  async #fill(url, target) {
    let response = await this.#plainFetch.call(globalThis, url);
    if (!response.headers.has("content-encoding")) {
      response.body?.cancel();
      response = await this.#plainFetch.call(globalThis, `${url}.gz`);
    }
    if (!response.ok || !response.body) throw missing(url, statusOf(response));
    const { body } = response;
    const bytes = response.headers.has("content-encoding")
      ? body
      : body.pipeThrough(/** @type {any} */ (new DecompressionStream("gzip")));
    let length = 0;
    for await (const chunk of bytes) {
      target.set(chunk, length);
      length += chunk.length;
      this.#count(nameOf(url), length);
    }
    const expected = this.#expected[nameOf(url)].bytes;
    if (length !== expected) throw missing(url, `${length} of ${expected} bytes`);
  }

  /** @param {string} url @param {string} reason */
  #fail(url, reason) {
    this.#failure.reject(missing(url, reason));
  }

  /**
   * Finds out why a download failed: with an integrity check, `fetch` rejects missing and damaged files alike.
   *
   * @param {string} url
   * @param {unknown} error
   */
  async #reason(url, error) {
    const message = textOf(error);
    const answer = await this.#plainFetch
      .call(globalThis, url, { method: "HEAD" })
      .catch(() => null);
    if (!answer) return message;
    return answer.ok ? `${message}; is its checksum right?` : statusOf(answer);
  }

  /** @param {string} url @param {Response} response */
  #counted(url, response) {
    const name = nameOf(url);
    // The browser keeps compiled WebAssembly only of a response that is passed on as it is.
    if (!response.ok || !response.body || name === WASM) return response;
    let length = 0;
    const counter = new TransformStream({
      transform: (chunk, controller) => {
        length += chunk.byteLength;
        this.#count(name, length);
        controller.enqueue(chunk);
      },
    });
    const { status, statusText, headers } = response;
    response.body.pipeTo(counter.writable).catch((error) => this.#fail(url, textOf(error)));
    return new Response(counter.readable, { status, statusText, headers });
  }

  /** @param {string} name @param {number} bytes after decompression, which is all that a page sees */
  #count(name, bytes) {
    if (!(name in this.#expected)) return;
    const expected = this.#expected[name];
    this.#loaded.set(name, (bytes / expected.bytes) * expected.compressed);
    const sum = (/** @type {Iterable<number>} */ numbers) =>
      [...numbers].reduce((a, b) => a + b, 0);
    const files = Object.values(this.#expected);
    this.#report(sum(this.#loaded.values()), sum(files.map(({ compressed }) => compressed)));
  }
}

/** @param {string} url */
const nameOf = (url) => url.slice(url.lastIndexOf("/") + 1);

/** @param {Response} response */
const statusOf = ({ status, statusText }) => `${status} ${statusText}`;

/** @param {unknown} error */
const textOf = (error) => (error instanceof Error ? error.message : String(error));

/**
 * Returns the error of a file that did not load.
 *
 * @param {string} url
 * @param {string} reason
 */
export const missing = (url, reason) =>
  new Error(
    `${nameOf(url)}: the file did not load; got ${reason}; check the connection and reload the page`,
  );

/** Returns the response with a file; an Error names a file that did not load. @param {string} url */
export async function fetched(url) {
  const response = await fetch(url).catch((error) => {
    throw missing(url, error.message);
  });
  if (!response.ok) throw missing(url, statusOf(response));
  return response;
}
