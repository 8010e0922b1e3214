/** @file What pages that open models share: chosen files, the progress of a transfer, and addresses. */

import { filesOfInput } from "./chosen_files.js";
import { formatBytes } from "./metrics.js";

/**
 * Calls `take` with the files of an input each time some are chosen.
 *
 * @param {HTMLInputElement[]} inputs
 * @param {(files: Record<string, File>) => unknown} take
 */
export function onChosenFiles(inputs, take) {
  for (const input of inputs)
    input.onchange = () => {
      if (input.files?.length) take(filesOfInput(input.files));
      input.value = "";
    };
}

/**
 * Shows how many bytes of a file have arrived.
 *
 * @param {{ done: number, total: number | null, name: string }} progress
 * @param {HTMLElement} text
 * @param {HTMLProgressElement} bar
 */
export function showTransfer({ done, total, name }, text, bar) {
  const size = total === null ? "" : ` of ${formatBytes(total)}`;
  text.textContent = `Loading ${name}: ${formatBytes(done)}${size}`;
  if (total) bar.value = done / total;
  else bar.removeAttribute("value");
}

/**
 * Returns a source whose address does not depend on the page: the worker has another one. Those of hubs stay as they are.
 *
 * @template Source
 * @param {Source} source
 */
export function absolute(source) {
  if (typeof source !== "string" || source.startsWith("hf://")) return source;
  return new URL(source, document.baseURI).href;
}
