/** @file Measure each draw, with timer queries if the context has them or by waiting for the draw. */
/** @import { Make, Timer } from "./types" */

/** @type {Make<Timer, "gl" | "state" | "waiting">} */
export function createTimer({ gl, state, waiting }) {
  /** @type {{ TIME_ELAPSED_EXT: number, GPU_DISJOINT_EXT: number } | null} */
  let extension = null;
  /** @type {[string, WebGLQuery][]} */
  let queries = [];
  /** @type {[string, number][]} */
  let times = [];

  return {
    reset() {
      extension = gl.getExtension("EXT_disjoint_timer_query_webgl2");
      queries = [];
      times = [];
    },

    measure(name, draw) {
      if (extension) {
        const query = gl.createQuery();
        queries.push([name, query]);
        gl.beginQuery(extension.TIME_ELAPSED_EXT, query);
        draw();
        gl.endQuery(extension.TIME_ELAPSED_EXT);
      } else {
        state.finish();
        const started = performance.now();
        draw();
        state.finish();
        times.push([name, performance.now() - started]);
      }
    },

    async timings() {
      const pending = queries;
      const done = times;
      queries = [];
      times = [];
      if (!extension || pending.length === 0) return done;
      await waiting.until(() =>
        pending.every(([, query]) => gl.getQueryParameter(query, gl.QUERY_RESULT_AVAILABLE)),
      );
      // After a disjoint event, for example a change of the GPU's clock, no result is valid.
      const disjoint = gl.getParameter(extension.GPU_DISJOINT_EXT);
      for (const [name, query] of pending) {
        if (!disjoint) done.push([name, gl.getQueryParameter(query, gl.QUERY_RESULT) / 1e6]);
        gl.deleteQuery(query);
      }
      return done;
    },
  };
}
