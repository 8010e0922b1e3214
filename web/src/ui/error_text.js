/** @file Text of whatever was thrown, since JavaScript can throw any value. */

/**
 * @param {unknown} error
 * @returns {string}
 */
export function textOf(error) {
  return error instanceof Error ? error.message : String(error);
}
