/** @file Completion of names, attributes, modules, arguments and keys, with their documentation. */

import { globalCompletion, localCompletionSource } from "@codemirror/lang-python";
import { callAt, completedAt, isCode } from "./expressions.js";
import { helpElement } from "./help_element.js";

/** @import { Completion, CompletionContext, CompletionResult, CompletionSource } from "@codemirror/autocomplete" */
/** @import { Ask } from "./code_help.js" */
/** @import { Question } from "./expressions.js" */
/** @import { Description } from "./help_element.js" */

const NAME = /^\w*$/;

/** @param {Ask} ask @returns {CompletionSource} */
export function createCompletion(ask) {
  /**
   * Returns the documentation of a completion, when it is selected.
   *
   * @param {CompletionContext} context
   * @param {Question} question
   */
  const info = ({ state, pos }, { kind, expression }) => {
    return async () => {
      const description = await ask(state, pos, { kind, expression });
      return description && helpElement(description);
    };
  };

  /** Attributes, names of modules, and keys. @param {CompletionContext} context @returns {Promise<CompletionResult | null>} */
  async function asked(context) {
    const completed = completedAt(context.state, context.pos);
    if (!completed) return null;
    const { kind, expression, from } = completed;
    /** @type {Completion[] | null} */
    const found = await ask(context.state, context.pos, { kind, expression });
    if (!found?.length) return null;
    const path = expression && `${expression}.`;
    const options = found.map((option) => {
      const { label } = option;
      if (kind === "keys") return option;
      const describe = kind === "members" ? "describe" : "describeImport";
      return {
        ...option,
        info: info(context, { kind: describe, expression: path + label }),
      };
    });
    return { from, options, validFor: kind === "keys" ? /^[^"'\\]*$/ : NAME };
  }

  /** Arguments that the call around the cursor may have. @param {CompletionContext} context @returns {Promise<Completion[]>} */
  async function argumentsOf({ state, pos }) {
    const call = callAt(state, pos);
    if (!call?.isStart) return [];
    /** @type {Description | null} */
    const found = await ask(state, pos, { kind: "describe", expression: call.expression });
    const parameters = found?.parameters ?? [];
    return parameters
      .filter(({ name, keyword }) => keyword && !call.named.includes(name))
      .map(({ name, text }) => ({
        label: `${name}=`,
        type: "property",
        boost: 2,
        detail: text.slice(name.length).replace(/^:? ?/, ""),
        info: () => {
          const about = found?.arguments?.[name];
          return about ? helpElement({ title: text, summary: about }) : null;
        },
      }));
  }

  /** Names of the program and of Python. @param {CompletionContext} context @returns {Promise<CompletionResult | null>} */
  async function names(context) {
    const results = await Promise.all([localCompletionSource(context), globalCompletion(context)]);
    const found = results.flatMap((result) => result?.options ?? []);
    if (found.length === 0) return null;
    const given = await argumentsOf(context);
    const word = context.matchBefore(/\w*/);
    const options = found.map((option) => {
      if (option.type === "keyword" || option.info) return option;
      const question = { kind: /** @type {const} */ ("describe"), expression: option.label };
      return { ...option, info: info(context, question) };
    });
    return { from: word?.from ?? context.pos, options: [...given, ...options], validFor: NAME };
  }

  return async (context) => {
    const result = await asked(context);
    if (result) return result;
    const isName = isCode(context.state, context.pos) && !context.matchBefore(/\.\s*\w*/);
    return isName ? names(context) : null;
  };
}
