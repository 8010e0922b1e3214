/** @file Measures the bytes of the downloads that Pyodide starts by itself. */

import { textOf } from "./error_text.js";

const INFLATION = 3; // a compressed answer's length says nothing of its content's; wasm and .pyc shrink to a third

export class DownloadMeter {
  #plainFetch = globalThis.fetch;
  /** @type {Map<string, { got: number, total: number }>} */
  #files = new Map();
  /** @type {string[]} the downloads that failed, with the reason */
  failures = [];

  /** @param {(got: number, total: number) => void} report */
  constructor(report) {
    globalThis.fetch = async (input, options) => {
      const url = input instanceof Request ? input.url : String(input);
      try {
        const response = await this.#plainFetch.call(globalThis, input, options);
        if (!response.ok) this.failures.push(`${url}: ${response.status} ${response.statusText}`);
        return this.#measured(url, response, report);
      } catch (error) {
        this.failures.push(`${url}: ${await this.#reason(url, error)}`);
        throw error;
      }
    };
  }

  /**
   * A file with a checksum that is missing or damaged fails without a word on which of them it is.
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
  }

  /**
   * @param {string} url
   * @param {Response} response
   * @param {(got: number, total: number) => void} report
   */
  #measured(url, response, report) {
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
    return new Response(response.body.pipeThrough(counter), { status, statusText, headers });
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
