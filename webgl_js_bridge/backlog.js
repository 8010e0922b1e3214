/**
 * @file Bound on the work that the GPU still has to do. Plans are submitted faster than a GPU runs them. Without a
 * bound a loop queues minutes of work, which cannot be cancelled and for which the browser cannot draw the page.
 */
/** @import { Backlog } from "./types" */

/** Estimated time of submitted work above which the caller waits. It keeps the GPU busy between two runs. */
const MAX_MILLISECONDS = 250;
/** Estimated time of a plan that has not run yet. A few of them may be submitted before a wait. */
export const GUESSED_MILLISECONDS = 60;
/** Shortest estimate, about the time for submitting a draw. */
const MIN_MILLISECONDS = 0.02;

/** @returns {Backlog} */
export function createBacklog() {
  /** Estimated time of the work that is not finished, at the time of the last plan. */
  let pending = 0;
  let updated = 0;
  /** @type {Set<{ cost: number }>} plans since the queue was empty */
  const plans = new Set();
  /** Estimated time of these plans, and the time at which the queue was empty. */
  let total = 0;
  let since = 0;
  let added = 0;

  /** @param {number} now */
  function restart(now) {
    plans.clear();
    pending = total = 0;
    since = updated = now;
  }

  return {
    isFull() {
      const now = performance.now();
      pending -= now - updated;
      updated = now;
      if (pending <= 0) restart(now);
      return pending > MAX_MILLISECONDS;
    },

    drained() {
      const end = performance.now();
      // The plans took no longer than the time since the queue was empty.
      const factor = (end - since) / total;
      for (const plan of plans) plan.cost = Math.max(plan.cost * factor, MIN_MILLISECONDS);
      restart(end);
    },

    added: () => added,

    add(plan) {
      added += 1;
      pending += plan.cost;
      total += plan.cost;
      plans.add(plan);
    },
  };
}
