/** @file Draws pixels that Python has read. */

/** @param {HTMLCanvasElement} canvas of the picture's size @param {Uint8Array<ArrayBuffer>} bytes RGBA */
export function drawPixels(canvas, bytes) {
  const pixels = new Uint8ClampedArray(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { width, height } = canvas;
  canvas.getContext("2d")?.putImageData(new ImageData(pixels, width, height), 0, 0);
}
