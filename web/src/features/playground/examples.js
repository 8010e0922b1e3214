/** @file Example programs of the playground, in the order shown. */

import index from "../../../../examples/index.json";
import { loadFile } from "../../ui/load_file.js";
import arithmetic from "./examples/arithmetic.py?raw";
import explain from "./examples/explain.py?raw";
import kernel from "./examples/kernel.py?raw";
import life from "./examples/life.py?raw";
import mandelbrot from "./examples/mandelbrot.py?raw";
import matmul from "./examples/matmul.py?raw";
import memory from "./examples/memory.py?raw";
import mistake from "./examples/mistake.py?raw";
import noise from "./examples/noise.py?raw";
import training from "./examples/training.py?raw";

/** @type {{ name: string, title: string, source: string }[]} */
export const EXAMPLES = [
  { name: "arithmetic", title: "Arithmetic", source: arithmetic },
  { name: "mandelbrot", title: "Mandelbrot", source: mandelbrot },
  { name: "life", title: "Game of Life", source: life },
  { name: "kernel", title: "A shader in Python", source: kernel },
  { name: "matmul", title: "Matrix product", source: matmul },
  { name: "noise", title: "Noise and clouds", source: noise },
  { name: "training", title: "Training and plots", source: training },
  { name: "memory", title: "Tidy and memory", source: memory },
  { name: "explain", title: "Explain", source: explain },
  { name: "mistake", title: "A mistake", source: mistake },
];

/** Programs written for NumPy or JAX, by kind. A program's name is its file's name in `examples/`. */
export const PROGRAMS = Object.entries(index.kinds).map(([kind, titles]) => ({
  kind,
  programs: Object.entries(titles).map(([name, title]) => ({ name, title })),
}));

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
  const file = await loadFile(addresses[`../../../../examples/${name}.py`], `${name}: the program`);
  const source = await file.text();
  /** @type {Record<string, string>} */
  const imports = index.imports;
  return source
    .split("\n")
    .map((line) => imports[line] ?? line)
    .join("\n");
}
