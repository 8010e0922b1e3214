/**
 * @file Reports that visitors keep and send: the tables of a page, as a file and as an address that shows them again.
 *
 * The address has the whole report behind its `#`, compressed, so nothing is sent to a server.
 */

import { find } from "../web/src/ui/dom.js";
import { textOf } from "../web/src/ui/error_text.js";
import { saveFile } from "../web/src/ui/save_file.js";

/** @import { Section } from "./results.js" */

/**
 * @typedef {object} Report
 * @property {1} format
 * @property {string} page name of the page that measured
 * @property {string} date
 * @property {string} renderer of the GPU
 * @property {string} browser
 * @property {Record<string, string>} versions of libraries
 * @property {Section[]} sections
 */

const MARK = "#report=";
/** Bytes of the longest report; longer ones are damaged, or made to fill the memory. */
const LONGEST = 1 << 20;

/** @param {Pick<Report, "renderer" | "versions" | "sections">} results @returns {Report} */
export function reportOf({ renderer, versions, sections }) {
  return {
    format: 1,
    page: location.pathname.split("/").at(-1)?.replace(".html", "") || "index",
    date: new Date().toISOString().slice(0, 16),
    renderer,
    browser: navigator.userAgent,
    versions,
    sections,
  };
}

/** @param {Uint8Array<ArrayBuffer>} bytes @param {GenericTransformStream} transform */
function through(bytes, transform) {
  return new Blob([bytes]).stream().pipeThrough(transform);
}

/** @param {Report} report */
export async function linkOf(report) {
  const text = new TextEncoder().encode(JSON.stringify(report));
  const packed = through(text, new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  const letters = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  const safe = letters.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  return `${location.origin}${location.pathname}${MARK}${safe}`;
}

/** @param {ReadableStream<Uint8Array>} stream */
async function boundedText(stream) {
  const decoder = new TextDecoder();
  let [text, length] = ["", 0];
  for await (const part of /** @type {AsyncIterable<Uint8Array>} */ (
    /** @type {unknown} */ (stream)
  )) {
    length += part.length;
    if (length > LONGEST) throw new Error(`more than ${LONGEST} bytes`);
    text += decoder.decode(part, { stream: true });
  }
  return text;
}

/** @param {unknown} value */
const isText = (value) => typeof value === "string";
/** @param {unknown} value */
const isCell = (value) => typeof value === "string" || typeof value === "number";

/** @param {any} value @returns {value is Report} */
function isReport(value) {
  /** @param {any} section */
  const isSection = ({ title, columns, rows, notes }) =>
    isText(title) &&
    columns.every(isText) &&
    notes.every(isText) &&
    rows.every((/** @type {unknown[]} */ row) => row.every(isCell));
  const { format, date, renderer, browser, versions, sections } = value;
  return (
    format === 1 &&
    [date, renderer, browser, ...Object.values(versions)].every(isText) &&
    sections.every(isSection)
  );
}

/** Returns the report in the page's address, or null if there is none. @returns {Promise<Report | null>} */
export async function sharedReport() {
  if (!location.hash.startsWith(MARK)) return null;
  const letters = location.hash.slice(MARK.length).replaceAll("-", "+").replaceAll("_", "/");
  try {
    const bytes = Uint8Array.from(atob(letters), (letter) => letter.charCodeAt(0));
    const report = JSON.parse(
      await boundedText(through(bytes, new DecompressionStream("deflate-raw"))),
    );
    if (isReport(report)) return report;
  } catch (error) {
    console.error(error);
  }
  throw new Error("report: the address has no whole report; ask for it again, or measure here");
}

/** Lets the visitor save a report, and copy its address. @param {Report} report */
export function offerReport(report) {
  const said = find("sharing", HTMLElement);
  find("save-report", HTMLButtonElement).onclick = () => {
    const file = new Blob([JSON.stringify(report, null, 1)], { type: "application/json" });
    saveFile(`py_tensor-${report.page}-${report.date.slice(0, 10)}.json`, file);
  };
  find("copy-link", HTMLButtonElement).onclick = async () => {
    try {
      await navigator.clipboard.writeText(await linkOf(report));
      said.textContent = "Copied. The address holds all results; nothing was sent.";
    } catch (error) {
      said.textContent = textOf(error);
    }
  };
}
