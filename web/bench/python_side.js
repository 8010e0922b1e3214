/** @file py_tensor as a side of the benchmark: Python on the page's thread. */

import { startPython } from "../python_runtime.js";
import { firstPixel, pixels } from "./pixels.js";

/** @import { Workload } from "./workloads.js" */
/** @import { Side } from "./timing.js" */

/** @type {Record<string, string>} */
const sources = import.meta.glob("./python/*.py", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** Python, started; it also gives the modules of ./python by name. */
export class PythonSide {
  /** @type {any} */
  #python;
  /** @type {any} */
  #measuring;
  #waits = false;

  /**
   * Resolves to the version.
   *
   * @param {(step: string) => void} report
   * @param {boolean} waits whether reads wait as in `runPythonAsync`; else they block
   */
  async start(report, waits) {
    const base = new URL("../", document.baseURI).href;
    const program = { sources, modules: { bench_page: { firstPixel, pixels } } };
    this.#python = await startPython(base, program, ({ step }) => report(step));
    this.#measuring = this.#python.pyimport("measuring");
    this.#waits = waits;
    return String(this.#measuring.version());
  }

  /** @param {string} name */
  module(name) {
    return this.#python.pyimport(name);
  }

  /**
   * The workload, ready to run; null where there is no function for it.
   *
   * @param {Workload} workload
   * @param {(Float32Array | Int32Array)[]} arrays
   * @returns {Side | null}
   */
  prepare(workload, arrays) {
    if (!this.#measuring.has(workload.operation)) return null;
    const canvas = document.createElement("canvas");
    const measured = this.#measuring.prepare(JSON.stringify(workload), arrays, canvas);
    /** @param {string} name @param {unknown[]} args */
    const call = async (name, ...args) => {
      const method = measured[measured.asynchronous ? `${name}_async` : name];
      try {
        return await (this.#waits ? method.callPromising(...args) : method(...args));
      } finally {
        method.destroy();
      }
    };
    return {
      first: () => call("round", 1),
      round: (repetitions) => call("round", repetitions),
      values: () => call("values"),
      release: () => measured.destroy(),
    };
  }
}
