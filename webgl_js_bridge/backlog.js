/**
 * @file Bound on the work that the GPU still has to do. Draws are submitted faster than a GPU runs them. Without a
 * bound a loop queues minutes of work, which cannot be cancelled and for which the browser cannot draw the page.
 */
/** @import { Backlog, Make } from "./types" */

/** Estimated time of submitted work above which the caller waits. It keeps the GPU busy between two runs. */
const MAX_MILLISECONDS = 250;

/** @type {Make<Backlog, "state">} */
export function createBacklog({ state }) {
  let milliseconds = 0;
  let since = 0;

  /** @type {Backlog} */
  const backlog = {
    add(cost) {
      const now = performance.now();
      milliseconds = Math.max(0, milliseconds - (now - since)) + cost;
      since = now;
      if (milliseconds > MAX_MILLISECONDS) backlog.drain();
    },

    drain() {
      state.finish();
      milliseconds = 0;
      since = performance.now();
      return since;
    },
  };
  return backlog;
}
