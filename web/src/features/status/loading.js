/** @file Progress bar while Python loads, and a notice if loading fails. */

import { find } from "../../ui/dom.js";

/** @import { Client } from "../../python/client.js" */

/** @param {Client} client */
export function createLoading(client) {
  const loading = find("loading", HTMLElement);
  const bar = find("loading-bar", HTMLProgressElement);
  const text = find("loading-text", HTMLElement);
  const notice = find("notice", HTMLElement);
  let begun = performance.now();
  client.on("progress", ({ step, fraction }) => {
    text.textContent = step;
    // The total grows when a download starts late; the bar must not go back then.
    bar.value = Math.max(bar.value, fraction);
  });

  return {
    begin() {
      begun = performance.now();
      loading.dataset.state = "loading";
      bar.value = 0;
      text.textContent = "Starting";
      notice.hidden = true;
    },
    finish() {
      loading.dataset.state = "ready";
      bar.value = 1;
      const seconds = ((performance.now() - begun) / 1000).toFixed(1);
      text.textContent = `Python is ready, in ${seconds} s`;
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
