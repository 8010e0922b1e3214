/** @file Text as a terminal shows it: lines that are written again, and colours by escape sequences. */

import { make } from "../../ui/dom.js";

const ESCAPE = "\x1b";
const PARTS = new RegExp(
  String.raw`${ESCAPE}\[([\d;:]*)[ -?]*([@-~])|${ESCAPE}[^[]|[\n\r\b]|[^${ESCAPE}\n\r\b]+`,
  "gu",
);
const BEGUN = new RegExp(String.raw`${ESCAPE}(\[[ -?]*)?$`, "u");

/** Styles by the number that begins them. A colour ends the earlier one of its group. */
const STYLES = new Map([
  [1, "bold"],
  [2, "faint"],
  [3, "italic"],
  [4, "underlined"],
]);
/** Styles that a number ends. @type {Map<number, RegExp>} */
const ENDS = new Map([
  [22, /^(bold|faint)$/],
  [23, /^italic$/],
  [24, /^underlined$/],
  [39, /^colour-/],
]);

/** @typedef {{ text: string, style: string }} Cell a character with the names of its classes */

export class TerminalText {
  element;
  /** Holds the last line, which may be written again. */
  #tail = make("span");
  /** @type {Cell[]} */
  #line = [];
  #column = 0;
  /** @type {string[]} */
  #styles = [];
  /** The beginning of an escape sequence, whose rest follows. */
  #begun = "";

  /** @param {string} className */
  constructor(className) {
    this.element = make("pre", { className }, this.#tail);
  }

  /** @param {string} text */
  write(text) {
    const all = this.#begun + text;
    this.#begun = BEGUN.exec(all)?.[0] ?? "";
    /** @type {Cell[]} */
    const finished = [];
    for (const [part, numbers, final] of all
      .slice(0, all.length - this.#begun.length)
      .matchAll(PARTS)) {
      if (part === "\n") {
        for (const cell of this.#line) finished.push(cell);
        finished.push({ text: "\n", style: "" });
        this.#line = [];
        this.#column = 0;
      } else if (part === "\r") this.#column = 0;
      else if (part === "\b") this.#column = Math.max(0, this.#column - 1);
      else if (final === "m") this.#setStyles(numbers);
      else if (final === "K") this.#erase(Number(numbers));
      else if (!part.startsWith(ESCAPE)) this.#print(part);
    }
    this.#tail.before(...runs(finished));
    this.#tail.replaceChildren(...runs(this.#line));
  }

  /** @param {string} text */
  #print(text) {
    const style = this.#styles.join(" ");
    for (const character of text) {
      this.#line[this.#column] = { text: character, style };
      this.#column += 1;
    }
  }

  /** @param {number} part of the line: 0 after the cursor, 1 before it, 2 all of it */
  #erase(part) {
    if (part !== 0) for (const cell of this.#line.slice(0, this.#column)) cell.text = " ";
    if (part !== 1) this.#line.length = this.#column;
  }

  /** @param {string} numbers separated by semicolons */
  #setStyles(numbers) {
    const codes = numbers.split(/[;:]/).map(Number);
    while (codes.length > 0) {
      const code = /** @type {number} */ (codes.shift());
      const name = STYLES.get(code) ?? colourOf(code);
      const ended = ENDS.get(code) ?? (name?.startsWith("colour-") ? /^colour-/ : null);
      // Palettes of 256 colours and of all colours are not shown; their numbers are no styles.
      if (code === 38 || code === 48) codes.splice(0, codes[0] === 5 ? 2 : 4);
      if (code === 0) this.#styles = [];
      if (ended) this.#styles = this.#styles.filter((style) => !ended.test(style));
      if (name && !this.#styles.includes(name)) this.#styles.push(name);
    }
  }
}

/** @param {number} code @returns {string | undefined} the class of one of eight text colours, normal or bright */
function colourOf(code) {
  const colour = code >= 90 ? code - 90 : code - 30;
  return colour >= 0 && colour < 8 ? `colour-${colour}` : undefined;
}

/** @param {Cell[]} cells @returns {(string | HTMLElement)[]} texts of one style each */
function runs(cells) {
  /** @type {Cell[]} */
  const joined = [];
  for (const { text, style } of cells) {
    const last = joined.at(-1);
    if (last?.style === style) last.text += text;
    else joined.push({ text, style });
  }
  return joined.map(({ text, style }) =>
    style === "" ? text : make("span", { className: style }, text),
  );
}
