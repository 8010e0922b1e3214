/** @file Confusion matrix of the test images. A cell is a button that shows its images. */

import { make } from "../../ui/dom.js";
import { DIGITS } from "./predictions.js";

/** @import { Prediction } from "./predictions.js" */

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
const MIN_SHADE = 0.12;

/**
 * @param {HTMLTableElement} table
 * @param {(label: number, predicted: number) => void} onChoose
 */
export function createConfusionMatrix(table, onChoose) {
  const digits = Array.from({ length: DIGITS }, (_, digit) => digit);
  const cells = digits.map((label) => digits.map((predicted) => cellOf(label, predicted)));
  // Tab reaches one cell only; the arrow keys move between the cells.
  cells[0][0].tabIndex = 0;
  const heads = digits.map((digit) => make("th", { scope: "col" }, String(digit)));
  table.tHead?.append(make("tr", {}, make("td"), ...heads));
  table.tBodies[0].append(
    ...cells.map((row, label) => {
      const head = make("th", { scope: "row" }, String(label));
      return make("tr", {}, head, ...row.map((cell) => make("td", {}, cell)));
    }),
  );

  /** @param {number} label @param {number} predicted */
  function cellOf(label, predicted) {
    const cell = make("button", { type: "button", tabIndex: -1 });
    cell.classList.toggle("right", label === predicted);
    cell.onclick = () => onChoose(label, predicted);
    cell.onkeydown = (event) => {
      const [down, right] = STEPS[/** @type {keyof typeof STEPS} */ (event.key)] ?? [0, 0];
      const next = cells[label + down]?.[predicted + right];
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

  /** @param {Prediction[]} predictions */
  function fill(predictions) {
    const counts = digits.map(() => digits.map(() => 0));
    for (const { label, predicted } of predictions) counts[label][predicted] += 1;
    for (const [label, row] of cells.entries()) {
      const total = counts[label].reduce((sum, count) => sum + count, 0);
      for (const [predicted, cell] of row.entries()) {
        const count = counts[label][predicted];
        const weight = count ? MIN_SHADE + (1 - MIN_SHADE) * Math.sqrt(count / total) : 0;
        cell.textContent = count ? String(count) : "";
        cell.ariaLabel = `${label} predicted as ${predicted}: ${count}`;
        cell.style.setProperty("--weight", `${(weight * 100).toFixed(0)}%`);
      }
    }
  }

  return {
    fill,
    /** Marks the cell whose images are shown; null marks none. @param {[number, number] | null} pair label and prediction */
    set chosen(pair) {
      for (const [label, row] of cells.entries()) {
        for (const [predicted, cell] of row.entries()) {
          cell.ariaPressed = String(label === pair?.[0] && predicted === pair?.[1]);
        }
      }
    },
  };
}
