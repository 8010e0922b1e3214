/** @file Sections of the page that cannot be used here. */

import { find } from "./dom.js";

/**
 * Disables the controls of a section, marks it with `data-off`, and says why.
 *
 * @param {string} id of the section; its first status shows the reason
 * @param {string} reason
 */
export function switchOff(id, reason) {
  const section = find(id, HTMLElement);
  section.dataset.off = "";
  for (const control of section.querySelectorAll("button, fieldset, input, select"))
    control.toggleAttribute("disabled", true);
  const status = section.querySelector("p.status");
  if (status) status.textContent = reason;
}
