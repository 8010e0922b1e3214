/**
 * @file Entry point of the page that times operations of py_tensor, to tune its kernels. A parameter `code` of its address is Python
 * text that defines `run()`, which returns a tensor. There may be several, of which each starts with the settings of the one before.
 * `backend`, `rounds` and `ms` choose where and how long they run.
 */

import { find } from "../web/src/ui/dom.js";
import { adapterLine } from "./adapter.js";
import { rendererName } from "./device_limits.js";
import { parametersOf } from "./parameters.js";
import { PythonSide } from "./python_side.js";
import { report, send, showSections, startPage } from "./section_page.js";
import { calibrate, median } from "./timing.js";

/** @import { Parameters } from "./parameters.js" */
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
/** Line between the texts of programs. */
const SEPARATOR = "\n# ---\n";
const query = new URLSearchParams(location.search);
const code = find("code", HTMLTextAreaElement);
code.value = query.has("code") ? query.getAll("code").join(SEPARATOR) : EXAMPLE;

/** @type {PythonSide | null} */
let python = null;
let version = "";

/**
 * @param {PythonSide} python
 * @param {string} text
 * @param {string} backend
 * @param {Parameters} parameters
 */
async function tuned(python, text, backend, { rounds, milliseconds }) {
  const tuning = python.module("tuning").prepare(text, backend);
  const round = tuning[tuning.asynchronous ? "round_async" : "round"];
  const side = { round: async (/** @type {number} */ repetitions) => round(repetitions) };
  const first = await side.round(1);
  const repetitions = await calibrate(side, milliseconds);
  const times = [];
  for (let i = 0; i < rounds; i++) times.push((await side.round(repetitions)) / repetitions);
  /** @type {{ timer: string, kernels: KernelTime[] }} */
  const { timer, kernels } = JSON.parse(await tuning.profile());
  round.destroy();
  tuning.destroy();
  return { first, repetitions, median: median(times), minimum: Math.min(...times), timer, kernels };
}

/** @param {number} number @param {Awaited<ReturnType<typeof tuned>>} results @returns {Section} */
function sectionOf(number, { first, repetitions, median, minimum, timer, kernels }) {
  /** @param {KernelTime} kernel */
  const cells = ({ name, line, shape, ms, kilobytes }) => [
    name,
    ms ?? "-",
    "",
    "",
    kilobytes,
    ms ? kilobytes / ms / 1e3 : "-",
    shape.join("x"),
    line,
  ];
  const sum = kernels.reduce((sum, { ms }) => sum + (ms ?? 0), 0);
  return {
    title: `Program ${number}`,
    columns: ["", "ms", "min ms", "first ms", "kB moved", "GB/s", "shape", "line"],
    rows: [
      ["run()", median, minimum, first, "", "", "", `${repetitions} calls`],
      [`${kernels.length} kernels, by ${timer}`, sum, "", "", "", "", "", ""],
      ...kernels.map(cells),
    ],
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
  const texts = code.value.split(SEPARATOR);
  /** @type {Section[]} */
  const sections = [];
  const rows = [];
  for (const [at, text] of texts.entries()) {
    await report(`${at + 1} of ${texts.length}`);
    const results = await tuned(python, text, backend, parameters);
    rows.push(results);
    sections.push(sectionOf(at + 1, results));
    showSections(sections);
    send("/log", `${at + 1} of ${texts.length}: ${results.median} ms`);
  }
  const renderer = `${rendererName()}\n${await adapterLine()}`;
  const versions = { [`py_tensor ${backend}`]: version };
  return { renderer, versions, rows, sections, summary: { failed: 0 } };
}

startPage(run);
