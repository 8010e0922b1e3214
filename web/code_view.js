/** @file A Python file of the page, shown in colour where a visitor unfolds it. */

import { pythonLanguage } from "@codemirror/lang-python";
import { classHighlighter, highlightCode } from "@lezer/highlight";
import { make } from "./dom.js";

/**
 * @param {HTMLElement} folded a details element
 * @param {{ name: string, source: string }[]} files
 */
export function createCodeView(folded, files) {
  folded.addEventListener("toggle", () => folded.append(...files.flatMap(shown)), { once: true });
}

/** @param {{ name: string, source: string }} file */
function shown({ name, source }) {
  const text = source.trimEnd();
  const code = make("code");
  highlightCode(
    text,
    pythonLanguage.parser.parse(text),
    classHighlighter,
    (part, classes) => code.append(classes ? make("span", { className: classes }, part) : part),
    () => code.append("\n"),
  );
  const block = make("pre", { tabIndex: 0, role: "group", ariaLabel: name }, code);
  return [make("p", { className: "hint" }, name), block];
}
