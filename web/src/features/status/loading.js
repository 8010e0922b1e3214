/** @file Progress bar while Python loads, and a notice if loading fails. */

import { find } from "../../ui/dom.js";

/** @import { Client } from "../../python/client.js" */

const PATIENCE = 10; // seconds without a byte, after which the page says so

/** @param {Client} client */
export function createLoading(client) {
  const loading = find("loading", HTMLElement);
  const bar = find("loading-bar", HTMLProgressElement);
  const text = find("loading-text", HTMLElement);
  const notice = find("notice", HTMLElement);
  let kept = "";
  let begun = performance.now();
  /** The last time that bytes arrived, and what the text said then. */
  let last = { at: begun, step: "" };
  client.on("progress", ({ step, fraction, downloads }) => {
    // The worker may go on for a while after a failure.
    if (loading.dataset.state !== "loading") return;
    last = { at: performance.now(), step: downloads ? step : "" };
    text.textContent = step;
    bar.value = fraction;
  });
  setInterval(() => {
    const seconds = (performance.now() - last.at) / 1000;
    if (loading.dataset.state !== "loading" || !last.step || seconds < PATIENCE) return;
    text.textContent = `${last.step}. Nothing has arrived for ${seconds.toFixed(0)} s; check the connection, or reload the page.`;
  }, 1000);

  return {
    begin() {
      begun = performance.now();
      last = { at: begun, step: "" };
      loading.dataset.state = "loading";
      bar.value = 0;
      text.textContent = "Starting";
      notice.hidden = true;
    },
    finish() {
      loading.dataset.state = "ready";
      bar.value = 1;
      const seconds = ((performance.now() - begun) / 1000).toFixed(1);
      text.textContent = `Python is ready, in ${seconds} s${kept}`;
    },
    /** Says that the page starts without a connection from now on. */
    keep() {
      kept = "; works without a connection";
      if (loading.dataset.state === "ready") text.textContent += kept;
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
