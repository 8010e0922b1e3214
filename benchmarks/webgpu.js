/** @file Entry point of the page of WebGPU: py_tensor on WebGPU and WebGL2, TensorFlow.js and jax-js. */

import { adapterLine } from "./adapter.js";
import { rendererName } from "./device_limits.js";
import { startEnginePage } from "./engine_page.js";
import { gpuWorkloads } from "./gpu_workloads.js";

startEnginePage({
  libraries: "webgpu,webgl,tensorflow,jax",
  device: "webgpu",
  workloads: gpuWorkloads,
  deviceName: async () => `${rendererName()}\n${await adapterLine()}`,
});
