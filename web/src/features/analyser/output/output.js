/** @file The output of the model: what it found, drawn over the picture, as bars, texts or notes, and as numbers. */

import { find, make } from "../../../ui/dom.js";
import { textOf } from "../../../ui/error_text.js";
import { formatNumber, formatPercent } from "../../../ui/metrics.js";
import { makeTable } from "../../../ui/table.js";
import { drawPixels } from "../draw_pixels.js";
import { createOutputNumbers } from "./output_numbers.js";
import { pianoRoll } from "./piano_roll.js";
import { compareOutputs, drawWithTensorFlow, librariesOf } from "./reference.js";

/** @import { Analyser, Stages } from "../analyser.js" */
/** @import { ModelOutput } from "../../../python/protocol.js" */

/** @param {Analyser} analyser */
export function createOutput(analyser) {
  const stage = find("output-stage", HTMLElement);
  const task = find("output-task", HTMLSelectElement);
  const way = find("output-way", HTMLSelectElement);
  const bars = find("output-bars", HTMLElement);
  const texts = find("output-texts", HTMLElement);
  const tables = find("output-tables", HTMLElement);
  const roll = find("output-roll", HTMLElement);
  const status = find("output-status", HTMLElement);
  const times = find("output-times", HTMLElement);
  const again = find("output-again", HTMLButtonElement);
  const compare = find("output-compare", HTMLButtonElement);
  const other = find("output-other", HTMLSelectElement);
  const differences = find("output-differences", HTMLElement);
  const numbers = createOutputNumbers(analyser);
  const canvas = make("canvas", {
    role: "img",
    ariaLabel: "The picture with what the model found",
  });
  /** For pixels that were read back: a canvas that a worker draws on has no other context. */
  const copy = make("canvas", { role: "img", ariaLabel: canvas.ariaLabel ?? "", hidden: true });
  const labels = make("div", { className: "labels", ariaHidden: "true" });
  let hasCanvas = false;
  /** @type {ModelOutput | null} */
  let last = null;

  stage.append(canvas, copy, labels);
  task.onchange = () => analyser.emit("task", task.value);
  way.onchange = async () => {
    await analyser.call("output", "begin", [wayInPython()]);
    await analyser.run().catch(report);
  };
  compare.onclick = showDifferences;
  again.onclick = () => analyser.run().catch(report);
  analyser.on("model", () => times.replaceChildren());
  analyser.on("tasks", ({ tasks, task: chosen }) => {
    task.replaceChildren(
      ...tasks.map(([value, title]) =>
        make("option", { value, selected: value === chosen }, title),
      ),
    );
  });
  analyser.client.on("modelOutput", (output) => {
    last = output;
    show(output);
  });
  analyser.on("output", async (stages) => {
    showTimes(stages);
    if (way.value !== "texture" && last?.width) await drawCopy(stages).catch(report);
  });

  /** TensorFlow.js draws pixels that Python has read. */
  function wayInPython() {
    return way.value === "texture" ? "texture" : "read";
  }

  /** @param {ModelOutput} output */
  function show(output) {
    const { width, height } = output;
    stage.hidden = !width;
    stage.style.setProperty("--aspect", `${width} / ${height}`);
    canvas.hidden = way.value !== "texture";
    copy.hidden = !canvas.hidden;
    labels.replaceChildren(
      ...output.labels.map(([text, x, y]) => {
        const label = make("span", {}, text);
        label.style.left = `${clamp((100 * x) / width)}%`;
        label.style.top = `${clamp((100 * y) / height)}%`;
        return label;
      }),
    );
    bars.replaceChildren(...output.bars.map(([name, score]) => barOf(name, score)));
    bars.hidden = output.bars.length === 0;
    texts.textContent = output.texts.join("\n");
    texts.hidden = output.texts.length === 0;
    tables.replaceChildren(...output.tables.map(tableOf));
    roll.replaceChildren(...(output.notes.length ? [pianoRoll(output.notes)] : []));
    const nothing = output.task !== "raw" && output.task !== "picture" && isNothing(output);
    status.textContent =
      output.problem || (nothing ? "The model found nothing that is sure enough." : "");
    numbers.show(output.outputs);
  }

  /** @param {import("../../../python/protocol.js").TextTable} table */
  function tableOf({ caption, heads, rows }) {
    const scroll = { className: "scroll", tabIndex: 0, role: "region", ariaLabel: caption };
    return make("div", scroll, makeTable(caption, heads, rows));
  }

  /** @param {string} name @param {number} score */
  function barOf(name, score) {
    const bar = make("i");
    bar.style.width = `${100 * Math.min(Math.max(score, 0), 1)}%`;
    return make("li", {}, make("span", {}, name), bar, make("b", {}, formatPercent(score)));
  }

  /** @param {Stages} stages */
  function showTimes({ input, model, output }) {
    const parts = [
      ["Input", input],
      ["Model", model],
      ["Output", output],
    ].map(([title, ms]) =>
      make(
        "div",
        {},
        make("dt", {}, String(title)),
        make("dd", {}, `${formatNumber(Number(ms))} ms`),
      ),
    );
    const reads = make("dd", {}, String(last?.reads ?? 0));
    reads.dataset.reads = String(last?.reads ?? 0);
    again.hidden = false;
    times.replaceChildren(...parts, make("div", {}, make("dt", {}, "Reads of results"), reads));
  }

  /** Draws pixels that were read back. @param {Stages} stages of the run, whose time of the output grows */
  async function drawCopy(stages) {
    const started = performance.now();
    /** @type {Uint8Array<ArrayBuffer> | null} */
    const bytes = await analyser.call("output", "pixels");
    if (!bytes || !last) return;
    const { width, height } = last;
    Object.assign(copy, { width, height });
    if (way.value === "tensorflow") await drawWithTensorFlow(bytes, height, width, copy);
    else drawPixels(copy, bytes);
    showTimes({ ...stages, output: stages.output + performance.now() - started });
  }

  async function showDifferences() {
    const { description } = analyser;
    if (!description) return;
    compare.disabled = true;
    differences.replaceChildren(
      make("p", { className: "status" }, `Running in ${other.selectedOptions[0].text}…`),
    );
    try {
      const rows = (await compareOutputs(analyser, description, other.value)).map(
        ({ name, shape, largest, difference, at, ours, theirs }) => {
          const cells = [shape.join(" × "), largest.toPrecision(3), difference.toExponential(2)];
          cells.push(indicesOf(at, shape).join(", "), ours.toPrecision(6), theirs.toPrecision(6));
          const line = make("tr", {}, make("th", { scope: "row" }, name));
          line.append(...cells.map((text) => make("td", {}, text)));
          line.dataset.difference = String(difference);
          line.dataset.largest = String(largest);
          return line;
        },
      );
      const heads = ["Output", "Shape", "Largest", "Difference", "Where", "Ours", "Theirs"];
      const head = make("tr", {}, ...heads.map((text) => make("th", { scope: "col" }, text)));
      const table = make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows));
      const scroll = { className: "scroll", tabIndex: 0, role: "region", ariaLabel: "Differences" };
      differences.replaceChildren(make("div", scroll, table));
    } catch (error) {
      differences.replaceChildren(make("p", { className: "status" }, textOf(error)));
    }
    compare.disabled = false;
  }

  /** @param {unknown} error */
  function report(error) {
    status.textContent = textOf(error);
  }

  return {
    /** @param {import("../analyser.js").Description} description */
    async show(description) {
      if (!hasCanvas) {
        hasCanvas = true;
        const offscreen = canvas.transferControlToOffscreen();
        await analyser.call("output", "canvas", [offscreen], [offscreen]);
      }
      last = null;
      stage.hidden = bars.hidden = texts.hidden = true;
      roll.replaceChildren();
      tables.replaceChildren();
      again.hidden = true;
      status.textContent = "";
      differences.replaceChildren();
      other.replaceChildren(
        ...librariesOf(description).map(([value, title]) => make("option", { value }, title)),
      );
      await analyser.call("output", "begin", [wayInPython()]);
    },
  };
}

/** @param {ModelOutput} output */
function isNothing({ bars, texts, tables, notes, labels, reads }) {
  // Without a read, the results are only on the GPU.
  return reads > 0 && ![bars, texts, tables, notes, labels].some(({ length }) => length);
}

/** Indices of a position in a flat output. @param {number} at @param {number[]} shape */
function indicesOf(at, shape) {
  return shape.map((length, axis) => {
    const step = shape.slice(axis + 1).reduce((product, n) => product * n, 1);
    return Math.floor(at / step) % length;
  });
}

/** @param {number} percent */
function clamp(percent) {
  return Math.min(Math.max(percent, 0), 92);
}
