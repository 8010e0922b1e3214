/** @file Convert a compiler's log to an error message that shows the line of the source. */

const CONTEXT_LINES = 2;

/**
 * Return carets under the token that the complaint quotes, or under the first character of `line`.
 * @param {string} complaint @param {string} line
 */
function caret(complaint, line) {
  const token = /'([^']+)'/.exec(complaint)?.[1] ?? "";
  const word = /^\w+$/.test(token) ? new RegExp(`\\b${token}\\b`).exec(line)?.index : undefined;
  const at = word ?? (token ? line.indexOf(token) : -1);
  if (at < 0) return `${" ".repeat(line.length - line.trimStart().length)}^`;
  return " ".repeat(at) + "^".repeat(token.length);
}

/**
 * Return the lines of a part of a program. Text after `#line 1 <part>` is a part of its own, in which the compiler
 * counts lines from 1, up to the next `#line`.
 * @param {string} source @param {number} part
 */
function linesOf(source, part) {
  const lines = source.split("\n");
  const start = lines.indexOf(`#line 1 ${part}`) + 1;
  if (start === 0) return lines;
  const rest = lines.slice(start);
  const length = rest.findIndex((line) => line.startsWith("#line "));
  return length < 0 ? rest : rest.slice(0, length);
}

/**
 * Return an error with the program's name, the compiler's first complaint and the source around it.
 * @param {string} name @param {string} log @param {string} source
 */
export function shaderError(name, log, source) {
  const complaints = log.replace(/\0/g, "").trim().split("\n");
  const first = complaints.find((line) => /error/i.test(line)) ?? complaints[0];
  // ANGLE and Apple write "ERROR: 0:12: ...", Mesa "0:12(5): error: ...".
  const [, part, line] = /\b(\d+):(\d+)/.exec(first) ?? ["", "0", "0"];
  const number = Number(line);
  const lines = linesOf(source, Number(part));
  const message = [`shader ${name}: ${first || "the driver refused it and gave no reason"}`];
  if (number >= 1 && number <= lines.length) {
    const end = Math.min(number + CONTEXT_LINES, lines.length);
    const margin = String(end).length;
    for (let i = Math.max(1, number - CONTEXT_LINES); i <= end; i++) {
      message.push(`${String(i).padStart(margin)} | ${lines[i - 1]}`.trimEnd());
      if (i === number) message.push(`${" ".repeat(margin)} | ${caret(first, lines[i - 1])}`);
    }
  }
  return Object.assign(new Error(message.join("\n")), { name: "ShaderError" });
}
