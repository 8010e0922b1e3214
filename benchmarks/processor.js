/** @file Entry point of the page of the processor: py_tensor, TensorFlow.js and jax-js on WebAssembly. */

import { rendererName } from "./device_limits.js";
import { engineLine, engineSections, hasFailed, measureEngines } from "./engines.js";
import { parametersOf } from "./parameters.js";
import { startEngines } from "./processor_engines.js";
import { processorWorkloads } from "./processor_workloads.js";
import { PythonSide } from "./python_side.js";
import { report, send, showSections, startPage } from "./section_page.js";
import { nameOf, selected } from "./workloads.js";

/** @import { EngineRow } from "./engines.js" */

const LIBRARIES = "wasm,tensorflow,jax";

async function run() {
  const parameters = parametersOf(location.search);
  const libraries = new URLSearchParams(location.search).get("libraries") ?? LIBRARIES;
  const workloads = selected(processorWorkloads(parameters.scale), parameters.only);
  /** @type {Record<string, string>} */
  const versions = {};
  const engines = await startEngines(libraries.split(","), {
    async python() {
      const python = new PythonSide();
      versions.py_tensor = await python.start((step) => report(step), false);
      return python;
    },
    useWasm: async () => (await import("./tensorflow/wasm_page.js")).useSiteWasm(),
  });
  const names = engines.map(({ name }) => name);
  /** @type {EngineRow[]} */
  const rows = [];
  for (const [number, workload] of workloads.entries()) {
    await report(`${number + 1} of ${workloads.length}: ${nameOf(workload)}`);
    const row = await measureEngines(workload, engines, parameters);
    rows.push(row);
    showSections(engineSections(rows, names));
    send("/log", engineLine(row));
  }
  const failed = rows.filter(hasFailed).length;
  return {
    renderer: rendererName(),
    versions,
    rows,
    sections: engineSections(rows, names),
    summary: { failed },
  };
}

startPage(run);
