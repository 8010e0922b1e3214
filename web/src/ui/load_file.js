/** @file Loads a file of the site. */

import { textOf } from "./error_text.js";

/**
 * @param {string} address absolute, or relative to the page
 * @param {string} name of the file in the error message, for example "digits: the images"
 * @returns {Promise<Response>}
 */
export async function loadFile(address, name) {
  let reason;
  try {
    const response = await fetch(new URL(address, document.baseURI));
    if (response.ok) return response;
    reason = `${response.status} ${response.statusText}`;
  } catch (error) {
    reason = textOf(error);
  }
  throw new Error(`${name} did not load; got ${reason}; check the connection and try again`);
}
