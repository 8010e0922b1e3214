/** @file The card of a model: its format, size, inputs and outputs, and the Python that opens it. */

import { createProgramView } from "../../../ui/code_view.js";
import { find, make } from "../../../ui/dom.js";
import { textOf } from "../../../ui/error_text.js";
import { formatBytes, formatCount } from "../../../ui/metrics.js";
import { makeTable } from "../../../ui/table.js";
import { galleryEntry } from "../gallery/gallery.js";
import { addressOf, fileName, randomInputs } from "./program_text.js";

/** @import { Analyser, Description, Value } from "../analyser.js" */

/** @type {Record<string, string>} */
const FORMATS = {
  onnx: "ONNX",
  tfjs: "TensorFlow.js",
  tflite: "TFLite",
  keras: "Keras",
  h5: "Keras (HDF5)",
  py_tensor: "py_tensor",
};

/** @param {Analyser} analyser */
export function createModelCard(analyser) {
  const card = find("card", HTMLElement);
  const ports = find("ports", HTMLElement);
  const failure = find("model-failure", HTMLElement);
  const lengths = find("lengths", HTMLFormElement);
  const program = createProgramView(find("model-code", HTMLElement));
  analyser.on("model", (model) => {
    find("model-name", HTMLElement).textContent = model.name;
    find("try-name", HTMLElement).textContent = `${titleOf(model)}.`;
    card.replaceChildren(...tiles(model));
    ports.replaceChildren(table("Inputs", model.inputs), table("Outputs", model.outputs));
    program.show("model.py", loadingProgram(model));
    failure.hidden = model.failure === "";
    failure.textContent = `The model does not run on this input. ${model.failure}`;
    showLengths(model);
  });

  /** Lets the visitor choose the lengths that the file leaves open. @param {Description} model */
  function showLengths({ inputs, shapes }) {
    /** @type {Record<string, number[]>} */
    const chosen = structuredClone(shapes);
    const fields = inputs.flatMap(({ name, shape }) =>
      (shape ?? []).flatMap((length, axis) => {
        if (typeof length === "number" && length > 0) return [];
        const field = make("input", { type: "number", min: "1", max: "4096", required: true });
        field.value = String(chosen[name][axis]);
        field.oninput = () => {
          chosen[name][axis] = Number(field.value);
        };
        return [make("label", {}, `${name}, ${length ?? `axis ${axis}`} `, field)];
      }),
    );
    const apply = make("button", { type: "submit" }, "Use these lengths");
    const status = make("p", { className: "status", role: "status" });
    lengths.hidden = fields.length === 0;
    lengths.replaceChildren(
      make("p", {}, "Lengths that the file leaves open"),
      ...fields,
      apply,
      status,
    );
    lengths.onsubmit = async (event) => {
      event.preventDefault();
      apply.disabled = true;
      try {
        await analyser.reshape(chosen);
      } catch (error) {
        status.textContent = textOf(error);
        apply.disabled = false;
      }
    };
  }
}

/** The name in the gallery, or that of the file: those in files are often the same for all models. @param {Description} model */
function titleOf({ source }) {
  return galleryEntry(source)?.title ?? fileName(source);
}

/** @param {Description} model */
function tiles(model) {
  const { layers, multiplyAdds, parameters, bytes } = model;
  /** @type {[string, string, string][]} */
  const rows = [
    ["format", "Format", FORMATS[model.format] ?? model.format],
    ["producer", "Written by", model.producer || "not said"],
    ["layers", "Layers", String(layers.length)],
    ["parameters", "Parameters", formatCount(parameters)],
    ["bytes", "Bytes of parameters", formatBytes(bytes)],
    ["file", "Bytes of files", formatBytes(model.bytesRead)],
    [
      "multiplyAdds",
      "Multiply-adds",
      multiplyAdds === null ? "not known" : formatCount(multiplyAdds),
    ],
    ["quantization", "Quantized weights", model.quantization || "none"],
  ];
  return rows.map(([name, title, text]) => {
    const isLong = text.length > 14;
    const value = make("dd", { title: text, className: isLong ? "long" : "" }, text);
    value.dataset.card = name;
    return make("div", {}, make("dt", {}, title), value);
  });
}

/** @param {string} title @param {Value[]} values */
function table(title, values) {
  const rows = values.map(({ name, shape, dtype, quantization }) => [
    name,
    shape === null ? "any shape" : shape.map((n) => n ?? "?").join(" × ") || "scalar",
    quantization ? `${dtype}, (q − ${quantization[1]}) · ${quantization[0].toPrecision(4)}` : dtype,
  ]);
  return makeTable(title, ["Name", "Shape", "Dtype"], rows);
}

/** Python that opens the model and runs it on random values. @param {Description} model */
function loadingProgram(model) {
  const note =
    typeof model.source === "string" ? "" : "  # a file next to the page, or its address";
  const items = randomInputs(model).map((item) => `    ${item},`);
  return `import py_tensor as pt

model = await pt.models.load(
    ${JSON.stringify(addressOf(model.source))},${note}
    progress=True,
)
inputs = {
${items.join("\n")}
}
print(model.summary(*inputs.values()))
for name, output in model.run(inputs).items():
    print(name, output.shape)
`;
}
