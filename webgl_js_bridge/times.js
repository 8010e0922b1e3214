/** @file Times of kernels, shown in the browser's Performance panel. */
/** @import { Times } from "./types" */

/** @returns {Times} */
export function createTimes() {
  /** @type {[string, number][]} */
  let known = [];
  /** Time at which the last kernel ended, if the GPU runs one after the other. */
  let ended = 0;

  /** @type {Times} */
  const times = {
    /** Add an entry to a track of the Performance panel. */
    show(track, name, start, end) {
      const devtools = { dataType: "track-entry", trackGroup: "py_tensor", track };
      performance.measure(name, { start, end, detail: { devtools } });
    },

    /** Note the time of a kernel that was submitted at `started`. */
    add(name, started, milliseconds) {
      known.push([name, milliseconds]);
      const start = Math.max(started, ended);
      ended = start + milliseconds;
      times.show("kernels", name, start, ended);
    },

    /** Return the times that are known, and forget them. */
    taken() {
      const taken = known;
      known = [];
      return taken;
    },
  };
  return times;
}
