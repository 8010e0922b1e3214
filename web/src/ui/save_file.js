/** @file Lets the browser save a file. */

import { make } from "./dom.js";

const READ_MILLISECONDS = 60_000; // enough for the browser to read even a large file

/** @param {string} name @param {Blob} blob */
export function saveFile(name, blob) {
  const href = URL.createObjectURL(blob);
  make("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), READ_MILLISECONDS);
}
