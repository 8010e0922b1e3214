/** @file The speed of the model: live times of the stages, comparisons, sizes, memory and a report. */

import { Chart } from "../../../ui/chart.js";
import { createProgramView } from "../../../ui/code_view.js";
import { find, make } from "../../../ui/dom.js";
import { textOf } from "../../../ui/error_text.js";
import { formatBytes, Metrics } from "../../../ui/metrics.js";
import { saveFile } from "../../../ui/save_file.js";
import { makeTable } from "../../../ui/table.js";
import { drawPixels } from "../draw_pixels.js";
import { addressOf, fileName, randomInputs } from "../model/program_text.js";
import { compare, otherLibrary } from "./comparison.js";
import { reportJson, reportPicture, reportText } from "./report.js";
import { StageTimes } from "./stage_times.js";

/** @import { Measured } from "../../../../../benchmarks/trained.js" */
/** @import { Analyser, Description, Stages } from "../analyser.js" */
/** @import { Report, SideTime } from "./report.js" */

const SIDES = [64, 128, 256];
const METRICS = {
  rate: "Runs per second",
  input: "Input, ms",
  model: "Model, ms",
  output: "Output, ms",
  load: "Loading, ms",
  compile: "Compiling, ms",
  first: "First run, ms",
  memory: "Memory",
};
/** @type {(keyof Stages)[]} */
const STAGES = ["input", "model", "output"];
const COLORS = { input: "--green", model: "--blue", output: "--red" };
const milliseconds = (/** @type {number} */ ms) => ms.toFixed(ms < 10 ? 2 : 1);

/** @param {Analyser} analyser */
export function createSpeedView(analyser) {
  const playButton = make("button", { type: "button", className: "primary" }, "Run repeatedly");
  const onceButton = make("button", { type: "button" }, "Run once");
  const status = make("p", { className: "status", role: "status" });
  const list = make("dl", { className: "metrics" });
  for (const [name, title] of Object.entries(METRICS)) {
    const value = make("dd", {}, "–");
    value.dataset.metric = name;
    list.append(make("div", {}, make("dt", {}, title), value));
  }
  const figure = make("figure", { className: "chart" });
  const sizesButton = make("button", { type: "button" }, `Sizes ${SIDES.join(", ")}`);
  const compareButton = make("button", { type: "button" });
  const pictures = make("div", { className: "speed-pictures" });
  const tables = make("div", { className: "speed-tables" });
  const code = make("details", { className: "source" }, make("summary", {}, "Show the code"));
  const program = createProgramView(code);
  const textButton = make("button", { type: "button" }, "Copy as text");
  const jsonButton = make("button", { type: "button" }, "Copy as JSON");
  const pictureButton = make("button", { type: "button" }, "Save as PNG");
  const reportStatus = make("p", { className: "status", role: "status" });
  find("speed-panel", HTMLElement).append(
    make("div", { className: "bar" }, playButton, onceButton, status),
    list,
    figure,
    make("div", { className: "bar" }, sizesButton, compareButton),
    pictures,
    tables,
    make("div", { className: "bar" }, textButton, jsonButton, pictureButton, reportStatus),
    code,
  );
  const metrics = new Metrics(list);
  const chart = new Chart(
    figure,
    STAGES.map((name) => ({
      title: name,
      color: COLORS[/** @type {"input" | "model" | "output"} */ (name)],
      format: (value) => `${milliseconds(value)} ms`,
    })),
    { range: (_, high) => [0, Math.max(high * 1.1, 1)], tick: (value) => String(value) },
  );
  const times = new StageTimes();
  let playing = false;
  let run = 0;
  /** @type {{ compileMs: number, firstMs: number } | null} */
  let warmUp = null;
  /** @type {SideTime[]} */
  let sizes = [];
  /** @type {Measured[]} */
  let comparison = [];
  /** @type {Record<string, number>} */
  let memory = {};
  let backend = "";

  playButton.onclick = () => (playing ? stop() : play());
  onceButton.onclick = () => attempt(onceButton, "Running…", () => analyser.run());
  sizesButton.onclick = () => attempt(sizesButton, "Running each size…", measureSizes);
  compareButton.onclick = () => attempt(compareButton, "Measuring both libraries…", runComparison);
  textButton.onclick = () => copy(reportText(report()));
  jsonButton.onclick = () => copy(reportJson(report()));
  pictureButton.onclick = async () => {
    const picture = await reportPicture(report(), shownPictures());
    if (picture) saveFile("speed.png", picture);
  };
  analyser.client.on("compiling", ({ done, total }) => {
    status.textContent = `Compiling: ${done} of ${total}`;
  });
  analyser.on("output", (stages) => {
    times.add(stages, performance.now());
    run += 1;
    chart.add(
      run,
      STAGES.map((name) => stages[name]),
    );
    showStages();
  });
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) stop();
  });

  /** @param {HTMLButtonElement} button @param {string} text @param {() => Promise<unknown>} act */
  async function attempt(button, text, act) {
    button.disabled = true;
    status.textContent = text;
    try {
      await act();
      status.textContent = "";
      await showMemory();
    } catch (error) {
      status.textContent = textOf(error);
    }
    button.disabled = false;
  }

  async function play() {
    playing = true;
    times.clear();
    playButton.textContent = "Stop";
    status.textContent = "";
    try {
      while (playing) await analyser.run();
      await showMemory();
    } catch (error) {
      status.textContent = textOf(error);
    }
    playing = false;
    playButton.textContent = "Run repeatedly";
  }

  function stop() {
    playing = false;
  }

  function showStages() {
    const rate = times.perSecond;
    metrics.show({
      rate: rate === null ? "–" : rate.toFixed(1),
      ...Object.fromEntries(
        STAGES.map((name) => {
          const spread = times.spread(name);
          // Without a part of the page that prepares the input or draws the output, these stages are empty.
          if (!spread?.high) return [name, "–"];
          const range = `${milliseconds(spread.low)}–${milliseconds(spread.high)}`;
          return [
            name,
            times.count > 1
              ? `${milliseconds(spread.median)} (${range})`
              : milliseconds(spread.median),
          ];
        }),
      ),
    });
  }

  async function showMemory() {
    memory = await analyser.call("speed", "memory");
    metrics.show({ memory: formatBytes(memory.gpuBytes) });
  }

  async function measureSizes() {
    sizes = await analyser.call("speed", "sizes", [SIDES]);
    const figures = [];
    for (const { side, median, picture } of sizes) {
      if (!picture) continue;
      const [height, width] = picture;
      const ariaLabel = `Output for an input of ${side} by ${side}`;
      const canvas = make("canvas", { role: "img", ariaLabel, width, height });
      drawPixels(canvas, await analyser.call("speed", "pixels", [side]));
      const text = `${side} × ${side}: ${milliseconds(median ?? 0)} ms`;
      figures.push(make("figure", {}, canvas, make("figcaption", {}, text)));
    }
    pictures.replaceChildren(...figures);
    showTables();
  }

  async function runComparison() {
    const { description } = analyser;
    if (!description) return;
    comparison = await compare(analyser, description);
    showTables();
  }

  function showTables() {
    const parts = [];
    if (sizes.length) {
      const rows = sizes.map(({ side, failure, median }) => [
        `${side} × ${side}`,
        failure ?? `${milliseconds(median ?? 0)} ms`,
      ]);
      parts.push(makeTable("The same model at three sizes", ["Size", "Median of 7 runs"], rows));
    }
    if (comparison.length) {
      const ours = comparison[0];
      const rows = comparison.map(({ library, failure, load, first, median, error }) => [
        library,
        ...(failure
          ? [failure, "", "", "", ""]
          : [
              milliseconds(load ?? 0),
              milliseconds(first ?? 0),
              milliseconds(median ?? 0),
              median && ours.median ? (median / ours.median).toPrecision(3) : "",
              error === undefined ? "" : error.toExponential(1),
            ]),
      ]);
      const heads = ["Library", "Loading, ms", "First, ms", "Median, ms", "Ratio", "Difference"];
      parts.push(
        makeTable("Alternating rounds; each call ends with reading all outputs", heads, rows),
      );
    }
    tables.replaceChildren(...parts);
  }

  /** @returns {Report} */
  function report() {
    const model = /** @type {Description} */ (analyser.description);
    const shapes = Object.entries(model.shapes).map(
      ([name, shape]) => `${name} ${shape.join("×")}`,
    );
    return {
      model: fileName(model.source),
      format: model.format,
      inputs: shapes.join(", "),
      parameters: model.parameters,
      multiplyAdds: model.multiplyAdds,
      backend,
      browser: navigator.userAgent,
      loadMs: model.loadMs,
      compileMs: warmUp?.compileMs ?? null,
      firstMs: warmUp?.firstMs ?? null,
      runs: times.count,
      runsPerSecond: times.perSecond,
      stages: Object.fromEntries(STAGES.map((name) => [name, times.spread(name)])),
      memory,
      sizes,
      comparison,
    };
  }

  /** The picture of the output, and those of other sizes, with captions. @returns {[string, HTMLCanvasElement][]} */
  function shownPictures() {
    const stage = find("output-stage", HTMLElement);
    const output = stage.hidden ? null : stage.querySelector("canvas:not([hidden])");
    const figures = [...pictures.querySelectorAll("figure")].map((figure) => [
      figure.innerText.trim(),
      figure.querySelector("canvas"),
    ]);
    return /** @type {[string, HTMLCanvasElement][]} */ (
      [["output", output], ...figures].filter(([, canvas]) => canvas)
    );
  }

  /** @param {string} text */
  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      reportStatus.textContent = "Copied.";
    } catch {
      saveFile(text.startsWith("{") ? "speed.json" : "speed.txt", new Blob([text]));
      reportStatus.textContent =
        "The browser does not allow copying; the report was saved as a file.";
    }
  }

  /** Compiles the model, and measures that. @param {Description} model */
  async function warm(model) {
    status.textContent = "Compiling…";
    try {
      warmUp = await analyser.call("speed", "warm_up");
      status.textContent = "";
      metrics.show({
        compile: milliseconds(warmUp?.compileMs ?? 0),
        first: milliseconds(warmUp?.firstMs ?? 0),
      });
      await showMemory();
    } catch (error) {
      // The card says why, if the model does not take the present input.
      status.textContent = model.failure ? "The model does not run on this input." : textOf(error);
    }
  }

  return {
    /** @param {string} name */
    set backend(name) {
      backend = name;
    },
    /** @param {Description} model */
    async show(model) {
      stop();
      times.clear();
      chart.clear();
      run = 0;
      warmUp = null;
      sizes = [];
      comparison = [];
      tables.replaceChildren();
      pictures.replaceChildren();
      reportStatus.textContent = "";
      metrics.show(Object.fromEntries(Object.keys(METRICS).map((name) => [name, "–"])));
      metrics.show({ load: milliseconds(model.loadMs) });
      program.show("speed.py", programOf(model));
      const library = otherLibrary(model);
      compareButton.hidden = library === null;
      compareButton.textContent = `Compare with ${library}`;
      sizesButton.hidden = !(await analyser.call("speed", "has_open_sides"));
      await Promise.all([chart.load(), warm(model)]);
    },
  };
}

/** @param {Description} model */
function programOf(model) {
  return `import py_tensor as pt

model = await pt.models.load(${JSON.stringify(addressOf(model.source))})
inputs = {${randomInputs(model).join(", ")}}
await model.warmup(*inputs.values())

# Each kernel with its time on the GPU.
pt.profile(lambda: model.run(inputs))
`;
}
