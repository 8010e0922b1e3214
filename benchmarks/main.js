/** @file Entry point of the benchmark page: runs the workloads in both libraries, shows and sends the results. */

import { find } from "../web/src/ui/dom.js";
import { textOf } from "../web/src/ui/error_text.js";
import { measureDevice } from "./device_limits.js";
import { growthSections, pythonGrowth } from "./growth.js";
import { measure } from "./measure.js";
import { parametersOf } from "./parameters.js";
import { PythonSide } from "./python_side.js";
import { operationSection, report, rowLines } from "./report.js";
import { summarise } from "./results.js";
import { whenNotShared } from "./section_page.js";
import { offerReport, reportOf } from "./shared_report.js";
import { stageSections } from "./stages.js";
import { tileSections } from "./tiles.js";
import { createView } from "./view.js";
import { nameOf, selected, workloads } from "./workloads.js";

/** @import { Prepare } from "./attempt.js" */
/** @import { Row } from "./measure.js" */
/** @import { Results, Section } from "./results.js" */

/** Limit of the posted text, so that servers with small buffers can take it. */
const MAX_CHARACTERS = 9000;

const parameters = parametersOf(location.search);
const view = createView();
const start = find("start", HTMLButtonElement);

/** Posts text to the server; failures are ignored. @param {string} address @param {string} text */
function send(address, text) {
  if (parameters.auto) fetch(address, { method: "POST", body: text }).catch(() => {});
}

/** @returns {Promise<Results>} */
async function run() {
  const chosen = selected(workloads(parameters.scale), parameters.only);
  view.status("Measuring the device");
  const device = measureDevice();
  const python = new PythonSide();
  const pyTensor = await python.start(view.status, parameters.wait);
  view.status("Starting TensorFlow.js");
  const tensorflow = await import("./tensorflow/side.js");
  const versions = { py_tensor: pyTensor, "TensorFlow.js": await tensorflow.start() };
  const sides = {
    ours: /** @type {Prepare} */ ((workload, arrays) => python.prepare(workload, arrays, "webgl")),
    theirs: tensorflow.prepare,
  };
  /** @type {Row[]} */
  const rows = [];
  const results = {
    date: new Date().toISOString().slice(0, 16),
    versions,
    parameters,
    device,
    rows,
    summary: summarise(rows),
    sections: /** @type {Section[]} */ ([]),
  };
  for (const [number, workload] of chosen.entries()) {
    view.status(`${number + 1} of ${chosen.length}: ${nameOf(workload)}`, number / chosen.length);
    await view.painted();
    const row = await measure(workload, sides, parameters, device);
    rows.push(row);
    results.summary = summarise(rows);
    view.show(results);
    send("/log", rowLines(row).join("\n"));
  }
  /** @param {string} title @param {() => Promise<Section[]>} measureSections */
  const add = async (title, measureSections) => {
    view.status(title);
    await view.painted();
    results.sections.push(...(await measureSections()));
  };
  if (parameters.growth) {
    const growing = { ours: pythonGrowth(python), theirs: tensorflow.growth };
    await add("Growth", () => growthSections(growing, parameters));
  }
  if (parameters.stages) {
    await add("Stages", () => stageSections(python, tensorflow.addChain, parameters.rounds));
  }
  if (parameters.tiles) await add("Blocks", async () => tileSections(python, parameters));
  return results;
}

async function runAndReport() {
  start.disabled = true;
  try {
    const results = await run();
    view.finish(results);
    const { device, versions, rows, sections } = results;
    const tables = [operationSection(rows), ...sections];
    offerReport(reportOf({ renderer: device.renderer, versions, sections: tables }));
    send("/result", report(results).slice(0, MAX_CHARACTERS));
  } catch (error) {
    console.error(error);
    view.fail(textOf(error));
    send("/result", `failed: ${textOf(error)}`);
  } finally {
    start.disabled = false;
  }
}

start.addEventListener("click", runAndReport);
whenNotShared(() => parameters.auto && runAndReport());
