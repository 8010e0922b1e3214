/** @file The bridge: a WebGL2 context behind few verbs, over which only numbers, texts and addresses cross. */

import { createContext, probe, watch } from "./context.js";
import { createFormats } from "./formats.js";
import { createHeap } from "./heap.js";
import { createPixels, pixelSize } from "./pixels.js";
import { createPlans } from "./plans.js";
import { createPrograms } from "./programs.js";
import { createReader } from "./read.js";
import { createState } from "./state.js";
import { createTextures } from "./textures.js";
import { createTimer } from "./timer.js";
import { createUploader } from "./upload.js";
import { createWaiting } from "./wait.js";

/**
 * @typedef {object} Options
 * @property {() => Uint8Array} [heap] returns the caller's memory as it is now
 * @property {{ HEAPU8: Uint8Array }} [module] an Emscripten module, whose memory is taken in place of `heap`
 * @property {import("./context.js").Canvas} [canvas] where the context lives; without one, a canvas of its own
 *
 * @typedef {ReturnType<typeof createBridge>} Bridge
 */

/** @param {Options} options */
export function createBridge({ heap: current, module, canvas }) {
  const memory = current ?? (() => /** @type {{ HEAPU8: Uint8Array }} */ (module).HEAPU8);
  const gl = createContext(canvas);
  const heap = createHeap(memory);
  const state = createState(gl);
  const waiting = createWaiting();
  const timer = createTimer(gl, { state, waiting });
  const textures = createTextures(gl, createFormats(gl), state);
  const programs = createPrograms(gl, state);
  const plans = createPlans(gl, { state, textures, programs, timer });
  const reader = createReader(gl, { heap, state, textures, waiting });
  const uploader = createUploader(gl, { heap, state, textures });
  const pixels = createPixels(gl, { state, textures, programs });
  let generation = 1;

  function setUp() {
    const { limits } = probe(gl);
    timer.reset();
    state.reset();
    return limits;
  }
  const limits = setUp();

  const watcher = watch(gl, {
    lost() {
      textures.clear();
      waiting.rejectAll("WebGL context lost");
    },
    restored() {
      programs.clear();
      plans.clear();
      setUp();
      generation += 1;
    },
  });

  /**
   * The verb, refused while there is no context.
   * @template {unknown[]} Values
   * @template Answer
   * @param {(...values: Values) => Answer} verb
   */
  function guarded(verb) {
    return (/** @type {Values} */ ...values) => {
      if (watcher.isLost()) throw new Error("WebGL context lost");
      return verb(...values);
    };
  }

  return {
    /** What the context can do, as JSON. */
    limits: guarded(() => JSON.stringify(limits)),

    /** A buffer whose first bytes are those at an address. */
    upload: guarded(uploader.upload),

    /** A buffer whose values are undefined. */
    alloc: guarded(textures.alloc),

    free: textures.free,

    /** Starts compiling; complaints come at the first run of a plan that draws with it. */
    program: guarded(programs.register),

    /** The words lie at an address. */
    plan: guarded(
      (/** @type {number} */ id, /** @type {number} */ address, /** @type {number} */ count) =>
        plans.register(id, heap.words().slice(address >>> 2, (address >>> 2) + count)),
    ),

    /**
     * Runs a plan, unless the caller's handles are of a context that was lost since.
     * @param {number} id
     * @param {number} address of the words: generation, leaves, outputs, scalars
     * @param {number} count
     * @returns {number} the generation of the context as it is
     */
    run(id, address, count) {
      if (watcher.isLost()) throw new Error("WebGL context lost");
      const words = heap.words();
      const base = address >>> 2;
      if (words[base] === generation) plans.run(id, words, base, count);
      return generation;
    },

    /** The first bytes of a buffer to an address. */
    read: guarded(reader.read),
    readAsync: guarded(reader.readAsync),

    draw: guarded(pixels.draw),
    fromPixels: guarded(pixels.fromPixels),
    pixelSize,

    /** Counts of everything alive and done, as JSON. */
    stats() {
      const parts = [textures, programs, plans, uploader, reader];
      return JSON.stringify(Object.assign({}, ...parts.map((part) => part.stats())));
    },

    poolLimit: textures.poolLimit,
    trim: textures.trim,
    checks: plans.checks,

    /** Waits until the GPU has done everything. */
    finish: guarded(state.finish),

    profile: timer.turn,

    /** [[program, milliseconds], ...] of the draws since the last call, as JSON. */
    timings: guarded(async () => JSON.stringify(await timer.timings())),

    /** The first error WebGL has noted since the last call, 0 if none. */
    error: () => gl.getError(),

    generation: () => generation,
    isLost: watcher.isLost,
    loseContext: watcher.lose,
    restoreContext: watcher.restore,

    destroy() {
      watcher.stop();
      waiting.rejectAll("the bridge was destroyed");
      waiting.close();
      textures.clear();
      gl.getExtension("WEBGL_lose_context")?.loseContext();
    },
  };
}
