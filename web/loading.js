/** @file The progress bar while Python loads, and the notice when it cannot. */

import { find } from "./dom.js";

/** @import { Client } from "./client.js" */

/** @param {Client} client */
export function createLoading(client) {
  const loading = find("loading", HTMLElement);
  const bar = find("loading-bar", HTMLProgressElement);
  const text = find("loading-text", HTMLElement);
  const notice = find("notice", HTMLElement);
  client.on("progress", ({ step, fraction }) => {
    text.textContent = step;
    // A download that starts late makes the whole larger; the bar does not go back for it.
    bar.value = Math.max(bar.value, fraction);
  });

  return {
    begin() {
      loading.dataset.state = "loading";
      bar.value = 0;
      text.textContent = "Starting";
      notice.hidden = true;
    },
    /** @param {string} where */
    finish(where) {
      loading.dataset.state = "ready";
      bar.value = 1;
      text.textContent = where;
    },
    /** @param {string} reason */
    fail(reason) {
      loading.dataset.state = "failed";
      text.textContent = "Not running";
      const missing = reason.startsWith("WebGL2");
      find("notice-title", HTMLElement).textContent = missing
        ? "This browser gives the page no WebGL2"
        : "Python did not start";
      find("notice-text", HTMLElement).textContent = missing
        ? "py_tensor computes on the GPU through WebGL2, so nothing here can run. The exact reason:"
        : "The page needs Python and the py_tensor wheel, and one of them did not load. The exact reason:";
      const detail = find("notice-detail", HTMLElement);
      detail.textContent = reason;
      detail.hidden = false;
      notice.hidden = false;
    },
  };
}
