/** @file Wait for the GPU without blocking, by polling from tasks of the event loop. */
/** @import { Make, Waiting } from "./types" */

/**
 * Time for which messages schedule the next task. A message arrives immediately but keeps the processor
 * busy, so longer waits use setTimeout(). The reported GPU status changes only between tasks, and
 * scheduler.yield() does not start a new task.
 */
const EAGER_MILLISECONDS = 8;

/** @type {Make<Waiting, "gl">} */
export function createWaiting({ gl }) {
  let stop = new AbortController();
  const { port1, port2 } = new MessageChannel();
  /** @type {(() => void)[]} */
  const turns = [];
  port1.onmessage = () => turns.shift()?.();

  /** @param {number} waited @returns {Promise<void>} */
  const nextTask = (waited) =>
    new Promise((resolve) => {
      if (waited > EAGER_MILLISECONDS) setTimeout(resolve, Math.min(waited / 8, 8));
      else {
        turns.push(resolve);
        port2.postMessage(null);
      }
    });

  /** @type {Waiting} */
  const waiting = {
    async until(ready) {
      const { signal } = stop;
      const since = performance.now();
      do {
        await nextTask(performance.now() - since);
        signal.throwIfAborted();
        if (gl.isContextLost()) throw new Error("WebGL context lost");
      } while (!ready());
    },

    /** Wait until the GPU has done all work submitted so far. */
    async finished() {
      const fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
      gl.flush();
      if (fence === null) throw new Error("WebGL context lost");
      await waiting.until(() => gl.clientWaitSync(fence, 0, 0) !== gl.TIMEOUT_EXPIRED);
      gl.deleteSync(fence);
    },

    rejectAll(reason) {
      stop.abort(new Error(reason));
      stop = new AbortController();
      for (const turn of turns.splice(0)) turn();
    },

    close: () => port1.close(),
  };
  return waiting;
}
