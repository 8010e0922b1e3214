/** @file The visitor's own programs: saved in the browser at each change, and shared by links. */

const KEY = "py_tensor.programs";
const MAX_TITLE = 40; // characters
const PARAMETER = "program";
const RUN = "run";

/** @typedef {{ programs: string[], isShown: boolean }} Saved programs, the latest first; true if it was in the editor */

export class OwnPrograms {
  /** @type {string[]} */
  #programs;
  #isShown;

  constructor() {
    const { programs, isShown } = read();
    this.#programs = programs;
    this.#isShown = isShown;
  }

  /** The program that was in the editor when the page was left; null if that was an example. */
  get shown() {
    return this.#isShown ? (this.#programs[0] ?? null) : null;
  }

  get titles() {
    return this.#programs.map(titleOf);
  }

  /**
   * Saves the program in the editor. A changed example is a new program.
   *
   * @param {string} source
   * @returns {boolean} false if the browser saves nothing for this page
   */
  edit(source) {
    if (this.#isShown) this.#programs.shift();
    this.#isShown = source.trim() !== "";
    if (this.#isShown) this.#programs.unshift(source);
    return this.#write();
  }

  /** Makes a saved program the latest one. @param {number} index @returns {string} */
  open(index) {
    const [source] = this.#programs.splice(index, 1);
    this.#programs.unshift(source);
    this.#isShown = true;
    this.#write();
    return source;
  }

  /** Deletes the program in the editor. */
  delete() {
    if (this.#isShown) this.#programs.shift();
    this.leave();
  }

  /** Called when the editor shows something else. */
  leave() {
    this.#isShown = false;
    this.#write();
  }

  #write() {
    try {
      localStorage.setItem(
        KEY,
        JSON.stringify({ programs: this.#programs, isShown: this.#isShown }),
      );
      return true;
    } catch {
      return false;
    }
  }
}

/** @returns {Saved} */
function read() {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "") ?? { programs: [], isShown: false };
  } catch {
    return { programs: [], isShown: false };
  }
}

/** The first line that is no import. @param {string} source */
function titleOf(source) {
  const lines = source.split("\n").map((line) => line.replace(/^#\s*/, "").trim());
  const title = lines.find((line) => line && !/^(import|from)\s/.test(line)) ?? lines[0];
  return title.length > MAX_TITLE ? `${title.slice(0, MAX_TITLE)}…` : title;
}

/** The program in the page's address; null if there is none. */
export function linkedProgram() {
  return new URLSearchParams(location.hash.slice(1)).get(PARAMETER);
}

/**
 * Returns true if a link of this site asks to run its program, as the buttons of the documentation do. Links of
 * others, and addresses that were copied, only show it.
 */
export function isRunByLink() {
  const asked = new URLSearchParams(location.hash.slice(1)).has(RUN);
  return asked && document.referrer.startsWith(new URL(".", document.baseURI).href);
}

/** Puts a program into the page's address, or removes it. @param {string | null} source */
export function linkProgram(source) {
  const hash = source === null ? "" : `#${new URLSearchParams({ [PARAMETER]: source })}`;
  history.replaceState(null, "", location.pathname + location.search + hash);
}
