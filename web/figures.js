/** @file A list of numbers with their names, filled in by name. */

export class Figures {
  /** @type {Map<string, HTMLElement>} */
  #values = new Map();

  /** @param {HTMLElement} list whose values have data-figure */
  constructor(list) {
    for (const value of list.querySelectorAll("[data-figure]")) {
      if (value instanceof HTMLElement) this.#values.set(value.dataset.figure ?? "", value);
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

/** Three digits, or all before the point. @param {number} value */
export function brief(value) {
  return value >= 100 ? Math.round(value).toLocaleString("en") : value.toPrecision(3);
}

/** @param {number} bytes */
export function sizeOf(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
