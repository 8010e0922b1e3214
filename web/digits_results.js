/** @file How well the digits are learned: charts, the confusion matrix, images with answers. */

import { Chart } from "./chart.js";
import { createConfusionMatrix } from "./confusion_matrix.js";
import { answersOf, percent } from "./digit_answers.js";
import { showCards, someOfEach } from "./digit_cards.js";
import { find } from "./dom.js";

/** @import { Answers } from "./digit_answers.js" */
/** @import { Digits, DigitsReport, DigitsTest } from "./protocol.js" */

export function createDigitsResults() {
  const lossChart = new Chart(
    find("digits-loss", HTMLElement),
    [
      { title: "training", color: "--alpha", format: (value) => value.toPrecision(3) },
      { title: "held out", color: "--red", format: (value) => value.toPrecision(3), dots: true },
    ],
    { range: (_, high) => [0, Math.max(high * 1.05, 0.1)], tick: String },
  );
  const accuracyChart = new Chart(
    find("digits-accuracy", HTMLElement),
    [{ title: "held out", color: "--green", format: percent, dots: true }],
    { range: (low) => [Math.min(low, 0.9), 1], tick: (value) => `${Math.round(value * 100)} %` },
  );
  const matrix = createConfusionMatrix(find("confusion", HTMLTableElement), choose);
  const cards = find("digits-cards", HTMLElement);
  const title = find("digits-cards-title", HTMLElement);
  const allButton = find("digits-cards-all", HTMLButtonElement);
  /** @type {Digits | null} */
  let images = null;
  /** @type {Answers | null} */
  let answers = null;
  /** @type {[number, number] | null} the cell of the matrix whose images are shown */
  let chosen = null;
  allButton.onclick = () => choose();

  /** @param {number} [shown] @param {number} [said] without them, some of each digit are shown */
  function choose(shown, said) {
    chosen = shown === undefined || said === undefined ? null : [shown, said];
    matrix.chosen = chosen;
    allButton.hidden = !chosen;
    update();
  }

  function update() {
    const all = answers?.all ?? [];
    if (!chosen) {
      title.textContent = "Two images of each digit";
      showCards(cards, someOfEach(all));
      return;
    }
    const [shown, said] = chosen;
    const found = all.filter((answer) => answer.shown === shown && answer.said === said);
    const count = found.length === 1 ? "1 image" : `${found.length || "no"} images`;
    title.textContent = `${shown} taken for ${said}: ${count}`;
    showCards(cards, found);
  }

  return {
    load: () => Promise.all([lossChart.load(), accuracyChart.load()]),
    /** @param {Digits} held */
    set images(held) {
      images = held;
    },
    get accuracy() {
      return answers?.accuracy ?? 0;
    },
    clear() {
      lossChart.clear();
      accuracyChart.clear();
    },
    /** @param {DigitsReport} report */
    report({ step, losses }) {
      for (const [i, loss] of losses.entries()) {
        lossChart.add(step - losses.length + 1 + i, [loss, null]);
      }
    },
    /** @param {DigitsTest} test */
    test({ step, probabilities }) {
      if (!images) return;
      answers = answersOf(images, probabilities);
      lossChart.add(step, [null, answers.loss]);
      accuracyChart.add(step, [answers.accuracy]);
      matrix.fill(answers.all);
      update();
    },
  };
}
