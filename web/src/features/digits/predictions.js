/** @file The network's predictions for the test images, and their accuracy and loss. */

export const DIGITS = 10;

/** Keeps the loss finite if the network gives the right digit no probability at all. */
const MIN_PROBABILITY = 1e-12;

/**
 * @typedef {object} Prediction
 * @property {number[][]} pixels
 * @property {number} label the digit that the image shows
 * @property {number} predicted the digit with the highest probability
 * @property {number[]} probabilities of all ten digits
 *
 * @typedef {object} Evaluation
 * @property {Prediction[]} predictions
 * @property {number} accuracy
 * @property {number} loss mean cross-entropy
 */

/**
 * Compares the network's answers with the labels of the test images.
 *
 * @param {{ pixels: number[][][], labels: number[] }} images
 * @param {Float32Array} probabilities ten for each image
 * @returns {Evaluation}
 */
export function evaluate({ pixels, labels }, probabilities) {
  const predictions = labels.map((label, i) => {
    const ofImage = [...probabilities.subarray(DIGITS * i, DIGITS * (i + 1))];
    return { pixels: pixels[i], label, predicted: likeliest(ofImage), probabilities: ofImage };
  });
  const right = predictions.filter(({ label, predicted }) => label === predicted).length;
  const loss =
    predictions.reduce((sum, prediction) => sum + lossOf(prediction), 0) / predictions.length;
  return { predictions, accuracy: right / predictions.length, loss };
}

/** @param {number[]} probabilities */
export function likeliest(probabilities) {
  return probabilities.indexOf(Math.max(...probabilities));
}

/** @param {Prediction} prediction */
function lossOf({ label, probabilities }) {
  return -Math.log(Math.max(probabilities[label], MIN_PROBABILITY));
}
