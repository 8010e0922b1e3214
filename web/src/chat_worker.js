/** @file Entry point of the chat's worker: starts Python and forwards the page's requests to chat.py. */

import { send, serveRequests } from "./python/serve_requests.js";
import { startModule } from "./python/start_module.js";

/** @import { Events } from "./python/protocol.js" */

/** @type {Record<string, string>} */
const sources = import.meta.glob(
  ["./chat.py", "./python/*.py", "./features/chat/*.py", "./features/chat/*/*.py"],
  { query: "?raw", import: "default", eager: true },
);
/** Address of the site's folder. */
let site = "";

/** The module `chat_host` that Python imports. */
const host = {
  /** Sends an event to the page. @param {keyof Events} event @param {string} value as JSON */
  send: (event, value) => send(event, JSON.parse(value)),
  /** Returns the archive with Jinja2, or no bytes if it does not load. @returns {Promise<ArrayBuffer>} */
  async jinja() {
    try {
      const answer = await fetch(new URL("chat/jinja2.zip", site));
      if (answer.ok) return await answer.arrayBuffer();
    } catch {
      // The session says what is missing.
    }
    return new ArrayBuffer(0);
  },
};

/** @type {any} the Python module `chat`, set when Python has started */
let chat;

serveRequests({
  /** @param {string} base */
  async start(base) {
    site = base;
    const { module, started } = await startModule("chat", base, {
      sources,
      modules: { chat_host: host },
      prefetch: false,
    });
    chat = module;
    return started;
  },
  /** Calls a method of the session. @param {string} method @param {unknown[]} args */
  call: async (method, ...args) => JSON.parse(await chat.call(method, ...args)),
});
