/** @file The confusion matrix: what each digit is taken for; a cell can be chosen. */

import { DIGITS } from "./digit_answers.js";
import { make } from "./dom.js";

/** @import { Answer } from "./digit_answers.js" */

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
const FAINTEST = 0.12;

/**
 * @param {HTMLTableElement} table
 * @param {(shown: number, said: number) => void} onChoose
 */
export function createConfusionMatrix(table, onChoose) {
  const digits = Array.from({ length: DIGITS }, (_, digit) => digit);
  const cells = digits.map((shown) => digits.map((said) => cellOf(shown, said)));
  // Of a hundred cells one is reached by Tab; the arrow keys move on from it.
  cells[0][0].tabIndex = 0;
  const heads = digits.map((said) => make("th", { scope: "col" }, String(said)));
  table.tHead?.append(make("tr", {}, make("td"), ...heads));
  table.tBodies[0].append(
    ...cells.map((row, shown) => {
      const head = make("th", { scope: "row" }, String(shown));
      return make("tr", {}, head, ...row.map((cell) => make("td", {}, cell)));
    }),
  );

  /** @param {number} shown @param {number} said */
  function cellOf(shown, said) {
    const cell = make("button", { type: "button", tabIndex: -1 });
    cell.classList.toggle("right", shown === said);
    cell.onclick = () => onChoose(shown, said);
    cell.onkeydown = (event) => {
      const [down, right] = STEPS[/** @type {keyof typeof STEPS} */ (event.key)] ?? [0, 0];
      const next = cells[shown + down]?.[said + right];
      if (!next || next === cell) return;
      event.preventDefault();
      next.focus();
    };
    cell.onfocus = () => {
      for (const other of cells.flat()) other.tabIndex = other === cell ? 0 : -1;
    };
    return cell;
  }

  fill([]);

  /** @param {Answer[]} answers */
  function fill(answers) {
    const counts = digits.map(() => digits.map(() => 0));
    for (const { shown, said } of answers) counts[shown][said] += 1;
    for (const [shown, row] of cells.entries()) {
      const total = counts[shown].reduce((sum, count) => sum + count, 0);
      for (const [said, cell] of row.entries()) {
        const count = counts[shown][said];
        const weight = count ? FAINTEST + (1 - FAINTEST) * Math.sqrt(count / total) : 0;
        cell.textContent = count ? String(count) : "";
        cell.ariaLabel = `${shown} taken for ${said}: ${count}`;
        cell.style.setProperty("--weight", `${(weight * 100).toFixed(0)}%`);
        cell.classList.toggle("strong", weight > 0.6);
      }
    }
  }

  return {
    fill,
    /** Marks the cell whose images are shown, if any. @param {[number, number] | null} place */
    set chosen(place) {
      for (const [shown, row] of cells.entries()) {
        for (const [said, cell] of row.entries()) {
          cell.ariaPressed = String(shown === place?.[0] && said === place?.[1]);
        }
      }
    },
  };
}
