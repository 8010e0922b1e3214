/** @file Asks Python about the program in the editor, also while that program computes. */

/** @import { Client } from "../../python/client.js" */
/** @import { Ask } from "./code_help.js" */

const PATIENCE = 300; // milliseconds for the Python that runs a program
const LATE = Symbol("late");

/**
 * Returns the function that asks. A program that computes lets its Python answer nothing; then the Python of the other
 * sections does, which has the same modules, but not the variables of the last run.
 *
 * @param {Client} programs
 * @param {Client} others
 * @param {() => boolean} isRunning
 * @returns {Ask}
 */
export function createAsk(programs, others, isRunning) {
  let waiting = 0;

  /** @param {unknown[]} question */
  async function askPrograms(question) {
    waiting += 1;
    try {
      return await programs.call("codeHelp", question);
    } finally {
      waiting -= 1;
    }
  }

  /** @param {unknown[]} question */
  async function answer(question) {
    if (!programs.isReady) return null;
    if (!isRunning()) return askPrograms(question);
    const late = new Promise((resolve) => setTimeout(resolve, PATIENCE, LATE));
    // One question waits for the program at a time.
    const first = waiting > 0 ? LATE : await Promise.race([askPrograms(question), late]);
    if (first !== LATE) return first;
    return others.isReady ? others.call("codeHelp", question) : null;
  }

  return ({ doc }, pos, { kind, expression }) =>
    answer([kind, doc.toString(), doc.lineAt(pos).number, expression]).catch(() => null);
}
