/** @file What pages of tables have in common: the button, the status, the table, the results as text and JSON. */

import { find } from "../web/src/ui/dom.js";
import { textOf } from "../web/src/ui/error_text.js";
import { sectionLines } from "./report.js";
import { linkOf, offerReport, reportOf, sharedReport } from "./shared_report.js";
import { sectionElement } from "./view.js";

/** @import { Section } from "./results.js" */
/** @import { Report } from "./shared_report.js" */

/**
 * @typedef {object} SectionResults
 * @property {string} renderer
 * @property {Record<string, string>} versions
 * @property {Section[]} sections
 * @property {{ failed: number }} summary
 */

const auto = new URLSearchParams(location.search).has("auto");
const status = find("status", HTMLElement);

/** Posts text to the server of a page that started by itself; failures are ignored. @param {string} address @param {string} text */
export function send(address, text) {
  if (auto) fetch(address, { method: "POST", body: text }).catch(() => {});
}

/** @param {string} text */
export async function report(text) {
  status.textContent = text;
  // Resolves after the browser had an opportunity to paint.
  await new Promise((resolve) => setTimeout(resolve));
}

/** @param {Section[]} sections */
export function showSections(sections) {
  find("sections", HTMLElement).replaceChildren(...sections.map(sectionElement));
}

/** Lines that repeat a report as text. @param {Report} report */
function reportLines({ date, renderer, browser, versions, sections }) {
  const named = Object.entries(versions).map((pair) => pair.join(" "));
  return [`${date}  ${renderer}`, browser, named.join(", "), ...sections.flatMap(sectionLines)];
}

/** Shows the report of the page's address, if it has one; resolves to whether it has. */
async function showShared() {
  const report = await sharedReport();
  if (report === null) return false;
  showSections(report.sections);
  find("text", HTMLElement).textContent = reportLines(report).join("\n");
  find("json", HTMLElement).textContent = JSON.stringify(report, null, 1);
  find("texts", HTMLElement).hidden = false;
  offerReport(report);
  status.textContent = `Measured on ${report.date} on ${report.renderer}, elsewhere or earlier`;
  document.body.dataset.state = "shared";
  return true;
}

/** Shows the report of the page's address, or calls `begin`. @param {() => void} begin */
export async function whenNotShared(begin) {
  try {
    if (!(await showShared())) begin();
  } catch (error) {
    status.textContent = textOf(error);
    document.body.dataset.state = "failed";
  }
}

/** Runs when the button is pressed, or at once if the address says so. @param {() => Promise<SectionResults>} run */
export function startPage(run) {
  const start = find("start", HTMLButtonElement);

  async function runAndReport() {
    start.disabled = true;
    try {
      const results = await run();
      const report = reportOf(results);
      const text = [...reportLines(report), `failed: ${results.summary.failed}`].join("\n");
      showSections(results.sections);
      offerReport(report);
      find("text", HTMLElement).textContent = text;
      find("json", HTMLElement).textContent = JSON.stringify(results, null, 1);
      find("texts", HTMLElement).hidden = false;
      status.textContent = "Finished";
      document.body.dataset.state = "finished";
      // The address is how a report leaves a machine that only a program sees.
      send("/log", await linkOf(report));
      send("/result", text);
    } catch (error) {
      console.error(error);
      status.textContent = textOf(error);
      document.body.dataset.state = "failed";
      send("/result", `failed: ${textOf(error)}`);
    } finally {
      start.disabled = false;
    }
  }

  start.addEventListener("click", runAndReport);
  whenNotShared(() => auto && runAndReport());
}
