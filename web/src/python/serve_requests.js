/** @file The worker's side of the messages: answers requests, and sends events. */

import { textOf } from "../ui/error_text.js";

/** @import { Events, Request } from "./protocol.js" */

// The message of a Python error is its whole traceback. This matches all but the error itself.
const PYTHON_FRAMES = /^Traceback [\s\S]*\n {2}File .*\n( {4}.*\n)*/;

/**
 * @template {keyof Events} K
 * @param {K} event
 * @param {Events[K]} value
 * @param {Transferable[]} [transfer]
 */
export function send(event, value, transfer = []) {
  self.postMessage({ event, value }, { transfer });
}

/**
 * Answers each request with the result of the function of its name.
 *
 * @param {Record<string, (...args: any[]) => unknown>} verbs
 */
export function serveRequests(verbs) {
  self.onmessage = async (/** @type {MessageEvent<Request>} */ { data: { id, verb, args } }) => {
    try {
      self.postMessage({ id, value: await verbs[verb](...args) });
    } catch (error) {
      console.error(error);
      self.postMessage({ id, error: textOf(error).trimEnd().replace(PYTHON_FRAMES, "") });
    }
  };
}
