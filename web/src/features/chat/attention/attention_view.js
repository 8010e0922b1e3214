/** @file A picture of the attention of a layer's head: a row for each token, a column for each that it may attend to. */

import { find, make } from "../../../ui/dom.js";
import { textOf } from "../../../ui/error_text.js";
import { formatPercent } from "../../../ui/metrics.js";

/** @import { Attention, Chat } from "../chat.js" */

const LEAST_CELL = 4;
const SIDE = 640;

/** @param {Chat} chat */
export function createAttentionView(chat) {
  const form = find("attention-form", HTMLFormElement);
  const layer = find("attention-layer", HTMLSelectElement);
  const head = find("attention-head", HTMLSelectElement);
  const button = find("attention-show", HTMLButtonElement);
  const status = find("attention-status", HTMLElement);
  const stage = find("attention-stage", HTMLElement);
  const canvas = find("attention-canvas", HTMLCanvasElement);
  const cell = find("attention-cell", HTMLElement);
  /** @type {Attention | null} */
  let shown = null;
  /** Row and column of the cell that is described. @type {[number, number]} */
  let place = [0, 0];
  let hasAnswer = false;

  chat.on("model", ({ layers, heads }) => {
    fill(layer, layers);
    fill(head, heads);
    hasAnswer = false;
    stage.hidden = true;
    update();
  });
  chat.on("answering", update);
  chat.on("answered", (outcome) => {
    if (outcome) hasAnswer = true;
    update();
  });
  form.onsubmit = async (event) => {
    event.preventDefault();
    button.disabled = true;
    status.textContent = "Computing.";
    try {
      shown = await chat.attention(Number(layer.value), Number(head.value));
      draw(shown);
    } catch (error) {
      status.textContent = textOf(error);
    }
    update();
  };
  canvas.onpointermove = ({ offsetX, offsetY }) => {
    if (!shown) return;
    const size = canvas.clientWidth / shown.tokens.length;
    describe(Math.floor(offsetY / size), Math.floor(offsetX / size));
  };
  canvas.onkeydown = (event) => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[
      event.key
    ];
    if (!step) return;
    event.preventDefault();
    describe(place[0] + step[0], place[1] + step[1]);
  };

  /** @param {HTMLSelectElement} select @param {number} count */
  function fill(select, count) {
    const options = Array.from({ length: count }, (_, at) =>
      make("option", { value: String(at) }, String(at + 1)),
    );
    select.replaceChildren(...options);
  }

  function update() {
    button.disabled = !hasAnswer || chat.isAnswering;
  }

  /** @param {Attention} attention */
  function draw({ tokens, weights, before }) {
    const count = tokens.length;
    const size = Math.max(LEAST_CELL, Math.floor(SIDE / count));
    canvas.width = canvas.height = size * count;
    const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    const style = getComputedStyle(canvas);
    pen.fillStyle = style.backgroundColor;
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.fillStyle = style.color;
    for (const [y, row] of weights.entries()) {
      for (const [x, weight] of row.entries()) {
        // Small weights are visible, too.
        pen.globalAlpha = Math.sqrt(weight);
        pen.fillRect(x * size, y * size, size, size);
      }
    }
    stage.hidden = false;
    const left = before > 0 ? ` The ${before} tokens before them are left out.` : "";
    status.textContent = `Layer ${Number(layer.value) + 1}, head ${Number(head.value) + 1}: ${count} tokens.${left}`;
    canvas.ariaLabel = `Attention of layer ${Number(layer.value) + 1}, head ${Number(head.value) + 1}`;
    describe(count - 1, 0);
  }

  /** @param {number} row @param {number} column */
  function describe(row, column) {
    if (!shown) return;
    const last = shown.tokens.length - 1;
    const y = Math.min(Math.max(row, 0), last);
    place = [y, Math.min(Math.max(column, 0), y)];
    const [from, to] = place.map((at) => `${at + 1} “${shown?.tokens[at]}”`);
    cell.textContent = `Token ${from} attends to token ${to}: ${formatPercent(shown.weights[y][place[1]])}`;
  }
}
