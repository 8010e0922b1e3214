/** @file Formats the results as plain text. */

/** @import { Outcome } from "./attempt.js" */
/** @import { Row } from "./measure.js" */
/** @import { Results, Section } from "./results.js" */
import { isTimed } from "./attempt.js";
import { digits } from "./results.js";

const COLUMNS = ["ours ms", "tf ms", "ratio", "1st ours", "1st tf", "limit ms", "share"];
const NAME_WIDTH = 34;
const WIDTH = 8;
const ERROR_LENGTH = 70;

/** @param {string} name @param {string[]} cells @param {string[]} columns whose cells are as wide as their titles */
function line(name, cells, columns = []) {
  const padded = cells.map((cell, i) => cell.padStart(Math.max(WIDTH, columns[i]?.length ?? 0)));
  return `${name.padEnd(NAME_WIDTH)} ${padded.join(" ")}`;
}

/** @param {Outcome} outcome @param {"first" | "median"} which */
function time(outcome, which) {
  if (isTimed(outcome)) return digits(outcome[which]);
  return outcome === null ? "-" : "failed";
}

/** @param {Row} row */
function cellsOf({ ours, theirs, ratio, limit, share }) {
  return [
    time(ours, "median"),
    time(theirs, "median"),
    ratio === null ? "-" : digits(ratio),
    time(ours, "first"),
    time(theirs, "first"),
    digits(limit),
    share === null ? "-" : `${digits(100 * share)}%`,
  ];
}

/** Table of the workloads. @param {Row[]} rows @returns {Section} */
export function operationSection(rows) {
  const cells = rows.map((row) => [row.name, ...cellsOf(row)]);
  return { title: "Operations", columns: ["", ...COLUMNS], rows: cells, notes: [] };
}

/** Line of one workload, followed by a line for each error. @param {Row} row */
export function rowLines(row) {
  const { name, ours, theirs } = row;
  const lines = [line(name, cellsOf(row))];
  for (const [side, outcome] of Object.entries({ ours, theirs })) {
    if (outcome && "error" in outcome)
      lines.push(`  ${side}: ${outcome.error.slice(0, ERROR_LENGTH)}`);
  }
  return lines;
}

/** @param {Section} section */
export function sectionLines({ title, columns, rows, notes }) {
  const cells = rows.map((row) =>
    row.map((cell) => (typeof cell === "number" ? digits(cell) : cell)),
  );
  return [
    "",
    line(title, columns.slice(1)),
    ...cells.map(([name, ...rest]) => line(`  ${name}`, rest, columns.slice(1))),
    ...notes.map((note) => `  ${note.slice(0, ERROR_LENGTH)}`),
  ];
}

/** @param {Results} results */
export function report({ date, versions, parameters, device, rows, summary, sections }) {
  const { geometricMean, compared, slower, failed } = summary;
  const copies = device.copies.map(
    ({ megabytes, bytesPerSecond }) => `${digits(bytesPerSecond / 1e9)} (${megabytes} MB)`,
  );
  return [
    `${date}  ${device.renderer}`,
    Object.entries(versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(", "),
    `scale ${parameters.scale}, ${parameters.rounds} rounds of ${parameters.milliseconds} ms`,
    `limits: ${digits(device.flops / 1e9)} GFLOP/s, copy GB/s ${copies.join(", ")}, ` +
      `draw ${digits(device.drawMicroseconds)} us`,
    "",
    line("", COLUMNS),
    ...rows.flatMap(rowLines),
    "",
    geometricMean === null
      ? "nothing to compare"
      : `geometric mean of ratios ${digits(geometricMean)} over ${compared}; ` +
        `slower than TensorFlow.js: ${slower}`,
    `failed: ${failed}`,
    ...sections.flatMap(sectionLines),
  ].join("\n");
}
