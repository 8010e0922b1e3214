/** @file The digits: a network learns them in the worker, to be started, paused and reset here. */

import { StoppedError } from "./client.js";
import { createCodeView } from "./code_view.js";
import { percent } from "./digit_answers.js";
import { createDigitsPad } from "./digits_pad.js";
import { createDigitsResults } from "./digits_results.js";
import { find } from "./dom.js";
import { textOf } from "./error_text.js";
import { brief, Figures, sizeOf } from "./figures.js";
import { whenNear } from "./near.js";
import dataSource from "./python/digits_data.py?raw";
import modelSource from "./python/digits_model.py?raw";

/** @import { Client } from "./client.js" */
/** @import { Digits, DigitsReport } from "./protocol.js" */

/** @typedef {"new" | "training" | "paused" | "done"} State */

/** What the button does next. @type {Record<State, string>} */
const NEXT = { new: "Start", training: "Pause", paused: "Resume", done: "Train on" };
/** Learning rates that suit each optimizer. @type {Record<string, string>} */
const RATES = { adam: "0.01", rmsprop: "0.003", momentum: "0.1", sgd: "0.3" };
/** How Python says that training was ended by a reset. */
const RESET = "stopped";

/** @param {Client} client */
export function createDigits(client) {
  const section = find("digits", HTMLElement);
  const form = find("digits-settings", HTMLFormElement);
  const fixed = find("digits-fixed", HTMLFieldSetElement);
  const rate = find("digits-rate", HTMLSelectElement);
  const epochs = find("digits-epochs", HTMLInputElement);
  const button = find("digits-train", HTMLButtonElement);
  const resetButton = find("digits-reset", HTMLButtonElement);
  const status = find("digits-status", HTMLElement);
  const figures = new Figures(find("digits-figures", HTMLElement));
  const results = createDigitsResults();
  const pad = createDigitsPad(client, prepare);
  /** @type {State} */
  let state = "new";
  let connected = false;
  /** @type {Promise<void> | null} the images loaded and a network made, for this worker */
  let prepared = null;
  /** The settings are no longer those of the network. */
  let changed = false;
  let forget = () => {};

  createCodeView(find("digits-code", HTMLElement), [
    { name: "digits_model.py", source: modelSource },
    { name: "digits_data.py", source: dataSource },
  ]);
  client.on("digits", show);
  client.on("digitsTest", results.test);
  button.onclick = act;
  resetButton.onclick = reset;
  form.onsubmit = (event) => event.preventDefault();
  form.onchange = change;
  enter("new", "");

  /** @param {State} next @param {string} [text] */
  function enter(next, text) {
    state = next;
    if (text !== undefined) status.textContent = text;
    section.dataset.state = state;
    button.textContent = NEXT[state];
    button.disabled = !connected;
    resetButton.disabled = !connected || state === "new";
    fixed.disabled = state !== "new";
  }

  /** @param {Event} event */
  function change({ target }) {
    if (target === epochs) return;
    if (target instanceof HTMLSelectElement && target.name === "optimizer")
      rate.value = RATES[target.value];
    if (target !== rate) changed = true;
    else if (prepared) client.call("digits", ["rate", Number(rate.value)]).catch(report);
  }

  function prepare() {
    prepared ??= open().catch((error) => {
      prepared = null;
      throw error;
    });
    return prepared;
  }

  async function open() {
    const [data] = await Promise.all([load(), results.load()]);
    /** @type {Digits} */
    const images = await client.call("digitsOpen", [data], [data]);
    results.images = images;
    await renew();
  }

  /** Makes a network as the settings say, in the place of the one before. */
  async function renew() {
    const values = new FormData(form);
    changed = false;
    results.clear();
    await client.call("digits", [
      "reset",
      {
        model: values.get("model"),
        optimizer: values.get("optimizer"),
        rate: Number(rate.value),
        batch: Number(values.get("batch")),
        seed: Number(values.get("seed")),
      },
    ]);
    pad.refresh();
  }

  async function act() {
    try {
      if (state === "training") {
        enter("paused", "Paused");
        await client.call("digits", ["pause"]);
      } else if (state === "paused") {
        enter("training", "Training");
        await client.call("digits", ["resume"]);
      } else await train();
    } catch (error) {
      report(error);
    }
  }

  async function train() {
    const isNew = state === "new";
    button.disabled = true;
    status.textContent = "Loading";
    try {
      await prepare();
      if (isNew && changed) await renew();
      enter("training", "Training");
      /** @type {string | null} */
      const ended = await client.call("digits", ["train", Number(epochs.value)]);
      if (ended !== RESET) enter("done", ended ?? `Done: ${percent(results.accuracy)} are right`);
    } catch (error) {
      changed = true;
      enter("new");
      throw error;
    }
  }

  async function reset() {
    enter("new", "");
    await renew().catch(report);
  }

  /** @param {unknown} error */
  function report(error) {
    // Whoever ended the worker says so itself.
    if (!(error instanceof StoppedError)) status.textContent = textOf(error);
  }

  /** @param {DigitsReport} report */
  function show(report) {
    results.report(report);
    pad.answer = report.drawn;
    figures.show({
      epoch: String(report.epoch),
      step: report.step.toLocaleString("en"),
      accuracy: percent(results.accuracy),
      images: report.images ? brief(report.images) : "–",
      steps: report.steps ? brief(report.steps) : "–",
      tensors: String(report.tensors),
      bytes: sizeOf(report.gpuBytes),
    });
  }

  return {
    /** A worker that has just started knows nothing of the digits until they are looked at. */
    connect() {
      connected = true;
      enter("new");
      forget = whenNear(section, () => prepare().catch(report));
    },
    disconnect() {
      connected = false;
      prepared = null;
      forget();
      enter("new", state === "new" ? "" : "Python was restarted; the network is gone");
    },
  };
}

async function load() {
  const response = await fetch(new URL("digits/digits.bin", document.baseURI));
  if (response.ok) return response.arrayBuffer();
  throw new Error(
    `digits: the images did not load; got ${response.status} ${response.statusText}; try again`,
  );
}
