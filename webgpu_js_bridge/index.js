/**
 * @file The bridge: a WebGPU device behind a few functions. Their arguments are numbers, strings and memory
 * addresses. README.md describes each function.
 */
/** @import { Options } from "./types" */
import { createBacklog } from "../webgl_js_bridge/backlog.js";
import { pixelSize } from "../webgl_js_bridge/pictures.js";
import { createBuffers } from "./buffers.js";
import { createCommands } from "./commands.js";
import { LOST, openGpu } from "./device.js";
import { createFailures } from "./failures.js";
import { createPixels } from "./pixels.js";
import { createPlans } from "./plans.js";
import { createPrograms } from "./programs.js";
import { createReader } from "./read.js";
import { createTimer } from "./timer.js";

/**
 * Open a WebGPU device and return the functions that use it.
 * @param {Options} options
 * @throws {Error} If the browser gives the page no device.
 */
export async function createBridge({ heap: memory, module }) {
  const heap = memory ?? (() => /** @type {NonNullable<typeof module>} */ (module).HEAPU8);
  const failures = createFailures();
  const gpu = await openGpu(failures);
  const backlog = createBacklog();
  const commands = createCommands({ gpu, failures });
  const buffers = createBuffers({ gpu, commands, heap, failures });
  const programs = createPrograms({ gpu, failures });
  const reader = createReader({ gpu, commands, heap, buffers, failures, backlog });
  const timer = createTimer({ gpu, commands, reader });
  const plans = createPlans({
    gpu,
    commands,
    buffers,
    programs,
    reader,
    timer,
    backlog,
    failures,
  });
  const pixels = createPixels({ gpu, commands, buffers });
  let generation = 1;

  function onLost() {
    buffers.clear();
    reader.rejectAll(LOST);
  }

  function onOpened() {
    for (const part of [commands, programs, plans, reader, timer, pixels]) part.clear();
    generation += 1;
  }
  gpu.watch(onLost, onOpened);

  /**
   * Wrap a function so that it throws while the device is lost.
   * @template {unknown[]} Values @template Answer @param {(...values: Values) => Answer} verb
   */
  function guarded(verb) {
    return (/** @type {Values} */ ...values) => {
      if (gpu.isLost) throw new Error(LOST);
      return verb(...values);
    };
  }

  /** @param {number} address @param {number} count */
  const words = (address, count) => new Int32Array(heap().buffer, address, count);

  // README.md describes the parameters and the result of each function.
  return {
    limits: guarded(() => JSON.stringify(gpu.limits)),
    upload: guarded(buffers.upload),
    alloc: guarded(buffers.alloc),
    free: buffers.free,

    // Programs and plans survive a loss, so they may be registered while the device is lost.
    program: programs.register,
    plan: (/** @type {number} */ id, /** @type {[number, number]} */ ...at) =>
      plans.register(id, words(...at).slice()),
    prepare: guarded((/** @type {number} */ id) => reader.settle(plans.prepare(id))),

    /**
     * Run a plan, unless the caller's handles belong to a device that was lost since. The generation is negative
     * if the caller should wait for `finish` before the next run.
     */
    run: guarded((/** @type {number} */ id, /** @type {[number, number]} */ ...at) => {
      const given = words(...at);
      if (given[0] !== generation) return generation;
      return plans.run(id, given) ? -generation : generation;
    }),

    ready: guarded(plans.ready),
    dropPlan: plans.drop,
    dropProgram: programs.drop,
    read: guarded(reader.read),
    readAsync: guarded(reader.read),
    draw: guarded(pixels.draw),
    fromPixels: guarded(pixels.fromPixels),
    pixelSize,

    stats() {
      const parts = [buffers, programs, plans, reader];
      return JSON.stringify(Object.assign({}, ...parts.map((part) => part.stats())));
    },

    poolLimit: buffers.poolLimit,
    trim: buffers.trim,
    checks: plans.checks,
    finish: guarded(reader.finish),

    profile(/** @type {boolean} */ on, blocking = false) {
      plans.profile(on);
      timer.block(blocking);
      buffers.resetPeak();
    },

    timings: guarded(async () => JSON.stringify(await timer.timings())),
    timingsNow: () => JSON.stringify(timer.taken()),

    /** Return the oldest error that no run or read has raised yet, or an empty text. */
    async error() {
      if (gpu.isLost) return "";
      await reader.finish();
      await failures.settled();
      return failures.taken()?.message ?? "";
    },

    generation: () => generation,
    isLost: () => gpu.isLost,
    loseContext: gpu.lose,
    restoreContext: gpu.restore,

    destroy() {
      gpu.stop();
      reader.rejectAll("the bridge was destroyed");
      reader.close();
      buffers.clear();
    },
  };
}
