/** @file ONNX Runtime Web, which is loaded when it is first needed: 4 MB compressed. */

/** Resolves to a function that loads an ONNX file. @param {"webgl" | "wasm"} provider @returns {Promise<import("../../../../benchmarks/onnx_runtime.js").Loader>} */
export async function onnxLoader(provider) {
  const { loaderOf } = await import("../../../../benchmarks/onnx_runtime.js");
  const runtime =
    provider === "wasm" ? import("onnxruntime-web/wasm") : import("onnxruntime-web/webgl");
  return loaderOf(await runtime, provider);
}

/** Bytes or the address of an ONNX model. @param {string | Record<string, File>} source */
export async function onnxSource(source) {
  if (typeof source === "string") return source;
  const all = Object.entries(source);
  const [, file] = all.find(([name]) => name.endsWith(".onnx")) ?? all[0];
  return new Uint8Array(await file.arrayBuffer());
}
