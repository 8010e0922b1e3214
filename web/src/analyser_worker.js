/** @file Entry point of the analyser's worker: starts Python and forwards the page's requests to analyser.py. */

import { send, serveRequests } from "./python/serve_requests.js";
import { startModule } from "./python/start_module.js";

/** @import { Events } from "./python/protocol.js" */

/** @type {Record<string, string>} */
const sources = import.meta.glob(
  ["./analyser.py", "./python/*.py", "./features/analyser/*.py", "./features/analyser/*/*.py"],
  { query: "?raw", import: "default", eager: true },
);

/** The module `analyser_host` that Python imports. */
const host = {
  /** Sends an event to the page. @param {keyof Events} event @param {string} value as JSON */
  send: (event, value) => send(event, JSON.parse(value)),
  /** @param {number} width @param {number} height */
  canvas: (width, height) => new OffscreenCanvas(width, height),
};

/** @type {any} the Python module `analyser`, set when Python has started */
let analyser;

serveRequests({
  /** @param {string} base */
  async start(base) {
    const { module, started } = await startModule("analyser", base, {
      sources,
      modules: { analyser_host: host },
    });
    analyser = module;
    return started;
  },
  /** Calls a method of one of the page's parts. @param {string} part @param {string} method @param {unknown[]} args */
  async call(part, method, ...args) {
    const result = await analyser.call(part, method, ...args);
    return typeof result === "string" ? JSON.parse(result) : result;
  },
});
