/**
 * @file Measure each draw, with timer queries or by waiting for the draw, and show draws and plans in the
 * browser's Performance panel.
 */
/** @import { Make, Timer } from "./types" */
import { createTimes } from "./times.js";

/** @type {Make<Timer, "gl" | "state" | "waiting">} */
export function createTimer({ gl, state, waiting }) {
  /** @type {{ TIME_ELAPSED_EXT: number, GPU_DISJOINT_EXT: number } | null} */
  let extension = null;
  let blocking = false;
  /** @type {{ name: string, query: WebGLQuery, started: number }[]} */
  let queries = [];
  const { add, show, taken } = createTimes();

  /** @type {Timer} */
  const timer = {
    reset() {
      extension = gl.getExtension("EXT_disjoint_timer_query_webgl2");
      queries = [];
      taken();
    },

    /** Wait for each draw from now on, even if the context has timer queries. */
    block(on) {
      blocking = on;
    },

    show,

    measure(name, draw) {
      if (extension && !blocking) {
        const query = gl.createQuery();
        queries.push({ name, query, started: performance.now() });
        gl.beginQuery(extension.TIME_ELAPSED_EXT, query);
        draw();
        gl.endQuery(extension.TIME_ELAPSED_EXT);
      } else {
        state.finish();
        const started = performance.now();
        draw();
        state.finish();
        add(name, started, performance.now() - started);
      }
    },

    taken,

    /** Wait for the GPU and return the times of all draws. */
    async timings() {
      const pending = queries;
      queries = [];
      await waiting.finished();
      if (!extension || pending.length === 0) return taken();
      await waiting.until(() =>
        pending.every(({ query }) => gl.getQueryParameter(query, gl.QUERY_RESULT_AVAILABLE)),
      );
      // After a disjoint event, for example a change of the GPU's clock, no result is valid.
      const disjoint = gl.getParameter(extension.GPU_DISJOINT_EXT);
      for (const { name, query, started } of pending) {
        if (!disjoint) add(name, started, gl.getQueryParameter(query, gl.QUERY_RESULT) / 1e6);
        gl.deleteQuery(query);
      }
      return taken();
    },
  };
  return timer;
}
