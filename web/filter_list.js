/** @file The list of filters: switch each on, set its strength, move it up and down. */

import { make } from "./dom.js";
import { FILTERS } from "./photo_filters.js";

/** @import { Filter } from "./photo_filters.js" */

/**
 * @param {HTMLElement} list
 * @param {() => void} onChange
 */
export function createFilterList(list, onChange) {
  list.replaceChildren(...FILTERS.map(rowOf));

  function reset() {
    list.replaceChildren(...FILTERS.map(rowOf));
    onChange();
  }

  /** @param {Filter} filter */
  function rowOf({ name, title, low, high, step, start }) {
    const on = make("input", { type: "checkbox" });
    // The range first: a value outside the default 0 to 100 would be clamped.
    const strength = make("input", {
      type: "range",
      min: low,
      max: high,
      step,
      ariaLabel: `${title}: strength`,
    });
    strength.value = String(start);
    const shown = make("output", {}, String(start));
    const up = make("button", { type: "button", ariaLabel: `Move ${title} up` }, "↑");
    const down = make("button", { type: "button", ariaLabel: `Move ${title} down` }, "↓");
    const row = make("li", {}, make("label", {}, on, title), strength, shown, up, down);
    row.dataset.filter = name;

    on.onchange = onChange;
    strength.oninput = () => {
      shown.textContent = strength.value;
      on.checked = true;
      onChange();
    };
    up.onclick = () => {
      if (row.previousElementSibling) row.previousElementSibling.before(row);
      moved(up);
    };
    down.onclick = () => {
      if (row.nextElementSibling) row.nextElementSibling.after(row);
      moved(down);
    };
    return row;
  }

  /** @param {HTMLButtonElement} button */
  function moved(button) {
    button.focus(); // moving a row in the document takes the focus from it
    onChange();
  }

  return {
    reset,
    /**
     * The filters that are on, in their order.
     *
     * @returns {[string, number][]}
     */
    chain() {
      return [...list.children].flatMap((row) => {
        const [on, strength] = row.querySelectorAll("input");
        const name = row instanceof HTMLElement ? (row.dataset.filter ?? "") : "";
        /** @type {[string, number][]} */
        const link = on.checked ? [[name, Number(strength.value)]] : [];
        return link;
      });
    },
  };
}
