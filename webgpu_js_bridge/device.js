/** @file Request the WebGPU device, report its limits, and request another one when it is lost. */
/** @import { Failures, Gpu } from "./types" */
import { machineMemory } from "../webgl_js_bridge/context.js";
import { outOfMemory } from "./failures.js";

export const LOST = "WebGPU device lost";

/** Features that are used if the adapter has them. */
const FEATURES = /** @type {const} */ (["timestamp-query", "shader-f16", "subgroups"]);
/** Limits whose defaults are lower than those of nearly all adapters, so each is requested by name. */
const LIMITS = /** @type {const} */ ([
  "maxBufferSize",
  "maxStorageBufferBindingSize",
  "maxStorageBuffersPerShaderStage",
  "maxComputeWorkgroupStorageSize",
  "maxComputeInvocationsPerWorkgroup",
  "maxComputeWorkgroupSizeX",
  "maxComputeWorkgroupSizeY",
  "maxComputeWorkgroupSizeZ",
  "maxComputeWorkgroupsPerDimension",
  "minUniformBufferOffsetAlignment",
  "maxTextureDimension2D",
]);
/** Pauses before a lost device is requested again: the browser may need seconds to start its GPU process. */
const RETRY_MILLISECONDS = [0, 100, 500, 2000, 5000];

/** @param {any} adapter in older browsers it has the property itself */
const isFallback = (adapter) =>
  Boolean(adapter.info.isFallbackAdapter ?? adapter.isFallbackAdapter);

/**
 * Request an adapter and a device with all that the adapter offers of the above.
 * @throws {Error} If the browser gives the page none.
 */
async function request() {
  const adapter = await navigator.gpu?.requestAdapter({ powerPreference: "high-performance" });
  if (!adapter)
    throw new Error(
      "webgpu: backend not available: this page gets no WebGPU adapter; the browser lacks WebGPU, has " +
        "it turned off or blocks this GPU, or the page is not served by https or localhost",
    );
  const { info } = adapter;
  const requiredLimits = Object.fromEntries(LIMITS.map((name) => [name, adapter.limits[name]]));
  const requiredFeatures = FEATURES.filter((name) => adapter.features.has(name));
  const device = await adapter.requestDevice({ requiredLimits, requiredFeatures });
  const names = [info.vendor, info.architecture, info.device, info.description];
  const limits = {
    vendor: info.vendor,
    architecture: info.architecture,
    device: info.device,
    description: info.description,
    isFallbackAdapter: isFallback(adapter),
    renderer: names.filter(Boolean).join(" ") || "unknown",
    subgroupMinSize: info.subgroupMinSize ?? 0,
    subgroupMaxSize: info.subgroupMaxSize ?? 0,
    features: requiredFeatures,
    languageFeatures: [...(navigator.gpu.wgslLanguageFeatures ?? [])],
    timer: device.features.has("timestamp-query"),
    parallelCompile: true,
    machineMemory: machineMemory(),
    ...requiredLimits,
  };
  return { device, limits };
}

/**
 * Open a device, and open another one whenever it is lost.
 * @param {Failures} failures
 * @returns {Promise<Gpu>}
 */
export async function openGpu(failures) {
  /** True after `lose`, until `restore`. */
  let held = false;
  let stopped = false;
  let onLost = () => {};
  let onOpened = () => {};

  /** @param {Awaited<ReturnType<typeof request>>} opened */
  function use({ device, limits }) {
    Object.assign(gpu, { device, limits, isLost: false });
    device.addEventListener("uncapturederror", (event) => {
      event.preventDefault();
      const { error } = event;
      if (gpu.device !== device) return;
      if (error instanceof GPUOutOfMemoryError)
        failures.cause(outOfMemory(`out of GPU memory; got ${error.message}`));
      else failures.symptom(error.message);
    });
    device.lost.then(() => {
      // A device that `lose` destroyed is marked as lost already.
      if (gpu.device === device && !gpu.isLost) whenLost();
    });
  }

  function whenLost() {
    gpu.isLost = true;
    failures.clear();
    onLost();
    if (!held && !stopped) reopen();
  }

  async function reopen() {
    for (const pause of RETRY_MILLISECONDS) {
      await new Promise((resolve) => setTimeout(resolve, pause));
      if (held || stopped || !gpu.isLost) return;
      try {
        const opened = await request();
        if (held || stopped || !gpu.isLost) return opened.device.destroy();
        use(opened);
        return onOpened();
      } catch {
        // The GPU process may still be starting.
      }
    }
  }

  const gpu = /** @type {Gpu} */ ({
    watch(lost, opened) {
      [onLost, onOpened] = [lost, opened];
    },

    lose() {
      held = true;
      gpu.device.destroy();
      if (!gpu.isLost) whenLost();
    },

    restore() {
      held = false;
      if (gpu.isLost) reopen();
    },

    stop() {
      stopped = true;
      gpu.isLost = true;
      gpu.device.destroy();
    },
  });
  use(await request());
  return gpu;
}
