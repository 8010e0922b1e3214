/** @file What the pages that compare libraries on one kind of device have in common. */

import { rendererName } from "./device_limits.js";
import { engineLine, engineSections, hasFailed, measureEngines } from "./engines.js";
import { startEngines } from "./libraries.js";
import { parametersOf } from "./parameters.js";
import { PythonSide } from "./python_side.js";
import { report, send, showSections, startPage } from "./section_page.js";
import { nameOf, selected } from "./workloads.js";

/** @import { EngineRow } from "./engines.js" */
/** @import { Workload } from "./workloads.js" */

/**
 * Compares libraries when the page's button is pressed.
 *
 * @param {object} page
 * @param {string} page.libraries unless the address names others
 * @param {"wasm" | "webgpu"} page.device of TensorFlow.js and jax-js
 * @param {(scale: number) => Workload[]} page.workloads
 * @param {() => Promise<string>} [page.deviceName] shown instead of WebGL2's renderer
 */
export function startEnginePage({ libraries, device, workloads, deviceName }) {
  startPage(async () => {
    const parameters = parametersOf(location.search);
    const chosen = new URLSearchParams(location.search).get("libraries") ?? libraries;
    const table = selected(workloads(parameters.scale), parameters.only);
    /** @type {Record<string, string>} */
    const versions = {};
    const engines = await startEngines(chosen.split(","), device, {
      async python() {
        const python = new PythonSide();
        versions.py_tensor = await python.start((step) => report(step), parameters.wait);
        return python;
      },
      useWasm: async () => (await import("./tensorflow/wasm_page.js")).useSiteWasm(),
    });
    for (const { name, version } of engines) if (version) versions[name] = version;
    const names = engines.map(({ name }) => name);
    /** @type {EngineRow[]} */
    const rows = [];
    for (const [number, workload] of table.entries()) {
      await report(`${number + 1} of ${table.length}: ${nameOf(workload)}`);
      const row = await measureEngines(workload, engines, parameters);
      rows.push(row);
      showSections(engineSections(rows, names));
      send("/log", engineLine(row));
    }
    const failed = rows.filter(hasFailed).length;
    return {
      renderer: deviceName ? await deviceName() : rendererName(),
      versions,
      rows,
      sections: engineSections(rows, names),
      summary: { failed },
    };
  });
}
