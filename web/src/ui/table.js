/** @file Tables of texts. */

import { make } from "./dom.js";

/** The first text of a row names it. @param {string} caption @param {string[]} heads @param {string[][]} rows */
export function makeTable(caption, heads, rows) {
  const lines = rows.map(([first, ...rest]) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, first),
      ...rest.map((text) => make("td", {}, text)),
    ),
  );
  return make(
    "table",
    {},
    make("caption", {}, caption),
    make("thead", {}, make("tr", {}, ...heads.map((text) => make("th", { scope: "col" }, text)))),
    make("tbody", {}, ...lines),
  );
}
