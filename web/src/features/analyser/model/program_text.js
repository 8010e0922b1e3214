/** @file Parts of the programs in Python that the page shows. */

/** @import { Description, Source } from "../analyser.js" */

const MODEL = /\.(onnx|tflite|keras|h5|zip)$|(^|\/)model\.json$/;

/** The address of a model, or the name of its file: others may have weights or a tokenizer. @param {Source} source */
export function addressOf(source) {
  if (typeof source === "string") return source;
  const names = Object.keys(source);
  return names.find((name) => MODEL.test(name)) ?? names[0];
}

/** The name of the file of a model. @param {Source} source */
export function fileName(source) {
  return addressOf(source).split("/").at(-1) ?? "";
}

/** Items of a dict in Python: random values for each input of a model. @param {Pick<Description, "inputs" | "shapes">} model */
export function randomInputs({ inputs, shapes }) {
  return inputs.map(({ name, dtype }) => {
    const shape = `(${shapes[name].join(", ")}${shapes[name].length === 1 ? "," : ""})`;
    const values = dtype.startsWith("float")
      ? `pt.random.uniform(${shape})`
      : `pt.random.integers(0, 256, ${shape})`;
    return `${JSON.stringify(name)}: ${values}${dtype === "float32" || dtype === "any" ? "" : `.astype("${dtype}")`}`;
  });
}
