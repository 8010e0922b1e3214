/** @file Questions about the program in the editor, found in the syntax tree. */

import { syntaxTree } from "@codemirror/language";

/** @import { EditorState } from "@codemirror/state" */

/**
 * @typedef {ReturnType<ReturnType<typeof syntaxTree>["resolveInner"]>} SyntaxNode
 * @typedef {"members" | "exports" | "modules" | "keys" | "describe" | "describeImport"} Kind
 * @typedef {{ kind: Kind, expression: string }} Question as Python answers it, in help/code_help.py
 * @typedef {Question & { from: number }} Completed `from`: start of the text that is completed
 * @typedef {{ from: number, to: number, question: Question, argument: string }} Named
 *   `argument` is the name of a keyword argument; the question is then about the function
 * @typedef {{ from: number, expression: string, index: number, keyword: string, named: string[], isStart: boolean }} Call
 *   `index` and `keyword` of the argument at the cursor; `isStart` if no more than a name of it is written
 */

/** Nodes that end where the text before a dot ends, and are the object of the attribute. */
const OBJECTS = new Set([
  "VariableName",
  "MemberExpression",
  "CallExpression",
  "ParenthesizedExpression",
  "TupleExpression",
  "ArrayExpression",
  "ArrayComprehensionExpression",
  "DictionaryExpression",
  "DictionaryComprehensionExpression",
  "SetExpression",
  "SetComprehensionExpression",
  "String",
  "FormatString",
]);
const TEXTS = new Set(["Comment", "String", "FormatString", "Escape"]);
const NAMES = new Set(["VariableName", "PropertyName"]);

/** @param {EditorState} state @param {{ from: number, to: number }} node */
const textOf = (state, { from, to }) => state.sliceDoc(from, to);

/** Returns the node that ends at a position. @param {EditorState} state @param {number} pos @returns {SyntaxNode} */
const nodeBefore = (state, pos) => syntaxTree(state).resolveInner(pos, -1);

/**
 * Returns what to ask in order to complete the text before a position; null for a name of the program itself, and
 * where there is nothing to complete.
 *
 * @param {EditorState} state
 * @param {number} pos
 * @returns {Completed | null}
 */
export function completedAt(state, pos) {
  const node = nodeBefore(state, pos);
  const line = state.doc.lineAt(pos);
  const before = line.text.slice(0, pos - line.from);
  if (TEXTS.has(node.name)) return node.name === "String" ? keyAt(state, node, pos) : null;
  const module = /^\s*(?:from\s+|import\s+(?:.*,\s*)?)([\w.]*)$/.exec(before)?.[1];
  if (module !== undefined) {
    const dot = module.lastIndexOf(".");
    return {
      kind: "modules",
      expression: module.slice(0, Math.max(dot, 0)),
      from: pos - module.length + dot + 1,
    };
  }
  const imported = /^\s*from\s+([\w.]+)\s+import\s+\(?(?:[\w\s,]*,\s*)?(\w*)$/.exec(before);
  if (imported) return { kind: "exports", expression: imported[1], from: pos - imported[2].length };
  const written = /\.\s*(\w*)$/.exec(before);
  if (!written) return null;
  const from = pos - written[1].length;
  const object = objectBefore(state, pos - written[0].length);
  return object && { kind: "members", expression: textOf(state, object), from };
}

/** @param {EditorState} state @param {number} end @returns {SyntaxNode | null} */
function objectBefore(state, end) {
  let node = nodeBefore(state, end);
  while (node.to < end && node.parent) node = node.parent;
  /** @type {SyntaxNode | null} */
  let object = null;
  for (let inner = /** @type {SyntaxNode | null} */ (node); inner?.to === end; inner = inner.parent)
    if (OBJECTS.has(inner.name)) object = inner;
    else if (object) break;
  return object;
}

/** @param {EditorState} state @param {SyntaxNode} string @param {number} pos @returns {Completed | null} */
function keyAt(state, string, pos) {
  const member = string.parent;
  const object = member?.name === "MemberExpression" ? member.firstChild : null;
  const isIndex = object?.nextSibling?.name === "[" && object.nextSibling.to === string.from;
  const key = /^["']([^"'\\]*)$/.exec(state.sliceDoc(string.from, pos));
  if (!isIndex || !key || !object) return null;
  return { kind: "keys", expression: textOf(state, object), from: string.from + 1 };
}

/** Returns whether names are written at a position, and not texts. @param {EditorState} state @param {number} pos */
export const isCode = (state, pos) => !TEXTS.has(nodeBefore(state, pos).name);

/**
 * Returns the name at a position, with what to ask about it.
 *
 * @param {EditorState} state
 * @param {number} pos
 * @returns {Named | null}
 */
export function namedAt(state, pos) {
  const tree = syntaxTree(state);
  const node = [1, -1]
    .map((side) => tree.resolveInner(pos, /** @type {1 | -1} */ (side)))
    .find(({ name }) => NAMES.has(name));
  const parent = node?.parent;
  if (!node || !parent) return null;
  const { from, to } = node;
  /** @param {Question["kind"]} kind @param {string} expression @param {string} [argument] @returns {Named} */
  const named = (kind, expression, argument = "") => ({
    from,
    to,
    question: { kind, expression },
    argument,
  });
  if (parent.name === "ImportStatement" && node.prevSibling?.name !== "as")
    return named("describeImport", importedPath(state, node, parent));
  if (parent.name === "ArgList" && node.nextSibling?.name === "AssignOp") {
    const expression = calleeOf(state, parent);
    return expression ? named("describe", expression, textOf(state, node)) : null;
  }
  // A decorator has the names of a path without a node around them.
  const start = parent.name === "Decorator" ? parent.from + 1 : parent.from;
  const isPart = node.name === "PropertyName" || parent.name === "Decorator";
  return named("describe", state.sliceDoc(isPart ? start : from, to));
}

/** @param {EditorState} state @param {SyntaxNode} name @param {SyntaxNode} statement @returns {string} */
function importedPath(state, name, statement) {
  let start = name;
  while (start.prevSibling?.name === "." && start.prevSibling.prevSibling)
    start = start.prevSibling.prevSibling;
  const path = state.sliceDoc(start.from, name.to);
  const keyword = statement.getChild("import");
  const first = statement.firstChild;
  if (first?.name !== "from" || !keyword || name.from < keyword.from) return path;
  return `${state.sliceDoc(first.to, keyword.from).trim()}.${path}`;
}

/** Returns the text of a called function; "" for bases of classes. @param {EditorState} state @param {SyntaxNode} list */
function calleeOf(state, list) {
  const { parent, prevSibling } = list;
  if (parent?.name === "Decorator") return state.sliceDoc(parent.from + 1, list.from);
  return parent?.name === "CallExpression" && prevSibling ? textOf(state, prevSibling) : "";
}

/**
 * Returns the innermost call whose parentheses are around a position.
 *
 * @param {EditorState} state
 * @param {number} pos
 * @returns {Call | null}
 */
export function callAt(state, pos) {
  let node = /** @type {SyntaxNode | null} */ (nodeBefore(state, pos));
  for (; node; node = node.parent) {
    const isClosed = node.lastChild?.name === ")" && node.to <= pos;
    if (node.name !== "ArgList" || node.from >= pos || isClosed) continue;
    const expression = calleeOf(state, node);
    if (expression) return { from: node.from, expression, ...argumentAt(state, node, pos) };
  }
  return null;
}

/** @param {EditorState} state @param {SyntaxNode} list @param {number} pos */
function argumentAt(state, list, pos) {
  const named = [];
  let [index, keyword, start] = [0, "", list.from + 1];
  for (let child = list.firstChild; child; child = child.nextSibling) {
    if (child.name === "AssignOp" && child.prevSibling) {
      const name = textOf(state, child.prevSibling);
      named.push(name);
      if (child.from < pos) keyword = name;
    }
    if (child.name === "," && child.from < pos) [index, keyword, start] = [index + 1, "", child.to];
  }
  return { index, keyword, named, isStart: /^\s*\w*$/.test(state.sliceDoc(start, pos)) };
}
