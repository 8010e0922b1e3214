/** @file List of filters, which can be enabled, adjusted and reordered. */

import { make } from "./dom.js";
/** @import { Filter } from "./photo_filters.js" */

/**
 * @param {HTMLElement} list
 * @param {Filter[]} filters
 * @param {() => void} onChange
 */
export function createFilterList(list, filters, onChange) {
  list.classList.add("filters");
  list.replaceChildren(...filters.map(rowOf));

  function reset() {
    list.replaceChildren(...filters.map(rowOf));
    onChange();
  }

  /** @param {Filter} filter */
  function rowOf({ name, title, low, high, step, start, isOn = false }) {
    const on = make("input", { type: "checkbox", checked: isOn });
    // The value is set after min and max, since it would be clamped to the default range of 0 to 100.
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
    button.focus(); // it loses the focus when its row moves in the document
    onChange();
  }

  return {
    reset,
    /** Shows a chain without a call of `onChange`. @param {[string, number][]} chain */
    show(chain) {
      list.replaceChildren(...filters.map((filter) => rowOf({ ...filter, isOn: false })));
      for (const [name, strength] of chain.toReversed()) {
        const row = [...list.querySelectorAll("li")].find(({ dataset }) => dataset.filter === name);
        const [on, slider] = row?.querySelectorAll("input") ?? [];
        const shown = row?.querySelector("output");
        if (!row || !shown) continue;
        on.checked = true;
        slider.value = shown.textContent = String(strength);
        list.prepend(row);
      }
    },
    /**
     * Names and strengths of the enabled filters, in order.
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
