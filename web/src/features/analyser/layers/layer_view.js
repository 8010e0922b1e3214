/** @file One layer: its attributes, weights, filters, activations, time, kernels and shaders. */

import { createProgramView } from "../../../ui/code_view.js";
import { find, make } from "../../../ui/dom.js";
import { textOf } from "../../../ui/error_text.js";
import { formatBytes, formatCount, shapeText } from "../../../ui/metrics.js";
import { addressOf, randomInputs } from "../model/program_text.js";

/** @import { Analyser, Description, Layer } from "../analyser.js" */

/**
 * @typedef {object} Weight
 * @property {string} name
 * @property {string} shape
 * @property {number | null} low
 * @property {number | null} high
 * @property {number | null} mean
 * @property {number | null} std
 * @property {string} plot SVG
 *
 * @typedef {{ name: string, shape: string, maps: string | null, plot?: string, value?: string }} Activation
 *
 * @typedef {object} Kernel
 * @property {string} name
 * @property {string} operations
 * @property {number[][]} inputs
 * @property {number[]} output
 * @property {number | null} milliseconds
 * @property {number} bytes
 * @property {string} shader
 *
 * @typedef {object} Shown
 * @property {Weight[]} weights
 * @property {string | null} filters
 * @property {Activation[]} activations
 * @property {number | null} milliseconds
 * @property {string | null} timer
 * @property {Kernel[]} kernels
 */

const REFRESH_PAUSE = 300; // milliseconds between two pictures of activations while the input changes
/** @type {Record<string, string>} */
const TIMERS = { gpu: "by the GPU's timer", wait: "by waiting for each draw", host: "on the host" };

/** @param {Analyser} analyser */
export function createLayerView(analyser) {
  const panel = find("layer", HTMLElement);
  const activations = make("canvas", { role: "img", className: "maps" });
  const filters = make("canvas", { role: "img", className: "maps" });
  /** Elements that a new input changes. */
  const live = make("div", { className: "activations" });
  let connected = false;
  let selected = -1;
  let asked = 0;
  let refreshing = false;

  showHint();
  analyser.on("model", () => {
    selected = -1;
    showHint();
  });
  analyser.on("select", select);
  analyser.on("output", refresh);

  function showHint() {
    panel.replaceChildren(
      make(
        "p",
        { className: "hint" },
        "Select a layer to see its weights, activations, time and kernels.",
      ),
    );
  }

  /** @param {number} at */
  async function select(at) {
    if (!analyser.description || at === selected) return;
    selected = at;
    const layer = analyser.description.layers[at];
    const body = make("div", { className: "details" });
    const status = make(
      "p",
      { className: "status", role: "status" },
      "Running the model up to this layer…",
    );
    panel.replaceChildren(...head(analyser, analyser.description, layer), status, body);
    panel.scrollTop = 0;
    asked += 1;
    const number = asked;
    // While the keys move through the layers, only the last one is run.
    await new Promise((resolve) => setTimeout(resolve, 120));
    if (number !== asked) return;
    try {
      await connect();
      /** @type {Shown} */
      const shown = await analyser.call("layers", "show", [at]);
      if (number !== asked) return;
      status.textContent = shown.kernels.length
        ? ""
        : "This layer is computed when the model is loaded, or runs no kernel.";
      body.replaceChildren(...details(layer, shown));
    } catch (error) {
      if (number === asked) status.textContent = textOf(error);
    }
  }

  /** Gives the canvases to the worker, once. */
  async function connect() {
    if (connected) return;
    connected = true;
    const canvases = [activations, filters].map((canvas) => canvas.transferControlToOffscreen());
    await analyser.call("layers", "canvases", canvases, canvases);
  }

  /** Draws the activations again, for a new input. */
  async function refresh() {
    if (refreshing || selected < 0 || !live.isConnected) return;
    refreshing = true;
    const number = asked;
    try {
      /** @type {Activation[]} */
      const drawn = await analyser.call("layers", "activations", [selected]);
      if (number === asked) showActivations(drawn);
    } catch {
      // The layer may be one that is computed when the model is loaded.
    }
    await new Promise((resolve) => setTimeout(resolve, REFRESH_PAUSE));
    refreshing = false;
  }

  /** @param {Activation[]} drawn */
  function showActivations(drawn) {
    live.replaceChildren(
      ...drawn.flatMap(({ name, shape, maps, plot, value }) => {
        const text = [shape, maps, value].filter(Boolean).join(" · ");
        /** @type {HTMLElement[]} */
        const parts = [make("p", { className: "hint" }, make("code", {}, name), ` ${text}`)];
        if (plot) parts.push(drawing(plot, `Values of ${name}`));
        if (maps) {
          activations.ariaLabel = `${maps} of ${name}`;
          parts.push(activations);
        }
        return parts;
      }),
    );
  }

  /** @param {Layer} layer @param {Shown} shown */
  function details(layer, shown) {
    const parts = [];
    if (shown.activations.length) {
      showActivations(shown.activations);
      parts.push(make("h4", {}, "Activations for the present input"), live);
    }
    if (shown.filters) {
      filters.ariaLabel = shown.filters;
      parts.push(
        make("h4", {}, "Filters"),
        make("p", { className: "hint" }, shown.filters),
        filters,
      );
    }
    if (shown.weights.length) parts.push(make("h4", {}, "Weights"), ...shown.weights.map(weight));
    if (shown.kernels.length) parts.push(...kernels(shown));
    const code = make("details", { className: "source" }, make("summary", {}, "Show the code"));
    createProgramView(code).show("layer.py", programOf(layer));
    return [...parts, code];
  }

  /** Python that reads the values of a layer. @param {Layer} layer */
  function programOf(layer) {
    const model = /** @type {Description} */ (analyser.description);
    const names = layer.outputs.filter(Boolean).map((name) => JSON.stringify(name));
    return `import py_tensor as pt

model = await pt.models.load(${JSON.stringify(addressOf(model.source))})
inputs = {${randomInputs(model).join(", ")}}

# Values inside the model, by name.
for name, value in model.run(inputs, outputs=[${names.join(", ")}]).items():
    print(name, value.shape)
    pt.show(pt.plot.histogram(value))

# The same layer alone, with its kernels and their times.
steps = model.run_layers(inputs)
for layer, results in steps:
    if layer.name == ${JSON.stringify(layer.name)}:
        print(layer)
        break
`;
  }
}

/** @param {Analyser} analyser @param {Description} model @param {Layer} layer */
function head(analyser, { layers }, layer) {
  const facts = [
    ["Shape", shapeText(layer.shape)],
    ["Parameters", formatCount(layer.parameters)],
    ["Bytes", formatBytes(layer.bytes)],
    ["Multiply-adds", formatCount(layer.multiplyAdds)],
    ...Object.entries(layer.attributes),
  ].filter(([, text]) => text !== "");
  const before = neighbours(layers, (other) =>
    other.outputs.some((name) => layer.inputs.includes(name)),
  );
  const after = neighbours(layers, (other) =>
    other.inputs.some((name) => layer.outputs.includes(name)),
  );
  /** @param {string} title @param {number[]} numbers */
  const links = (title, numbers) =>
    numbers.length === 0
      ? []
      : [
          make(
            "p",
            { className: "neighbours" },
            `${title} `,
            ...numbers.map((at) => {
              const button = make(
                "button",
                { type: "button", title: layers[at].name },
                layers[at].operator,
              );
              button.onclick = () => analyser.emit("select", at);
              return button;
            }),
          ),
        ];
  return [
    make("h3", {}, layer.operator),
    make("p", { className: "layer-name" }, layer.name),
    make(
      "dl",
      { className: "facts" },
      ...facts.map(([name, text]) => make("div", {}, make("dt", {}, name), make("dd", {}, text))),
    ),
    ...links("Reads from", before),
    ...links("Read by", after),
  ];
}

/** @param {Layer[]} layers @param {(layer: Layer) => boolean} isOne */
function neighbours(layers, isOne) {
  return layers.flatMap((layer, at) => (isOne(layer) ? [at] : [])).slice(0, 8);
}

/** @param {Weight} weight */
function weight({ name, shape, low, high, mean, std, plot }) {
  const numbers = { least: low, greatest: high, mean, "standard deviation": std };
  const text = Object.entries(numbers)
    .map(([title, value]) => `${title} ${value === null ? "not finite" : value.toPrecision(3)}`)
    .join(", ");
  return make(
    "figure",
    { className: "weight" },
    make("figcaption", {}, make("code", {}, name), ` ${shape}: ${text}`),
    ...(plot ? [drawing(plot, `Histogram of ${name}: ${text}`)] : []),
  );
}

/** @param {string} svg @param {string} label */
function drawing(svg, label) {
  return make("div", { role: "img", ariaLabel: label, className: "plot", innerHTML: svg });
}

/** @param {Shown} shown */
function kernels({ kernels: all, milliseconds, timer }) {
  const total =
    milliseconds === null ? "" : `, ${milliseconds.toFixed(3)} ms ${TIMERS[timer ?? ""] ?? ""}`;
  const title = `${all.length} ${all.length === 1 ? "kernel" : "kernels"}${total}`;
  return [
    make("h4", {}, "Kernels of this layer alone"),
    make("p", { className: "hint" }, title),
    ...all.map(({ name, operations, inputs, output, milliseconds: ms, shader }) => {
      const shapes = `${inputs.map((shape) => shape.join("×") || "1").join(", ")} → ${output.join("×") || "1"}`;
      const took = ms === null ? "" : `, ${ms.toFixed(3)} ms`;
      return make(
        "details",
        { className: "source kernel" },
        make("summary", {}, name),
        make("p", { className: "hint" }, `${operations}: ${shapes}${took}`),
        make(
          "pre",
          { tabIndex: 0, role: "group", ariaLabel: `Shader of ${name}` },
          make("code", {}, shader),
        ),
      );
    }),
  ];
}
