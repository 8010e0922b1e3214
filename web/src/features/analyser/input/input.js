/** @file The input of the model: pictures, videos, camera, screen, sounds or texts, filters, and how they are prepared. */

import { startCamera } from "../../../ui/camera.js";
import { createProgramView } from "../../../ui/code_view.js";
import { find, make } from "../../../ui/dom.js";
import { textOf } from "../../../ui/error_text.js";
import { createFilterList } from "../../../ui/filter_list.js";
import { loadFile } from "../../../ui/load_file.js";
import { loadImage } from "../../../ui/load_image.js";
import { galleryAddress, galleryEntry, SAMPLES } from "../gallery/gallery.js";
import { addressOf } from "../model/program_text.js";
import { INPUT_FILTERS } from "./input_filters.js";
import { createInputValues } from "./input_values.js";
import { decodeSound, RATE, startMicrophone, startScreen, startVideo } from "./live_sources.js";
import { createTextInput } from "./text_input.js";

/** @import { Analyser } from "../analyser.js" */

/**
 * @typedef {object} InputState
 * @property {"picture" | "sound" | "text" | "numbers"} kind
 * @property {string} task
 * @property {[string, string][]} tasks names and titles
 * @property {string} input name of the input that options and filters are for
 * @property {string[]} pictures names of all inputs of pictures
 * @property {[string, number][]} filters
 * @property {{ height: number, width: number, fit: string, scaling: string, bgr: boolean, channels: number } | null} options
 * @property {[string, string][]} fits
 * @property {[string, string][]} scalings
 * @property {boolean} openSides true if the model leaves height and width open
 * @property {string} code
 * @property {import("./text_input.js").TextState | null} text
 * @property {import("./input_values.js").InputRow[]} values
 */

const FIRST = { picture: "astronaut.jpg", sound: "melody.wav" };
const SIZES = [64, 128, 256, 512];
const NUMBERS =
  "This model takes no picture, sound or text; its input is random numbers, unless you give others.";
const MAX_RECORDING = 10_000; // milliseconds

/** @param {Analyser} analyser */
export function createInput(analyser) {
  const panel = find("input-panel", HTMLElement);
  const status = find("input-status", HTMLElement);
  const samples = find("input-samples", HTMLElement);
  const file = find("input-file", HTMLInputElement);
  const cameraButton = find("input-camera", HTMLButtonElement);
  const screenButton = find("input-screen", HTMLButtonElement);
  const microphoneButton = find("input-microphone", HTMLButtonElement);
  const options = find("input-options", HTMLFieldSetElement);
  const program = createProgramView(find("input-code", HTMLDetailsElement));
  const filters = createFilterList(
    find("input-filters", HTMLElement),
    INPUT_FILTERS,
    changeFilters,
  );
  const values = createInputValues(analyser, run);
  const text = createTextInput(analyser, run, showState);
  const target = find("input-target", HTMLSelectElement);
  const fit = select("Picture in the input", "fit");
  const scaling = select("Values", "scaling");
  const size = select("Size", "size");
  const bgr = make("input", { type: "checkbox" });
  const order = make("label", { className: "check" }, bgr, "Blue first (BGR)");
  options.append(fit.label, scaling.label, size.label, order);

  /** @type {InputState["kind"]} */
  let kind = "numbers";
  /** The input of the model that gets pictures: "" for the first one, which keeps its picture for the next model. */
  let edited = "";
  /** Until the input that was chosen last is the edited one. */
  let editing = Promise.resolve();
  /**
   * Samples that are shown, "" for the visitor's own, and texts below the buttons: sizes in pixels, and seconds of the
   * sound. Pictures have the name of their input, as `edited`.
   *
   * @type {Map<string, { sample: string, about: string }>}
   */
  const given = new Map();
  const SOUND = "sound";
  /** @type {{ picture: () => Promise<ImageBitmap>, stop: () => void } | null} */
  let live = null;
  /** The input that `live` films for. */
  let filmed = "";
  /** @type {HTMLButtonElement | null} */
  let liveButton = null;
  /** @type {{ stop: () => void } | null} */
  let recording = null;
  let running = false;
  let changed = false;
  let tasks = 0;
  /** From the moment that a model is loaded until its input is chosen. */
  let opening = false;

  samples.append(...SAMPLES.map(sampleOf));
  file.onchange = () => {
    if (file.files?.[0]) openFile(file.files[0]);
    file.value = "";
  };
  cameraButton.onclick = () => toggle(cameraButton, startCamera, "the camera");
  screenButton.onclick = () => toggle(screenButton, startScreen, "the screen");
  microphoneButton.onclick = record;
  find("filters-reset", HTMLButtonElement).onclick = filters.reset;
  panel.ondragover = (event) => event.preventDefault();
  panel.ondrop = (event) => {
    const dropped = event.dataTransfer?.files[0];
    if (!dropped || !/^(image|video|audio)\//.test(dropped.type)) return;
    event.preventDefault();
    openFile(dropped);
  };
  // Nothing films or listens while nobody looks at the page.
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) stopAll();
  });
  addEventListener("pagehide", stopAll);

  /** @param {string} title @param {string} name */
  function select(title, name) {
    const list = make("select", { name });
    list.onchange = () => changeOptions(name, list.value);
    return { list, label: make("label", {}, `${title} `, list) };
  }
  bgr.onchange = () => changeOptions("bgr", bgr.checked);

  /** @param {(typeof SAMPLES)[number]} sample */
  function sampleOf({ file: name, title }) {
    const button = make("button", { type: "button", className: "thumb", ariaLabel: title, title });
    button.dataset.sample = name;
    if (name.endsWith(".wav")) button.append(make("span", { className: "sign" }, "♪"));
    else button.append(make("img", { src: galleryAddress(name), alt: "", loading: "lazy" }));
    button.onclick = () => openSample(name);
    return button;
  }

  /** Opens a picture or sound of the gallery. @param {string} name */
  async function openSample(name) {
    await whileBusy(() =>
      attempt(async () => {
        const response = await loadFile(galleryAddress(name), `${name}: the sample`);
        await use(await response.blob(), name);
      }),
    );
  }

  /** @param {File} chosen */
  async function openFile(chosen) {
    await attempt(async () => {
      if (chosen.type.startsWith("video/")) await film(await startVideo(chosen), null, chosen.name);
      else await use(chosen, "");
    });
  }

  /** @param {Blob} blob @param {string} sample */
  async function use(blob, sample) {
    await editing;
    const name = edited;
    // The camera may go on for another input.
    if (filmed === name) stopAll();
    if (blob.type.startsWith("audio/") || sample.endsWith(".wav")) {
      await hear(await decodeSound(blob), sample);
    } else {
      const bitmap = await loadImage(blob);
      note(name, sample, `${bitmap.width} × ${bitmap.height} pixels`);
      values.show(await analyser.call("input", "picture", [bitmap, name], [bitmap]));
    }
    await run();
  }

  /** @param {Float32Array<ArrayBuffer>} sound @param {string} sample */
  async function hear(sound, sample) {
    note(SOUND, sample, `${(sound.length / RATE).toFixed(1)} seconds of sound`);
    await analyser.call("input", "sound", [sound.buffer, RATE], [sound.buffer]);
  }

  /** Notes what an input has got. @param {string} name @param {string} sample @param {string} about */
  function note(name, sample, about) {
    given.set(name, { sample, about });
    if (name === (kind === "sound" ? SOUND : edited)) showGiven();
  }

  function showGiven() {
    const { sample, about } = given.get(kind === "sound" ? SOUND : edited) ?? {};
    status.textContent = about ?? (edited ? "Random numbers, until you choose a picture." : "");
    for (const button of samples.querySelectorAll("button"))
      button.setAttribute("aria-pressed", String(button.dataset.sample === sample));
  }

  // --- camera, screen, video, microphone ---------------------------------------------------------

  /** @param {HTMLButtonElement} button @param {() => Promise<any>} start @param {string} title */
  async function toggle(button, start, title) {
    await editing;
    if (live && liveButton === button && filmed === edited) {
      stopAll();
      return;
    }
    button.disabled = true;
    await attempt(async () => film(await start(), button, title));
    button.disabled = false;
  }

  /** Runs on the pictures of a source until it is stopped. @param {any} source @param {HTMLButtonElement | null} button @param {string} title */
  function film(source, button, title) {
    stopAll();
    const name = edited;
    live = source;
    filmed = name;
    liveButton = button;
    button?.setAttribute("aria-pressed", "true");
    source.ended?.then(() => live === source && stopAll());
    attempt(async () => {
      while (live === source) {
        const bitmap = await source.picture();
        if (live !== source) {
          bitmap.close();
          break;
        }
        note(name, "", `${bitmap.width} × ${bitmap.height} pixels of ${title}`);
        values.show(await analyser.call("input", "picture", [bitmap, name], [bitmap]));
        await analyser.run();
      }
    }).finally(() => live === source && stopAll());
  }

  async function record() {
    if (recording) {
      recording.stop();
      return;
    }
    stopAll();
    await attempt(async () => {
      const microphone = await startMicrophone();
      recording = microphone;
      microphoneButton.setAttribute("aria-pressed", "true");
      microphoneButton.textContent = "Stop recording";
      status.textContent = "Recording; press again to stop";
      const timer = setTimeout(microphone.stop, MAX_RECORDING);
      const sound = await microphone.sound.finally(() => {
        clearTimeout(timer);
        recording = null;
        microphoneButton.setAttribute("aria-pressed", "false");
        microphoneButton.textContent = "Microphone";
      });
      await hear(sound, "");
      await run();
    });
  }

  function stopAll() {
    recording?.stop();
    live?.stop();
    live = null;
    liveButton?.setAttribute("aria-pressed", "false");
    liveButton = null;
  }

  // --- filters and options -----------------------------------------------------------------------

  async function changeFilters() {
    await attempt(async () => {
      await analyser.call("input", "set_filters", [filters.chain()]);
      if (!live) await run();
    });
  }

  /** @param {string} name @param {string | boolean} value */
  async function changeOptions(name, value) {
    const side = Number(value);
    const changes = name === "size" ? { height: side, width: side } : { [name]: value };
    await attempt(async () => {
      showState(await analyser.call("input", "set_options", [changes]));
      if (!live) await run();
    });
  }

  target.onchange = () => {
    editing = attempt(async () => showState(await analyser.call("input", "edit", [target.value])));
  };

  /** @param {InputState} state */
  function showState(state) {
    kind = state.kind;
    const [first] = state.pictures;
    const another = state.input === first || kind !== "picture" ? "" : state.input;
    if (another !== edited) {
      edited = another;
      filters.show(state.filters);
    }
    target.parentElement?.toggleAttribute("hidden", state.pictures.length < 2);
    fill(
      target,
      state.pictures.map((name) => [name, name]),
      state.input,
    );
    values.show(state.values);
    text.show(state.text);
    const isPicture = kind === "picture";
    for (const button of samples.querySelectorAll("button"))
      button.hidden = button.dataset.sample?.endsWith(".wav") ? kind !== "sound" : !isPicture;
    samples.hidden = !isPicture && kind !== "sound";
    cameraButton.hidden = screenButton.hidden = !isPicture;
    microphoneButton.hidden = kind !== "sound";
    file.parentElement?.toggleAttribute("hidden", kind === "numbers" || kind === "text");
    file.accept = isPicture ? "image/*,video/*" : "audio/*";
    find("input-effects", HTMLElement).hidden = options.hidden = !isPicture;
    find("input-code", HTMLElement).hidden = kind === "numbers";
    // Not the notice of the model before, which may have failed.
    if (kind === "picture" || kind === "sound") showGiven();
    else status.textContent = kind === "numbers" ? NUMBERS : "";
    program.show("input.py", state.code);
    if (!state.options) return;
    fill(fit.list, state.fits, state.options.fit);
    fill(scaling.list, state.scalings, state.options.scaling);
    const { height, width } = state.options;
    const sizes = [[0, "of the picture"], ...SIZES.map((n) => [n, `${n} × ${n}`])];
    fill(size.list, /** @type {[string, string][]} */ (sizes), String(height));
    size.label.hidden = !state.openSides;
    if (height && !SIZES.includes(height)) {
      size.list.append(make("option", { value: height, selected: true }, `${height} × ${width}`));
    }
    bgr.checked = state.options.bgr;
    order.hidden = state.options.channels !== 3;
  }

  /** Runs the model; changes during a run lead to one more run. */
  async function run() {
    changed = true;
    if (running) return;
    running = true;
    try {
      await whileBusy(async () => {
        while (changed) {
          changed = false;
          await analyser.run();
        }
      });
    } finally {
      running = false;
    }
  }

  /** Marks the panel as busy until all such actions have ended. @param {() => Promise<void>} action */
  async function whileBusy(action) {
    tasks++;
    showBusy();
    try {
      await action();
    } finally {
      tasks--;
      showBusy();
    }
  }

  function showBusy() {
    panel.ariaBusy = String(opening || tasks > 0);
  }

  /** @param {() => unknown} action */
  async function attempt(action) {
    try {
      await action();
    } catch (error) {
      status.textContent = textOf(error);
    }
  }

  analyser.on("model", () => {
    stopAll();
    for (const name of given.keys()) if (name !== "" && name !== SOUND) given.delete(name);
    status.textContent = "";
    opening = true;
    showBusy();
  });
  analyser.on("task", (task) =>
    attempt(async () => {
      showState(await analyser.call("input", "set_task", [task]));
      if (!live) await run();
    }),
  );

  return {
    /** @param {import("../analyser.js").Description} description */
    show: ({ source }) =>
      whileBusy(async () => {
        opening = false;
        const entry = galleryEntry(source);
        /** @type {InputState} */
        const state = await analyser.call("input", "begin", [
          entry,
          addressOf(source),
          galleryAddress(entry?.input ?? FIRST.picture),
        ]);
        showState(state);
        analyser.emit("tasks", state);
        const before = given.get(kind === "sound" ? SOUND : "");
        if (kind === "numbers" || kind === "text") attempt(run);
        else if (entry && entry.input !== before?.sample) openSample(entry.input);
        else if (before) attempt(run);
        else openSample(FIRST[kind]);
      }),
  };
}

/** @param {HTMLSelectElement} list @param {[string, string][]} rows @param {string} chosen */
function fill(list, rows, chosen) {
  list.replaceChildren(
    ...rows.map(([value, title]) =>
      make("option", { value, selected: String(value) === chosen }, title),
    ),
  );
}
