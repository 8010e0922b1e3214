/** @file View of the page: progress, limits, the table with its bars, the results as text and JSON. */

import { find, make } from "../web/src/ui/dom.js";
import { isTimed } from "./attempt.js";
import { hasFailed } from "./measure.js";
import { report } from "./report.js";
import { digits } from "./results.js";

/** @import { Outcome } from "./attempt.js" */
/** @import { Row } from "./measure.js" */
/** @import { Results, Section } from "./results.js" */

/** @param {Outcome} outcome @param {"first" | "median" | "minimum"} which */
function time(outcome, which) {
  if (isTimed(outcome)) return digits(outcome[which]);
  return outcome === null ? "–" : "failed";
}

/** Bars for the times of both libraries, scaled to the longer one. @param {Row} row */
function bars({ ours, theirs }) {
  const longest = Math.max(...[ours, theirs].map((side) => (isTimed(side) ? side.median : 0)));
  /** @param {string} kind @param {Outcome} outcome */
  const bar = (kind, outcome) => {
    const element = make("span", { className: `bar-of-time ${kind}` });
    element.style.width = `${isTimed(outcome) ? (100 * outcome.median) / longest : 0}%`;
    return element;
  };
  return make(
    "span",
    { className: "bars", ariaHidden: "true" },
    bar("ours", ours),
    bar("theirs", theirs),
  );
}

/** @param {Row} row */
function note({ ours, theirs, comparison }) {
  const errors = Object.entries({ py_tensor: ours, "TensorFlow.js": theirs }).flatMap(
    ([name, outcome]) => (outcome && "error" in outcome ? [`${name}: ${outcome.error}`] : []),
  );
  if (errors.length > 0) return errors.join("; ");
  if (comparison) return comparison.text;
  return ours === null ? "no counterpart in py_tensor" : "no counterpart in TensorFlow.js";
}

/** @param {Row} row */
function rowElement(row) {
  const { name, ours, theirs, ratio, limit, share } = row;
  /** @param {string} label @param {...(string | Node)} content */
  const cell = (label, ...content) => make("td", { "data-label": label }, ...content);
  const verdict = ratio === null ? "" : ratio < 1 ? "slower" : "faster";
  return make(
    "tr",
    { className: hasFailed(row) ? "failed" : verdict, "data-name": name },
    make("th", { scope: "row" }, name, make("small", {}, note(row))),
    cell("py_tensor, ms", time(ours, "median"), make("small", {}, `min ${time(ours, "minimum")}`)),
    cell(
      "TensorFlow.js, ms",
      time(theirs, "median"),
      make("small", {}, `min ${time(theirs, "minimum")}`),
    ),
    cell("Ratio", ratio === null ? "–" : `${digits(ratio)}×`, bars(row)),
    cell("First run, ms", time(ours, "first"), make("small", {}, `TF ${time(theirs, "first")}`)),
    cell(
      "Limit, ms",
      digits(limit),
      make("small", {}, share === null ? "–" : `${digits(100 * share)} %`),
    ),
  );
}

/** @param {Section} section */
export function sectionElement({ title, columns, rows, notes }) {
  const head = make("tr", {}, ...columns.map((name) => make("th", { scope: "col" }, name)));
  const body = rows.map((row) => {
    const texts = row.map((value) => (typeof value === "number" ? digits(value) : value));
    return make("tr", {}, ...texts.map((text) => make("td", {}, text)));
  });
  const table = make("table", {}, make("thead", {}, head), make("tbody", {}, ...body));
  const said = notes.map((note) => make("p", { className: "hint" }, note));
  return make(
    "section",
    {},
    make("h2", {}, title),
    make("div", { className: "wide" }, table),
    ...said,
  );
}

export function createView() {
  const status = find("status", HTMLElement);
  const progress = find("progress", HTMLProgressElement);
  const table = find("table", HTMLTableElement);
  const body = make("tbody");
  table.append(body);
  const summary = find("summary", HTMLElement);
  const limits = find("limits", HTMLElement);
  const sections = find("sections", HTMLElement);
  const texts = find("texts", HTMLElement);

  /** @param {string} label @param {string} value */
  const tile = (label, value) => make("div", {}, make("dt", {}, label), make("dd", {}, value));

  /** @param {Results} results */
  function show({ device, rows, summary: { geometricMean, slower, compared, failed } }) {
    for (const row of rows.slice(body.children.length)) body.append(rowElement(row));
    limits.replaceChildren(
      tile("Arithmetic", `${digits(device.flops / 1e9)} GFLOP/s`),
      tile("Copy", `${digits(device.bytesPerSecond / 1e9)} GB/s`),
      tile("One small draw", `${digits(device.drawMicroseconds)} µs`),
    );
    summary.replaceChildren(
      tile("Geometric mean of ratios", geometricMean === null ? "–" : `${digits(geometricMean)}×`),
      tile("Slower than TensorFlow.js", `${slower} of ${compared}`),
      tile("Failed", String(failed)),
    );
    find("renderer", HTMLElement).textContent = device.renderer;
  }

  return {
    show,

    /** @param {string} text @param {number} [fraction] */
    status(text, fraction) {
      status.textContent = text;
      if (fraction === undefined) progress.removeAttribute("value");
      else progress.value = fraction;
      progress.hidden = false;
    },

    /** Resolves after the browser had an opportunity to paint. */
    painted: () => new Promise((resolve) => setTimeout(resolve)),

    /** @param {Results} results */
    finish(results) {
      show(results);
      sections.replaceChildren(...results.sections.map(sectionElement));
      find("text", HTMLElement).textContent = report(results);
      find("json", HTMLElement).textContent = JSON.stringify(results, null, 1);
      texts.hidden = false;
      progress.hidden = true;
      status.textContent = "Finished";
      document.body.dataset.state = "finished";
    },

    /** @param {string} text */
    fail(text) {
      progress.hidden = true;
      status.textContent = text;
      document.body.dataset.state = "failed";
    },
  };
}
