/** @file The playground section: edits and runs Python programs. */

import { strToU8, zipSync } from "fflate";
import { StoppedError } from "../../python/client.js";
import { filesOfInput } from "../../ui/chosen_files.js";
import { find, make } from "../../ui/dom.js";
import { textOf } from "../../ui/error_text.js";
import { saveFile } from "../../ui/save_file.js";
import { acceptDrops } from "./dropped.js";
import { createEditor } from "./editor.js";
import { EXAMPLES, GALLERY, loadProgram, titleOfProgram } from "./examples.js";
import { OutputPane } from "./output.js";
import { isRunByLink, linkedProgram, linkProgram, OwnPrograms } from "./own_programs.js";
import { createProgramList } from "./program_list.js";
import { createAsk } from "./questions.js";
import { SoundOutput } from "./sound.js";

/** @import { Client } from "../../python/client.js" */
/** @import { Outcome } from "../../python/protocol.js" */

const STOP_TIMEOUT = 2000; // milliseconds a program has to stop at an await before its worker is terminated

const NARROW = "(max-width: 860px)"; // as in playground.css
/** Messages that appear next to the buttons after a click on Share. */
const SHARED = {
  copied: "The link was copied.",
  inAddress: "The page's address is the link.",
};

/** @param {number} bytes of Python's modules for which a program waits; few are rounded up */
const loadingText = (bytes) =>
  `loading ${Math.max(bytes / 1e6, 0.1).toFixed(1)} MB more of Python…`;

/** Returns a zip archive. @param {Record<string, string>} files texts by name */
function zipped(files) {
  const entries = Object.entries(files).map(([name, text]) => [name, strToU8(text)]);
  return new Blob([zipSync(Object.fromEntries(entries))], { type: "application/zip" });
}

/**
 * @param {Client} client
 * @param {{ restart: () => Promise<unknown>, others: Client }} page `others` is the Python of other sections
 */
export function createPlayground(client, page) {
  const runButton = find("run", HTMLButtonElement);
  const stopButton = find("stop", HTMLButtonElement);
  const status = find("run-status", HTMLElement);
  const clock = find("run-seconds", HTMLElement);
  const output = new OutputPane(find("output", HTMLElement), (...event) => {
    if (running) client.call("pointer", event).catch(() => {});
  });
  const outputPane = find("output-pane", HTMLElement);
  const workbench = find("workbench", HTMLElement);
  const sound = new SoundOutput();
  const editor = createEditor(find("editor", HTMLElement), {
    onRun: run,
    onEdit: edited,
    ask: createAsk(client, page.others, () => running),
  });
  const saved = find("saved", HTMLElement);
  let ready = false;
  let hasStarted = false;
  let slow = false;
  let running = false;
  let stopping = false;
  let loading = false;
  let runs = 0;
  /** Name of the program of `examples/` that was chosen last; "" if something else was since then. */
  let chosen = "";
  /** True from the moment that Stop, which had the focus, is disabled, until Run gets it. */
  let focusRun = false;
  let runWhenReady = false;
  /** Files of the visitor, which a restarted Python gets again. @type {Record<string, File>} */
  const files = {};

  client.on("output", (part) => {
    if (running) output.add(part);
  });
  client.on("sound", (part) => {
    if (running && !stopping) sound.play(part);
  });
  // A start after Stop has a status of its own.
  client.on("progress", ({ step }) => {
    if (!hasStarted) clock.textContent = step;
  });
  client.on("importing", (bytes) => {
    if (running && !stopping) status.textContent = bytes ? loadingText(bytes) : runningText();
  });
  client.on("waiting", () => {
    if (running && !stopping) status.textContent = "waiting for the GPU…";
  });
  runButton.onclick = run;
  stopButton.onclick = stop;
  for (const action of /** @type {const} */ (["undo", "redo", "describe"])) {
    const button = find(action, HTMLButtonElement);
    // The editor keeps the focus, and a phone its keyboard.
    button.onpointerdown = (event) => event.preventDefault();
    button.onclick = () => editor[action]();
  }
  find("clear", HTMLButtonElement).onclick = () => output.clear();
  find("gallery", HTMLElement).append(...GALLERY.map(cardOf));
  find("examples", HTMLElement).append(...EXAMPLES.map(chipOf));
  const programs = createProgramList({
    onChoose(name) {
      chooseProgram(name);
      showEditor();
    },
    onOpen(index) {
      openOwn(index);
      showEditor();
    },
  });
  const shownProgram = find("shown-program", HTMLElement);
  const own = new OwnPrograms();
  const deleteButton = find("delete-own", HTMLButtonElement);
  deleteButton.onclick = deleteOwn;
  const nameInput = find("program-name", HTMLInputElement);
  nameInput.onchange = () => {
    noteSaved(own.rename(nameInput.value));
    listOwn();
  };
  find("export-programs", HTMLButtonElement).onclick = () =>
    saveFile("programs.zip", zipped(own.files));
  find("share", HTMLButtonElement).onclick = share;
  find("save-program", HTMLButtonElement).onclick = () =>
    saveFile(own.fileName, new Blob([`${editor.source}\n`], { type: "text/x-python" }));
  const fileInput = find("program-files", HTMLInputElement);
  fileInput.onchange = () => addFiles(filesOfInput(fileInput.files ?? []));
  acceptDrops(workbench, addFiles);
  client.on("download", ({ name, blob }) => saveFile(name, blob));
  addEventListener("hashchange", showLinked);
  if (!showLinked()) {
    if (own.shown === null) choose(EXAMPLES[0].name);
    else openOwn(0);
  }
  listOwn();

  /** Shows the program of the page's address, if any. */
  function showLinked() {
    const program = linkedProgram();
    if (program === null) return false;
    press("");
    own.leave();
    listOwn();
    editor.source = program;
    workbench.scrollIntoView();
    runWhenReady = isRunByLink();
    if (ready && runWhenReady) run();
    return true;
  }

  function edited() {
    runWhenReady = false;
    const isSaved = own.edit(editor.source);
    press("");
    linkProgram(null);
    listOwn();
    noteSaved(isSaved);
  }

  /** @param {boolean} isSaved */
  function noteSaved(isSaved) {
    saved.textContent = isSaved
      ? "Saved in this browser."
      : "This browser saves nothing for this page.";
  }

  function listOwn() {
    const { titles } = own;
    const { shown } = own;
    programs.own = titles;
    shownProgram.textContent = shown === null ? titleOfProgram(chosen) : "";
    nameInput.value = shown?.name ?? "";
    nameInput.placeholder = shown === null ? "" : titles[0];
    find("own-name", HTMLElement).hidden = shown === null;
    find("export-programs", HTMLButtonElement).hidden = titles.length === 0;
    deleteButton.disabled = shown === null;
  }

  /** @param {number} index */
  function openOwn(index) {
    press("");
    linkProgram(null);
    editor.source = own.open(index);
    listOwn();
  }

  function deleteOwn() {
    if (!confirm("Delete this program?")) return;
    own.delete();
    choose(EXAMPLES[0].name);
  }

  /** Writes files where programs open them by name. @param {Record<string, File>} added */
  async function addFiles(added) {
    Object.assign(files, added);
    try {
      if (ready) await writeFiles(added);
      saved.textContent = `Programs open the files by name: ${Object.keys(files).join(", ")}.`;
    } catch (error) {
      saved.textContent = textOf(error);
    }
  }

  /** @param {Record<string, File>} written */
  async function writeFiles(written) {
    for (const [name, file] of Object.entries(written)) {
      const data = await file.arrayBuffer();
      await client.call("writeFile", [name, data], [data]);
    }
  }

  async function share() {
    linkProgram(editor.source);
    try {
      await navigator.clipboard.writeText(location.href);
      status.textContent = SHARED.copied;
    } catch {
      status.textContent = SHARED.inAddress;
    }
  }

  /** @param {(typeof GALLERY)[number]} example */
  function cardOf({ name, title, thumbnail }) {
    const image = make("img", {
      src: thumbnail,
      alt: "",
      width: 160,
      height: 160,
      loading: "lazy",
    });
    const card = make("button", { type: "button" }, image, title);
    card.dataset.example = name;
    card.onclick = () => {
      choose(name);
      runButton.focus();
      showEditor();
    };
    return card;
  }

  /** @param {(typeof EXAMPLES)[number]} example */
  function chipOf({ name, title }) {
    const chip = make("button", { type: "button", className: "chip" }, title);
    chip.dataset.example = name;
    chip.onclick = () => {
      choose(name);
      showEditor();
    };
    return chip;
  }

  /** Marks an example, or none, as the program in the editor. @param {string} name */
  function press(name) {
    chosen = "";
    for (const chip of document.querySelectorAll("[data-example]")) {
      chip.setAttribute("aria-pressed", String(chip.getAttribute("data-example") === name));
    }
  }

  /** @param {string} name */
  async function chooseProgram(name) {
    press("");
    chosen = name;
    // The button must not run the program that the editor still shows.
    loading = true;
    update();
    try {
      const source = await loadProgram(name);
      // Another program may have been chosen meanwhile.
      if (chosen !== name) return;
      show(source);
    } catch (error) {
      if (chosen !== name) return;
      output.note(textOf(error));
    }
    loading = false;
    update();
    runButton.focus();
  }

  /** @param {string} name */
  function choose(name) {
    press(name);
    loading = false;
    update();
    show([...GALLERY, ...EXAMPLES].find((example) => example.name === name)?.source ?? "");
  }

  /** Shows an example. A program that the visitor wrote stays in the list. @param {string} source */
  function show(source) {
    own.leave();
    linkProgram(null);
    editor.source = source.trimEnd();
    saved.textContent = "";
    // The link belongs to the previous program.
    if (Object.values(SHARED).includes(status.textContent ?? "")) status.textContent = "";
    listOwn();
  }

  function update() {
    runButton.disabled = !ready || running || loading;
    stopButton.disabled = !running || stopping;
  }

  async function run() {
    if (!ready || running || loading) return;
    runWhenReady = false;
    running = true;
    stopping = false;
    runs += 1;
    const runHasFocus = document.activeElement === runButton;
    update();
    // A disabled button loses the focus.
    if (runHasFocus) stopButton.focus();
    output.clear();
    showOutput();
    const scrolled = window.scrollY;
    sound.stop();
    editor.mark(null);
    status.textContent = runningText();
    const started = performance.now();
    const timer = setInterval(() => {
      clock.textContent = `${Math.round((performance.now() - started) / 1000)} s`;
    }, 1000);
    try {
      finish(await client.call("run", [editor.source, output.width]));
    } catch (error) {
      // The code that restarts the worker reports it.
      if (!(error instanceof StoppedError)) {
        status.textContent = "failed";
        output.note(textOf(error));
      }
    }
    focusRun ||= document.activeElement === stopButton;
    clearInterval(timer);
    clock.textContent = "";
    output.flush();
    running = false;
    update();
    giveFocus();
    // A visitor who has scrolled since the start reads something else.
    if (window.scrollY === scrolled) showOutput();
  }

  function runningText() {
    return slow ? "running on plain Python, which may take minutes…" : "running…";
  }

  /** Gives Run the focus that Stop had, once it is enabled, unless the visitor has gone on. */
  function giveFocus() {
    if (!focusRun || runButton.disabled) return;
    const focused = document.activeElement;
    if (focused === document.body || focused === stopButton) runButton.focus();
    focusRun = false;
  }

  /** Scrolls the editor into sight on phones, where it is below the choice of programs. */
  function showEditor() {
    if (matchMedia(NARROW).matches) workbench.scrollIntoView();
  }

  /** Scrolls the output into sight where it is below the editor, as on phones. */
  function showOutput() {
    if (matchMedia(NARROW).matches)
      outputPane.scrollIntoView({ block: "nearest", behavior: "instant" });
  }

  /** @param {Outcome} outcome */
  function finish({ milliseconds, stopped, failure }) {
    const time =
      milliseconds < 1000
        ? `${milliseconds.toFixed(milliseconds < 10 ? 1 : 0)} ms`
        : `${(milliseconds / 1000).toFixed(1)} s`;
    status.textContent = `${stopped ? "stopped after" : failure ? "failed after" : "ran in"} ${time}`;
    if (failure) {
      output.fail(failure);
      editor.mark(failure.line);
    }
  }

  async function stop() {
    const stopped = runs;
    focusRun = document.activeElement === stopButton;
    stopping = true;
    update();
    status.textContent = "stopping…";
    sound.stop();
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
    /**
     * Says at the program, which may be far below the reason, that Python did not start.
     *
     * @param {string} text
     */
    fail(text) {
      clock.textContent = text;
      hasStarted = true;
    },
    /** @param {boolean} isSlow true if plain Python computes */
    set slow(isSlow) {
      slow = isSlow;
    },
    /** @param {boolean} isReady */
    set ready(isReady) {
      ready = isReady;
      if (ready && !hasStarted) clock.textContent = "";
      hasStarted ||= ready;
      update();
      giveFocus();
      if (ready) writeFiles(files).catch((error) => output.note(textOf(error)));
      if (ready && runWhenReady) run();
    },
  };
}
