/** @file Reads canvases of any kind, through one of its own. */

const copy = document.createElement("canvas");

/** @param {HTMLCanvasElement} canvas @param {number} width @param {number} height */
function read(canvas, width, height) {
  copy.width = width;
  copy.height = height;
  const flat = /** @type {CanvasRenderingContext2D} */ (copy.getContext("2d"));
  flat.drawImage(canvas, 0, 0);
  return flat.getImageData(0, 0, width, height).data;
}

/** Waits until the canvas has been drawn. @param {HTMLCanvasElement} canvas */
export function firstPixel(canvas) {
  return read(canvas, 1, 1);
}

/** @param {HTMLCanvasElement} canvas */
export function pixels(canvas) {
  return read(canvas, canvas.width, canvas.height);
}
