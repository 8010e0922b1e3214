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
/**
 * Encoders and what they encode, with backends. Weights are float32.
 *
 * @type {[string, string, string][]}
 */
const ENCODERS = [
  ["MiniLM-L6", "32 x 128 tokens", "webgpu"],
  ["Whisper-tiny", "30 s of sound", "webgpu"],
  ["MiniLM-L6", "32 x 128 tokens", "webgl"],
  ["Whisper-tiny", "30 s of sound", "webgl"],
  ["small texts", "2 x 8 tokens", "wasm"],
  ["small sounds", "1 s of sound", "wasm"],
];
/** Tokens of the text of a sound. */
const SOUND_TOKENS = 100;

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

const ENCODER_COLUMNS = [
  "",
  "load s",
  "1st encoder ms",
  "encoder ms",
  "1st token ms",
  "tokens/s",
  "thread ms",
  `with ${SOUND_TOKENS} tokens, ms`,
  "MB",
];

/** @typedef {{ row: string[], kernels?: (string | number)[][] }} Measured */

/** @param {any} model @returns {Promise<(string | number)[][]>} */
async function kernelsOf(model) {
  return SHOWS_KERNELS ? JSON.parse(await model.kernels()) : [];
}

/** Returns the least of the times of several rounds. @param {() => Promise<number>} measure */
async function fastest(measure) {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) least = Math.min(least, await measure());
  return least;
}

/** @param {any} module @param {string} name @param {string} backend @returns {Promise<Measured>} */
async function measuredEncoder(module, name, backend) {
  const started = performance.now();
  const model = await module.load(backend, name, 0);
  const load = (performance.now() - started) / 1e3;
  try {
    const first = await model.encode();
    const encoder = await fastest(() => model.encode());
    const times = [load, first, encoder];
    if (!model.decodes)
      return { row: [...times.map(digits), "", "", "", "", digits(model.memory() / 1e6)] };
    const compiling = await model.decode(1);
    const token = await fastest(() => model.decode(SOUND_TOKENS));
    const sum = encoder + SOUND_TOKENS * token;
    const others = [compiling, 1e3 / token, model.thread_ms, sum, model.memory() / 1e6];
    return { row: [...times, ...others].map(digits), kernels: await kernelsOf(model) };
  } finally {
    model.destroy();
  }
}

/**
 * @param {any} module @param {string} name @param {number} bits @param {string} backend @param {number} length
 * @returns {Promise<Measured>}
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
    const token = await fastest(() => model.decode(TOKENS));
    const speeds = [(length / prompt) * 1e3, compiling, 1e3 / token, model.thread_ms];
    const row = [load, first, ...speeds, model.memory() / 1e6].map(digits);
    return { row, kernels: await kernelsOf(model) };
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
  /** @type {Section} */
  const encoders = {
    title: "Encoders of texts and sounds",
    columns: ENCODER_COLUMNS,
    rows: [],
    notes: [],
  };
  const sections = [section, encoders];
  const shown = () => sections.filter(({ rows }) => rows.length > 0);
  /** @param {Section} own @param {string} name @param {() => Promise<Measured>} measure */
  async function addRow(own, name, measure) {
    const wanted =
      only.length > 0 ? only.some((part) => name.includes(part)) : !name.startsWith(SMALL);
    if (!wanted) return;
    await report(name);
    try {
      const { row, kernels = [] } = await measure();
      own.rows.push([name, ...row]);
      if (kernels.length > 0) sections.push(kernelSection(name, kernels));
    } catch (error) {
      own.rows.push([name, "failed"]);
      own.notes.push(`${name}: ${error}`);
    }
    showSections(shown());
    send("/log", own.rows[own.rows.length - 1].join("  "));
  }
  for (const [model, bits, backend] of CASES) {
    const name = `${model} ${bits ? `int${bits}` : "float32"} ${backend}`;
    await addRow(section, name, () => measured(module, model, bits, backend, length));
  }
  for (const [model, task, backend] of ENCODERS)
    await addRow(encoders, `${model}, ${task} ${backend}`, () =>
      measuredEncoder(module, model, backend),
    );
  const { renderer } = device;
  return {
    renderer,
    versions,
    device,
    sections: shown(),
    summary: { failed: sections.reduce((sum, { notes }) => sum + notes.length, 0) },
  };
}

startPage(run);
