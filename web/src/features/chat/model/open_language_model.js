/** @file Opens a language model: shows what it needs, asks before much is downloaded, and loads it. */

import { find, make } from "../../../ui/dom.js";
import { onDroppedFiles } from "../../../ui/dropped_files.js";
import { textOf } from "../../../ui/error_text.js";
import { formatBytes, formatCount } from "../../../ui/metrics.js";
import { absolute, onChosenFiles, showTransfer } from "../../../ui/transfer.js";
import { cacheBytes, fitOf } from "./fit.js";
import { SHIPPED, shippedModel } from "./shipped_model.js";

/** @import { Chat, Needs, Source } from "../chat.js" */
/** @import { Settings } from "../settings/settings.js" */

const PARAMETER = "model";
/** Context that is proposed for models that were trained for long sequences. */
const USUAL_LENGTH = 2048;
const HELP =
  "Supported are GGUF files, and folders with config.json, model.safetensors and tokenizer.json, of the families of Llama, Qwen, Gemma, Phi-3 and GPT-2.";

/** @param {Chat} chat @param {Settings} settings */
export function createOpenLanguageModel(chat, settings) {
  const form = find("opener", HTMLFormElement);
  const address = find("model-address", HTMLInputElement);
  const limit = find("model-limit", HTMLInputElement);
  const length = find("needs-length", HTMLInputElement);
  const lookButton = find("model-look", HTMLButtonElement);
  const shippedButton = find("model-shipped", HTMLButtonElement);
  const loadButton = find("model-load", HTMLButtonElement);
  const needsPanel = find("needs", HTMLElement);
  const transfer = find("transfer", HTMLElement);
  const transferText = find("transfer-text", HTMLElement);
  const transferBar = find("transfer-bar", HTMLProgressElement);
  const status = find("open-status", HTMLElement);
  const problem = find("open-problem", HTMLElement);
  const facts = find("model-facts", HTMLElement);
  let isReady = false;
  let isBusy = false;
  /** The model whose needs are shown, if there is one. @type {{ source: Source, needs: Needs } | null} */
  let seen = null;

  chat.client.on("modelProgress", (progress) => showTransfer(progress, transferText, transferBar));
  chat.on("answering", update);
  for (const input of [limit, length]) input.addEventListener("input", showNeeds);
  form.onsubmit = (event) => {
    event.preventDefault();
    look(address.value.trim());
  };
  onChosenFiles(
    ["model-files", "model-folder"].map((id) => find(id, HTMLInputElement)),
    look,
  );
  onDroppedFiles(find("drop", HTMLElement), look);
  loadButton.onclick = () => load();
  find("model-leave", HTMLButtonElement).onclick = () => {
    seen = null;
    showNeeds();
    address.focus();
  };
  shippedButton.onclick = openShipped;
  find("transfer-cancel", HTMLButtonElement).onclick = () => {
    transferText.textContent = "Cancelling";
    chat.cancel();
  };

  /** Reads the headers of a model and shows what it needs. @param {Source} given */
  async function look(given) {
    if (!isReady || isBusy || chat.isAnswering) return;
    seen = null;
    showNeeds();
    await work(async () => {
      status.textContent = "Looking at the model.";
      const source = absolute(given);
      const needs = await chat.describe(source);
      status.textContent = "";
      seen = { source, needs };
      length.value = String(Math.min(needs.length ?? USUAL_LENGTH, USUAL_LENGTH));
      showNeeds();
      needsPanel.focus();
    });
  }

  async function load() {
    if (!seen || !length.reportValidity()) return;
    const { source, needs } = seen;
    await work(async () => {
      transferText.textContent = "Loading";
      transferBar.removeAttribute("value");
      transfer.hidden = false;
      const isLoaded = await chat.load(source, needs, needs.isDownload ? mostBytes() : Infinity);
      if (!isLoaded) {
        status.textContent = "Cancelled. The model before is still loaded.";
        return;
      }
      settings.useLength(Number(length.value));
      seen = null;
      showNeeds();
      status.textContent = `${needs.name} was loaded.`;
      showFacts(needs);
      find("message", HTMLTextAreaElement).focus();
    });
  }

  async function openShipped() {
    await work(async () => {
      const source = await shippedModel();
      const needs = await chat.describe(source);
      await chat.load(source, needs, Infinity);
      settings.useLength(USUAL_LENGTH);
      status.textContent = "";
      const count = formatCount(needs.parameters ?? 0);
      facts.textContent = `A model of ${count} parameters. ${SHIPPED}`;
    });
  }

  /** @param {() => Promise<void>} act */
  async function work(act) {
    isBusy = true;
    problem.hidden = true;
    update();
    try {
      await act();
    } catch (error) {
      status.textContent = chat.facts ? "The model before is still loaded." : "";
      problem.replaceChildren(
        make("h3", {}, "This cannot be loaded"),
        make("p", {}, textOf(error)),
        make("p", {}, HELP),
      );
      problem.hidden = false;
    }
    isBusy = false;
    transfer.hidden = true;
    update();
  }

  function update() {
    const canAct = isReady && !isBusy && !chat.isAnswering;
    for (const button of [lookButton, shippedButton]) button.disabled = !canAct;
    form.ariaBusy = String(isBusy);
    showNeeds();
  }

  function mostBytes() {
    return Number(limit.value) * 1e6;
  }

  function showNeeds() {
    needsPanel.hidden = seen === null || isBusy;
    // A number that is not shown must not keep the form from being sent.
    length.disabled = needsPanel.hidden;
    if (!seen) return;
    const { needs } = seen;
    const cache = cacheBytes(needs.cache, Number(length.value));
    const inTokens = (/** @type {number} */ count) => `${count.toLocaleString("en")} tokens`;
    /** @type {[string, number | null, (value: number) => string][]} */
    const rows = [
      [needs.isDownload ? "To download" : "Files", needs.bytes, formatBytes],
      ["Parameters", needs.parameters, formatCount],
      ["Weights", needs.weights, formatBytes],
      [`Keys and values of ${length.value} tokens`, cache, formatBytes],
      ["Trained for", needs.length, inTokens],
    ];
    find("needs-name", HTMLElement).textContent = needs.name;
    find("needs-list", HTMLElement).replaceChildren(
      ...rows.map(([name, value, format]) =>
        make(
          "div",
          {},
          make("dt", {}, name),
          make("dd", {}, value ? format(value) : "not known before it is loaded"),
        ),
      ),
    );
    const { fits, text } = fitOf(needs, cache);
    const isTooMuch = needs.isDownload && needs.bytes !== null && needs.bytes > mostBytes();
    const asked = ` It is more than the ${limit.value} MB that may be downloaded: raise that number to load it.`;
    const fit = find("needs-fit", HTMLElement);
    fit.textContent = text + (isTooMuch ? asked : "");
    fit.dataset.fits = isTooMuch ? "no" : fits;
    loadButton.disabled = isTooMuch || fits === "no" || chat.isAnswering;
  }

  /** @param {Needs} needs */
  function showFacts({ name, parameters, bytes }) {
    const numbers = [
      parameters && `${formatCount(parameters)} parameters`,
      bytes && formatBytes(bytes),
    ];
    const note = chat.facts?.note ?? "";
    facts.textContent = `${[name, ...numbers.filter(Boolean)].join(", ")}. ${note}`;
  }

  return {
    /** Called when Python has started: loads the page's model, and looks at the one of the page's address. */
    async connect() {
      isReady = true;
      await openShipped();
      const wanted = new URLSearchParams(location.search).get(PARAMETER);
      if (wanted === null) return;
      address.value = wanted;
      await look(wanted);
    },
  };
}
