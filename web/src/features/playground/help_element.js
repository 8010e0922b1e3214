/** @file Shows the signature and the documentation of a name. */

import { make } from "../../ui/dom.js";

/**
 * @typedef {{ name: string, text: string, keyword: boolean, repeats?: boolean }} Parameter
 *   without a name if it takes the other arguments, or stands between parameters as `*` does
 * @typedef {object} Description as help/code_help.py returns it
 * @property {string} title
 * @property {string} summary
 * @property {Parameter[] | null} [parameters] null if they are not known
 * @property {string} [result] type of the result
 * @property {string} [text] short text of a variable's value after the last run
 * @property {string} [example]
 * @property {Record<string, string>} [arguments] texts by the name of the parameter
 */

/** Returns a text whose parts between backticks are code. @param {string} text */
const withCode = (text) =>
  text.split(/`+([^`]+)`+/).map((part, at) => (at % 2 === 1 ? make("code", {}, part) : part));

/**
 * Returns the element that shows a description.
 *
 * @param {Description & { arguments?: Record<string, string> }} description
 * @param {Parameter} [current] parameter to mark, whose text is shown instead of the example
 */
export function helpElement(description, current) {
  const { summary, text, example } = description;
  const about = current && description.arguments?.[current.name];
  const box = make("div", { className: "code-help" }, signature(description, current));
  if (about) box.append(make("p", {}, make("b", {}, current.name), " ", ...withCode(about)));
  if (summary) box.append(make("p", {}, ...withCode(summary)));
  if (text) box.append(make("p", {}, "After the last run: ", make("code", {}, text)));
  if (example && !current) box.append(make("pre", {}, example));
  return box;
}

/** @param {Description} description @param {Parameter} [current] */
function signature({ title, parameters, result }, current) {
  const code = make("code", { className: "signature" }, title);
  if (!parameters) return code;
  code.append("(");
  parameters.forEach((parameter, at) => {
    if (at > 0) code.append(", ");
    code.append(parameter === current ? make("mark", {}, parameter.text) : parameter.text);
  });
  code.append(")", result ? ` → ${result}` : "");
  return code;
}

/**
 * Returns the parameter that an argument of a call is for.
 *
 * @param {Parameter[]} parameters
 * @param {{ index: number, keyword: string }} argument
 * @returns {Parameter | undefined}
 */
export function parameterOf(parameters, { index, keyword }) {
  if (keyword) return parameters.find(({ name }) => name === keyword);
  const end = parameters.findIndex(({ text, repeats }) => text.startsWith("*") && !repeats);
  const positional = parameters
    .slice(0, end === -1 ? undefined : end)
    .filter(({ name, repeats }) => name || repeats);
  const rest = positional.findIndex(({ repeats }) => repeats);
  return positional[rest === -1 ? index : Math.min(index, rest)];
}
