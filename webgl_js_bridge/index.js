/**
 * @file The bridge: a WebGL2 context behind a few functions. Their arguments are numbers, strings and
 * memory addresses. README.md describes each function.
 */
/** @import { Options } from "./types" */
import { createBacklog } from "./backlog.js";
import { createContext, probe, watch } from "./context.js";
import { pixelSize } from "./pictures.js";
import { createPixels } from "./pixels.js";
import { createPlans } from "./plans.js";
import { createPrograms } from "./programs.js";
import { createReader } from "./read.js";
import { createState } from "./state.js";
import { createTextures } from "./textures.js";
import { createTimer } from "./timer.js";
import { createUploader } from "./upload.js";
import { createWaiting } from "./wait.js";

/**
 * Create a WebGL2 context and return the functions that use it.
 * @param {Options} options
 * @throws {Error} If the browser gives the page no WebGL2 context.
 */
export function createBridge({ heap: memory, module, canvas }) {
  const heap = memory ?? (() => /** @type {{ HEAPU8: Uint8Array }} */ (module).HEAPU8);
  const gl = createContext(canvas);
  const state = createState({ gl });
  const waiting = createWaiting({ gl });
  const timer = createTimer({ gl, state, waiting });
  const textures = createTextures({ gl, state });
  const programs = createPrograms({ gl, state });
  const backlog = createBacklog();
  const plans = createPlans({ gl, state, textures, programs, timer, backlog });
  const reader = createReader({ gl, heap, state, textures, waiting });
  const uploader = createUploader({ gl, heap, state, textures });
  const pixels = createPixels({ gl, state, textures, programs });
  let generation = 1;

  function setUp() {
    const limits = probe(gl);
    timer.reset();
    state.reset();
    return limits;
  }
  const limits = setUp();

  function onLost() {
    textures.clear();
    waiting.rejectAll("WebGL context lost");
  }

  function onRestored() {
    programs.clear();
    plans.clear();
    reader.clear();
    setUp();
    generation += 1;
  }
  const context = watch(gl, onLost, onRestored);

  /**
   * Wrap a function so that it throws while the context is lost.
   * @template {unknown[]} Values @template Answer @param {(...values: Values) => Answer} verb
   */
  function guarded(verb) {
    return (/** @type {Values} */ ...values) => {
      if (context.isLost()) throw new Error("WebGL context lost");
      return verb(...values);
    };
  }

  /** @param {number} address @param {number} count */
  const words = (address, count) => new Int32Array(heap().buffer, address, count);

  // README.md describes the parameters and the result of each function.
  return {
    limits: guarded(() => JSON.stringify(limits)),
    upload: guarded(uploader.upload),
    alloc: guarded(textures.alloc),
    free: textures.free,

    // Programs and plans survive a loss, so they may be registered while the context is lost.
    program: programs.register,
    plan: (/** @type {number} */ id, /** @type {[number, number]} */ ...at) =>
      plans.register(id, words(...at).slice()),

    /** Run a plan, unless the caller's handles belong to a context that was lost since. */
    run: guarded((/** @type {number} */ id, /** @type {[number, number]} */ ...at) => {
      const given = words(...at);
      if (given[0] === generation) plans.run(id, given);
      return generation;
    }),

    ready: guarded(plans.ready),
    dropPlan: plans.drop,
    dropProgram: programs.drop,
    read: guarded(reader.read),
    readAsync: guarded(reader.readAsync),
    draw: guarded(pixels.draw),
    fromPixels: guarded(pixels.fromPixels),
    pixelSize,

    stats() {
      const parts = [textures, programs, plans, uploader, reader];
      return JSON.stringify(Object.assign({}, ...parts.map((part) => part.stats())));
    },

    poolLimit: textures.poolLimit,
    trim: textures.trim,
    checks: plans.checks,
    finish: guarded(state.finish),

    profile(/** @type {boolean} */ on, blocking = false) {
      plans.profile(on);
      timer.block(blocking);
      textures.resetPeak();
    },

    timings: guarded(async () => JSON.stringify(await timer.timings())),
    timingsNow: () => JSON.stringify(timer.taken()),
    error: () => gl.getError(),
    generation: () => generation,
    isLost: context.isLost,
    loseContext: context.lose,
    restoreContext: context.restore,

    destroy() {
      context.stop();
      waiting.rejectAll("the bridge was destroyed");
      waiting.close();
      textures.clear();
    },
  };
}
