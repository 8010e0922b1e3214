/**
 * @file Bound on the work that the GPU still has to do. Draws are submitted faster than a GPU runs them. Without a
 * bound a loop queues minutes of work, which cannot be cancelled and for which the browser cannot draw the page.
 */
/** @import { Backlog, Make } from "./types" */

/** Estimated time of submitted work above which the caller waits. It keeps the GPU busy between two runs. */
const MAX_MILLISECONDS = 250;

/** @type {Make<Backlog, "state">} */
export function createBacklog({ state }) {
  /** Estimated time of the work that is not finished, of all work since the last wait, and that wait's end. */
  let pending = 0;
  let total = 0;
  let waited = 0;
  let since = 0;

  /** @type {Backlog} */
  const backlog = {
    add(cost) {
      total += cost;
      pending += cost;
      if (pending <= MAX_MILLISECONDS) return 1;
      const now = performance.now();
      pending = Math.max(0, pending - (now - since));
      since = now;
      if (pending <= MAX_MILLISECONDS) return 1;
      const [estimate, start] = [total, waited];
      return Math.min(1, (backlog.drain() - start) / estimate);
    },

    drain() {
      state.finish();
      pending = total = 0;
      since = waited = performance.now();
      return waited;
    },
  };
  return backlog;
}
