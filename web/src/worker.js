/** @file Entry point of the worker: starts Python and forwards the page's requests to demo.py. */

import { HostModule } from "./python/host_module.js";
import { send, serveRequests } from "./python/serve_requests.js";
import { startModule } from "./python/start_module.js";
import { Once } from "./ui/once.js";

/** @type {Record<string, string>} */
const sources = import.meta.glob(["./demo.py", "./python/*.py", "./features/*/*.py"], {
  query: "?raw",
  import: "default",
  eager: true,
});
/** Python files that answer questions of the editor. @type {Record<string, () => Promise<any>>} */
const helpFiles = import.meta.glob("./features/playground/help/*.py", {
  query: "?raw",
  import: "default",
});

const host = new HostModule(send);
/** @type {any} the Python module `demo`, set when Python has started */
let demo;

/** Loads the files that answer the editor; a failed download may be tried again. */
const help = new Once(async () => {
  const paths = Object.keys(helpFiles);
  const texts = await Promise.all(paths.map((path) => helpFiles[path]()));
  const names = paths.map((path) => path.slice(path.lastIndexOf("/") + 1));
  demo.add_modules(JSON.stringify(Object.fromEntries(names.map((name, at) => [name, texts[at]]))));
});

serveRequests({
  /** @param {string} base */
  async start(base) {
    const { module, started } = await startModule("demo", base, {
      sources,
      modules: { demo_host: host },
    });
    demo = module;
    host.readNumbers = () => JSON.parse(demo.numbers());
    host.numbers();
    return started;
  },
  /** @param {string} source @param {number} width of the pane in CSS pixels */
  async run(source, width) {
    return JSON.parse(await demo.run(source, width));
  },
  stop: () => demo.stop(),
  /** @param {string} name @param {ArrayBuffer} data */
  writeFile: (name, data) => demo.write_file(name, data),
  /** @param {string} type of a pointer's event @param {{ offsetX: number, offsetY: number, buttons: number }} fields */
  pointer: (type, fields) => host.pointer.dispatchEvent(Object.assign(new Event(type), fields)),
  /** @param {string} kind @param {string} source @param {number} line @param {string} expression */
  async codeHelp(kind, source, line, expression) {
    await help.done();
    return JSON.parse(demo.code_help(kind, source, line, expression));
  },
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
});
