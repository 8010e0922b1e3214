/** @file Parts of the programs in Python that the page shows. */

/** @import { Description, Source } from "../analyser.js" */

/** The address of a model, or the name of its first file. @param {Source} source */
export function addressOf(source) {
  return typeof source === "string" ? source : Object.keys(source)[0];
}

/** The name of the first file of a model. @param {Source} source */
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
