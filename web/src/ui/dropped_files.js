/** @file Files that are dropped anywhere on the page. */

import { filesOfDrop } from "./chosen_files.js";

/**
 * Shows an element while files are dragged over the page, and calls `take` with those that are dropped.
 *
 * @param {HTMLElement} target
 * @param {(files: Record<string, File>) => unknown} take
 */
export function onDroppedFiles(target, take) {
  let dragged = 0;
  document.addEventListener("dragenter", (event) => {
    if (!isFiles(event)) return;
    dragged += 1;
    target.classList.add("dropping");
  });
  document.addEventListener("dragleave", () => {
    dragged = Math.max(0, dragged - 1);
    if (dragged === 0) target.classList.remove("dropping");
  });
  document.addEventListener("dragover", (event) => {
    if (isFiles(event)) event.preventDefault();
  });
  document.addEventListener("drop", async (event) => {
    dragged = 0;
    target.classList.remove("dropping");
    // A part of the page may have taken it, for example as a picture.
    if (event.defaultPrevented || !event.dataTransfer || !isFiles(event)) return;
    event.preventDefault();
    take(await filesOfDrop(event.dataTransfer));
  });
}

/** @param {DragEvent} event */
function isFiles({ dataTransfer }) {
  return dataTransfer?.types.includes("Files") ?? false;
}
