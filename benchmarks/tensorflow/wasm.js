/** @file TensorFlow.js' backend for WebAssembly, with SIMD and one thread. */

import * as tf from "@tensorflow/tfjs";
import { setWasmPaths } from "@tensorflow/tfjs-backend-wasm";

/** Says where the backend's program is, before it starts. @param {string} simd address of the program with SIMD */
export function useWasm(simd) {
  tf.env().set("WASM_HAS_MULTITHREAD_SUPPORT", false);
  setWasmPaths({
    "tfjs-backend-wasm.wasm": simd,
    "tfjs-backend-wasm-simd.wasm": simd,
    "tfjs-backend-wasm-threaded-simd.wasm": simd,
  });
}
