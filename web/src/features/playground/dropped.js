/** @file Files that are dropped on one element. */

import { filesOfDrop } from "../../ui/chosen_files.js";

/**
 * Calls `take` with the files that are dropped on the element. Editors inside it do not insert them as text.
 *
 * @param {HTMLElement} element
 * @param {(files: Record<string, File>) => unknown} take
 */
export function acceptDrops(element, take) {
  for (const type of /** @type {const} */ (["dragover", "drop"])) {
    element.addEventListener(
      type,
      async (event) => {
        if (!event.dataTransfer?.types.includes("Files")) return;
        event.preventDefault();
        event.stopPropagation();
        if (type === "drop") take(await filesOfDrop(event.dataTransfer));
      },
      { capture: true },
    );
  }
}
