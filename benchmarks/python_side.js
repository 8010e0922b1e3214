/** @file py_tensor in the benchmark: Python on the page's thread. */

/** @import { Workload } from "./workloads.js" */
/** @import { Side } from "./timing.js" */
/** @import { Described, Trained } from "./trained.js" */

/** A Python interpreter with the modules of ./python. */
export class PythonSide {
  /** @type {any} */
  #python;
  /** @type {any} */
  #measurement;
  #waits = false;

  /**
   * Starts Python; resolves to the version of py_tensor.
   *
   * @param {(step: string) => void} report
   * @param {boolean} waits suspend Python during reads as `runPythonAsync` does, instead of blocking
   */
  async start(report, waits) {
    const { startInPage } = await import("./python_page.js");
    this.#waits = waits;
    this.attach(await startInPage(report));
    return String(this.#measurement.version());
  }

  /** Uses a Python that can import the modules. @param {any} python */
  attach(python) {
    this.#python = python;
    this.#measurement = python.pyimport("measurement");
  }

  /** Sets up a backend of py_tensor. @param {string} backend */
  async ready(backend) {
    await this.#measurement.ready(backend);
  }

  /** @param {string} name */
  module(name) {
    return this.#python.pyimport(name);
  }

  /**
   * Prepares a workload; returns null if there is no function for it.
   *
   * @param {Workload} workload
   * @param {(Float32Array | Int32Array)[]} arrays
   * @param {string} [backend] of py_tensor; without one, the one that is in use
   * @returns {Side | null}
   */
  prepare(workload, arrays, backend) {
    if (!this.#measurement.has(workload.operation)) return null;
    const canvas = globalThis.document?.createElement("canvas");
    const measured = this.#measurement.prepare(JSON.stringify(workload), arrays, canvas, backend);
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
      get thread() {
        return measured.thread_ms;
      },
      release: () => measured.destroy(),
    };
  }

  /**
   * Loads a trained model.
   *
   * @param {string} url
   * @param {number[][] | null} shapes of the inputs; null for those that the file declares
   * @param {string} [backend] of py_tensor; without one, the one that is in use
   * @returns {Promise<Trained & { described: Described[] }>}
   */
  async load(url, shapes, backend) {
    const trained = await this.module("trained").load(url, JSON.stringify(shapes), backend);
    /** @param {string} name */
    const call = (name) => trained[trained.asynchronous ? `${name}_async` : name]();
    return {
      milliseconds: trained.milliseconds,
      described: JSON.parse(trained.described()),
      give: (arrays) => trained.give(arrays),
      run: () => call("run"),
      values: async () => call("values"),
      release: () => trained.destroy(),
    };
  }
}
