/** @file The playground section: edits and runs Python programs. */

import { StoppedError } from "../../python/client.js";
import { find, make } from "../../ui/dom.js";
import { textOf } from "../../ui/error_text.js";
import { createEditor } from "./editor.js";
import { EXAMPLES, loadProgram, PROGRAMS } from "./examples.js";
import { OutputPane } from "./output.js";

/** @import { Client } from "../../python/client.js" */
/** @import { Outcome } from "../../python/protocol.js" */

const STOP_TIMEOUT = 2000; // milliseconds a program has to stop at an await before its worker is terminated

/**
 * @param {Client} client
 * @param {{ restart: () => Promise<boolean> }} page `restart` returns true if Python has started
 */
export function createPlayground(client, page) {
  const runButton = find("run", HTMLButtonElement);
  const stopButton = find("stop", HTMLButtonElement);
  const status = find("run-status", HTMLElement);
  const clock = find("run-seconds", HTMLElement);
  const output = new OutputPane(find("output", HTMLElement));
  const editor = createEditor(find("editor", HTMLElement), { onRun: run });
  let ready = false;
  let running = false;
  let stopping = false;
  let loading = false;
  let runs = 0;

  client.on("output", (part) => {
    if (running) output.add(part);
  });
  client.on("waiting", () => {
    if (running && !stopping) status.textContent = "waiting for the GPU…";
  });
  runButton.onclick = run;
  stopButton.onclick = stop;
  find("clear", HTMLButtonElement).onclick = () => output.clear();
  find("examples", HTMLElement).append(...EXAMPLES.map(chipOf));
  const programs = find("programs", HTMLSelectElement);
  programs.append(...PROGRAMS.map(groupOf));
  programs.onchange = () => chooseProgram(programs.value);
  const program = new URLSearchParams(location.hash.slice(1)).get("program");
  if (program === null) {
    choose(EXAMPLES[0].name);
  } else {
    editor.source = program;
    find("playground", HTMLElement).scrollIntoView();
  }

  /** @param {(typeof EXAMPLES)[number]} example */
  function chipOf({ name, title }) {
    const chip = make("button", { type: "button", className: "chip" }, title);
    chip.dataset.example = name;
    chip.onclick = () => choose(name);
    return chip;
  }

  /** @param {(typeof PROGRAMS)[number]} group */
  function groupOf({ kind, programs }) {
    const options = programs.map(({ name, title }) => make("option", { value: name }, title));
    return make("optgroup", { label: kind }, ...options);
  }

  /** @param {string} name */
  function press(name) {
    for (const chip of document.querySelectorAll("[data-example]")) {
      chip.setAttribute("aria-pressed", String(chip.getAttribute("data-example") === name));
    }
  }

  /** @param {string} name */
  async function chooseProgram(name) {
    press("");
    // The button must not run the program that the editor still shows.
    loading = true;
    update();
    try {
      const source = await loadProgram(name);
      // Another program may have been chosen meanwhile.
      if (programs.value !== name) return;
      editor.source = source.trimEnd();
    } catch (error) {
      if (programs.value !== name) return;
      output.note(textOf(error));
    }
    loading = false;
    update();
  }

  /** @param {string} name */
  function choose(name) {
    press(name);
    programs.value = "";
    loading = false;
    update();
    editor.source = EXAMPLES.find((example) => example.name === name)?.source.trimEnd() ?? "";
  }

  function update() {
    runButton.disabled = !ready || running || loading;
    stopButton.disabled = !running || stopping;
  }

  async function run() {
    if (!ready || running || loading) return;
    running = true;
    stopping = false;
    runs += 1;
    update();
    output.clear();
    editor.mark(null);
    status.textContent = "running…";
    const started = performance.now();
    const timer = setInterval(() => {
      clock.textContent = `${Math.round((performance.now() - started) / 1000)} s`;
    }, 1000);
    try {
      finish(await client.call("run", [editor.source]));
    } catch (error) {
      // The code that restarts the worker reports it.
      if (!(error instanceof StoppedError)) {
        status.textContent = "failed";
        output.note(textOf(error));
      }
    }
    clearInterval(timer);
    clock.textContent = "";
    output.flush();
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
    stopping = true;
    update();
    status.textContent = "stopping…";
    client.call("stop").catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, STOP_TIMEOUT));
    if (!running || runs !== stopped) return;
    ready = false;
    output.note(
      "The program did not reach an await, so Python was terminated and is being restarted. " +
        "The other sections of the page go on.",
    );
    status.textContent = "restarting Python…";
    await page.restart();
    // Another program may have been started meanwhile.
    if (runs === stopped) status.textContent = "stopped; Python was restarted";
  }

  return {
    /** @param {boolean} isReady */
    set ready(isReady) {
      ready = isReady;
      update();
    },
  };
}
