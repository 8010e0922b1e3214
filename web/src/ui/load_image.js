/** @file Decodes an image file and limits its size. */

import { textOf } from "./error_text.js";

const MAX_SIDE = 1600; // pixels; the page shows fewer

/**
 * Decodes an image without colour conversion, and scales it down if a side is longer than `MAX_SIDE`.
 *
 * @param {Blob} blob
 * @returns {Promise<ImageBitmap>}
 */
export async function loadImage(blob) {
  /** @type {ImageBitmapOptions} */
  const asStored = { premultiplyAlpha: "none", colorSpaceConversion: "none" };
  const bitmap = await createImageBitmap(blob, asStored).catch((error) => {
    throw new Error(`The browser cannot read this file as an image: ${textOf(error)}`);
  });
  const longest = Math.max(bitmap.width, bitmap.height);
  if (longest <= MAX_SIDE) return bitmap;
  const scale = MAX_SIDE / longest;
  const smaller = await createImageBitmap(bitmap, {
    ...asStored,
    resizeWidth: Math.round(bitmap.width * scale),
    resizeHeight: Math.round(bitmap.height * scale),
    resizeQuality: "high",
  });
  bitmap.close();
  return smaller;
}
