/** @file Output pane: streamed text, HTML, pictures and errors. */

import { make } from "../../ui/dom.js";
import { harmless } from "./harmless.js";
import { TerminalText } from "./terminal_text.js";

/** @import { Failure, Frame, HtmlOutput, Output, PictureOutput } from "../../python/protocol.js" */

const TEXT_DELAY = 30; // milliseconds; each change of the pane costs a layout
const ENLARGED_WIDTH = 420; // CSS pixels up to which small pictures are enlarged
const END = 24; // CSS pixels above the end of the output that count as its end
const MAX_HEIGHT = 340; // CSS pixels, so that a picture and its caption fit into the pane
const RATE_PERIOD = 1000; // milliseconds over which the pictures of an animation are counted
const POINTER_EVENTS = ["pointermove", "pointerdown", "pointerup", "pointercancel", "pointerleave"];

/** @typedef {{ offsetX: number, offsetY: number, buttons: number }} PointerFields positions from 0 to 1 */

export class OutputPane {
  #pane;
  #onPointer;
  /** @type {TerminalText | null} the block to which text is appended */
  #block = null;
  #text = "";
  #textIsError = false;
  #textTimer = 0;
  /** Boxes of titled outputs. @type {Map<string, HTMLElement>} */
  #items = new Map();
  /** Counts of pictures, for their rate. @type {WeakMap<HTMLElement, { count: number, since: number, rate: string }>} */
  #rates = new WeakMap();

  /**
   * @param {HTMLElement} pane
   * @param {(type: string, fields: PointerFields) => void} onPointer called for events on a picture
   */
  constructor(pane, onPointer) {
    this.#pane = pane;
    this.#onPointer = onPointer;
    pane.tabIndex = 0; // allows scrolling with the arrow keys
  }

  /** Width of the content in whole CSS pixels. */
  get width() {
    const { paddingLeft, paddingRight } = getComputedStyle(this.#pane);
    return Math.floor(this.#pane.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight));
  }

  clear() {
    this.#pane.replaceChildren();
    // It tells what to do before the first run.
    delete this.#pane.dataset.hint;
    this.#items.clear();
    this.#block = null;
    this.#text = "";
  }

  /** @param {Output} output */
  add(output) {
    if (output.kind === "text") this.#write(output.text, output.error);
    else if (output.kind === "html") this.#html(output);
    else if (output.kind === "note") this.note(output.text);
    else this.#picture(output);
  }

  /** @param {string} text */
  note(text) {
    this.#append(make("p", { className: "note" }, text));
  }

  /** @param {Failure} failure */
  fail(failure) {
    const box = make("div", { className: "failure" });
    box.append(
      make("p", { className: "failure-message" }, failure.message),
      ...(failure.hint ? [make("p", { className: "failure-hint" }, failure.hint)] : []),
      ...trace(failure.frames),
    );
    this.#append(box);
    // Unlike scrollIntoView(), this never scrolls the page.
    this.#pane.scrollTop = box.offsetTop - this.#pane.offsetTop;
  }

  /** Shows the text that was received. */
  flush() {
    clearTimeout(this.#textTimer);
    this.#textTimer = 0;
    const text = this.#text;
    if (text === "") return;
    this.#text = "";
    const className = this.#textIsError ? "text stderr" : "text";
    let block = this.#block;
    if (block?.element.className !== className) {
      block = new TerminalText(className);
      this.#append(block.element);
      this.#block = block;
    }
    this.#following(() => block.write(text));
  }

  /** @param {Node} node */
  #append(node) {
    this.flush();
    this.#block = null;
    this.#following(() => this.#pane.append(node));
  }

  /**
   * Changes the content. The first result stays in sight, unless the visitor has scrolled down to the last one.
   *
   * @param {() => void} change
   */
  #following(change) {
    const { scrollTop, clientHeight, scrollHeight } = this.#pane;
    const follows = scrollTop > 0 && scrollTop + clientHeight > scrollHeight - END;
    change();
    if (follows) this.#pane.scrollTop = this.#pane.scrollHeight;
  }

  /** @param {string} text @param {boolean} isError */
  #write(text, isError) {
    if (isError !== this.#textIsError) this.flush();
    this.#textIsError = isError;
    this.#text += text;
    this.#textTimer ||= setTimeout(() => this.flush(), TEXT_DELAY);
  }

  /** @param {HtmlOutput} output */
  #html({ html, key }) {
    let box = this.#items.get(key);
    if (!box || key === "") {
      const label = key || "result";
      box = make("div", { className: "html", tabIndex: 0, role: "group", ariaLabel: label });
      this.#items.set(key, box);
      this.#append(box);
    }
    box.replaceChildren(harmless(html));
  }

  /** @param {PictureOutput} output */
  #picture({ title, caption, bitmap }) {
    let figure = this.#items.get(title);
    if (!figure) {
      figure = make("figure", {}, this.#canvas(), make("figcaption"));
      this.#items.set(title, figure);
      this.#append(figure);
    }
    const [canvas, text] = /** @type {[HTMLCanvasElement, HTMLElement]} */ ([...figure.children]);
    const { width, height } = bitmap;
    if (canvas.width !== width || canvas.height !== height) {
      Object.assign(canvas, { width, height });
      const larger = Math.max(1, Math.floor(ENLARGED_WIDTH / width));
      const scale = Math.min(larger, MAX_HEIGHT / height);
      canvas.style.width = `${Math.round(width * scale)}px`;
      canvas.classList.toggle("enlarged", scale > 1);
    }
    canvas.setAttribute("aria-label", `${title}, ${caption}`);
    canvas.getContext("bitmaprenderer")?.transferFromImageBitmap(bitmap);
    text.textContent = `${title} · ${caption}${this.#rate(figure)}`;
  }

  /** @param {HTMLElement} figure whose picture was replaced; returns how often that happens, once it is known */
  #rate(figure) {
    const counted = this.#rates.get(figure) ?? { count: 0, since: performance.now(), rate: "" };
    this.#rates.set(figure, counted);
    counted.count += 1;
    const milliseconds = performance.now() - counted.since;
    if (milliseconds > RATE_PERIOD) {
      const rate = (1000 * counted.count) / milliseconds;
      counted.rate = ` · ${rate.toFixed(rate < 10 ? 1 : 0)} per second`;
      Object.assign(counted, { count: 0, since: performance.now() });
    }
    return counted.rate;
  }

  #canvas() {
    const canvas = make("canvas", { role: "img" });
    for (const type of POINTER_EVENTS) {
      canvas.addEventListener(type, (event) => {
        const { offsetX, offsetY, buttons } = /** @type {PointerEvent} */ (event);
        const { clientWidth, clientHeight } = canvas;
        this.#onPointer(type, {
          offsetX: offsetX / clientWidth,
          offsetY: offsetY / clientHeight,
          buttons,
        });
      });
    }
    return canvas;
  }
}

/**
 * Elements for the traceback: the program's frames are shown, runs of the library's frames are collapsed.
 *
 * @param {Failure["frames"]} frames
 * @returns {HTMLElement[]}
 */
function trace(frames) {
  /** @type {HTMLElement[]} */
  const elements = [];
  /** @type {Frame[]} */
  let collapsed = [];
  const addCollapsed = () => {
    if (collapsed.length === 0) return;
    const title =
      collapsed.length === 1
        ? "1 frame in the library"
        : `${collapsed.length} frames in the library`;
    elements.push(make("details", {}, make("summary", {}, title), ...collapsed.map(frameOf)));
    collapsed = [];
  };
  for (const frame of frames) {
    if ("omitted" in frame) {
      addCollapsed();
      elements.push(make("p", { className: "hint" }, `… ${frame.omitted} more frames …`));
    } else if (frame.yours) {
      addCollapsed();
      elements.push(frameOf(frame));
    } else {
      collapsed.push(frame);
    }
  }
  addCollapsed();
  return elements;
}

/** @param {Frame} frame */
function frameOf({ file, line, name, text, yours }) {
  const location = `${yours ? "your program" : file.replace(/^.*site-packages\//, "")}, line ${line}`;
  const where = make("span", { className: "place" }, name ? `${location}, in ${name}` : location);
  return make("div", { className: "frame" }, where, make("code", {}, text));
}
