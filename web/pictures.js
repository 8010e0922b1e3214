/** @file Reads a picture file as the pixels it holds, made smaller if it is huge. */

import { textOf } from "./error_text.js";

const LONGEST = 1600; // pixels; more than the page can show

/**
 * @param {Blob} blob
 * @returns {Promise<ImageBitmap>}
 */
export async function loadPicture(blob) {
  /** @type {ImageBitmapOptions} */
  const asStored = { premultiplyAlpha: "none", colorSpaceConversion: "none" };
  const bitmap = await createImageBitmap(blob, asStored).catch((error) => {
    throw new Error(`This file is no picture the browser can read: ${textOf(error)}`);
  });
  const longest = Math.max(bitmap.width, bitmap.height);
  if (longest <= LONGEST) return bitmap;
  const scale = LONGEST / longest;
  const smaller = await createImageBitmap(bitmap, {
    ...asStored,
    resizeWidth: Math.round(bitmap.width * scale),
    resizeHeight: Math.round(bitmap.height * scale),
    resizeQuality: "high",
  });
  bitmap.close();
  return smaller;
}
