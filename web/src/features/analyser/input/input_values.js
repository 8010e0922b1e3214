/** @file The values of each input of the model: what is prepared, random numbers, or numbers that are typed. */

import { find, make } from "../../../ui/dom.js";
import { textOf } from "../../../ui/error_text.js";

/** @import { Analyser } from "../analyser.js" */

/**
 * @typedef {object} InputRow
 * @property {string} name
 * @property {string} dtype
 * @property {number[]} shape
 * @property {"prepared" | "text" | "filled" | "random" | "numbers"} way
 */

const WAYS = {
  prepared: "what is chosen above",
  text: "the text above",
  filled: "filled in for a text without padding",
  random: "random numbers",
  numbers: "your numbers",
};

/** @param {Analyser} analyser @param {() => Promise<unknown>} run */
export function createInputValues(analyser, run) {
  const details = find("input-values", HTMLDetailsElement);
  const list = make("div", { className: "input-values" });
  details.append(list);
  /** Texts of the present values, by the name of the input. @type {Map<string, HTMLElement>} */
  const ways = new Map();

  /** @param {InputRow} row @param {number} at */
  function fieldsOf({ name, dtype, shape }, at) {
    const id = `input-values-${at}`;
    const status = make("p", { className: "status", role: "status" });
    const text = make("textarea", { id, rows: 3, spellcheck: false });
    text.placeholder = "0.5, 1, 2\n3, 4.5, 6";
    const use = button("Use these numbers", () => give("set_numbers", [name, text.value]));
    const back = button("As before", () => give("set_random", [name]));
    const way = make("b", {});
    ways.set(name, way);

    /** @param {string} method @param {unknown[]} args */
    async function give(method, args) {
      try {
        showWays(await analyser.call("input", method, args));
        status.textContent = "";
        await run();
      } catch (error) {
        status.textContent = textOf(error);
      }
    }
    const about = `${dtype}, ${shape.join(" × ") || "one number"}: `;
    return make(
      "fieldset",
      {},
      make("legend", {}, name),
      make("p", {}, about, way),
      make("label", { htmlFor: id }, "Numbers: a table (CSV), or JSON"),
      text,
      make("div", { className: "bar" }, use, back),
      status,
    );
  }

  /** @param {string} title @param {() => unknown} onclick */
  function button(title, onclick) {
    return make("button", { type: "button", onclick }, title);
  }

  /** @param {InputRow[]} rows */
  function showWays(rows) {
    for (const { name, way } of rows) {
      const shown = ways.get(name);
      if (shown) shown.textContent = WAYS[way];
    }
  }

  let model = "";
  return {
    /** @param {InputRow[]} rows */
    show(rows) {
      const now = JSON.stringify(rows.map(({ name, dtype, shape }) => [name, dtype, shape]));
      if (now !== model) {
        model = now;
        ways.clear();
        list.replaceChildren(...rows.map(fieldsOf));
      }
      showWays(rows);
    },
  };
}
