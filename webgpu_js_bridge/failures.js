/**
 * @file Errors that WebGPU reports later than the call that caused them. They are kept until the next run or
 * read raises them.
 */
/** @import { Failures } from "./types" */

/** Return an error by whose name Python knows that memory is missing. @param {string} text */
export const outOfMemory = (text) => Object.assign(new Error(text), { name: "OutOfMemoryError" });

/** @returns {Failures} */
export function createFailures() {
  /** @type {Error | null} error with a known cause: a shader, a checked draw, or no memory */
  let cause = null;
  /** @type {string | null} the first message of the device without a known cause */
  let symptom = null;
  /** @type {Set<Promise<unknown>>} questions to the device without an answer yet */
  const open = new Set();

  /** @type {Failures} */
  const failures = {
    cause(error) {
      cause ??= error;
    },

    symptom(message) {
      symptom ??= message;
    },

    /** Wait for a promise in `settled`. It must not be rejected. */
    expect(promise) {
      open.add(promise);
      promise.then(() => open.delete(promise));
    },

    /** Call `answered` with the error of the innermost scope, or null, unless the device was lost. */
    pop(device, answered) {
      const ignored = () => {};
      failures.expect(device.popErrorScope().then(answered, ignored));
    },

    /** Wait for the answers to all questions so far. */
    async settled() {
      await Promise.all(open);
    },

    /** Return the error to raise now and forget all, or null. A symptom follows from a known cause. */
    taken() {
      const error = cause ?? (symptom === null ? null : new Error(`run: ${symptom}`));
      cause = symptom = null;
      return error;
    },

    raise() {
      if (cause === null && symptom === null) return;
      const error = failures.taken();
      if (error !== null) throw error;
    },

    clear() {
      cause = symptom = null;
      open.clear();
    },
  };
  return failures;
}
