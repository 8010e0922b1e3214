/** @file Progress bar while Python loads, and a notice if loading fails. */

import { find } from "../../ui/dom.js";

/** @import { Client } from "../../python/client.js" */

/** @param {Client} client */
export function createLoading(client) {
  const loading = find("loading", HTMLElement);
  const bar = find("loading-bar", HTMLProgressElement);
  const text = find("loading-text", HTMLElement);
  const notice = find("notice", HTMLElement);
  client.on("progress", ({ step, fraction }) => {
    text.textContent = step;
    // The total grows when a download starts late; the bar must not go back then.
    bar.value = Math.max(bar.value, fraction);
  });

  return {
    begin() {
      loading.dataset.state = "loading";
      bar.value = 0;
      text.textContent = "Starting";
      notice.hidden = true;
    },
    /** @param {string} message */
    finish(message) {
      loading.dataset.state = "ready";
      bar.value = 1;
      text.textContent = message;
    },
    /** @param {string} reason */
    fail(reason) {
      loading.dataset.state = "failed";
      text.textContent = "Not running";
      find("notice-title", HTMLElement).textContent = "Python did not start";
      find("notice-text", HTMLElement).textContent =
        "Python or the py_tensor wheel did not load. The exact reason:";
      const detail = find("notice-detail", HTMLElement);
      detail.textContent = reason;
      detail.hidden = false;
      notice.hidden = false;
    },
  };
}
