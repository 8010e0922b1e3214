/** @file The surface: a network learns to tell points of two classes apart, and is painted meanwhile. */

import { Chart } from "./chart.js";
import { StoppedError } from "./client.js";
import { createCodeView } from "./code_view.js";
import { percent } from "./digit_answers.js";
import { find, make } from "./dom.js";
import { textOf } from "./error_text.js";
import { brief, Figures, sizeOf } from "./figures.js";
import { whenNear } from "./near.js";
import modelSource from "./python/surface_model.py?raw";
import runSource from "./python/surface_run.py?raw";
import { createSurfacePoints } from "./surface_points.js";

/** @import { Client } from "./client.js" */
/** @import { Point, SurfaceReport } from "./protocol.js" */

/** @param {Client} client */
export function createSurface(client) {
  const section = find("surface", HTMLElement);
  const stage = find("surface-stage", HTMLElement);
  const form = find("surface-settings", HTMLFormElement);
  const rate = find("surface-rate", HTMLSelectElement);
  const playButton = find("surface-play", HTMLButtonElement);
  const stepButton = find("surface-step", HTMLButtonElement);
  const resetButton = find("surface-reset", HTMLButtonElement);
  const status = find("surface-status", HTMLElement);
  const figures = new Figures(find("surface-figures", HTMLElement));
  const plane = /** @type {SVGSVGElement} */ (stage.querySelector("svg"));
  const overlay = createSurfacePoints(plane, (x, y, other) => run(() => add(x, y, other)));
  const format = (/** @type {number} */ value) => value.toPrecision(3);
  const chart = new Chart(
    find("surface-loss", HTMLElement),
    [{ title: "loss", color: "--red", format }],
    { range: (_, high) => [0, Math.max(high * 1.05, 0.1)], tick: String },
  );
  let connected = false;
  /** @type {Promise<void> | null} a canvas, points and a network, for this worker */
  let prepared = null;
  /** @type {Promise<void> | null} the training under way */
  let playing = null;
  /** What controls have asked for; training itself is not waited for. */
  let queue = Promise.resolve();
  let forget = () => {};

  createCodeView(find("surface-code", HTMLElement), [
    { name: "surface_model.py", source: modelSource },
    { name: "surface_run.py", source: runSource },
  ]);
  client.on("surface", show);
  playButton.onclick = () => run(() => (playing ? pause() : play()));
  stepButton.onclick = () => run(() => ask("step"));
  resetButton.onclick = () => run(() => renew());
  form.onsubmit = (event) => event.preventDefault();
  form.onchange = change;
  update();

  function update() {
    playButton.textContent = playing ? "Pause" : "Play";
    playButton.disabled = resetButton.disabled = !connected;
    stepButton.disabled = !connected || playing !== null;
    section.dataset.state = playing ? "training" : "paused";
  }

  /** Does what a control asks for, after what was asked before. @param {() => unknown} act */
  function run(act) {
    queue = queue.then(async () => {
      if (!connected) return;
      try {
        await prepare();
        await act();
      } catch (error) {
        report(error);
      }
    });
  }

  /** @param {unknown} error */
  function report(error) {
    // Whoever ended the worker says so itself.
    if (!(error instanceof StoppedError)) status.textContent = textOf(error);
  }

  /** @param {Event} event */
  function change({ target }) {
    const { name } = /** @type {HTMLInputElement} */ (target);
    if (name === "rate") run(() => ask("rate", Number(rate.value)));
    else if (name === "data") run(() => renew(true));
    else if (name !== "label") run(() => renew());
  }

  /** @param {string} verb @param {unknown[]} args */
  function ask(verb, ...args) {
    return client.call("surface", [verb, ...args]);
  }

  function prepare() {
    prepared ??= open().catch((error) => {
      prepared = null;
      throw error;
    });
    return prepared;
  }

  async function open() {
    // The old canvas belongs to the worker before, so each worker gets a new one.
    const canvas = make("canvas", {
      role: "img",
      ariaLabel: "What the network takes each place for: blue or red, the paler the less sure",
    });
    stage.querySelector("canvas")?.remove();
    stage.prepend(canvas);
    const offscreen = canvas.transferControlToOffscreen();
    await Promise.all([client.call("surfaceCanvas", [offscreen], [offscreen]), chart.load()]);
    await begin(true);
  }

  /** Makes a network as the settings say, and goes on if training was under way. */
  async function renew(data = false) {
    const wasPlaying = playing !== null;
    if (wasPlaying) await pause();
    await begin(data);
    if (wasPlaying) play();
  }

  /** @param {boolean} data whether the points are to be new ones, too */
  async function begin(data) {
    const values = new FormData(form);
    const seed = Number(values.get("seed"));
    if (data) overlay.points = await ask("data", values.get("data"), seed);
    chart.clear();
    status.textContent = "";
    const units = Number(values.get("units"));
    await ask("reset", {
      layers: Array(Number(values.get("layers"))).fill(units),
      activation: values.get("activation"),
      rate: Number(rate.value),
      seed,
    });
  }

  function play() {
    status.textContent = "Training";
    playing = ask("play")
      .catch(report)
      .finally(() => {
        playing = null;
        update();
      });
    update();
  }

  async function pause() {
    await ask("pause");
    await playing;
    status.textContent = "Paused";
  }

  /** @param {number} x @param {number} y @param {boolean} other */
  async function add(x, y, other) {
    const chosen = new FormData(form).get("label") === "1";
    /** @type {Point[]} */
    const points = await ask("add", x, y, Number(chosen !== other));
    overlay.points = points;
  }

  /** @param {SurfaceReport} report */
  function show({ step, loss, accuracy, steps, tensors, gpuBytes }) {
    if (loss !== null) chart.add(step, [loss]);
    else if (step > 0) status.textContent = "The loss is not finite; lower the rate and reset";
    figures.show({
      step: step.toLocaleString("en"),
      loss: loss === null ? "–" : format(loss),
      accuracy: accuracy === null ? "–" : percent(accuracy),
      steps: steps ? brief(steps) : "–",
      tensors: String(tensors),
      bytes: sizeOf(gpuBytes),
    });
  }

  return {
    /** A worker that has just started knows nothing of the surface until it is looked at. */
    connect() {
      connected = true;
      update();
      forget = whenNear(section, () => run(() => {}));
    },
    disconnect() {
      connected = false;
      prepared = null;
      forget();
      update();
    },
  };
}
