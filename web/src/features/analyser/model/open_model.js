/** @file Opens a model: from files, a folder, a drop, or an address, which may be part of the page's own. */

import { find, make } from "../../../ui/dom.js";
import { onDroppedFiles } from "../../../ui/dropped_files.js";
import { textOf } from "../../../ui/error_text.js";
import { formatBytes, formatCount } from "../../../ui/metrics.js";
import { makeTable } from "../../../ui/table.js";
import { absolute, onChosenFiles, showTransfer } from "../../../ui/transfer.js";
import { ModelProblem } from "../analyser.js";
import { addressOf } from "./program_text.js";

/** @import { Analyser, Source, Weight } from "../analyser.js" */

const PARAMETER = "model";
/** Python in a page has 2 GB of memory, and needs the bytes of a model twice while it reads them. */
const MAX_BYTES = 1e9;
const SUPPORTED = [
  "ONNX: .onnx, with its external data",
  "TensorFlow.js: model.json with its .bin files, graph and layers models",
  "TFLite: .tflite",
  "Keras: .keras, and .h5 of model.save",
  "py_tensor: files of pt.models.save",
  "zip archives and folders of these",
  "weights alone are listed: .safetensors, .pt, .gguf, .h5 of save_weights, frozen graphs (.pb) of TensorFlow",
];

/** @param {Analyser} analyser */
export function createOpenModel(analyser) {
  const form = find("opener", HTMLFormElement);
  const files = find("model-files", HTMLInputElement);
  const folder = find("model-folder", HTMLInputElement);
  const address = find("model-address", HTMLInputElement);
  const openButton = find("model-open", HTMLButtonElement);
  const transfer = find("transfer", HTMLElement);
  const transferText = find("transfer-text", HTMLElement);
  const transferBar = find("transfer-bar", HTMLProgressElement);
  const cancelButton = find("transfer-cancel", HTMLButtonElement);
  const status = find("open-status", HTMLElement);
  const problem = find("open-problem", HTMLElement);
  /** Source that is opened when Python has started. @type {Source | null} */
  let wanted = new URLSearchParams(location.search).get(PARAMETER);
  let ready = false;
  let loading = false;
  let cancelled = false;

  analyser.client.on("modelProgress", (progress) => {
    showTransfer(progress, transferText, transferBar);
    const { done, total, name } = progress;
    if (done === total) transferText.textContent = `Reading ${name}, ${formatBytes(done)}`;
  });
  analyser.client.on("recovered", () => {
    status.textContent = "The browser reset the GPU; the model was loaded again.";
  });
  form.onsubmit = (event) => {
    event.preventDefault();
    open(address.value);
  };
  onChosenFiles([files, folder], open);
  cancelButton.onclick = cancel;
  onDroppedFiles(find("drop", HTMLElement), open);
  if (typeof wanted === "string") {
    address.value = wanted;
    status.textContent = "The model of this page's address is opened when Python has started.";
  }

  /** @param {Source} source */
  async function open(source) {
    if (!ready) {
      wanted = source;
      status.textContent = "The model is opened when Python has started.";
      return;
    }
    if (loading) return;
    problem.hidden = true;
    if (typeof source !== "string" && analyser.takeFiles(source)) {
      status.textContent = `${nameOf(source)} was given to the open model.`;
      showInput();
      return;
    }
    const bytes = sizeOf(source);
    if (bytes > MAX_BYTES) {
      showProblem(
        Object.keys(source).join(", "),
        `the files have ${formatBytes(bytes)}; a page has memory for models of at most ${formatBytes(MAX_BYTES)}`,
      );
      return;
    }
    begin();
    try {
      const description = await analyser.load(absolute(source));
      // A new address lays the page out at once. What is shown afterwards waits for the next frame.
      showAddress(source);
      find("analysis", HTMLElement).hidden = false;
      const seconds = (description.loadMs / 1000).toFixed(1);
      status.textContent = `${nameOf(source)} was opened in ${seconds} s.`;
      end();
      showInput();
      return;
    } catch (error) {
      if (cancelled) status.textContent = "Cancelled. Nothing was opened.";
      else if (error instanceof ModelProblem)
        showProblem(error.found, error.message, error.weights);
      else showProblem(nameOf(source), textOf(error));
    }
    end();
  }

  /** Scrolls to the input and the result, which are below the screen otherwise. */
  function showInput() {
    find("try", HTMLElement).scrollIntoView({ behavior: "instant" });
  }

  function begin() {
    loading = true;
    cancelled = false;
    status.textContent = "";
    transferText.textContent = "Loading";
    transferBar.removeAttribute("value");
    transfer.hidden = false;
    openButton.disabled = true;
    form.ariaBusy = "true";
  }

  function end() {
    loading = false;
    transfer.hidden = true;
    openButton.disabled = false;
    form.ariaBusy = "false";
  }

  function cancel() {
    cancelled = true;
    transferText.textContent = "Cancelling";
    analyser.cancel();
  }

  /** @param {string} found @param {string} reason @param {Weight[]} [weights] of a file without a model */
  function showProblem(found, reason, weights = []) {
    status.textContent = analyser.description ? "The model before is still open." : "";
    const parts = [
      ["Found", found],
      ["Reason", reason],
    ].flatMap(([term, text]) => [make("dt", {}, term), make("dd", {}, text)]);
    const list = make("ul", {}, ...SUPPORTED.map((text) => make("li", {}, text)));
    problem.replaceChildren(
      make(
        "h3",
        {},
        weights.length ? "These are weights without a model" : "This cannot be opened",
      ),
      make("dl", {}, ...parts, make("dt", {}, "Supported"), make("dd", {}, list)),
    );
    if (weights.length) problem.append(weightTable(weights));
    problem.hidden = false;
  }

  return {
    open,
    /** Called when Python has started. */
    connect() {
      ready = true;
      openButton.disabled = false;
      status.textContent = "";
      if (wanted !== null) open(wanted);
    },
  };
}

/** @param {Weight[]} weights */
function weightTable(weights) {
  const elements = weights.map(([, shape]) => shape.reduce((product, n) => product * n, 1));
  const sum = (/** @type {number[]} */ numbers) => numbers.reduce((total, n) => total + n, 0);
  const bytes = formatBytes(sum(weights.map(([, , , size]) => size)));
  const title = `${weights.length} tensors, ${formatCount(sum(elements))} elements, ${bytes} in memory`;
  const rows = weights.map(([name, shape, dtype, size]) => [
    name,
    shape.join(" × ") || "scalar",
    dtype,
    formatBytes(size),
  ]);
  const scroll = { className: "weights", tabIndex: 0, role: "region", ariaLabel: "Tensors" };
  return make("div", scroll, makeTable(title, ["Name", "Shape", "Dtype", "Bytes"], rows));
}

/** @param {Source} source */
function sizeOf(source) {
  if (typeof source === "string") return 0;
  return Object.values(source).reduce((sum, { size }) => sum + size, 0);
}

/** @param {Source} source */
function nameOf(source) {
  if (typeof source === "string") return source.split("/").at(-1) || source;
  const more = Object.keys(source).length - 1;
  return more ? `${addressOf(source)} with ${more} more files` : addressOf(source);
}

/** Puts the address of a model into the page's, so that it can be shared. @param {Source} source */
function showAddress(source) {
  const address = new URL(location.href);
  address.searchParams.delete(PARAMETER);
  if (typeof source === "string") address.searchParams.set(PARAMETER, source);
  history.replaceState(null, "", address);
}
