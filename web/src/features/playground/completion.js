/** @file Completion of the library's names after "pt." and after its modules, for example "pt.nn.". */

/** @import { CompletionContext, CompletionResult } from "@codemirror/autocomplete" */

/**
 * @param {(module: string) => Promise<string[]>} namesOf returns a module's public names; "" is the library itself
 * @returns {(context: CompletionContext) => Promise<CompletionResult | null>}
 */
export function createCompletion(namesOf) {
  /** @type {Map<string, string[]>} */
  const known = new Map();

  return async (context) => {
    const written = context.matchBefore(/\bpt\.[\w.]*/);
    if (!written) return null;
    const end = written.text.lastIndexOf(".");
    const module = written.text.slice("pt.".length, Math.max(end, "pt.".length));
    const names = known.get(module) ?? (await namesOf(module).catch(() => []));
    if (names.length > 0) known.set(module, names);
    return {
      from: written.from + end + 1,
      options: names.map((label) => ({ label })),
      validFor: /^\w*$/,
    };
  };
}
