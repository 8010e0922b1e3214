/** @file Starts Python with py_tensor and the modules of ./python in a page. */

import { startPython } from "../web/src/python/python_runtime.js";
import { firstPixel, pixels } from "./pixels.js";

/** @type {Record<string, string>} */
const sources = import.meta.glob("./python/*.py", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** @param {(step: string) => void} report */
export function startInPage(report) {
  const base = new URL("../", document.baseURI).href;
  const program = { sources, modules: { bench_host: { firstPixel, pixels } } };
  return startPython(base, program, ({ step }) => report(step));
}
