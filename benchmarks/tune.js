/**
 * @file Entry point of the page that times one operation of py_tensor, to tune its kernels. The parameter `code` of its address is
 * Python text that defines `run()`, which returns a tensor; `backend`, `rounds` and `ms` choose where and how long it runs.
 */

import { find } from "../web/src/ui/dom.js";
import { adapterLine } from "./adapter.js";
import { rendererName } from "./device_limits.js";
import { parametersOf } from "./parameters.js";
import { PythonSide } from "./python_side.js";
import { digits } from "./results.js";
import { report, showSections, startPage } from "./section_page.js";
import { calibrate, median } from "./timing.js";

/** @import { Section } from "./results.js" */

/**
 * Kernels of a call, in order; null if its backend has no timer.
 *
 * @typedef {{ name: string, line: string, shape: number[], ms: number | null, kilobytes: number }} KernelTime
 */

const EXAMPLE = `import py_tensor as pt

a, b = pt.random.uniform((1024, 1024)), pt.random.uniform((1024, 1024))

def run():
    return a @ b
`;
const query = new URLSearchParams(location.search);
const code = find("code", HTMLTextAreaElement);
code.value = query.get("code") ?? EXAMPLE;

/** @type {PythonSide | null} */
let python = null;
let version = "";

/** @param {KernelTime[]} kernels @param {string} timer @returns {Section} */
function kernelSection(kernels, timer) {
  return {
    title: `Kernels, timed by ${timer}`,
    columns: ["", "ms", "kB moved", "GB/s", "shape", "line"],
    rows: kernels.map(({ name, line, shape, ms, kilobytes }) => [
      name,
      ms === null ? "-" : digits(ms),
      digits(kilobytes),
      ms ? digits(kilobytes / ms / 1e3) : "-",
      shape.join("x"),
      line,
    ]),
    notes: [],
  };
}

async function run() {
  const parameters = parametersOf(location.search);
  if (!python) {
    python = new PythonSide();
    version = await python.start((step) => report(step), parameters.wait);
  }
  const backend = query.get("backend") ?? "webgpu";
  await python.ready(backend);
  await report("Measuring");
  const tuning = python.module("tuning").prepare(code.value, backend);
  const round = tuning[tuning.asynchronous ? "round_async" : "round"];
  const side = { round: async (/** @type {number} */ repetitions) => round(repetitions) };
  const first = await side.round(1);
  const repetitions = await calibrate(side, parameters.milliseconds);
  const times = [];
  for (let round = 0; round < parameters.rounds; round++) {
    times.push((await side.round(repetitions)) / repetitions);
  }
  const { timer, kernels } = JSON.parse(await tuning.profile());
  tuning.destroy();
  const sections = [
    {
      title: `py_tensor ${backend}, ms`,
      columns: ["", "median", "minimum", "first", "calls"],
      rows: [["run()", median(times), Math.min(...times), first, String(repetitions)]],
      notes: [],
    },
    kernelSection(kernels, timer),
  ];
  showSections(sections);
  return {
    renderer: `${rendererName()}\n${await adapterLine()}`,
    versions: { py_tensor: version },
    rows: kernels,
    sections,
    summary: { failed: 0 },
  };
}

startPage(run);
