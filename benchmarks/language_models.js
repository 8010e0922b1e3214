/** @file Entry point of the page of language models: prompts and decoding with random weights of true shapes. */

import { measureDevice } from "./device_limits.js";
import { PythonSide } from "./python_side.js";
import { digits } from "./results.js";
import { report, send, showSections, startPage } from "./section_page.js";

/** @import { Section } from "./results.js" */

const POSITIONS = 1024;
const PROMPT = 512;
/** Tokens that are decoded for each number of a row; the first of them compiles. */
const TOKENS = 64;
const ROUNDS = 3;

/**
 * Models, bits of their weights (0 for float32), and backends; the address chooses with `only=`.
 *
 * @type {[string, number, string][]}
 */
const CASES = [
  ["SmolLM2-135M", 0, "webgpu"],
  ["SmolLM2-135M", 4, "webgpu"],
  ["Qwen3-0.6B", 4, "webgpu"],
  ["SmolLM2-135M", 0, "webgl"],
  ["SmolLM2-135M", 4, "webgl"],
  ["Qwen3-0.6B", 4, "webgl"],
  ["SmolLM2-135M", 8, "wasm"],
  ["small", 8, "wasm"],
];
/** Pages whose address has `kernels` also show the time of each kernel of a token. */
const SHOWS_KERNELS = new URLSearchParams(location.search).has("kernels");
/** Models that run only if they are asked for: their times say little. */
const SMALL = "small";

const COLUMNS = [
  "",
  "load s",
  "1st prompt ms",
  "prompt tokens/s",
  "1st token ms",
  "tokens/s",
  "thread ms",
  "MB",
];

const KERNEL_COLUMNS = ["", "runs", "us"];

/**
 * @param {any} module @param {string} name @param {number} bits @param {string} backend @param {number} length
 * @returns {Promise<{ row: string[], kernels: (string | number)[][] }>}
 */
async function measured(module, name, bits, backend, length) {
  const started = performance.now();
  const model = await module.load(backend, name, bits);
  const load = (performance.now() - started) / 1e3;
  try {
    const first = await model.prompt(length, POSITIONS);
    const prompt = Math.min(
      await model.prompt(length, POSITIONS),
      await model.prompt(length, POSITIONS),
    );
    const compiling = await model.decode(1);
    let token = Number.POSITIVE_INFINITY;
    for (let round = 0; round < ROUNDS; round++)
      token = Math.min(token, await model.decode(TOKENS));
    const speeds = [(length / prompt) * 1e3, compiling, 1e3 / token, model.thread_ms];
    const row = [load, first, ...speeds, model.memory() / 1e6].map(digits);
    return { row, kernels: SHOWS_KERNELS ? JSON.parse(await model.kernels()) : [] };
  } finally {
    model.destroy();
  }
}

/** @param {string} name @param {(string | number)[][]} rows @returns {Section} */
function kernelSection(name, rows) {
  const shown = rows.map(([kernel, shape, runs, time]) => [`${kernel} ${shape}`, runs, time]);
  return { title: `Kernels of a token: ${name}`, columns: KERNEL_COLUMNS, rows: shown, notes: [] };
}

async function run() {
  const query = new URLSearchParams(location.search);
  const only = (query.get("only") ?? "").split(",").filter(Boolean);
  const length = Number(query.get("prompt") ?? PROMPT);
  const device = measureDevice();
  const python = new PythonSide();
  const versions = { py_tensor: await python.start((step) => report(step), false) };
  const module = python.module("language_models");
  /** @type {Section} */
  const section = {
    title: `Prompts of ${length} tokens, and decoding`,
    columns: COLUMNS,
    rows: [],
    notes: [],
  };
  const sections = [section];
  for (const [model, bits, backend] of CASES) {
    const name = `${model} ${bits ? `int${bits}` : "float32"} ${backend}`;
    const wanted = only.length > 0 ? only.some((part) => name.includes(part)) : model !== SMALL;
    if (!wanted) continue;
    await report(name);
    try {
      const { row, kernels } = await measured(module, model, bits, backend, length);
      section.rows.push([name, ...row]);
      if (kernels.length > 0) sections.push(kernelSection(name, kernels));
    } catch (error) {
      section.rows.push([name, "failed"]);
      section.notes.push(`${name}: ${error}`);
    }
    showSections(sections);
    send("/log", section.rows[section.rows.length - 1].join("  "));
  }
  const { renderer } = device;
  return {
    renderer,
    versions,
    device,
    sections,
    summary: { failed: section.notes.length },
  };
}

startPage(run);
