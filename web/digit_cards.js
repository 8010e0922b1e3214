/** @file Images with the network's answers: some of each digit, or those of a cell of the matrix. */

import { DIGITS, percent } from "./digit_answers.js";
import { makeDigitCanvas, paintDigit } from "./digit_image.js";
import { make } from "./dom.js";

/** @import { Answer } from "./digit_answers.js" */

const SOME = 2;
const MOST = 20;

/** @param {HTMLElement} list @param {Answer[]} answers */
export function showCards(list, answers) {
  list.replaceChildren(...answers.slice(0, MOST).map(cardOf));
}

/** @param {Answer[]} answers */
export function someOfEach(answers) {
  return Array.from({ length: DIGITS }, (_, digit) =>
    answers.filter(({ shown }) => shown === digit).slice(0, SOME),
  ).flat();
}

/** @param {Answer} answer */
function cardOf({ pixels, shown, said, probabilities }) {
  const right = shown === said;
  const picture = makeDigitCanvas(`A handwritten ${shown}`);
  paintDigit(picture, pixels);
  const bars = make("span", { className: "mini", ariaHidden: "true" });
  bars.append(
    ...probabilities.map((share, digit) => {
      const bar = make("i", { className: digit === shown ? "shown" : "" });
      bar.style.height = `${Math.max(share * 100, 4)}%`;
      return bar;
    }),
  );
  const mark = make("b", { className: "mark", ariaHidden: "true" }, right ? "✓" : "✗");
  const verdict = make("span", { className: "unseen" }, right ? "right: " : "wrong: ");
  const says = make("span", { className: "says" }, mark, verdict, `${said} `);
  says.append(make("small", {}, percent(probabilities[said])));
  return make("li", { className: right ? "right" : "wrong" }, picture, says, bars);
}
