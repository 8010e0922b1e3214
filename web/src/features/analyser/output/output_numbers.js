/** @file The raw numbers of an output: statistics, a histogram, and a table. */

import { find, make } from "../../../ui/dom.js";
import { textOf } from "../../../ui/error_text.js";

/** @import { Analyser } from "../analyser.js" */

const COLUMNS = 8;

/** @param {Analyser} analyser */
export function createOutputNumbers(analyser) {
  const details = find("output-numbers", HTMLDetailsElement);
  const choice = make("select", { ariaLabel: "Output" });
  const content = make("div", { className: "numbers" });
  const label = make("label", {}, "Output ", choice);
  details.append(make("div", { className: "bar" }, label), content);
  details.addEventListener("toggle", update);
  choice.onchange = update;
  let asking = false;
  /** Whether the output has changed since the question that is being answered. */
  let changed = false;

  async function update() {
    changed = true;
    if (asking) return;
    asking = true;
    while (changed && details.open && choice.value) {
      changed = false;
      try {
        const numbers = await analyser.call("output", "numbers", [choice.value]);
        if (numbers) show(numbers);
      } catch (error) {
        content.replaceChildren(make("p", { className: "status" }, textOf(error)));
      }
    }
    asking = false;
  }

  /** @param {any} numbers */
  function show({ shape, dtype, values, low, high, mean, deviation, histogram, notFinite }) {
    const statistics = [
      ["Shape", shape.join(" × ") || "scalar"],
      ["Dtype", dtype],
      ["Smallest", short(low)],
      ["Largest", short(high)],
      ["Mean", short(mean)],
      ["Deviation", short(deviation)],
      ["NaN or infinite", String(notFinite)],
    ].map(([term, text]) => make("div", {}, make("dt", {}, term), make("dd", {}, text)));
    const most = Math.max(...histogram, 1);
    const bars = histogram.map((/** @type {number} */ count) => {
      const bar = make("i", { title: `${count}` });
      // The square root keeps bins with few numbers visible.
      bar.style.height = `${100 * Math.sqrt(count / most)}%`;
      return bar;
    });
    const plot = make(
      "div",
      {
        className: "histogram",
        role: "img",
        ariaLabel: `Histogram of ${histogram.length} bins from ${short(low)} to ${short(high)}`,
      },
      ...bars,
    );
    const rows = Array.from({ length: Math.ceil(values.length / COLUMNS) }, (_, row) => {
      const cells = values.slice(row * COLUMNS, (row + 1) * COLUMNS);
      const head = make("th", { scope: "row" }, String(row * COLUMNS));
      return make("tr", {}, head, ...cells.map((/** @type {any} */ v) => make("td", {}, short(v))));
    });
    const caption = `The first ${values.length} numbers`;
    const table = make("table", {}, make("caption", {}, caption), make("tbody", {}, ...rows));
    const scroll = { className: "scroll", tabIndex: 0, role: "region", ariaLabel: caption };
    content.replaceChildren(make("dl", {}, ...statistics), plot, make("div", scroll, table));
  }

  return {
    /** Names the outputs and reads the chosen one again. @param {[string, number[]][]} outputs */
    show(outputs) {
      const names = outputs.map(([name]) => name);
      if (names.join() !== [...choice.options].map(({ value }) => value).join())
        choice.replaceChildren(...names.map((name) => make("option", { value: name }, name)));
      update();
    },
  };
}

/** @param {number | string} value */
function short(value) {
  return typeof value === "number" ? String(Number(value.toPrecision(5))) : value;
}
