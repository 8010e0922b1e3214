/** @file Watches Pyodide's downloads, which it starts itself, by wrapping `fetch` and the compilation of its WebAssembly. */

import { textOf } from "../ui/error_text.js";

// Content-Length is the compressed size. Wasm and .pyc files shrink to about a third.
const INFLATION = 3;

export class DownloadMeter {
  #plainFetch = globalThis.fetch;
  #plainInstantiate = WebAssembly.instantiateStreaming;
  /** @type {Map<string, { got: number, total: number }>} */
  #files = new Map();
  /** @type {PromiseWithResolvers<never>} */
  #failure = Promise.withResolvers();

  /** @param {(got: number, total: number) => void} report */
  constructor(report) {
    globalThis.fetch = async (input, options) => {
      const url = input instanceof Request ? input.url : String(input);
      try {
        const response = await this.#plainFetch.call(globalThis, input, options);
        if (!response.ok) this.#fail(url, `${response.status} ${response.statusText}`);
        return this.#withCounter(url, response, report);
      } catch (error) {
        this.#fail(url, await this.#reason(url, error));
        throw error;
      }
    };
    // Pyodide would only warn of a damaged file, and wait for ever.
    WebAssembly.instantiateStreaming = async (source, imports) => {
      try {
        return await this.#plainInstantiate.call(WebAssembly, source, imports);
      } catch (error) {
        this.#fail("pyodide.asm.wasm", textOf(error));
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

  /** @param {string} url @param {string} reason */
  #fail(url, reason) {
    const name = url.slice(url.lastIndexOf("/") + 1);
    this.#failure.reject(
      new Error(
        `${name}: the file did not load; got ${reason}; check the connection and reload the page`,
      ),
    );
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
    return answer.ok
      ? `${message}; is its checksum right?`
      : `${answer.status} ${answer.statusText}`;
  }

  stop() {
    globalThis.fetch = this.#plainFetch;
    WebAssembly.instantiateStreaming = this.#plainInstantiate;
  }

  /**
   * @param {string} url
   * @param {Response} response
   * @param {(got: number, total: number) => void} report
   */
  #withCounter(url, response, report) {
    if (!response.ok || !response.body) return response;
    const length = Number(response.headers.get("content-length"));
    const file = {
      got: 0,
      total: length * (response.headers.has("content-encoding") ? INFLATION : 1),
    };
    this.#files.set(url, file);
    const counter = new TransformStream({
      transform: (chunk, controller) => {
        file.got += chunk.byteLength;
        file.total = Math.max(file.total, file.got);
        this.#report(report);
        controller.enqueue(chunk);
      },
      flush: () => {
        file.total = file.got;
        this.#report(report);
      },
    });
    const { status, statusText, headers } = response;
    response.body.pipeTo(counter.writable).catch((error) => this.#fail(url, textOf(error)));
    return new Response(counter.readable, { status, statusText, headers });
  }

  /** @param {(got: number, total: number) => void} report */
  #report(report) {
    let got = 0;
    let total = 0;
    for (const file of this.#files.values()) {
      got += file.got;
      total += file.total;
    }
    report(got, total);
  }
}
