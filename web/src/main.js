/** @file Entry point of the page: creates the sections and starts Python in two workers. */

import { createDigits } from "./features/digits/digits.js";
import { createPhotoLab } from "./features/photo_lab/photo_lab.js";
import { createPlayground } from "./features/playground/playground.js";
import { showBackend } from "./features/status/backend_note.js";
import { createLivePanel } from "./features/status/live_panel.js";
import { createLoading } from "./features/status/loading.js";
import { createSurface } from "./features/surface/surface.js";
import "./ui/install_links.js";
import { Client, StoppedError } from "./python/client.js";
import { keepOffline } from "./python/offline.js";
import { textOf } from "./ui/error_text.js";
import { switchOff } from "./ui/switch_off.js";
import workerAddress from "./worker.js?worker&url";

const TOO_SLOW =
  "Switched off, because this page computes in plain Python, which is too slow for this section.";
const NOT_STARTED = "Python did not start; the top of the page says why.";

/** The flags of py_tensor in the page's address are also in the worker's, where the import finds them. */
const createWorker = () => new Worker(workerAddress + location.search, { type: "module" });
/** Python of the playground. Stopping a program may terminate it, so the other sections have their own. */
const programs = new Client(createWorker);
const models = new Client(createWorker);
const loading = createLoading(programs);
createLivePanel([programs, models]);
const playground = createPlayground(programs, { restart: startPrograms, others: models });
const sections = [createPhotoLab(models), createDigits(models), createSurface(models)];

async function startPrograms() {
  playground.ready = false;
  loading.begin();
  try {
    const started = await programs.start();
    showBackend(started);
    loading.finish();
    playground.slow = started.backend === "python";
    playground.ready = true;
    return started;
  } catch (error) {
    if (error instanceof StoppedError) return null;
    loading.fail(textOf(error));
    playground.fail(NOT_STARTED);
    return null;
  }
}

async function startModels() {
  try {
    await models.start();
    for (const section of sections) section.connect();
  } catch (error) {
    loading.fail(textOf(error));
    switchOffSections(NOT_STARTED);
  }
}

/** @param {string} reason */
function switchOffSections(reason) {
  for (const id of ["photo-lab", "digits", "surface"]) switchOff(id, reason);
}

// One after the other, so that the first one is ready sooner and its downloads are in the cache.
const started = await startPrograms();
if (!started) switchOffSections(NOT_STARTED);
else if (started.backend === "python") switchOffSections(TOO_SLOW);
else await startModels();
if (started && (await keepOffline(started.files).catch(console.warn))) loading.keep();
