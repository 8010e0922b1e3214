/** @file The digits section: controls the training of a network in the worker. */

import { createCodeView } from "../../ui/code_view.js";
import { find } from "../../ui/dom.js";
import { textOf } from "../../ui/error_text.js";
import { loadFile } from "../../ui/load_file.js";
import { formatBytes, formatNumber, formatPercent, Metrics } from "../../ui/metrics.js";
import { Once } from "../../ui/once.js";
import { whenVisible } from "../../ui/when_visible.js";
import dataSource from "./digits_data.py?raw";
import modelSource from "./digits_model.py?raw";
import { createDigitsResults } from "./digits_results.js";
import { createDrawnDigit } from "./drawn_digit.js";

/** @import { Client } from "../../python/client.js" */
/** @import { Digits, DigitsReport } from "../../python/protocol.js" */

/** @typedef {"new" | "training" | "paused" | "done"} State */

/** Text of the button in each state. @type {Record<State, string>} */
const BUTTON_TEXTS = { new: "Start", training: "Pause", paused: "Resume", done: "Train more" };
/** Default learning rate of each optimizer. @type {Record<string, string>} */
const RATES = { adam: "0.01", rmsprop: "0.003", momentum: "0.1", sgd: "0.3" };
/** Value of `History.stopped` in Python after a reset. */
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
  const metrics = new Metrics(find("digits-metrics", HTMLElement));
  const results = createDigitsResults();
  /** Gives the worker the images and a network. */
  const preparation = new Once(open);
  const pad = createDrawnDigit(client, () => preparation.done());
  /** @type {State} */
  let state = "new";
  let connected = false;
  /** True if the settings no longer match the network. */
  let changed = false;

  createCodeView(find("digits-code", HTMLElement), [
    { name: "digits_model.py", source: modelSource },
    { name: "digits_data.py", source: dataSource },
  ]);
  client.on("digits", show);
  client.on("digitsTest", results.test);
  client.on("recovered", ({ section: name, epoch }) => {
    if (name === section.id)
      status.textContent = `The browser reset the GPU; the network of epoch ${epoch} was kept`;
  });
  button.onclick = advance;
  resetButton.onclick = reset;
  form.onsubmit = (event) => event.preventDefault();
  form.onchange = change;
  enter("new");

  /** @param {State} next @param {string} [text] */
  function enter(next, text) {
    state = next;
    if (text !== undefined) status.textContent = text;
    section.dataset.state = state;
    button.textContent = BUTTON_TEXTS[state];
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
    else if (preparation.begun) client.call("digits", ["rate", Number(rate.value)]).catch(report);
  }

  async function open() {
    const [data] = await Promise.all([load(), results.load()]);
    /** @type {Digits} */
    const images = await client.call("digitsOpen", [data], [data]);
    results.images = images;
    await resetNetwork();
  }

  /** Replaces the network by one with the current settings. */
  async function resetNetwork() {
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

  async function advance() {
    try {
      if (state === "training") {
        enter("paused", "Paused");
        await client.call("digits", ["pause"]);
      } else if (state === "paused") {
        enter("training", "Training");
        await client.call("digits", ["resume"]);
      } else if (form.reportValidity()) await train();
    } catch (error) {
      report(error);
    }
  }

  async function train() {
    const isNew = state === "new";
    button.disabled = true;
    status.textContent = "Loading";
    try {
      await preparation.done();
      if (isNew && changed) await resetNetwork();
      enter("training", "Training");
      /** @type {string | null} */
      const stopReason = await client.call("digits", ["train", Number(epochs.value)]);
      if (stopReason !== RESET)
        enter("done", stopReason ?? `Done: ${formatPercent(results.accuracy)} test accuracy`);
    } catch (error) {
      changed = true;
      enter("new");
      throw error;
    }
  }

  async function reset() {
    enter("new", "");
    await resetNetwork().catch(report);
  }

  /** @param {unknown} error */
  function report(error) {
    status.textContent = textOf(error);
  }

  /** @param {DigitsReport} report */
  function show(report) {
    results.report(report);
    pad.probabilities = report.drawn;
    metrics.show({
      epoch: String(report.epoch),
      step: report.step.toLocaleString("en"),
      accuracy: formatPercent(results.accuracy),
      images: report.images ? formatNumber(report.images) : "–",
      steps: report.steps ? formatNumber(report.steps) : "–",
      tensors: String(report.tensors),
      bytes: formatBytes(report.gpuBytes),
    });
  }

  return {
    /** Called when the worker has started; the images are loaded when the section becomes visible. */
    connect() {
      connected = true;
      status.textContent = "";
      enter("new");
      whenVisible(section, () => preparation.done().catch(report));
    },
  };
}

async function load() {
  return (await loadFile("digits/digits.bin", "digits: the images")).arrayBuffer();
}
