/** @file Line chart of values by step. The plotting library is loaded when a chart is first needed. */

import { make } from "./dom.js";

/** @import uPlot from "uplot" */

/**
 * @typedef {object} Line
 * @property {string} title
 * @property {string} color name of a CSS custom property, for example --red
 * @property {(value: number) => string} format
 * @property {boolean} [dots] draw a dot at each value, for lines with few values
 *
 * @typedef {object} Axis
 * @property {(low: number, high: number) => [number, number]} range maps the range of the values to the one shown
 * @property {(value: number) => string} tick formats the label of a tick
 */

const MAX_POINTS = 2000; // more than the chart is wide in pixels
const HEIGHT = 200; // in CSS pixels

export class Chart {
  #figure;
  #lines;
  #axis;
  /** @type {(number | null)[][]} the steps, followed by the values of each line */
  #columns;
  #latest;
  /** @type {uPlot | null} */
  #plot = null;
  #frameRequest = 0;

  /**
   * @param {HTMLElement} figure
   * @param {Line[]} lines
   * @param {Axis} axis
   */
  constructor(figure, lines, axis) {
    this.#figure = figure;
    this.#lines = lines;
    this.#axis = axis;
    this.#columns = [[], ...lines.map(() => [])];
    this.#latest = lines.map(() => make("b", {}, "–"));
    const legend = lines.map(({ title, color }, i) => {
      const swatch = make("i");
      swatch.style.background = `var(${color})`;
      return make("span", {}, swatch, `${title} `, this.#latest[i]);
    });
    figure.append(make("figcaption", {}, ...legend));
  }

  clear() {
    for (const column of this.#columns) column.length = 0;
    for (const value of this.#latest) value.textContent = "–";
    this.#draw();
  }

  /**
   * Adds one point to each line.
   *
   * @param {number} step not smaller than the last one
   * @param {(number | null)[]} values one for each line; null adds no point
   */
  add(step, values) {
    for (const [i, value] of [step, ...values].entries()) this.#columns[i].push(value);
    if (this.#columns[0].length > MAX_POINTS) this.#thin();
    for (const [i, value] of values.entries()) {
      if (value !== null) this.#latest[i].textContent = this.#lines[i].format(value);
    }
    this.#draw();
  }

  /** Drops every second point, but keeps the values of lines with dots if they are few. */
  #thin() {
    const dotted = this.#lines.flatMap(({ dots }, i) => (dots ? [this.#columns[i + 1]] : []));
    const isDot = this.#columns[0].map((_, at) => dotted.some((column) => column[at] !== null));
    const areFew = isDot.filter(Boolean).length < MAX_POINTS / 2;
    const kept = isDot.map((dot, at) => at % 2 === 0 || (areFew && dot));
    this.#columns = this.#columns.map((column) => column.filter((_, at) => kept[at]));
  }

  /** Loads the plotting library and creates the chart. */
  async load() {
    if (this.#plot) return;
    const [{ default: Plot }] = await Promise.all([
      import("uplot"),
      import("uplot/dist/uPlot.min.css"),
    ]);
    if (this.#plot) return;
    this.#plot = new Plot(this.#options(), this.#data(), this.#figure);
    const { canvas } = this.#plot.ctx;
    canvas.role = "img";
    canvas.ariaLabel = `Chart of ${this.#lines.map(({ title }) => title).join(", ")}`;
    new ResizeObserver(() => {
      this.#plot?.setSize({ width: this.#figure.clientWidth, height: HEIGHT });
    }).observe(this.#figure);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.#plot?.redraw(false, true);
    });
  }

  #data() {
    return /** @type {uPlot.AlignedData} */ (this.#columns);
  }

  /** Redraws at most once per frame. */
  #draw() {
    if (!this.#plot || this.#frameRequest) return;
    this.#frameRequest = requestAnimationFrame(() => {
      this.#frameRequest = 0;
      this.#plot?.setData(this.#data());
    });
  }

  /** @returns {uPlot.Options} */
  #options() {
    const style = getComputedStyle(this.#figure);
    const colorOf = (/** @type {string} */ name) => () => style.getPropertyValue(name);
    const font = `12px ${style.getPropertyValue("--mono")}`;
    const axis = {
      font,
      stroke: colorOf("--soft"),
      grid: { stroke: colorOf("--line"), width: 1 },
      ticks: { stroke: colorOf("--line"), width: 1, size: 4 },
    };
    return {
      width: this.#figure.clientWidth,
      height: HEIGHT,
      padding: [10, 12, 0, 0],
      legend: { show: false },
      cursor: { show: false },
      scales: {
        x: {
          time: false,
          range: (_, low, high) => [low ?? 0, Math.max(high ?? 0, (low ?? 0) + 10)],
        },
        y: { range: (_, low, high) => this.#axis.range(low ?? 0, high ?? 0) },
      },
      axes: [
        { ...axis, size: 28 },
        { ...axis, size: 52, values: (_, ticks) => ticks.map(this.#axis.tick) },
      ],
      series: [
        {},
        ...this.#lines.map(({ title, color, dots }) => ({
          label: title,
          stroke: colorOf(color),
          width: dots ? 2 : 1.25,
          spanGaps: true,
          points: dots ? { show: true, size: 5, fill: colorOf(color) } : { show: false },
        })),
      ],
    };
  }
}
