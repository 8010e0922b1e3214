/** @file Models that the site has: one click opens one with a picture or sound that fits. */

import { find, make } from "../../../ui/dom.js";
import { formatBytes } from "../../../ui/metrics.js";
import rows from "./gallery.json";

/**
 * @typedef {object} Row a model of the gallery; files are names in its folder
 * @property {string} title
 * @property {string} text
 * @property {string} model
 * @property {Record<string, string>} [helpers] other models that the task needs, by role
 * @property {string} [labels] file with the names of the classes
 * @property {string} task
 * @property {string} input picture or sound
 * @property {boolean} [random] true if the weights are random
 */

const ROWS = /** @type {Row[]} */ (/** @type {unknown} */ (rows));
const FOLDER = new URL("../gallery/", document.baseURI);

/** Pictures and sounds of the gallery. */
export const SAMPLES = [
  { file: "astronaut.jpg", title: "An astronaut" },
  { file: "body.jpg", title: "A person standing" },
  { file: "hand.jpg", title: "A hand" },
  { file: "cat.jpg", title: "A cat" },
  { file: "text.png", title: "Three lines of text" },
  { file: "melody.wav", title: "A melody of eight notes" },
];

/** The address of a file of the gallery. @param {string} file */
export function galleryAddress(file) {
  return new URL(file, FOLDER).href;
}

/** The row of a model, with addresses; null if it is not of the gallery. @param {unknown} source */
export function galleryEntry(source) {
  const row = ROWS.find(({ model }) => galleryAddress(model) === source);
  if (!row) return null;
  const helpers = Object.fromEntries(
    Object.entries(row.helpers ?? {}).map(([role, file]) => [role, galleryAddress(file)]),
  );
  return { ...row, helpers, labels: row.labels ? galleryAddress(row.labels) : "" };
}

/**
 * @param {import("../analyser.js").Analyser} analyser
 * @param {(address: string) => unknown} open
 */
export function createGallery(analyser, open) {
  const list = find("gallery-models", HTMLElement);
  const buttons = ROWS.map(buttonOf);
  list.replaceChildren(...buttons.map((button) => make("li", {}, button)));
  analyser.on("model", ({ source }) => {
    for (const [i, { model }] of ROWS.entries())
      buttons[i].setAttribute("aria-pressed", String(galleryAddress(model) === source));
  });
  showSizes();

  /** @param {Row} row */
  function buttonOf({ title, text, model, random }) {
    const button = make("button", { type: "button" }, make("b", {}, title), make("span", {}, text));
    if (random) button.append(make("i", {}, "random weights"));
    button.dataset.gallery = model;
    button.onclick = () => open(galleryAddress(model));
    return button;
  }

  /** Adds the bytes that a model downloads; without the list of sizes the gallery is not there. */
  async function showSizes() {
    const response = await fetch(galleryAddress("files.json")).catch(() => null);
    if (!response?.ok) {
      list.replaceChildren();
      find("gallery-missing", HTMLElement).hidden = false;
      return;
    }
    /** @type {Record<string, number>} */
    const sizes = await response.json();
    for (const [i, { model, helpers }] of ROWS.entries()) {
      const bytes = [model, ...Object.values(helpers ?? {})].flatMap((file) => parts(file, sizes));
      const sum = bytes.reduce((total, n) => total + n, 0);
      buttons[i].append(make("small", {}, formatBytes(sum)));
    }
  }
}

/** Bytes of a model's files: `model.json` may be in a folder of its own. @param {string} file @param {Record<string, number>} sizes */
function parts(file, sizes) {
  const stem = file.includes("/") ? file.replace(/[^/]*$/, "") : file.replace(/[^.]*$/, "");
  return Object.entries(sizes).flatMap(([name, size]) => (name.startsWith(stem) ? [size] : []));
}
