/** @file The playground: choose an example, edit, run, stop. */

import { StoppedError } from "./client.js";
import { find, make } from "./dom.js";
import { createEditor } from "./editor.js";
import { textOf } from "./error_text.js";
import { EXAMPLES } from "./examples.js";
import { OutputPane } from "./output.js";

/** @import { Client } from "./client.js" */
/** @import { Outcome } from "./protocol.js" */

const PATIENCE = 3000; // milliseconds for a program to stop at an await before its worker is ended

/**
 * @param {Client} client
 * @param {{ restart: () => Promise<void> }} page
 */
export function createPlayground(client, page) {
  const runButton = find("run", HTMLButtonElement);
  const stopButton = find("stop", HTMLButtonElement);
  const status = find("run-status", HTMLElement);
  const output = new OutputPane(find("output", HTMLElement));
  const editor = createEditor(find("editor", HTMLElement), { onRun: run });
  let ready = false;
  let running = false;
  let runs = 0;

  client.on("output", (part) => {
    if (running) output.add(part);
  });
  runButton.onclick = run;
  stopButton.onclick = stop;
  find("clear", HTMLButtonElement).onclick = () => output.clear();
  find("examples", HTMLElement).append(...EXAMPLES.map(chipOf));
  choose(EXAMPLES[0].name);

  /** @param {(typeof EXAMPLES)[number]} example */
  function chipOf({ name, title }) {
    const chip = make("button", { type: "button", className: "chip" }, title);
    chip.dataset.example = name;
    chip.onclick = () => choose(name);
    return chip;
  }

  /** @param {string} name */
  function choose(name) {
    for (const chip of document.querySelectorAll("[data-example]")) {
      chip.setAttribute("aria-pressed", String(chip.getAttribute("data-example") === name));
    }
    editor.source = EXAMPLES.find((example) => example.name === name)?.source.trimEnd() ?? "";
  }

  function update() {
    runButton.disabled = !ready || running;
    stopButton.disabled = !running;
  }

  async function run() {
    if (!ready || running) return;
    running = true;
    runs += 1;
    update();
    output.clear();
    editor.mark(null);
    status.textContent = "running…";
    try {
      finish(await client.call("run", [editor.source]));
    } catch (error) {
      // Whoever ended the worker says so itself.
      if (!(error instanceof StoppedError)) {
        status.textContent = "failed";
        output.note(textOf(error));
      }
    }
    running = false;
    update();
  }

  /** @param {Outcome} outcome */
  function finish({ milliseconds, stopped, failure }) {
    const time = milliseconds < 10 ? milliseconds.toFixed(1) : milliseconds.toFixed(0);
    status.textContent = `${stopped ? "stopped after" : failure ? "failed after" : "ran in"} ${time} ms`;
    if (failure) {
      output.fail(failure);
      editor.mark(failure.line);
    }
  }

  async function stop() {
    const stopped = runs;
    stopButton.disabled = true;
    status.textContent = "stopping…";
    client.call("stop").catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, PATIENCE));
    if (!running || runs !== stopped) return;
    ready = false;
    output.note("The program did not pause to listen, so Python was ended and starts again.");
    status.textContent = "restarting Python…";
    await page.restart();
    status.textContent = "stopped; Python is new";
  }

  return {
    /** @param {boolean} isReady */
    set ready(isReady) {
      ready = isReady;
      update();
    },
  };
}
