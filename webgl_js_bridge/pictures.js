/** @file Pictures of the page: their sizes, and copies from canvas to canvas. */
/** @import { Canvas } from "./types" */

/**
 * Size of each kind of picture that a GPU takes, by the name of its class. The name is the same in every
 * frame of a page, where `instanceof` is not.
 * @type {Record<string, (source: any) => [number, number]>}
 */
const SIZES = {
  HTMLImageElement: (image) => [image.naturalWidth, image.naturalHeight],
  HTMLVideoElement: (video) => [video.videoWidth, video.videoHeight],
  HTMLCanvasElement: (canvas) => [canvas.width, canvas.height],
  OffscreenCanvas: (canvas) => [canvas.width, canvas.height],
  ImageBitmap: (bitmap) => [bitmap.width, bitmap.height],
  ImageData: (image) => [image.width, image.height],
  VideoFrame: (frame) => [frame.displayWidth, frame.displayHeight],
};

/** @param {any} value */
export const className = (value) => Object.prototype.toString.call(value).slice(8, -1);

/** Return true for a picture of a class of the page. @param {any} source */
export const isNamed = (source) => className(source) in SIZES;

/** Return true for an object like ImageData: `{ data, width, height }`. @param {any} source */
export function isPixelData({ data, width, height }) {
  return /^Uint8(Clamped)?Array$/.test(className(data)) && data.length === 4 * width * height;
}

/**
 * Return the width and height of a picture in pixels.
 * @param {any} source @returns {[number, number]}
 * @throws {TypeError} If `source` is no picture. Its name is PictureError.
 */
export function pixelSize(source) {
  const size = SIZES[className(source)];
  if (size) return size(source);
  if (source && isPixelData(source)) return [source.width, source.height];
  // Pyodide passes Python objects as proxies, which know their type.
  const got = className(source) === "PyProxy" ? `a Python ${source.type}` : className(source);
  const error = new TypeError(
    `from_pixels: the source is not a picture; got ${got}; pass an image, a canvas, a video, ` +
      "a VideoFrame, an ImageBitmap, an ImageData or { data, width, height } with 4 bytes a pixel",
  );
  error.name = "PictureError";
  throw error;
}

/** @param {Canvas} canvas @param {number} width @param {number} height */
export function resize(canvas, width, height) {
  // Assigning a size clears the canvas even if the size stays the same.
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
}

/**
 * Contexts that show pictures, by canvas. Firefox refuses a second getContext of a canvas that another thread gave away.
 *
 * @type {WeakMap<Canvas, any>}
 */
const contexts = new WeakMap();

/** @param {Canvas} canvas */
function contextOf(canvas) {
  const context =
    contexts.get(canvas) ?? canvas.getContext("2d") ?? canvas.getContext("bitmaprenderer");
  if (context) contexts.set(canvas, context);
  return context;
}

/** Copy a canvas to another on the GPU, whose context is or becomes 2d, or is bitmaprenderer. @param {Canvas} source @param {Canvas} target */
export function copyCanvas(source, target) {
  resize(target, source.width, source.height);
  const context = contextOf(target);
  if (context && "drawImage" in context) {
    const flat = /** @type {CanvasRenderingContext2D} */ (context);
    flat.save();
    flat.resetTransform();
    Object.assign(flat, { globalAlpha: 1, globalCompositeOperation: "copy", filter: "none" });
    flat.drawImage(source, 0, 0);
    flat.restore();
    return;
  }
  if (!context || !("transferToImageBitmap" in source))
    throw new Error(
      "draw: the canvas is in use otherwise; got one whose context is neither 2d nor bitmaprenderer; " +
        "pass a canvas of its own",
    );
  context.transferFromImageBitmap(source.transferToImageBitmap());
}
