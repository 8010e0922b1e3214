/** @file Entry point of the page of the processor: py_tensor, TensorFlow.js and jax-js on WebAssembly. */

import { startEnginePage } from "./engine_page.js";
import { processorWorkloads } from "./processor_workloads.js";

startEnginePage({
  libraries: "wasm,tensorflow,jax",
  device: "wasm",
  workloads: processorWorkloads,
});
