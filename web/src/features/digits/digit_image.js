/** @file Paints an image of the data set, 8 x 8 pixels from 0 to 16, on a canvas. */

import { make } from "../../ui/dom.js";

const SIDE = 8;
const BLACK = 16;

/** @param {string} label */
export function makeDigitCanvas(label) {
  return make("canvas", {
    width: SIDE,
    height: SIDE,
    className: "digit",
    role: "img",
    ariaLabel: label,
  });
}

/** Paints black on white, also in dark mode. @param {HTMLCanvasElement} canvas @param {number[][]} pixels */
export function paintDigit(canvas, pixels) {
  const image = new ImageData(SIDE, SIDE);
  for (const [i, value] of pixels.flat().entries()) {
    const grey = 255 - (value * 255) / BLACK;
    image.data.set([grey, grey, grey, 255], 4 * i);
  }
  canvas.getContext("2d")?.putImageData(image, 0, 0);
}
