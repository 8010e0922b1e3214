/** @file Documentation in the editor: over a name, at the cursor, and of the call that is written. */

import { Prec, StateEffect, StateField } from "@codemirror/state";
import { EditorView, hoverTooltip, keymap, showTooltip, ViewPlugin } from "@codemirror/view";
import { callAt, namedAt } from "./expressions.js";
import { helpElement, parameterOf } from "./help_element.js";

/** @import { EditorState } from "@codemirror/state" */
/** @import { Tooltip, ViewUpdate } from "@codemirror/view" */
/** @import { Call, Named, Question } from "./expressions.js" */
/** @import { Description } from "./help_element.js" */

/**
 * Asks Python; resolves to null if there is no answer.
 *
 * @typedef {(state: EditorState, pos: number, question: Question) => Promise<any>} Ask
 */

const PAUSE = 100; // milliseconds after a key until the call around the cursor is looked at

/** @type {import("@codemirror/state").StateEffectType<Tooltip | null>} */
const setHelp = StateEffect.define();

/** Documentation at the cursor. */
const shownHelp = StateField.define({
  create: () => /** @type {Tooltip | null} */ (null),
  update(shown, { effects, changes }) {
    for (const effect of effects) if (effect.is(setHelp)) return effect.value;
    return shown && { ...shown, pos: changes.mapPos(shown.pos) };
  },
  provide: (field) => showTooltip.from(field),
});

/** @param {number} pos @param {HTMLElement} dom @returns {Tooltip} */
const tooltip = (pos, dom) => ({ pos, above: true, create: () => ({ dom }) });

/** @param {Ask} ask */
export function codeHelp(ask) {
  /** @param {EditorState} state @param {Named} named */
  async function helpOf(state, { from, question, argument }) {
    /** @type {Description | null} */
    const found = await ask(state, from, question);
    if (!found || !argument) return found && helpElement(found);
    const parameter = found.parameters?.find(({ name }) => name === argument);
    const summary = found.arguments?.[argument] ?? "";
    return parameter ? helpElement({ title: parameter.text, summary }) : null;
  }

  const hover = hoverTooltip(async ({ state }, pos) => {
    const named = namedAt(state, pos);
    const dom = named && (await helpOf(state, named));
    return dom && { ...tooltip(named.from, dom), end: named.to };
  });

  class CallHelp {
    #view;
    #timer = 0;
    /** Call that is shown. @type {Call | null} */
    #call = null;
    /** @type {Description | null} */
    #found = null;

    /** @param {EditorView} view */
    constructor(view) {
      this.#view = view;
    }

    /** @param {ViewUpdate} update */
    update({ docChanged, selectionSet, focusChanged, transactions, state, view }) {
      if (focusChanged && !view.hasFocus && this.#call) this.#later(() => this.close());
      if (!docChanged && !selectionSet) return;
      const isTyped = transactions.some((one) => one.isUserEvent("input"));
      if (isTyped || this.#call) this.#later(() => this.show(false));
      else if (state.field(shownHelp)) this.#later(() => this.close());
    }

    destroy() {
      clearTimeout(this.#timer);
    }

    /** @param {() => void} work */
    #later(work) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(work, PAUSE);
    }

    close() {
      clearTimeout(this.#timer);
      this.#call = null;
      if (this.#view.state.field(shownHelp)) this.#view.dispatch({ effects: setHelp.of(null) });
    }

    /** Shows the signature of the call around the cursor. @param {boolean} announced to screen readers */
    async show(announced) {
      const { state } = this.#view;
      const call = callAt(state, state.selection.main.head);
      if (!call) return this.close();
      const isNew = call.from !== this.#call?.from || call.expression !== this.#call.expression;
      const { expression, from } = call;
      this.#call = call;
      if (isNew) this.#found = await ask(state, from, { kind: "describe", expression });
      // Other keys may have been pressed meanwhile.
      if (this.#call !== call) return;
      const parameters = this.#found?.parameters;
      if (!this.#found || !parameters) return this.close();
      const dom = helpElement(this.#found, parameterOf(parameters, call));
      this.#open(from, dom, announced || isNew);
    }

    /** Shows the documentation of the name at the cursor, or of the call around it. */
    async describe() {
      const { state } = this.#view;
      if (state.field(shownHelp) && !this.#call) return this.close();
      const named = namedAt(state, state.selection.main.head);
      const dom = named && (await helpOf(state, named));
      const { doc, selection } = this.#view.state;
      if (doc !== state.doc || selection !== state.selection) return;
      if (!dom) return this.show(true);
      clearTimeout(this.#timer);
      this.#call = null;
      this.#open(named.from, dom, true);
    }

    /** @param {number} pos @param {HTMLElement} dom @param {boolean} announced */
    #open(pos, dom, announced) {
      const texts = [...dom.children].map(({ textContent }) => textContent);
      const shown = setHelp.of(tooltip(pos, dom));
      const said = announced ? [EditorView.announce.of(texts.join(". "))] : [];
      this.#view.dispatch({ effects: [shown, ...said] });
    }
  }

  const plugin = ViewPlugin.fromClass(CallHelp);

  /** Shows documentation at the cursor. @param {EditorView} view */
  const describe = (view) => {
    view.plugin(plugin)?.describe();
    return true;
  };
  const keys = Prec.highest(
    keymap.of([
      { key: "F1", run: describe },
      {
        key: "Mod-Shift-Space",
        run: (view) => {
          view.plugin(plugin)?.show(true);
          return true;
        },
      },
      {
        key: "Escape",
        run: (view) => {
          view.plugin(plugin)?.close();
          return false; // the key also closes completions, and lets Tab leave the editor
        },
      },
    ]),
  );
  return { describe, extension: [shownHelp, plugin, keys, hover] };
}
