/** @file Dialog with all programs: the visitor's own ones, and those for NumPy and JAX by kind. */

import { find, make } from "../../ui/dom.js";
import { PROGRAMS } from "./examples.js";

/**
 * @param {object} options
 * @param {(name: string) => void} options.onChoose called with the name of a program of `examples/`
 * @param {(index: number) => void} options.onOpen called with the index of a program of the visitor
 */
export function createProgramList({ onChoose, onOpen }) {
  const dialog = find("programs", HTMLDialogElement);
  const filter = find("program-filter", HTMLInputElement);
  const count = find("program-count", HTMLElement);
  const own = groupOf("Your programs", []);
  const groups = [own, ...PROGRAMS.map(({ kind, programs }) => groupOf(kind, programs.map(rowOf)))];
  find("program-groups", HTMLElement).append(...groups);

  filter.oninput = update;
  find("program-search", HTMLFormElement).onsubmit = () => shown()[0]?.click();
  dialog.onkeydown = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const stops = [filter, ...shown()];
    const focused = stops.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
    stops[Math.min(Math.max(focused + step, 0), stops.length - 1)].focus();
  };
  find("close-programs", HTMLButtonElement).onclick = () => dialog.close();
  // A click outside the list hits the dialog itself, and closes it.
  dialog.onclick = (event) => {
    if (event.target === dialog) dialog.close();
  };
  find("open-programs", HTMLButtonElement).onclick = () => {
    filter.value = "";
    update();
    dialog.showModal();
  };

  /** Shows the programs that contain all words of the filter. */
  function update() {
    const words = filter.value.toLowerCase().split(/\s+/);
    for (const group of groups) {
      const kind = group.querySelector("h4")?.textContent;
      for (const row of group.querySelectorAll("li")) {
        const text = `${kind} ${row.textContent}`.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
      }
      group.hidden = !group.querySelector("li:not([hidden])");
    }
    const { length } = shown();
    count.textContent = length === 1 ? "1 program" : `${length} programs`;
  }

  /** @returns {HTMLButtonElement[]} */
  function shown() {
    return [...dialog.querySelectorAll(/** @type {"button"} */ ("li:not([hidden]) > button"))];
  }

  /** @param {string} title @param {string} description @param {() => void} open */
  function itemOf(title, description, open) {
    const button = make("button", { type: "button" }, make("b", {}, title), ` ${description}`);
    button.onclick = () => {
      dialog.close();
      open();
    };
    return make("li", {}, button);
  }

  /** @param {(typeof PROGRAMS)[number]["programs"][number]} program */
  function rowOf({ name, title, description }) {
    const row = itemOf(title, description, () => onChoose(name));
    row.dataset.program = name;
    return row;
  }

  return {
    /** @param {string[]} titles of the visitor's programs */
    set own(titles) {
      const rows = titles.map((title, index) => itemOf(title, "", () => onOpen(index)));
      own.querySelector("ul")?.replaceChildren(...rows);
    },
  };
}

/** @param {string} kind @param {HTMLElement[]} rows */
function groupOf(kind, rows) {
  return make("section", {}, make("h4", {}, kind), make("ul", {}, ...rows));
}
