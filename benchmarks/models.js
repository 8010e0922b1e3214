/**
 * @file Entry point of the page of trained models. Its address names a folder with `models.json`:
 * `[{"file": "blazeface.json"}, {"file": "words.onnx", "shapes": [[1, 3, 48, 320]]}]`. The shapes of the inputs may be
 * left out if the file declares them, up to a batch.
 */

import { adapterLine } from "./adapter.js";
import { rendererName } from "./device_limits.js";
import { startRuntime } from "./onnx_runtime.js";
import { PythonSide } from "./python_side.js";
import { report, send, showSections, startPage } from "./section_page.js";
import { hasFailed, measureTrained, OURS, trainedSection } from "./trained.js";

/** @import { Measured } from "./trained.js" */

/** @typedef {{ file: string, shapes?: number[][] }} Entry */

const query = new URLSearchParams(location.search);
const only = (query.get("only") ?? "").split(",").filter(Boolean);
const runs = Number(query.get("runs") ?? 15);
const folder = new URL(query.get("models") ?? "../models/", document.baseURI).href;
/** @param {string} name @param {string} usual */
const list = (name, usual) => (query.get(name) ?? usual).split(",").filter(Boolean);
/** Backends of py_tensor to compare, of which the first is the reference. */
const ours = list("ours", "webgl");
/** Backends of TensorFlow.js to compare with: "webgl", "webgpu", "wasm". */
const backends = list("backends", "webgl");
/** Providers of ONNX Runtime Web to compare with, if its folder is in the query. */
const ort = query.get("ort");
const providers = list("providers", "webgl,wasm");
/** Parts of the names of libraries, in the order of their first calls. */
const order = list("order", OURS);

async function run() {
  const answer = await fetch(new URL("models.json", folder));
  if (!answer.ok) throw new Error(`bench: no models.json in ${folder}; got ${answer.status}`);
  /** @type {Entry[]} */
  const entries = (await answer.json()).filter(
    (/** @type {Entry} */ { file }) =>
      only.length === 0 || only.some((part) => file.includes(part)),
  );
  const python = new PythonSide();
  /** @type {Record<string, string>} */
  const versions = { py_tensor: await python.start((step) => report(step), false) };
  for (const backend of ours) await python.ready(backend);
  await report("Starting TensorFlow.js");
  const tensorflow = await import("./tensorflow/side.js");
  const { startBackend } = await import("./tensorflow/trained.js");
  versions["TensorFlow.js"] = await tensorflow.start();
  const runtime =
    ort === null ? null : await startRuntime(new URL(ort, document.baseURI).href, providers);
  if (runtime) versions["ONNX Runtime Web"] = runtime.version;
  /** @type {Measured[]} */
  const rows = [];
  for (const [number, { file, shapes }] of entries.entries()) {
    await report(`${number + 1} of ${entries.length}: ${file}`);
    const url = new URL(file, folder).href;
    const theirs = file.endsWith(".onnx")
      ? providers.map((provider) => ({ name: `ORT ${provider}`, load: runtime?.loader(provider) }))
      : backends.map((backend) => ({
          name: `TF.js ${backend}`,
          load: async (/** @type {string} */ address) => (await startBackend(backend))(address),
        }));
    /** @type {Parameters<typeof measureTrained>[1]} */
    const libraries = ours.map((backend) => [
      ours.length > 1 || query.has("ours") ? `${OURS} ${backend}` : OURS,
      () => python.load(url, shapes ?? null, backend),
    ]);
    for (const { name, load } of theirs) if (load) libraries.push([name, () => load(url)]);
    const measured = await measureTrained(file, libraries, runs, order);
    rows.push(...measured);
    showSections([trainedSection(rows)]);
    send("/log", measured.map((row) => JSON.stringify(row)).join("\n"));
  }
  const sections = [trainedSection(rows)];
  const failed = rows.filter(hasFailed).length;
  const renderer = `${rendererName()}\n${await adapterLine()}`;
  return { renderer, versions, runs, rows, sections, summary: { failed } };
}

startPage(run);
