/**
 * @file Entry point of the page that measures how pages start: each in a frame of its own, one after the other. `rounds` of its address
 * is the number of starts of each page, `only` has parts of the names of those to start.
 */

import { find, make } from "../web/src/ui/dom.js";
import { rendererName } from "./device_limits.js";
import { parametersOf } from "./parameters.js";
import { report, send, showSections, startPage } from "./section_page.js";
import { median } from "./timing.js";

/** @import { Section } from "./results.js" */
/** @import { Start } from "./start/measured.js" */

/**
 * @typedef {object} Row
 * @property {string} name
 * @property {Start[]} starts
 * @property {number} bytes of all files, as the server sends them
 * @property {string} [error]
 * @property {number} [ready] median of milliseconds; also `values`
 * @property {number} [values]
 * @property {number} [fastest] milliseconds until the values of the fastest start
 * @property {number} [slowest]
 * @property {number | null} [longestTask] median; null if the browser does not tell
 * @property {number} [requests]
 * @property {number | null} [ratio] TensorFlow.js's median divided by this one
 */

const TENSORFLOW = "TensorFlow.js";
const WASM = "backend=wasm";
const WEBGL = "backend=webgl";
/** Addresses of the pages by their names in the table. */
const PAGES = {
  "snapshot wasm": `plain.html?${WASM}`,
  "snapshot webgl": `plain.html?${WEBGL}`,
  "snapshot wasm, page's thread": `plain.html?${WASM}&thread=page`,
  "archives wasm": `plain.html?${WASM}&start=archives`,
  "wheel wasm": `plain.html?${WASM}&start=wheel`,
  [TENSORFLOW]: "tensorflow.html",
};
const COLUMNS = ["", "ready ms", "values ms", "range ms", "task ms", "requests", "MB", "ratio"];
const ROUNDS = 9;
const LIMIT_MILLISECONDS = 120_000;
/** Milliseconds between two starts, for what is left of the frame before. */
const PAUSE = 200;

/** Starts a page in a new frame. @param {string} address @returns {Promise<Start>} */
async function started(address) {
  const frame = make("iframe", {
    src: `./start/${address}`,
    title: "Page whose start is measured",
  });
  const { promise, resolve, reject } = Promise.withResolvers();
  /** @param {MessageEvent} event */
  const receive = ({ source, data }) => {
    if (source !== frame.contentWindow) return;
    if (data.error) reject(new Error(data.error));
    else resolve(data);
  };
  const late = () => reject(new Error(`no values after ${LIMIT_MILLISECONDS / 1000} s`));
  const timer = setTimeout(late, LIMIT_MILLISECONDS);
  addEventListener("message", receive);
  find("frame", HTMLElement).replaceChildren(frame);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    removeEventListener("message", receive);
    frame.remove();
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}

/** @param {Start} start */
const bytesOf = ({ files }) => files.reduce((sum, file) => sum + file.encodedBodySize, 0);

/** Adds the medians of a page's starts to its row. @param {Row} row */
function summarise(row) {
  const { starts } = row;
  const values = starts.map((start) => start.values);
  const tasks = starts.flatMap(({ longestTask }) => longestTask ?? []);
  Object.assign(row, {
    ready: median(starts.map(({ ready }) => ready)),
    values: median(values),
    fastest: Math.min(...values),
    slowest: Math.max(...values),
    longestTask: tasks.length > 0 ? median(tasks) : null,
    requests: starts[0].files.length,
  });
}

/** @param {Row[]} rows @returns {Section} */
function section(rows) {
  const whole = (/** @type {number} */ value) => value.toFixed(0);
  /** @param {Row} row */
  const cells = ({ name, error, ...row }) => {
    if (error) return [name, error];
    if (row.values === undefined) return [name];
    return [
      name,
      whole(row.ready ?? 0),
      whole(row.values),
      `${whole(row.fastest ?? 0)}-${whole(row.slowest ?? 0)}`,
      row.longestTask === null ? "-" : row.longestTask ? whole(row.longestTask) : "<50",
      row.requests ?? 0,
      row.bytes / 1e6,
      row.ratio ?? "-",
    ];
  };
  return { title: "Starts", columns: COLUMNS, rows: rows.map(cells), notes: [] };
}

async function run() {
  const { only, rounds } = parametersOf(location.search);
  const count = new URLSearchParams(location.search).has("rounds") ? rounds : ROUNDS;
  const chosen = Object.entries(PAGES).filter(
    ([name]) => only.length === 0 || only.some((part) => name.includes(part)),
  );
  /** @type {Row[]} */
  const rows = chosen.map(([name]) => ({ name, starts: [], bytes: 0 }));
  // The first round fills the browser's cache.
  for (let round = 0; round <= count; round++) {
    for (const [i, [name, address]] of chosen.entries()) {
      const row = rows[i];
      if (row.error) continue;
      await report(`${round === 0 ? "First visit" : `${round} of ${count}`}: ${name}`);
      try {
        const start = await started(address);
        // Scripts in the browser's memory count as empty.
        row.bytes = Math.max(row.bytes, bytesOf(start));
        if (round > 0) row.starts.push(start);
      } catch (error) {
        row.error = /** @type {Error} */ (error).message;
      }
      if (row.starts.length > 0) summarise(row);
      showSections([section(rows)]);
      send(
        "/log",
        `${round} of ${count}, ${name}: ${row.error ?? row.starts.at(-1)?.values ?? "-"}`,
      );
    }
  }
  const theirs = rows.find(({ name }) => name === TENSORFLOW)?.values;
  for (const row of rows) row.ratio = theirs && row.values ? theirs / row.values : null;
  const failed = rows.filter(({ error }) => error).length;
  const sections = [section(rows)];
  return { renderer: rendererName(), versions: {}, rows, sections, summary: { failed } };
}

startPage(run);
