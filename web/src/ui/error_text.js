/** @file Text of whatever was thrown, since JavaScript can throw any value. */

/**
 * @param {unknown} error
 * @returns {string}
 */
export function textOf(error) {
  if (error instanceof Error) return error.message;
  // Emscripten throws plain objects, for example for a missing file.
  return typeof error === "object" ? JSON.stringify(error) : String(error);
}
