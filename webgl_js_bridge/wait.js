/** @file Waiting for the GPU without blocking: conditions polled from tasks of the event loop. */

/** @typedef {ReturnType<typeof createWaiting>} Waiting */

/**
 * Messages come back at once but keep the processor busy, so they are used only this long. (A status of
 * the GPU changes only between tasks, and scheduler.yield() does not count as one.)
 */
const EAGER_MILLISECONDS = 8;

export function createWaiting() {
  /** @typedef {{ ready: () => boolean, resolve: (value: void) => void, reject: (reason: Error) => void }} Waiter */
  /** @type {Set<Waiter>} */
  const waiters = new Set();
  const channel = new MessageChannel();
  let since = 0;
  channel.port1.onmessage = poll;

  function again() {
    const waited = performance.now() - since;
    if (waited < EAGER_MILLISECONDS) channel.port2.postMessage(null);
    else setTimeout(poll, Math.min(waited / 8, 8));
  }

  function poll() {
    for (const waiter of waiters) {
      try {
        if (!waiter.ready()) continue;
        waiter.resolve();
      } catch (error) {
        waiter.reject(/** @type {Error} */ (error));
      }
      waiters.delete(waiter);
      since = performance.now();
    }
    if (waiters.size > 0) again();
  }

  return {
    /**
     * @param {() => boolean} ready
     * @returns {Promise<void>}
     */
    until(ready) {
      return new Promise((resolve, reject) => {
        waiters.add({ ready, resolve, reject });
        since = performance.now();
        if (waiters.size === 1) again();
      });
    },

    /** @param {string} reason */
    rejectAll(reason) {
      for (const waiter of waiters) waiter.reject(new Error(reason));
      waiters.clear();
    },

    close() {
      channel.port1.close();
    },
  };
}
