/** @file Makes the site contain TensorFlow.js' program for WebAssembly. */

import simd from "@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm-simd.wasm?url";
import { useWasm } from "./wasm.js";

export function useSiteWasm() {
  useWasm(simd);
}
