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

/**
 * Shows one program that changes, with a link that opens it in the playground.
 *
 * @param {HTMLElement} details a details element
 */
export function createProgramView(details) {
  const body = make("div");
  /** @type {{ name: string, source: string } | null} */
  let shown = null;
  details.append(body);
  details.addEventListener("toggle", draw);

  function draw() {
    if (!shown || !(details instanceof HTMLDetailsElement) || !details.open) return;
    const demo = document.querySelector(".site-navigation .brand");
    const address = demo instanceof HTMLAnchorElement ? demo.href : "";
    const program = new URLSearchParams({ program: shown.source });
    const link = make("a", { href: `${address}#${program}` }, "Open in the playground");
    body.replaceChildren(...highlighted(shown), make("p", {}, link));
  }

  return {
    /** @param {string} name @param {string} source */
    show(name, source) {
      shown = { name, source };
      draw();
    },
  };
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
