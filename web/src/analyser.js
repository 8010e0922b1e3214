/** @file Entry point of the analyser's page: creates its parts and starts Python in a worker. */

import workerAddress from "./analyser_worker.js?worker&url";
import { Analyser } from "./features/analyser/analyser.js";
import { createGallery } from "./features/analyser/gallery/gallery.js";
import { createGraphView } from "./features/analyser/graph/graph_view.js";
import { createInput } from "./features/analyser/input/input.js";
import { createLayerTable } from "./features/analyser/layers/layer_table.js";
import { createLayerView } from "./features/analyser/layers/layer_view.js";
import { createModelCard } from "./features/analyser/model/model_card.js";
import { createOpenModel } from "./features/analyser/model/open_model.js";
import { createOutput } from "./features/analyser/output/output.js";
import { createSpeedView } from "./features/analyser/speed/speed_view.js";
import { describeBackend, showBackend } from "./features/status/backend_note.js";
import { createLoading } from "./features/status/loading.js";
import { Client } from "./python/client.js";
import { keepOffline } from "./python/offline.js";
import { textOf } from "./ui/error_text.js";

/** The flags of py_tensor in the page's address are also in the worker's, where the import finds them. */
const client = new Client(() => new Worker(workerAddress + location.search, { type: "module" }));
const loading = createLoading(client);
const analyser = new Analyser(client);
const opener = createOpenModel(analyser);
createGallery(analyser, opener.open);
const speed = createSpeedView(analyser);
for (const create of [createModelCard, createGraphView, createLayerView, createLayerTable])
  create(analyser);
// The input comes last: it runs the model after the other parts have shown it.
for (const part of [speed, createOutput(analyser), createInput(analyser)]) analyser.add(part);

try {
  const base = new URL("../", document.baseURI).href;
  const started = await client.start(base);
  showBackend(started);
  speed.backend = describeBackend(started);
  loading.finish();
  opener.connect();
  // The browser loaded the worker's script before the service worker.
  await keepOffline([...started.files, workerAddress], base).catch(console.warn);
} catch (error) {
  loading.fail(textOf(error));
}
