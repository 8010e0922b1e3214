/** @file The report of a model's speed, as text, JSON or a picture. */

import { formatBytes, formatNumber } from "../../../ui/metrics.js";

/** @import { Measured } from "../../../../../benchmarks/trained.js" */
/** @import { Spread } from "./stage_times.js" */

/**
 * @typedef {{ side: number, failure: string | null, median: number | null, picture: [number, number] | null }} SideTime
 *
 * @typedef {object} Report
 * @property {string} model
 * @property {string} format
 * @property {string} inputs
 * @property {number} parameters
 * @property {number | null} multiplyAdds
 * @property {string} backend
 * @property {string} browser
 * @property {number} loadMs
 * @property {number | null} compileMs
 * @property {number | null} firstMs
 * @property {number} runs
 * @property {number | null} runsPerSecond
 * @property {Record<string, Spread | null>} stages
 * @property {Record<string, number>} memory
 * @property {SideTime[]} sizes
 * @property {Measured[]} comparison
 */

const MARGIN = 28; // pixels of the picture
const LINE = 22;
const FONT = 14;
const SIDE = 160; // height of a picture

/** Rounds to four significant digits. @param {Report} report @returns {string} */
export function reportJson(report) {
  const rounded = (/** @type {string} */ _, /** @type {unknown} */ value) =>
    typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value;
  return JSON.stringify(report, rounded, 1);
}

/** @param {Report} report @returns {string} */
export function reportText(report) {
  /** @param {number | null | undefined} ms */
  const time = (ms) => (typeof ms === "number" ? `${formatNumber(ms)} ms` : "not measured");
  const lines = [
    `py_tensor: ${report.model} (${report.format})`,
    "",
    row("inputs", report.inputs),
    row("parameters", report.parameters.toLocaleString("en")),
    row("multiply-adds", report.multiplyAdds?.toLocaleString("en") ?? "not known"),
    row("backend", report.backend),
    row("browser", report.browser),
    "",
    row("loading", time(report.loadMs)),
    row("compiling", time(report.compileMs)),
    row("first run", time(report.firstMs)),
    row(
      "runs per second",
      report.runsPerSecond === null ? "not measured" : formatNumber(report.runsPerSecond),
    ),
  ];
  for (const [name, spread] of Object.entries(report.stages)) {
    if (!spread) continue;
    const range = `${formatNumber(spread.low)} to ${formatNumber(spread.high)}`;
    lines.push(row(`${name}, ${report.runs} runs`, `${time(spread.median)} (${range})`));
  }
  lines.push(row("memory", formatBytes(report.memory.gpuBytes)));
  if (report.sizes.length) lines.push("");
  for (const { side, failure, median } of report.sizes)
    lines.push(row(`${side} × ${side}`, failure ?? time(median)));
  if (report.comparison.length) lines.push("");
  for (const { library, failure, median, first } of report.comparison)
    lines.push(row(library, failure ?? `${time(median)}, first call ${time(first)}`));
  return `${lines.join("\n")}\n`;
}

/** @param {string} name @param {string} text */
function row(name, text) {
  return `${name.padEnd(24)}${text}`;
}

/**
 * Draws the report's text to a picture, and the pictures of the model below it.
 *
 * @param {Report} report
 * @param {[string, HTMLCanvasElement][]} pictures with their captions
 * @returns {Promise<Blob | null>}
 */
export function reportPicture(report, pictures) {
  const lines = reportText(report).trimEnd().split("\n");
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d");
  if (!context) return Promise.resolve(null);
  const style = getComputedStyle(document.body);
  const font = `${FONT}px ${style.getPropertyValue("--mono")}`;
  context.font = font;
  const widths = pictures.map(([caption, { width, height }]) =>
    Math.max((SIDE * width) / height, context.measureText(caption).width),
  );
  const row = widths.reduce((sum, width) => sum + width + MARGIN, -MARGIN);
  const width = Math.max(row, ...lines.map((line) => context.measureText(line).width));
  const end = lines.length * LINE + 2 * MARGIN;
  canvas.width = Math.ceil(width) + 2 * MARGIN;
  canvas.height = end + (pictures.length ? SIDE + LINE + MARGIN : 0);
  context.fillStyle = style.getPropertyValue("--card");
  context.fillRect(0, 0, canvas.width, canvas.height);
  const bands = ["--red", "--green", "--blue", "--alpha"];
  for (const [at, name] of bands.entries()) {
    context.fillStyle = style.getPropertyValue(name);
    context.fillRect((at * canvas.width) / bands.length, 0, canvas.width / bands.length, 6);
  }
  context.font = font;
  context.fillStyle = style.getPropertyValue("--ink");
  for (const [at, line] of lines.entries()) {
    context.fillText(line, MARGIN, MARGIN + at * LINE + FONT);
  }
  let left = MARGIN;
  for (const [at, [caption, picture]] of pictures.entries()) {
    context.drawImage(picture, left, end, (SIDE * picture.width) / picture.height, SIDE);
    context.fillText(caption, left, end + SIDE + FONT);
    left += widths[at] + MARGIN;
  }
  return new Promise((resolve) => canvas.toBlob(resolve));
}
