/** @file Bar chart of the ten digits' probabilities. */

import { make } from "../../ui/dom.js";
import { DIGITS, likeliest } from "./predictions.js";

export class DigitBars {
  #rows;

  /** @param {HTMLElement} list */
  constructor(list) {
    this.#rows = Array.from({ length: DIGITS }, (_, digit) => {
      const bar = make("i");
      const share = make("span", { className: "share" }, "–");
      const row = make("li", {}, make("b", {}, String(digit)), make("span", {}, bar), share);
      return { row, bar, share };
    });
    list.append(...this.#rows.map(({ row }) => row));
  }

  /** @param {number[] | null} probabilities null shows dashes */
  set values(probabilities) {
    const best = probabilities ? likeliest(probabilities) : -1;
    for (const [digit, { row, bar, share }] of this.#rows.entries()) {
      const value = probabilities?.[digit] ?? 0;
      row.classList.toggle("best", digit === best);
      bar.style.width = `${value * 100}%`;
      share.textContent = probabilities ? `${(value * 100).toFixed(0)} %` : "–";
    }
  }
}
