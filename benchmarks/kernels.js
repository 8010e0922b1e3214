/** @file Entry point of the page of kernels: py_tensor's, gpu.js's and hand-written GLSL. */

import { isTimed } from "./attempt.js";
import { measureDevice } from "./device_limits.js";
import { prepare, start } from "./gpu_js.js";
import { kernelWorkloads } from "./kernel_workloads.js";
import { hasFailed, measure } from "./measure.js";
import { parametersOf } from "./parameters.js";
import { PythonSide } from "./python_side.js";
import { digits } from "./results.js";
import { report, send, showSections, startPage } from "./section_page.js";
import { nameOf, selected } from "./workloads.js";

/** @import { Outcome, Prepare } from "./attempt.js" */
/** @import { Row } from "./measure.js" */
/** @import { Section } from "./results.js" */

/** @typedef {{ name: string, gpuJs: Row, glsl: Row }} Measured */

const PEERS = { gpuJs: "gpu.js", glsl: "GLSL" };

/** @param {Outcome} outcome @param {"median" | "first"} which */
function time(outcome, which) {
  if (isTimed(outcome)) return digits(outcome[which]);
  return outcome === null ? "-" : "failed";
}

/** @param {Measured[]} rows @returns {Section} */
function sectionOf(rows) {
  const shown = (/** @type {number | null} */ ratio) => (ratio === null ? "-" : digits(ratio));
  return {
    title: "Times",
    columns: ["", "ours ms", "gpu.js", "ratio", "GLSL", "ratio", "1st ours", "1st", "limit ms"],
    rows: rows.map(({ name, gpuJs, glsl }) => [
      name,
      time(gpuJs.ours, "median"),
      time(gpuJs.theirs, "median"),
      shown(gpuJs.ratio),
      time(glsl.theirs, "median"),
      shown(glsl.ratio),
      time(gpuJs.ours, "first"),
      time(gpuJs.theirs, "first"),
      digits(gpuJs.limit),
    ]),
    notes: rows.flatMap((row) =>
      /** @type {const} */ (["gpuJs", "glsl"]).flatMap((peer) => {
        const { ours, theirs, comparison } = row[peer];
        const errors = Object.entries({ py_tensor: ours, [PEERS[peer]]: theirs }).flatMap(
          ([name, outcome]) =>
            outcome && "error" in outcome ? [`${row.name}, ${name}: ${outcome.error}`] : [],
        );
        const same = comparison ? [`${row.name}, ${PEERS[peer]}: ${comparison.text}`] : [];
        return errors.length > 0 ? errors : same;
      }),
    ),
  };
}

async function run() {
  const parameters = parametersOf(location.search);
  const workloads = selected(kernelWorkloads(parameters.scale), parameters.only);
  await report("Measuring the device");
  const device = measureDevice();
  const python = new PythonSide();
  const pyTensor = await python.start((step) => report(step), parameters.wait);
  const versions = { py_tensor: pyTensor, "gpu.js": start() };
  /** @type {Prepare} */
  const ours = (workload, arrays) => python.prepare(workload, arrays, "webgl");
  /** @type {Prepare} */
  const glsl = (workload, arrays) =>
    python.prepare({ ...workload, operation: `${workload.operation}_glsl` }, arrays, "webgl");
  /** @type {Measured[]} */
  const rows = [];
  for (const [number, workload] of workloads.entries()) {
    const name = nameOf(workload);
    await report(`${number + 1} of ${workloads.length}: ${name}`);
    rows.push({
      name,
      gpuJs: await measure(workload, { ours, theirs: prepare }, parameters, device),
      glsl: await measure(workload, { ours, theirs: glsl }, parameters, device),
    });
    const section = sectionOf(rows);
    showSections([section]);
    send("/log", section.rows[number].join("  "));
  }
  const failed = rows.filter(({ gpuJs, glsl }) => hasFailed(gpuJs) || hasFailed(glsl)).length;
  const { renderer } = device;
  return {
    renderer,
    versions,
    parameters,
    device,
    rows,
    sections: [sectionOf(rows)],
    summary: { failed },
  };
}

startPage(run);
