/** @file The network's answers for the images held out: who is right, what is taken for what. */

export const DIGITS = 10;

/** A network that is sure of something wrong would have an infinite loss. */
const LEAST = 1e-12;

/**
 * @typedef {object} Answer
 * @property {number[][]} pixels
 * @property {number} shown the digit that the image shows
 * @property {number} said the likeliest digit
 * @property {number[]} probabilities of all ten
 *
 * @typedef {object} Answers
 * @property {Answer[]} all
 * @property {number} accuracy
 * @property {number} loss the mean of minus the logarithm of the right digit's probability
 */

/**
 * @param {{ pixels: number[][][], labels: number[] }} images
 * @param {Float32Array} probabilities ten for each image
 * @returns {Answers}
 */
export function answersOf({ pixels, labels }, probabilities) {
  const all = labels.map((shown, i) => {
    const mine = [...probabilities.subarray(DIGITS * i, DIGITS * (i + 1))];
    return { pixels: pixels[i], shown, said: likeliest(mine), probabilities: mine };
  });
  const right = all.filter(({ shown, said }) => shown === said).length;
  const loss = all.reduce((sum, answer) => sum + lossOf(answer), 0) / all.length;
  return { all, accuracy: right / all.length, loss };
}

/** @param {number[]} probabilities */
export function likeliest(probabilities) {
  return probabilities.indexOf(Math.max(...probabilities));
}

/** @param {Answer} answer */
function lossOf({ shown, probabilities }) {
  return -Math.log(Math.max(probabilities[shown], LEAST));
}

/** @param {number} share */
export function percent(share) {
  return `${(share * 100).toFixed(share > 0.9995 || share < 0.0005 ? 0 : 1)} %`;
}
