/** @file The visitor's own programs: saved in the browser at each change, and shared by links. */

const KEY = "py_tensor.programs";
const MAX_TITLE = 40; // characters
const PARAMETER = "program";
const RUN = "run";

/**
 * @typedef {{ source: string, name: string }} OwnProgram without a name it is called after its first line
 * @typedef {{ programs: OwnProgram[], isShown: boolean }} Saved programs, the latest first; true if it was in the editor
 */

export class OwnPrograms {
  /** @type {OwnProgram[]} */
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

  /** Names of files, each once, and texts of all programs. @returns {Record<string, string>} */
  get files() {
    /** @type {Record<string, string>} */
    const files = {};
    for (const program of this.#programs) {
      const name = fileName(titleOf(program));
      let free = name;
      for (let number = 2; `${free}.py` in files; number += 1) free = `${name}_${number}`;
      files[`${free}.py`] = `${program.source}\n`;
    }
    return files;
  }

  /** Name of the file of the program in the editor. */
  get fileName() {
    return this.shown ? `${fileName(titleOf(this.shown))}.py` : "program.py";
  }

  /**
   * Saves the program in the editor. A changed example is a new program.
   *
   * @param {string} source
   * @returns {boolean} false if the browser saves nothing for this page
   */
  edit(source) {
    const name = (this.#isShown && this.#programs.shift()?.name) || "";
    this.#isShown = source.trim() !== "";
    if (this.#isShown) this.#programs.unshift({ source, name });
    return this.#write();
  }

  /**
   * Names the program in the editor; "" calls it after its first line.
   *
   * @param {string} name
   * @returns {boolean} false if the browser saves nothing for this page
   */
  rename(name) {
    const { shown } = this;
    if (shown) shown.name = name.trim().slice(0, MAX_TITLE);
    return this.#write();
  }

  /** Makes a saved program the latest one. @param {number} index @returns {string} */
  open(index) {
    const [program] = this.#programs.splice(index, 1);
    this.#programs.unshift(program);
    this.#isShown = true;
    this.#write();
    return program.source;
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
    const { programs, isShown } = JSON.parse(localStorage.getItem(KEY) ?? "");
    // Texts alone are from before programs had names.
    const withName = (/** @type {OwnProgram | string} */ program) =>
      typeof program === "string" ? { source: program, name: "" } : program;
    return { programs: programs.map(withName), isShown };
  } catch {
    return { programs: [], isShown: false };
  }
}

/** The name, or else the first line that is no import. @param {OwnProgram} program */
function titleOf({ source, name }) {
  if (name) return name;
  const lines = source.split("\n").map((line) => line.replace(/^#\s*/, "").trim());
  const title = lines.find((line) => line && !/^(import|from)\s/.test(line)) ?? lines[0];
  return title.length > MAX_TITLE ? `${title.slice(0, MAX_TITLE)}…` : title;
}

/** @param {string} title */
const fileName = (title) =>
  title.replace(/[^\p{L}\p{N}]+/gu, "_").replace(/^_|_$/g, "") || "program";

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
