// Writes tensorflow_js_numbers.json: the values of the expressions in docs/from_tensorflow_js.md, computed by TensorFlow.js
// on its CPU backend, and the names that TensorFlow.js exports. After `npm install`, run in the repository's root:
//
// node tests/reference_data/make_tensorflow_js_numbers.mjs >tests/reference_data/tensorflow_js_numbers.json

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const note = console.log;
console.log = console.warn = () => {}; // TensorFlow.js greets and advises
const tf = createRequire(import.meta.url)("@tensorflow/tfjs");
await tf.setBackend("cpu");

const NAMESPACES = ["browser", "data", "fused", "image", "linalg", "losses", "math", "signal", "sparse", "spectral"];
const page = readFileSync(new URL("../../docs/from_tensorflow_js.md", import.meta.url), "utf8");
const inputs = {};

function evaluated(expression) {
  // New tensors each time: some kernels of the CPU backend change their operands.
  const tensors = Object.values(inputs).map((input) => new Function("tf", `return ${input}`)(tf));
  return new Function("tf", ...Object.keys(inputs), `return (${expression})`)(tf, ...tensors);
}

function described(value, random) {
  if (!(value instanceof tf.Tensor)) {
    return typeof value === "number" ? value : Object.values(value).map((part) => described(part, random));
  }
  const { shape, dtype } = value;
  const values = random ? undefined : Array.from(value.dataSync(), (n) => (Number.isFinite(+n) ? +n : String(n)));
  return { shape, dtype, values };
}

const expressions = {};
for (const section of page.split("\n## ")) {
  const random = section.startsWith("Random numbers");
  for (const [, expression] of section.matchAll(/^\| `(.+?)` \| `.+` \|(?:.*\|)?$/gm)) {
    const named = /^(\w+) = (.+)$/.exec(expression);
    if (named && !section.startsWith("Variables")) inputs[named[1]] = named[2];
    else if (expression.startsWith("tf.") && expression.includes("(")) {
      expressions[expression] = described(await evaluated(expression), random);
    }
  }
}
const functions = (space) => Object.keys(space).filter((key) => typeof space[key] === "function" && /^[a-z]/.test(key));
const names = functions(tf);
for (const space of NAMESPACES) names.push(...functions(tf[space]).map((name) => `${space}.${name}`));
const text = Object.entries(expressions).map(([key, value]) => `  ${JSON.stringify(key)}: ${JSON.stringify(value)}`);
note(`{
 "made by": "@tensorflow/tfjs ${tf.version.tfjs}, tests/reference_data/make_tensorflow_js_numbers.mjs",
 "names": ${JSON.stringify(names.sort())},
 "expressions": {
${text.join(",\n")}
 }
}`);
