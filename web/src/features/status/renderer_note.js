/** @file Tells visitors why this page is slow for them: no WebGL2, or WebGL2 on the processor. */

import { find } from "../../ui/dom.js";

/** @import { Started } from "../../python/protocol.js" */

/** Parts of the names of renderers that run on the processor: Chromium's, Mesa's and those of Windows. */
const ON_PROCESSOR = /swiftshader|llvmpipe|softpipe|basic render|software/i;

/** @param {Started} started */
export function showRenderer({ renderer, reason }) {
  const note = find("renderer-note", HTMLElement);
  if (renderer === null) {
    note.textContent =
      "This browser gives the page no WebGL2. Programs run in plain Python, which is slow, and everything that draws " +
      `needs WebGL2. The exact reason: ${reason}`;
  } else if (ON_PROCESSOR.test(renderer)) {
    note.textContent =
      "This browser computes WebGL2 on the processor, without a GPU: everything on this page is many times slower. " +
      "Hardware acceleration may be switched off in its settings.";
  }
  note.hidden = note.textContent === "";
}
