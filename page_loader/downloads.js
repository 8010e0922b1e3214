/** @file Watches downloads, also those that Pyodide starts, by wrapping `fetch` and the compilation of its WebAssembly. */

const WASM = "pyodide.asm.wasm";

/** @typedef {{ bytes: number, compressed: number }} Expected bytes of a file, and what is transferred of it */

/** Counts the transferred bytes of the files that a start needs. */
export class Transfers {
  #report;
  /** @type {Map<string, Expected>} */
  #expected;
  /** Transferred bytes of each file. @type {Map<string, number>} */
  #loaded = new Map();

  /**
   * @param {[string, Expected][]} expected
   * @param {(loaded: number, total: number) => void} report gets the bytes that are transferred if the server compresses,
   *   first 0
   */
  constructor(expected, report) {
    this.#expected = new Map(expected);
    this.#report = report;
    this.#tell();
  }

  #tell() {
    const sum = (/** @type {number[]} */ numbers) => numbers.reduce((a, b) => a + b, 0);
    const total = sum([...this.#expected.values()].map(({ compressed }) => compressed));
    this.#report(sum([...this.#loaded.values()]), total);
  }

  /** @param {string} name @returns {number} bytes that a file of the start has */
  bytesOf(name) {
    return /** @type {Expected} */ (this.#expected.get(name)).bytes;
  }

  /** @param {string} name @param {number} bytes after decompression, which is all that a page sees */
  count(name, bytes) {
    const expected = this.#expected.get(name);
    if (!expected?.bytes) return;
    const loaded = (bytes / expected.bytes) * expected.compressed;
    // A second start reads again what the browser has kept of the first.
    this.#loaded.set(name, Math.max(loaded, this.#loaded.get(name) ?? 0));
    this.#tell();
  }

  /**
   * Loads other files instead of one. What was transferred of it stays in both numbers.
   *
   * @param {string} name
   * @param {[string, Expected][]} others
   */
  replace(name, others) {
    // It may still arrive, and is not counted then.
    this.#expected.set(name, { bytes: 0, compressed: this.#loaded.get(name) ?? 0 });
    for (const [other, expected] of others) this.#expected.set(other, expected);
  }
}

export class Downloads {
  #plainFetch = globalThis.fetch;
  #plainInstantiate = WebAssembly.instantiateStreaming;
  #transfers;
  /** @type {PromiseWithResolvers<never>} */
  #failure = Promise.withResolvers();

  /** @param {Transfers} transfers */
  constructor(transfers) {
    this.#transfers = transfers;
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
        transfers.count(WASM, transfers.bytesOf(WASM));
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
      this.#transfers.count(nameOf(url), length);
    }
    const expected = this.#transfers.bytesOf(nameOf(url));
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
        this.#transfers.count(name, length);
        controller.enqueue(chunk);
      },
    });
    const { status, statusText, headers } = response;
    response.body.pipeTo(counter.writable).catch((error) => this.#fail(url, textOf(error)));
    return new Response(counter.readable, { status, statusText, headers });
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
