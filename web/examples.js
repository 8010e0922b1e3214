/** @file The playground's example programs: real Python files, in the order shown. */

import arithmetic from "./examples/arithmetic.py?raw";
import explain from "./examples/explain.py?raw";
import life from "./examples/life.py?raw";
import mandelbrot from "./examples/mandelbrot.py?raw";
import matmul from "./examples/matmul.py?raw";
import memory from "./examples/memory.py?raw";
import mistake from "./examples/mistake.py?raw";
import noise from "./examples/noise.py?raw";

/** @type {{ name: string, title: string, source: string }[]} */
export const EXAMPLES = [
  { name: "arithmetic", title: "Arithmetic", source: arithmetic },
  { name: "mandelbrot", title: "Mandelbrot", source: mandelbrot },
  { name: "life", title: "Game of Life", source: life },
  { name: "matmul", title: "Matrix product", source: matmul },
  { name: "noise", title: "Noise and clouds", source: noise },
  { name: "memory", title: "Tidy and memory", source: memory },
  { name: "explain", title: "Explain", source: explain },
  { name: "mistake", title: "A mistake", source: mistake },
];
