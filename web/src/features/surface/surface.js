/** @file The surface section: a network learns to classify points, and its predictions are painted during training. */

import { Chart } from "../../ui/chart.js";
import { createCodeView } from "../../ui/code_view.js";
import { find, make } from "../../ui/dom.js";
import { textOf } from "../../ui/error_text.js";
import { formatBytes, formatNumber, formatPercent, Metrics } from "../../ui/metrics.js";
import { Once } from "../../ui/once.js";
import { whenVisible } from "../../ui/when_visible.js";
import modelSource from "./surface_model.py?raw";
import { createSurfacePoints } from "./surface_points.js";
import runSource from "./surface_run.py?raw";

/** @import { Client } from "../../python/client.js" */
/** @import { Point, SurfaceReport } from "../../python/protocol.js" */

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
  const metrics = new Metrics(find("surface-metrics", HTMLElement));
  const plane = /** @type {SVGSVGElement} */ (stage.querySelector("svg"));
  const overlay = createSurfacePoints(
    plane,
    (x, y, other) => run(() => choose(x, y, other)),
    (x, y) => run(() => remove(x, y)),
  );
  const format = (/** @type {number} */ value) => value.toPrecision(3);
  const chart = new Chart(
    find("surface-loss", HTMLElement),
    [{ title: "loss", color: "--red", format }],
    { range: (_, high) => [0, Math.max(high * 1.05, 0.1)], tick: String },
  );
  let connected = false;
  /** Gives the worker a canvas, points and a network. */
  const preparation = new Once(open);
  /** @type {Promise<void> | null} resolves when the current training ends */
  let playing = null;
  /** Actions of the controls, done one after another. Training itself is not part of the queue. */
  let queue = Promise.resolve();

  createCodeView(find("surface-code", HTMLElement), [
    { name: "surface_model.py", source: modelSource },
    { name: "surface_run.py", source: runSource },
  ]);
  client.on("surface", show);
  client.on("recovered", ({ section: name }) => {
    if (name !== section.id) return;
    chart.clear();
    status.textContent = "The browser reset the GPU; the network begins again";
  });
  playButton.onclick = () => run(() => (playing ? pause() : play()));
  stepButton.onclick = () => run(() => ask("step"));
  resetButton.onclick = () => run(() => restart());
  form.onsubmit = (event) => event.preventDefault();
  form.onchange = change;
  update();

  function update() {
    playButton.textContent = playing ? "Pause" : "Play";
    playButton.disabled = resetButton.disabled = !connected;
    stepButton.disabled = !connected || playing !== null;
    section.dataset.state = playing ? "training" : "paused";
  }

  /** Adds an action to the queue. @param {() => unknown} act */
  function run(act) {
    queue = queue.then(async () => {
      if (!connected) return;
      try {
        await preparation.done();
        await act();
      } catch (error) {
        report(error);
      }
    });
  }

  /** @param {unknown} error */
  function report(error) {
    status.textContent = textOf(error);
  }

  /** @param {Event} event */
  function change({ target }) {
    const { name } = /** @type {HTMLInputElement} */ (target);
    if (name === "rate") run(() => ask("rate", Number(rate.value)));
    else if (name === "data") run(() => restart(true));
    else if (name !== "label") run(() => restart());
  }

  /** @param {string} verb @param {unknown[]} args */
  function ask(verb, ...args) {
    return client.call("surface", [verb, ...args]);
  }

  async function open() {
    const canvas = make("canvas", {
      role: "img",
      ariaLabel: "Predictions of the network: blue or red, paler if less certain",
    });
    // A first attempt may have failed, and control of a canvas can be transferred only once.
    stage.querySelector("canvas")?.remove();
    stage.prepend(canvas);
    const offscreen = canvas.transferControlToOffscreen();
    await Promise.all([client.call("surfaceCanvas", [offscreen], [offscreen]), chart.load()]);
    await begin(true);
  }

  /** Resets the network, and continues training if it was running. */
  async function restart(newPoints = false) {
    const wasPlaying = playing !== null;
    if (wasPlaying) await pause();
    await begin(newPoints);
    if (wasPlaying) play();
  }

  /** Creates a network with the current settings. @param {boolean} newPoints replace the points, too */
  async function begin(newPoints) {
    const values = new FormData(form);
    const seed = Number(values.get("seed"));
    if (newPoints) overlay.points = await ask("data", values.get("data"), seed);
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

  /** Adds or removes a point. @param {number} x @param {number} y @param {boolean} other the class not selected */
  async function choose(x, y, other) {
    const selected = new FormData(form).get("label");
    if (selected === "remove") return remove(x, y);
    /** @type {Point[]} */
    const points = await ask("add", x, y, Number((selected === "1") !== other));
    overlay.points = points;
  }

  /** Removes the nearest point. @param {number} x @param {number} y */
  async function remove(x, y) {
    /** @type {Point[]} */
    const points = await ask("remove", x, y);
    overlay.points = points;
  }

  /** @param {SurfaceReport} report */
  function show({ step, loss, accuracy, steps, tensors, gpuBytes }) {
    if (loss !== null) chart.add(step, [loss]);
    else if (step > 0) status.textContent = "The loss is not finite; lower the rate and reset";
    metrics.show({
      step: step.toLocaleString("en"),
      loss: loss === null ? "–" : format(loss),
      accuracy: accuracy === null ? "–" : formatPercent(accuracy),
      steps: steps ? formatNumber(steps) : "–",
      tensors: String(tensors),
      bytes: formatBytes(gpuBytes),
    });
  }

  return {
    /** Called when the worker has started; a network is created when the section becomes visible. */
    connect() {
      connected = true;
      status.textContent = "";
      update();
      whenVisible(section, () => run(() => {}));
    },
  };
}
