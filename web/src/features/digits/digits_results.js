/** @file Results of training: charts, the confusion matrix and cards with test images. */

import { Chart } from "../../ui/chart.js";
import { find } from "../../ui/dom.js";
import { formatPercent } from "../../ui/metrics.js";
import { createConfusionMatrix } from "./confusion_matrix.js";
import { samplesOfEachDigit, showCards } from "./digit_cards.js";
import { evaluate } from "./predictions.js";

/** @import { Evaluation } from "./predictions.js" */
/** @import { Digits, DigitsReport, DigitsTest } from "../../python/protocol.js" */

export function createDigitsResults() {
  const lossChart = new Chart(
    find("digits-loss", HTMLElement),
    [
      { title: "training", color: "--alpha", format: (value) => value.toPrecision(3) },
      { title: "test", color: "--red", format: (value) => value.toPrecision(3), dots: true },
    ],
    { range: (_, high) => [0, Math.max(high * 1.05, 0.1)], tick: String },
  );
  const accuracyChart = new Chart(
    find("digits-accuracy", HTMLElement),
    [{ title: "test", color: "--green", format: formatPercent, dots: true }],
    { range: (low) => [Math.min(low, 0.9), 1], tick: (value) => `${Math.round(value * 100)} %` },
  );
  const matrix = createConfusionMatrix(find("confusion", HTMLTableElement), choose);
  const cards = find("digits-cards", HTMLElement);
  const title = find("digits-cards-title", HTMLElement);
  const allButton = find("digits-cards-all", HTMLButtonElement);
  /** @type {Digits | null} */
  let images = null;
  /** @type {Evaluation | null} */
  let evaluation = null;
  /** @type {[number, number] | null} label and prediction of the chosen cell of the matrix */
  let chosen = null;
  allButton.onclick = () => choose();

  /** @param {number} [label] @param {number} [predicted] without them, samples of each digit are shown */
  function choose(label, predicted) {
    chosen = label === undefined || predicted === undefined ? null : [label, predicted];
    matrix.chosen = chosen;
    allButton.hidden = !chosen;
    update();
  }

  function update() {
    const all = evaluation?.predictions ?? [];
    if (!chosen) {
      title.textContent = "Two images of each digit";
      showCards(cards, samplesOfEachDigit(all));
      return;
    }
    const [label, predicted] = chosen;
    const inCell = all.filter((p) => p.label === label && p.predicted === predicted);
    const count = inCell.length === 1 ? "1 image" : `${inCell.length || "no"} images`;
    title.textContent = `${label} predicted as ${predicted}: ${count}`;
    showCards(cards, inCell);
  }

  return {
    load: () => Promise.all([lossChart.load(), accuracyChart.load()]),
    /** @param {Digits} digits */
    set images(digits) {
      images = digits;
    },
    get accuracy() {
      return evaluation?.accuracy ?? 0;
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
      evaluation = evaluate(images, probabilities);
      lossChart.add(step, [null, evaluation.loss]);
      accuracyChart.add(step, [evaluation.accuracy]);
      matrix.fill(evaluation.predictions);
      update();
    },
  };
}
