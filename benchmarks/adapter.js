/** @file Describes the browser's adapter for WebGPU. */

/** Features on which the speed of kernels may depend. */
const FEATURES = ["timestamp-query", "shader-f16", "subgroups"];

/** Line with the adapter's name, and whether it computes on the processor. @returns {Promise<string>} */
export async function adapterLine() {
  const adapter = await navigator.gpu?.requestAdapter({ powerPreference: "high-performance" });
  if (!adapter) return "gpu=none";
  const { vendor, architecture, device, description, isFallbackAdapter } = adapter.info;
  const name = [vendor, architecture, device, description].filter(Boolean).join(" ");
  const features = FEATURES.filter((feature) => adapter.features.has(feature)).join(",");
  return `gpu=${name} software=${isFallbackAdapter || name.includes("swiftshader")} features=${features}`;
}
