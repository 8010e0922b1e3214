/** @file Draws a graph that is laid out to a canvas: only the part in view, so that 1,000 nodes stay fluid. */

/** @import { Layout, Point } from "./layout.js" */

/**
 * @typedef {object} Box what a node shows
 * @property {string} title
 * @property {string} text
 * @property {string} color name of a CSS custom property
 * @property {boolean} isGroup
 * @property {boolean} isFound by the search
 */

export const WIDTH = 184;
export const HEIGHT = 46;
const LEAST_SCALE = 0.02;
const MOST_SCALE = 3;
const TEXT_SCALE = 0.38; // below it, texts cannot be read

export class GraphCanvas {
  #canvas;
  #context;
  /** @type {Layout | null} */
  #layout = null;
  /** @type {Box[]} */
  #boxes = [];
  #selected = -1;
  #view = { x: 0, y: 0, scale: 1 };
  #width = 0;
  #frame = 0;
  /** @type {Record<string, string>} */
  #colors = {};
  /** @type {Map<number, Point>} fingers and the mouse, while they are down */
  #pointers = new Map();
  #moved = 0;
  /** @type {(at: number) => void} called with the node that was clicked */
  onPick = () => {};

  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.#canvas = canvas;
    const context = canvas.getContext("2d");
    if (!context) throw new Error("graph: no 2d context; the browser gave none");
    this.#context = context;
    new ResizeObserver(() => this.#resize()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#readColors());
    this.#readColors();
    canvas.onpointerdown = (event) => this.#down(event);
    canvas.onpointermove = (event) => this.#move(event);
    canvas.onpointerup = (event) => this.#up(event);
    canvas.onpointercancel = (event) => this.#pointers.delete(event.pointerId);
    canvas.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
  }

  /** @param {Layout | null} layout @param {Box[]} boxes */
  show(layout, boxes) {
    this.#layout = layout;
    this.#boxes = boxes;
    this.#draw();
  }

  /** Changes what the nodes show. @param {Box[]} boxes */
  set boxes(boxes) {
    this.#boxes = boxes;
    this.#draw();
  }

  /** @param {number} at */
  set selected(at) {
    this.#selected = at;
    this.#draw();
  }

  /** Shows the whole graph, or its beginning if that would be too small to read. */
  fit() {
    if (!this.#layout) return;
    const { width, height } = this.#layout;
    const { clientWidth, clientHeight } = this.#canvas;
    const whole = Math.min(clientWidth / (width + 40), clientHeight / (height + 40));
    const scale = Math.min(1, Math.max(whole, LEAST_SCALE));
    this.#view = {
      scale,
      x: (clientWidth - width * scale) / 2,
      y: Math.max(20, (clientHeight - height * scale) / 2),
    };
    this.#draw();
  }

  /** Shows the first node at a size that can be read. It is not the highest one if a node further down reads nothing. */
  start() {
    if (!this.#layout) return;
    const { clientWidth } = this.#canvas;
    const first = this.#layout.centers[0] ?? { x: 0, y: 0 };
    const scale = 0.85;
    const top = Math.max(0, first.y - HEIGHT / 2);
    this.#view = { scale, x: clientWidth / 2 - first.x * scale, y: 20 - top * scale };
    this.#width = clientWidth;
    this.#draw();
  }

  /** @param {number} factor @param {Point} [at] the place that stays, in CSS pixels */
  zoom(factor, at = { x: this.#canvas.clientWidth / 2, y: this.#canvas.clientHeight / 2 }) {
    const { x, y, scale } = this.#view;
    const changed = Math.min(Math.max(scale * factor, LEAST_SCALE), MOST_SCALE);
    const ratio = changed / scale;
    this.#view = { scale: changed, x: at.x - (at.x - x) * ratio, y: at.y - (at.y - y) * ratio };
    this.#draw();
  }

  /** Moves a node into the view, with text that can be read. @param {number} at */
  reveal(at) {
    const center = this.#layout?.centers[at];
    if (!center) return;
    if (this.#view.scale < TEXT_SCALE) this.#view.scale = 0.85;
    const { scale } = this.#view;
    const { clientWidth, clientHeight } = this.#canvas;
    const x = center.x * scale + this.#view.x;
    const y = center.y * scale + this.#view.y;
    const isInside = x > 80 && x < clientWidth - 80 && y > 40 && y < clientHeight - 40;
    if (!isInside) {
      this.#view.x = clientWidth / 2 - center.x * scale;
      this.#view.y = clientHeight / 2 - center.y * scale;
    }
    this.#draw();
  }

  #readColors() {
    const style = getComputedStyle(this.#canvas);
    const names = ["--card", "--ink", "--soft", "--line", "--accent", "--tint", "--red", "--green"];
    for (const name of [...names, "--blue", "--alpha", "--sunk", "--sans", "--mono"])
      this.#colors[name] = style.getPropertyValue(name);
    this.#draw();
  }

  #resize() {
    const { clientWidth, clientHeight } = this.#canvas;
    // The middle stays in the middle, also if the canvas was hidden before.
    this.#view.x += (clientWidth - this.#width) / 2;
    this.#width = clientWidth;
    this.#canvas.width = Math.round(clientWidth * devicePixelRatio);
    this.#canvas.height = Math.round(clientHeight * devicePixelRatio);
    this.#paint();
  }

  #draw() {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#paint();
    });
  }

  #paint() {
    const context = this.#context;
    const { width, height } = this.#canvas;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, width, height);
    if (!this.#layout) return;
    const { x, y, scale } = this.#view;
    const ratio = devicePixelRatio;
    context.setTransform(scale * ratio, 0, 0, scale * ratio, x * ratio, y * ratio);
    const left = -x / scale;
    const top = -y / scale;
    const right = left + this.#canvas.clientWidth / scale;
    const bottom = top + this.#canvas.clientHeight / scale;
    this.#paintLines(this.#layout, top, bottom);
    for (const [at, center] of this.#layout.centers.entries()) {
      const isOutside =
        center.x + WIDTH < left ||
        center.x - WIDTH > right ||
        center.y + HEIGHT < top ||
        center.y - HEIGHT > bottom;
      if (!isOutside) this.#paintBox(this.#boxes[at], center, at === this.#selected);
    }
  }

  /** @param {Layout} layout @param {number} top @param {number} bottom */
  #paintLines({ lines }, top, bottom) {
    const context = this.#context;
    context.strokeStyle = this.#colors["--alpha"];
    context.lineWidth = Math.max(1.2, 0.6 / this.#view.scale);
    context.beginPath();
    for (const points of lines) {
      const last = points[points.length - 1];
      if (Math.max(last.y, points[0].y) < top || Math.min(last.y, points[0].y) > bottom) continue;
      context.moveTo(points[0].x, points[0].y);
      for (let at = 1; at < points.length - 1; at++) {
        const { x, y } = points[at];
        const next = points[at + 1];
        // Curves through the middles between points.
        context.quadraticCurveTo(x, y, (x + next.x) / 2, (y + next.y) / 2);
      }
      context.lineTo(last.x, last.y);
    }
    context.stroke();
  }

  /** @param {Box} box @param {Point} center @param {boolean} isSelected */
  #paintBox(box, center, isSelected) {
    const context = this.#context;
    const colors = this.#colors;
    const left = center.x - WIDTH / 2;
    const top = center.y - HEIGHT / 2;
    if (this.#view.scale < 0.12) {
      // Far away a node is a few pixels large.
      context.fillStyle = isSelected || box.isFound ? colors["--accent"] : colors[box.color];
      context.fillRect(left, top, WIDTH, HEIGHT);
      return;
    }
    context.beginPath();
    context.roundRect(left, top, WIDTH, HEIGHT, 9);
    context.fillStyle = isSelected || box.isFound ? colors["--tint"] : colors["--card"];
    context.fill();
    context.strokeStyle = isSelected || box.isFound ? colors["--accent"] : colors["--line"];
    context.lineWidth = isSelected ? 3 : 1.4;
    context.setLineDash(box.isGroup ? [5, 4] : []);
    context.stroke();
    context.setLineDash([]);
    context.fillStyle = colors[box.color];
    context.beginPath();
    context.roundRect(left + 7, top + 9, 5, HEIGHT - 18, 2.5);
    context.fill();
    if (this.#view.scale < TEXT_SCALE) return;
    context.fillStyle = colors["--ink"];
    context.font = `600 13px ${colors["--sans"]}`;
    context.fillText(box.title, left + 20, top + 20, WIDTH - 28);
    context.fillStyle = colors["--soft"];
    context.font = `11px ${colors["--mono"]}`;
    context.fillText(box.text, left + 20, top + 36, WIDTH - 28);
  }

  /** @param {MouseEvent} event @returns {Point} */
  #place(event) {
    return { x: event.offsetX, y: event.offsetY };
  }

  /** @param {PointerEvent} event */
  #down(event) {
    this.#canvas.setPointerCapture(event.pointerId);
    this.#pointers.set(event.pointerId, this.#place(event));
    if (this.#pointers.size === 1) this.#moved = 0;
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const from = this.#pointers.get(event.pointerId);
    if (!from) return;
    const to = this.#place(event);
    const other = [...this.#pointers].find(([id]) => id !== event.pointerId)?.[1];
    if (other) {
      const distance = (/** @type {Point} */ p) => Math.hypot(p.x - other.x, p.y - other.y);
      this.zoom(distance(to) / Math.max(distance(from), 1), other);
    } else {
      this.#view.x += to.x - from.x;
      this.#view.y += to.y - from.y;
      this.#draw();
    }
    this.#moved += Math.hypot(to.x - from.x, to.y - from.y);
    this.#pointers.set(event.pointerId, to);
  }

  /** @param {PointerEvent} event */
  #up(event) {
    if (!this.#pointers.delete(event.pointerId) || this.#moved > 5) return;
    const at = this.#nodeAt(this.#place(event));
    if (at >= 0) this.onPick(at);
  }

  /** @param {Point} point in CSS pixels */
  #nodeAt({ x, y }) {
    const { scale } = this.#view;
    const graphX = (x - this.#view.x) / scale;
    const graphY = (y - this.#view.y) / scale;
    return (this.#layout?.centers ?? []).findIndex(
      (center) =>
        Math.abs(center.x - graphX) < WIDTH / 2 && Math.abs(center.y - graphY) < HEIGHT / 2,
    );
  }

  /** The wheel zooms with Ctrl, and moves the graph once it has the focus; else the page scrolls. @param {WheelEvent} event */
  #wheel(event) {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY * 0.004), this.#place(event));
    } else if (document.activeElement === this.#canvas) {
      event.preventDefault();
      this.#view.x -= event.deltaX;
      this.#view.y -= event.deltaY;
      this.#draw();
    }
  }
}
