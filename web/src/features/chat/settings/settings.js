/** @file Settings of answers. */

import { find } from "../../../ui/dom.js";

/** @import { Chat, Options } from "../chat.js" */

const NAMES = ["temperature", "topP", "maxTokens", "length", "seed"];

/** @typedef {ReturnType<typeof createSettings>} Settings */

/** @param {Chat} chat */
export function createSettings(chat) {
  const form = find("settings", HTMLFormElement);
  /** @param {string} name */
  const field = (name) => /** @type {HTMLInputElement} */ (form.elements.namedItem(name));
  form.onsubmit = (event) => event.preventDefault();
  chat.on("model", ({ sampling }) => {
    // Greedy choice is what files without an opinion have.
    if (sampling.temperature === 0) return;
    field("temperature").value = String(sampling.temperature);
    field("topP").value = String(sampling.topP);
  });

  return {
    /** Shows what is wrong with a number, and returns false then. */
    check: () => form.reportValidity(),
    get system() {
      return field("system").value.trim();
    },
    get length() {
      return Number(field("length").value);
    },
    /** Sets the context, and limits the tokens of an answer to half of it. @param {number} length */
    useLength(length) {
      field("length").value = String(length);
      const most = Math.min(Number(field("maxTokens").value), Math.floor(length / 2));
      field("maxTokens").value = String(most);
    },
    /** @returns {Options} */
    get options() {
      const [temperature, topP, maxTokens, , seed] = NAMES.map((name) => field(name).value);
      return {
        temperature: Number(temperature),
        top_p: Number(topP),
        max_tokens: Number(maxTokens),
        // Without one, the numbers are random. Python would get null as an object.
        ...(seed === "" ? {} : { seed: Number(seed) }),
      };
    },
  };
}
