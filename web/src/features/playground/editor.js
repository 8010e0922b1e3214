/** @file Code editor: CodeMirror with Python, the page's colours, and a marker for the line that failed. */

import { indentWithTab, isolateHistory, redo, undo } from "@codemirror/commands";
import { pythonLanguage } from "@codemirror/lang-python";
import { indentUnit, syntaxHighlighting } from "@codemirror/language";
import { Annotation, EditorState, Prec, StateEffect, StateField } from "@codemirror/state";
import { Decoration, keymap } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import { basicSetup, EditorView } from "codemirror";
import { codeHelp } from "./code_help.js";
import { createCompletion } from "./completion.js";

/** @import { Ask } from "./code_help.js" */

/** Marks changes that load another text. @type {import("@codemirror/state").AnnotationType<boolean>} */
const replaced = Annotation.define();

/** @type {import("@codemirror/state").StateEffectType<number | null>} */
const markLine = StateEffect.define();

const markedLine = StateField.define({
  create: () => Decoration.none,
  update(marks, transaction) {
    for (const effect of transaction.effects) {
      if (!effect.is(markLine)) continue;
      const { value } = effect;
      if (value === null || value > transaction.state.doc.lines) return Decoration.none;
      const { from } = transaction.state.doc.line(value);
      return Decoration.set([Decoration.line({ class: "failed-line" }).range(from)]);
    }
    return transaction.docChanged ? Decoration.none : marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/**
 * @param {HTMLElement} parent
 * @param {object} options
 * @param {() => void} options.onRun
 * @param {() => void} options.onEdit called when the visitor changes the text
 * @param {Ask} options.ask asks Python about the program
 */
export function createEditor(parent, { onRun, onEdit, ask }) {
  const help = codeHelp(ask);
  const run = () => {
    onRun();
    return true;
  };
  const view = new EditorView({
    parent,
    state: EditorState.create({
      extensions: [
        // Takes precedence over the default keymap, which inserts a blank line on these keys.
        Prec.highest(
          keymap.of([
            { key: "Mod-Enter", run },
            { key: "Ctrl-Enter", run },
          ]),
        ),
        basicSetup,
        keymap.of([indentWithTab]),
        pythonLanguage,
        indentUnit.of("    "),
        syntaxHighlighting(classHighlighter),
        // It has the focus anyway; axe asks for the attribute where long lines scroll.
        EditorView.contentAttributes.of({ "aria-label": "Python program", tabindex: "0" }),
        markedLine,
        EditorView.updateListener.of(({ docChanged, transactions }) => {
          if (docChanged && !transactions.some((one) => one.annotation(replaced))) onEdit();
        }),
        pythonLanguage.data.of({ autocomplete: createCompletion(ask) }),
        help.extension,
      ],
    }),
  });

  return {
    get source() {
      return view.state.doc.toString();
    },
    set source(text) {
      const changes = { from: 0, to: view.state.doc.length, insert: text };
      // An edit just before is undone separately.
      view.dispatch({ changes, annotations: [replaced.of(true), isolateHistory.of("full")] });
      view.scrollDOM.scrollTo(0, 0);
    },
    undo: () => undo(view),
    redo: () => redo(view),
    /** Shows the documentation of the name at the cursor. */
    describe: () => help.describe(view),
    /** @param {number | null} line */
    mark(line) {
      view.dispatch({ effects: markLine.of(line) });
      if (line === null || line > view.state.doc.lines) return;
      const { from } = view.state.doc.line(line);
      view.dispatch({ effects: EditorView.scrollIntoView(from, { y: "center" }) });
    },
  };
}
