/** @file What an error says; JavaScript can throw anything. */

/**
 * @param {unknown} error
 * @returns {string}
 */
export function textOf(error) {
  return error instanceof Error ? error.message : String(error);
}
