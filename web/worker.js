/** @file The worker: answers the page's requests with Python. One file of glue, no logic of its own. */

import { textOf } from "./error_text.js";
import { PageModule } from "./page_module.js";
import { startPython } from "./python_runtime.js";
import { probeWebGL } from "./webgl_probe.js";

/** @import { Events, Request } from "./protocol.js" */

/** @type {Record<string, string>} */
const sources = import.meta.glob("./python/*.py", {
  query: "?raw",
  import: "default",
  eager: true,
});

// A Python error's message is its whole traceback; what follows the last frame says what is wrong.
const PYTHON_FRAMES = /^Traceback [\s\S]*\n {2}File .*\n( {4}.*\n)*/;

/**
 * @template {keyof Events} K
 * @param {K} event
 * @param {Events[K]} value
 * @param {Transferable[]} [transfer]
 */
function send(event, value, transfer = []) {
  self.postMessage({ event, value }, { transfer });
}

const page = new PageModule(send);
/** @type {any} the Python module `demo`, once Python runs */
let demo;

/** @type {Record<string, (...args: any[]) => unknown>} */
const verbs = {
  /** @param {string} base */
  async start(base) {
    const renderer = probeWebGL();
    const program = { sources, modules: { demo_page: page } };
    const python = await startPython(base, program, (progress) => send("progress", progress));
    demo = python.pyimport("demo");
    page.numbers(demo.numbers());
    return { renderer };
  },
  /** @param {string} source */
  async run(source) {
    return JSON.parse(await demo.run(source));
  },
  stop: () => demo.stop(),
  /** @param {OffscreenCanvas} canvas */
  photoCanvas: (canvas) => demo.photo_canvas(canvas),
  /** @param {ImageBitmap} bitmap */
  photoOpen: (bitmap) => demo.photo_open(bitmap),
  /** @param {[string, number][]} chain */
  photoFrame: (chain) => demo.photo_frame(JSON.stringify(chain)),
  /** @param {boolean} on */
  photoAnimate: (on) => demo.photo_animate(on),
  /** @param {ArrayBuffer} data */
  digitsOpen: (data) => JSON.parse(demo.digits_open(data)),
  /** @param {string} verb @param {unknown[]} args */
  async digits(verb, ...args) {
    return JSON.parse(await demo.digits(verb, JSON.stringify(args)));
  },
  /** @param {OffscreenCanvas} canvas */
  surfaceCanvas: (canvas) => demo.surface_canvas(canvas),
  /** @param {string} verb @param {unknown[]} args */
  async surface(verb, ...args) {
    return JSON.parse(await demo.surface(verb, JSON.stringify(args)));
  },
};

self.onmessage = async (/** @type {MessageEvent<Request>} */ { data: { id, verb, args } }) => {
  try {
    self.postMessage({ id, value: await verbs[verb](...args) });
  } catch (error) {
    console.error(error);
    self.postMessage({ id, error: textOf(error).trimEnd().replace(PYTHON_FRAMES, "") });
  }
};
