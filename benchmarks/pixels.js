/** @file Reads pixels of canvases with any kind of context, by copying them to a 2D canvas. */

/** @type {HTMLCanvasElement | null} */
let copy = null;

/** @param {HTMLCanvasElement} canvas @param {number} width @param {number} height */
function read(canvas, width, height) {
  copy ??= document.createElement("canvas");
  copy.width = width;
  copy.height = height;
  const context = /** @type {CanvasRenderingContext2D} */ (copy.getContext("2d"));
  context.drawImage(canvas, 0, 0);
  return context.getImageData(0, 0, width, height).data;
}

/** Reads one pixel, which waits until the canvas has been drawn. @param {HTMLCanvasElement} canvas */
export function firstPixel(canvas) {
  return read(canvas, 1, 1);
}

/** @param {HTMLCanvasElement} canvas */
export function pixels(canvas) {
  return read(canvas, canvas.width, canvas.height);
}
