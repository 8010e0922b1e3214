/** @file Shows highlighted Python sources once a visitor unfolds them. */

import { pythonLanguage } from "@codemirror/lang-python";
import { classHighlighter, highlightCode } from "@lezer/highlight";
import { make } from "./dom.js";

/**
 * @param {HTMLElement} details a details element
 * @param {{ name: string, source: string }[]} files
 */
export function createCodeView(details, files) {
  details.addEventListener("toggle", () => details.append(...files.flatMap(highlighted)), {
    once: true,
  });
}

/** @param {{ name: string, source: string }} file */
function highlighted({ name, source }) {
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
