/** @file A text as the input of a model: its tokenizer, the text, and the tokens. */

import { filesOfInput } from "../../../ui/chosen_files.js";
import { find, make } from "../../../ui/dom.js";
import { textOf } from "../../../ui/error_text.js";

/** @import { Analyser } from "../analyser.js" */

/**
 * @typedef {object} TextState
 * @property {string} text
 * @property {string} pair the second text, "" for none
 * @property {string} tokenizer name of its file, "" if there is none
 * @property {string} problem of the file
 * @property {[string, number][]} tokens texts and numbers of the first tokens
 * @property {number} count of all tokens
 * @property {number} padded number of tokens that were added to fill the input
 * @property {number} cut number of tokens that the model has no place for
 */

const ASK =
  "To give this model a text, add its tokenizer: tokenizer.json, vocab.txt of BERT, or a GGUF file. Without it, its input is random numbers.";
/** Names of a tokenizer's files, as in text_input.py. */
const FILE = /^(.*\/)?(tokenizer(_config)?\.json|vocab\.txt)$/;

/** @param {Analyser} analyser @param {() => Promise<unknown>} run @param {(state: any) => void} showInput */
export function createTextInput(analyser, run, showInput) {
  const panel = find("input-text", HTMLElement);
  const file = make("input", { type: "file", multiple: true, accept: ".json,.txt,.gguf" });
  const about = make("p", { className: "hint" });
  const text = make("textarea", { id: "text-first", rows: 3 });
  const pair = make("textarea", { id: "text-second", rows: 1 });
  const use = make("button", { type: "submit", className: "primary" }, "Use this text");
  const status = make("p", { className: "status", role: "status" });
  const tokens = make("ol", { className: "tokens", tabIndex: 0, ariaLabel: "Tokens" });
  const fields = make(
    "form",
    {},
    make("label", { htmlFor: text.id }, "Text"),
    text,
    make("label", { htmlFor: pair.id }, "Second text, for models of pairs"),
    pair,
    make("div", { className: "bar" }, use),
  );
  panel.append(
    make(
      "div",
      { className: "bar" },
      make("label", { className: "button file" }, "Tokenizer…", file),
    ),
    about,
    fields,
    status,
    tokens,
  );
  file.onchange = () => {
    const files = filesOfInput(file.files ?? []);
    file.value = "";
    if (Object.keys(files).length) give("set_tokenizer", [files]);
  };
  analyser.takeFiles = (files) => {
    const names = Object.keys(files);
    const taken = !panel.hidden && names.length > 0 && names.every((name) => FILE.test(name));
    if (taken) give("set_tokenizer", [files]);
    return taken;
  };
  fields.onsubmit = (event) => {
    event.preventDefault();
    give("set_text", [text.value, pair.value]);
  };

  /** @param {string} method @param {unknown[]} args */
  async function give(method, args) {
    use.disabled = true;
    try {
      showInput(await analyser.call("input", method, args));
      await run();
    } catch (error) {
      status.textContent = textOf(error);
    }
    use.disabled = false;
  }

  return {
    /** @param {TextState | null} state null for a model that takes no text */
    show(state) {
      panel.hidden = state === null;
      if (!state) return;
      const hasTokenizer = state.tokenizer !== "";
      about.textContent = hasTokenizer ? `Tokens are made by ${state.tokenizer}.` : ASK;
      fields.hidden = tokens.hidden = !hasTokenizer;
      text.value = state.text;
      pair.value = state.pair;
      status.textContent = state.problem || (hasTokenizer ? sizeOf(state) : "");
      tokens.replaceChildren(
        ...state.tokens.map(([token, id]) =>
          make("li", {}, make("span", {}, token), make("small", {}, String(id))),
        ),
      );
    },
  };
}

/** @param {TextState} state */
function sizeOf({ count, padded, cut, tokens }) {
  const parts = [`${count} tokens`];
  if (padded) parts.push(`the model takes ${count + padded}: the rest is padding`);
  if (cut) parts.push(`${cut} more were cut off`);
  if (tokens.length < count) parts.push(`the first ${tokens.length} are shown`);
  return `${parts.join("; ")}.`;
}
