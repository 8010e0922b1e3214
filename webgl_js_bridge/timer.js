/** @file How long each draw took: by timer queries where there are some, else by waiting for each draw. */

/** @typedef {ReturnType<typeof createTimer>} Timer */

/**
 * @param {WebGL2RenderingContext} gl
 * @param {object} parts
 * @param {import("./state.js").State} parts.state
 * @param {import("./wait.js").Waiting} parts.waiting
 */
export function createTimer(gl, { state, waiting }) {
  /** @type {{ TIME_ELAPSED_EXT: number, GPU_DISJOINT_EXT: number } | null} */
  let extension = null;
  /** @type {[string, WebGLQuery][]} */
  let queries = [];
  /** @type {[string, number][]} */
  let times = [];
  let current = "";
  let started = 0;

  /** @param {[string, WebGLQuery][]} pending */
  function isReady(pending) {
    if (gl.isContextLost()) throw new Error("WebGL context lost");
    return pending.every(([, query]) => gl.getQueryParameter(query, gl.QUERY_RESULT_AVAILABLE));
  }

  const timer = {
    on: false,

    /** @param {boolean} on */
    turn(on) {
      timer.on = on;
    },

    reset() {
      extension = gl.getExtension("EXT_disjoint_timer_query_webgl2");
      queries = [];
      times = [];
    },

    /** @param {string} name */
    begin(name) {
      current = name;
      if (extension) {
        const query = gl.createQuery();
        queries.push([name, query]);
        gl.beginQuery(extension.TIME_ELAPSED_EXT, query);
      } else {
        state.finish();
        started = performance.now();
      }
    },

    end() {
      if (extension) {
        gl.endQuery(extension.TIME_ELAPSED_EXT);
      } else {
        state.finish();
        times.push([current, performance.now() - started]);
      }
    },

    /** Name and milliseconds of each draw since the last call. */
    async timings() {
      const pending = queries;
      const done = times;
      queries = [];
      times = [];
      if (pending.length === 0) return done;
      await waiting.until(() => isReady(pending));
      // A disjoint event (as a change of clock) makes all of them meaningless.
      const disjoint = extension !== null && gl.getParameter(extension.GPU_DISJOINT_EXT);
      for (const [name, query] of pending) {
        if (!disjoint) done.push([name, gl.getQueryParameter(query, gl.QUERY_RESULT) / 1e6]);
        gl.deleteQuery(query);
      }
      return done;
    },
  };
  return timer;
}
