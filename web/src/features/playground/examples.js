/** @file Example programs of the playground, in the order shown. */

import index from "../../../../examples/index.json";
import { loadFile } from "../../ui/load_file.js";

/** @type {Record<string, string>} */
const sources = import.meta.glob("./examples/*.py", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** @type {Record<string, string>} */
const thumbnails = import.meta.glob("./thumbnails/*.webp", {
  query: "?url&no-inline",
  import: "default",
  eager: true,
});

/** @param {Record<string, string>} titles by the name of the file */
function examples(titles) {
  return Object.entries(titles).map(([name, title]) => ({
    name,
    title,
    source: sources[`./examples/${name}.py`],
    thumbnail: thumbnails[`./thumbnails/${name}.webp`],
  }));
}

/** Programs that move, in the order of the gallery; `tools/make_thumbnails.py` makes their pictures. */
export const GALLERY = examples({
  ray_marching: "Ray marching",
  fluid: "Fluid",
  mandelbrot: "Mandelbrot",
  path_tracer: "Path tracer",
  gray_scott: "Gray-Scott",
  n_body: "N-body",
  material_points: "Material points",
  life: "Game of Life",
  histogram: "Histogram",
  synthesizer: "Synthesizer",
});

export const EXAMPLES = examples({
  arithmetic: "Arithmetic",
  matmul: "Matrix product",
  noise: "Noise and clouds",
  training: "Training and plots",
  fine_tuning: "Fine-tuning a language model",
  memory: "Tidy and memory",
  explain: "Explain",
  mistake: "A mistake",
});

const FOLDER = "../../../../examples";

/** First sentences of the programs; the build reads them. @type {Record<string, string>} */
const descriptions = import.meta.glob("../../../../examples/*.py", {
  query: "?description",
  import: "default",
  eager: true,
});

/** Programs written for NumPy or JAX, by kind. A program's name is its file's name in `examples/`. */
export const PROGRAMS = Object.entries(index.kinds).map(([kind, titles]) => ({
  kind,
  programs: Object.entries(titles).map(([name, title]) => ({
    name,
    title,
    description: descriptions[`${FOLDER}/${name}.py`],
  })),
}));

/** @param {string} name @returns {string} its title; "" if there is no such program */
export function titleOfProgram(name) {
  const all = PROGRAMS.flatMap(({ programs }) => programs);
  return all.find((program) => program.name === name)?.title ?? "";
}

/** @type {Record<string, string>} */
const addresses = import.meta.glob("../../../../examples/*.py", {
  query: "?url&no-inline",
  import: "default",
  eager: true,
});

/**
 * Loads a program of `examples/` and replaces its import lines by py_tensor's.
 *
 * @param {string} name
 * @returns {Promise<string>}
 */
export async function loadProgram(name) {
  const file = await loadFile(addresses[`${FOLDER}/${name}.py`], `${name}: the program`);
  const source = await file.text();
  /** @type {Record<string, string>} */
  const imports = index.imports;
  return source
    .split("\n")
    .map((line) => imports[line] ?? line)
    .join("\n");
}
