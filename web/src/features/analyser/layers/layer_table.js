/** @file The table of a model's layers, sorted by any column. Only the rows in view are elements of the page. */

import { find, make } from "../../../ui/dom.js";
import { formatBytes, formatCount, shapeText } from "../../../ui/metrics.js";

/** @import { Analyser, Layer } from "../analyser.js" */

const ROW_HEIGHT = 34; // CSS pixels; the style sheet has the same
const MAX_NAME = 46; // characters
const MARGIN = 8; // rows outside of the view that are elements, too

/** @typedef {{ layer: Layer, at: number, time: number | null }} Row */

/** @type {{ name: string, title: string, of: (row: Row) => number | string, text: (row: Row) => string }[]} */
const COLUMNS = [
  { name: "at", title: "#", of: ({ at }) => at, text: ({ at }) => String(at + 1) },
  {
    name: "name",
    title: "Layer",
    of: ({ layer }) => layer.name,
    text: ({ layer }) => endOf(layer.name),
  },
  {
    name: "operator",
    title: "Operator",
    of: ({ layer }) => layer.operator,
    text: ({ layer }) => layer.operator,
  },
  {
    name: "shape",
    title: "Shape",
    of: ({ layer }) => layer.shape,
    text: ({ layer }) => shapeText(layer.shape),
  },
  {
    name: "parameters",
    title: "Parameters",
    of: ({ layer }) => layer.parameters,
    text: ({ layer }) => (layer.parameters ? formatCount(layer.parameters) : ""),
  },
  {
    name: "bytes",
    title: "Bytes",
    of: ({ layer }) => layer.bytes,
    text: ({ layer }) => (layer.bytes ? formatBytes(layer.bytes) : ""),
  },
  {
    name: "multiplyAdds",
    title: "Multiply-adds",
    of: ({ layer }) => layer.multiplyAdds,
    text: ({ layer }) => (layer.multiplyAdds ? formatCount(layer.multiplyAdds) : ""),
  },
  {
    name: "time",
    title: "Time, ms",
    of: ({ time }) => time ?? -1,
    text: ({ time }) => (time === null ? "" : time.toFixed(time < 1 ? 3 : 2)),
  },
];
const NUMBERS = new Set(["at", "parameters", "bytes", "multiplyAdds", "time"]);

/** @param {Analyser} analyser */
export function createLayerTable(analyser) {
  const search = make("input", { type: "search", placeholder: "name or operator" });
  const measure = make("button", { type: "button" }, "Measure the layers");
  const status = make("p", { className: "status", role: "status" });
  const heads = COLUMNS.map(({ name, title }) => {
    const button = make("button", { type: "button" }, title);
    button.onclick = () => sortBy(name);
    return make("th", { scope: "col", className: NUMBERS.has(name) ? "number" : "" }, button);
  });
  const body = make("tbody");
  const table = make(
    "table",
    { ariaLabel: "Layers" },
    make("thead", {}, make("tr", {}, ...heads)),
    body,
  );
  const scroll = make("div", { className: "scroll" }, table);
  /** @type {Row[]} */
  let all = [];
  /** @type {Row[]} */
  let rows = [];
  let sorted = { name: "at", isDown: false };
  let selected = -1;
  let frame = 0;

  find("rows", HTMLElement).append(
    make("div", { className: "bar" }, make("label", {}, "Search ", search), measure, status),
    scroll,
  );
  search.oninput = update;
  scroll.onscroll = drawSoon;
  new ResizeObserver(drawSoon).observe(scroll);
  body.onkeydown = move;
  measure.onclick = measureLayers;
  analyser.on("model", ({ layers }) => {
    all = layers.map((layer, at) => ({ layer, at, time: null }));
    sorted = { name: "at", isDown: false };
    selected = -1;
    search.value = "";
    status.textContent = "";
    scroll.scrollTop = 0;
    update();
  });
  analyser.on("select", (at) => {
    selected = at;
    reveal(rows.findIndex((row) => row.at === at));
    draw();
  });

  async function measureLayers() {
    measure.disabled = true;
    status.textContent = "Running each layer alone…";
    try {
      const times = await analyser.call("layers", "times");
      for (const row of all) row.time = times[row.at];
      sorted = { name: "time", isDown: true };
      status.textContent = "Each layer was run alone, without fusing it with its neighbours.";
      analyser.emit("times", times);
      update();
    } catch (error) {
      status.textContent = String(error);
    }
    measure.disabled = false;
  }

  /** @param {string} name */
  function sortBy(name) {
    sorted = {
      name,
      isDown: sorted.name === name ? !sorted.isDown : NUMBERS.has(name) && name !== "at",
    };
    update();
  }

  /** Chooses and sorts the rows again. */
  function update() {
    const wanted = search.value.trim().toLowerCase();
    const { of } = COLUMNS.find(({ name }) => name === sorted.name) ?? COLUMNS[0];
    rows = all.filter(({ layer }) =>
      `${layer.name} ${layer.operator}`.toLowerCase().includes(wanted),
    );
    rows.sort((a, b) => compare(of(a), of(b)) * (sorted.isDown ? -1 : 1) || a.at - b.at);
    for (const [i, { name }] of COLUMNS.entries()) {
      const order = sorted.isDown ? "descending" : "ascending";
      heads[i].ariaSort = name === sorted.name ? order : "none";
    }
    table.setAttribute("aria-rowcount", String(rows.length + 1));
    draw();
  }

  function drawSoon() {
    if (frame) return;
    frame = requestAnimationFrame(() => {
      frame = 0;
      draw();
    });
  }

  /** Makes the elements of the rows in view. */
  function draw() {
    const focused = body.contains(document.activeElement);
    const first = Math.max(0, Math.floor(scroll.scrollTop / ROW_HEIGHT) - MARGIN);
    const last = Math.min(
      rows.length,
      Math.ceil((scroll.scrollTop + scroll.clientHeight) / ROW_HEIGHT) + MARGIN,
    );
    body.replaceChildren(
      spacer(first),
      ...rows.slice(first, last).map((row, i) => element(row, first + i)),
      spacer(rows.length - last),
    );
    if (focused) focusSelected();
  }

  /** @param {number} count of rows that are no elements */
  function spacer(count) {
    const cell = make("td", { colSpan: COLUMNS.length });
    cell.style.height = `${count * ROW_HEIGHT}px`;
    return make("tr", { className: "spacer", ariaHidden: "true" }, cell);
  }

  /** @param {Row} row @param {number} position */
  function element(row, position) {
    const isSelected = row.at === selected;
    const cells = COLUMNS.map(({ name, text }) => {
      const shown = text(row);
      if (name !== "name")
        return make("td", { className: NUMBERS.has(name) ? "number" : "" }, shown);
      const button = make("button", { type: "button", title: row.layer.name }, shown);
      button.setAttribute("aria-pressed", String(isSelected));
      button.onclick = () => analyser.emit("select", row.at);
      return make("td", {}, button);
    });
    const line = make("tr", { className: isSelected ? "line selected" : "line" }, ...cells);
    line.setAttribute("aria-rowindex", String(position + 2));
    line.dataset.layer = String(row.at);
    return line;
  }

  /** @param {KeyboardEvent} event */
  function move(event) {
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    const line = event.target instanceof Element ? event.target.closest("tr") : null;
    if (!steps || !line) return;
    event.preventDefault();
    const from = rows.findIndex(({ at }) => String(at) === line.dataset.layer);
    const to = Math.min(Math.max(from + steps, 0), rows.length - 1);
    reveal(to);
    analyser.emit("select", rows[to].at);
    focusSelected();
  }

  function focusSelected() {
    const button = body.querySelector("button[aria-pressed=true]");
    if (button instanceof HTMLElement) button.focus({ preventScroll: true });
  }

  /** Scrolls to a row. @param {number} position */
  function reveal(position) {
    if (position < 0) return;
    const top = position * ROW_HEIGHT;
    const view = scroll.clientHeight - 2 * ROW_HEIGHT;
    if (top < scroll.scrollTop) scroll.scrollTop = top;
    else if (top > scroll.scrollTop + view) scroll.scrollTop = top - view;
  }
}

/** The end of a name tells more than its scope. @param {string} name */
function endOf(name) {
  return name.length > MAX_NAME ? `…${name.slice(1 - MAX_NAME)}` : name;
}

/** @param {number | string} a @param {number | string} b */
function compare(a, b) {
  return typeof a === "number" && typeof b === "number"
    ? a - b
    : String(a).localeCompare(String(b));
}
