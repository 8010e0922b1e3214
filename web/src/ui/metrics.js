/** @file A list of named metrics, and the formats of numbers on the page. */

/** The values of a definition list, which are set by name. */
export class Metrics {
  /** @type {Map<string, HTMLElement>} */
  #values = new Map();

  /** @param {HTMLElement} list contains elements with a data-metric attribute */
  constructor(list) {
    for (const value of list.querySelectorAll("[data-metric]")) {
      if (value instanceof HTMLElement) this.#values.set(value.dataset.metric ?? "", value);
    }
  }

  /** @param {Record<string, string>} texts */
  show(texts) {
    for (const [name, text] of Object.entries(texts)) {
      const value = this.#values.get(name);
      if (value) value.textContent = text;
    }
  }
}

/** Formats with three significant digits, or as an integer from 100 on. @param {number} value */
export function formatNumber(value) {
  return value >= 100 ? Math.round(value).toLocaleString("en") : value.toPrecision(3);
}

/** @param {number} fraction from 0 to 1 */
export function formatPercent(fraction) {
  return `${(fraction * 100).toFixed(fraction > 0.9995 || fraction < 0.0005 ? 0 : 1)} %`;
}

/** @param {number} bytes */
export function formatBytes(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** Formats a count with three digits and a unit, for example 1.24 M. @param {number} count */
export function formatCount(count) {
  const units = ["", " k", " M", " G", " T"];
  let at = 0;
  for (let rest = count; rest >= 1000 && at < units.length - 1; rest /= 1000) at += 1;
  return at === 0 ? String(count) : `${(count / 1000 ** at).toPrecision(3)}${units[at]}`;
}

/** Formats a shape of Python, for example (1, 28, 28) as 1×28×28. @param {string} shape */
export function shapeText(shape) {
  return shape.replaceAll(
    /\(([^)]*?),?\)/g,
    (_, lengths) => lengths.replaceAll(", ", "×") || "scalar",
  );
}
