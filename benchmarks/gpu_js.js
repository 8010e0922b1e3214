/** @file gpu.js in the benchmark: its kernels are JavaScript functions. They are texts, because a bundler changes functions. */

import * as gpuJs from "gpu.js";
import { version } from "gpu.js/package.json";

/** @import { Side } from "./timing.js" */
/** @import { Workload } from "./workloads.js" */

// Its types take the function `input` for a type.
const { GPU, input } = /** @type {any} */ (gpuJs);

/** @type {Record<string, string>} */
const SOURCES = {
  mandelbrot: `function () {
    const a = 3.0 * this.thread.x / this.constants.side - 2.2;
    const b = 3.0 * this.thread.y / this.constants.side - 1.5;
    let x = 0.0;
    let y = 0.0;
    for (let n = 0; n < this.constants.steps; n++) {
      if (x * x + y * y > 4.0) return n;
      const next = x * x - y * y + a;
      y = 2.0 * x * y + b;
      x = next;
    }
    return this.constants.steps;
  }`,
  stencil: `function (u) {
    const i = this.thread.y;
    const j = this.thread.x;
    const above = i > 0 ? i - 1 : i;
    const below = i < this.constants.last ? i + 1 : i;
    const left = j > 0 ? j - 1 : j;
    const right = j < this.constants.last ? j + 1 : j;
    return 0.2 * (u[i][j] + u[above][j] + u[below][j] + u[i][left] + u[i][right]);
  }`,
  n_body: `function (x, y, z) {
    const i = this.thread.x;
    let total = 0.0;
    for (let k = 0; k < this.constants.bodies; k++) {
      const dx = x[k] - x[i];
      const dy = y[k] - y[i];
      const dz = z[k] - z[i];
      total += 1.0 / Math.sqrt(dx * dx + dy * dy + dz * dz + 0.01);
    }
    return total;
  }`,
  product: `function (a, b) {
    let total = 0.0;
    for (let k = 0; k < this.constants.inner; k++) {
      total += a[this.thread.y][k] * b[k][this.thread.x];
    }
    return total;
  }`,
};

/** @type {Record<string, (workload: Workload) => { output: number[], constants: Record<string, number> }>} */
const SETTINGS = {
  mandelbrot: ({ options }) => {
    const { side, steps } = /** @type {{ side: number, steps: number }} */ (options);
    return { output: [side, side], constants: { side, steps } };
  },
  stencil: ({ inputs: [{ shape }] }) => ({
    output: shape.toReversed(),
    constants: { last: shape[0] - 1 },
  }),
  n_body: ({ inputs: [{ shape }] }) => ({ output: shape, constants: { bodies: shape[0] } }),
  product: ({ inputs: [a, b] }) => ({
    output: [b.shape[1], a.shape[0]],
    constants: { inner: a.shape[1] },
  }),
};

// As py_tensor: float32 in textures, which stay on the GPU.
const ON_GPU = { pipeline: true, precision: "single", tactic: "precision" };

/** @type {any} */
let gpu;

/** Starts gpu.js on WebGL2, and returns its version. */
export function start() {
  gpu = new GPU({ mode: "webgl2" });
  return version;
}

/**
 * Prepares a workload; returns null if there is no kernel for it.
 *
 * @param {Workload} workload
 * @param {(Float32Array | Int32Array)[]} arrays
 * @returns {Side | null}
 */
export function prepare(workload, arrays) {
  const { operation, inputs } = workload;
  if (!(operation in SOURCES)) return null;
  const { output, constants } = SETTINGS[operation](workload);
  /** @type {any[]} */
  const kernels = [];
  /** @param {string} source @param {object} settings */
  const create = (source, settings) => {
    const kernel = gpu.createKernel(source, { precision: "single", ...settings });
    kernels.push(kernel);
    return kernel;
  };
  /** @param {number} axes */
  const element = (axes) => (axes === 1 ? "v[this.thread.x]" : "v[this.thread.y][this.thread.x]");
  const textures = inputs.map(({ shape }, at) => {
    const size = shape.toReversed();
    const upload = create(`function (v) { return ${element(shape.length)}; }`, {
      ...ON_GPU,
      output: size,
    });
    return upload(input(arrays[at], size));
  });
  const kernel = create(SOURCES[operation], {
    ...ON_GPU,
    output,
    constants,
    loopMaxIterations: Math.max(...Object.values(constants)),
  });
  const readOne = create(`function (v) { return v${output.map(() => "[0]").join("")}; }`, {
    output: [1],
  });
  let resident = textures[0];

  /** @param {number} repetitions */
  const run = (repetitions) => {
    const start = performance.now();
    for (let i = 0; i < repetitions; i++) resident = kernel(...textures);
    readOne(resident);
    if (kernel.fallbackReason)
      throw new Error(`gpu.js computes on the CPU: ${kernel.fallbackReason}`);
    return performance.now() - start;
  };

  return {
    first: async () => run(1),
    async round(repetitions) {
      // Waits until the GPU has executed all commands.
      readOne(resident);
      return run(repetitions);
    },
    async values() {
      /** @type {Float32Array[]} */
      const rows = [kernel(...textures).toArray()].flat();
      return Float32Array.from(rows.flatMap((row) => [...row]));
    },
    release() {
      for (const kernel of kernels) kernel.destroy();
    },
  };
}
