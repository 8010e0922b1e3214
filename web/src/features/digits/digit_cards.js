/** @file Cards: test images with their predictions. */

import { make } from "../../ui/dom.js";
import { formatPercent } from "../../ui/metrics.js";
import { makeDigitCanvas, paintDigit } from "./digit_image.js";
import { DIGITS } from "./predictions.js";

/** @import { Prediction } from "./predictions.js" */

const SAMPLES_PER_DIGIT = 2;
const MAX_CARDS = 20;

/** @param {HTMLElement} list @param {Prediction[]} predictions */
export function showCards(list, predictions) {
  list.replaceChildren(...predictions.slice(0, MAX_CARDS).map(cardOf));
}

/** @param {Prediction[]} predictions */
export function samplesOfEachDigit(predictions) {
  return Array.from({ length: DIGITS }, (_, digit) =>
    predictions.filter(({ label }) => label === digit).slice(0, SAMPLES_PER_DIGIT),
  ).flat();
}

/** @param {Prediction} prediction */
function cardOf({ pixels, label, predicted, probabilities }) {
  const right = label === predicted;
  const picture = makeDigitCanvas(`A handwritten ${label}`);
  paintDigit(picture, pixels);
  const bars = make("span", { className: "mini", ariaHidden: "true" });
  bars.append(
    ...probabilities.map((probability, digit) => {
      const bar = make("i", { className: digit === label ? "label" : "" });
      bar.style.height = `${Math.max(probability * 100, 4)}%`;
      return bar;
    }),
  );
  const mark = make("b", { className: "mark", ariaHidden: "true" }, right ? "✓" : "✗");
  const verdict = make("span", { className: "unseen" }, right ? "right: " : "wrong: ");
  const says = make("span", { className: "says" }, mark, verdict, `${predicted} `);
  says.append(make("small", {}, formatPercent(probabilities[predicted])));
  return make("li", { className: right ? "right" : "wrong" }, picture, says, bars);
}
